"""Texts -> terms: the one analyzer that documents and queries share.

`auto` suits any script. Text is brought to one form (NFKC, case-folded, invisible characters and
the many hyphens unified), then cut into

* words: letters and digits with the combining marks that follow them (a Devanagari vowel sign
  stays in its word), split at everything else, apostrophes included;
* identifiers: words joined by `-`, `.`, `/` or `_` without spaces, of which one holds a digit or
  which hold a `_`, give the whole beside the parts: `LRD-2207` gives `lrd`, `2207`, `lrd-2207`;
* bigrams: scripts written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar) give
  overlapping pairs of characters (grapheme clusters) of each run of one script; a run of one
  character gives that character.

A Snowball language (`english`, `german`, ...) takes the terms of `auto`, drops that language's
stop words, and stems the rest. A text of nothing but stop words keeps them all: a document of such
words can still be found, by a query of such words.
"""

import difflib
import re
import unicodedata
from collections.abc import Callable
from functools import cache

import regex
import Stemmer

from sweep.errors import IndexingError

AUTO = "auto"
# Names of `bm25s.stopwords`: Snowball's own lists (function words only). The larger collections on
# PyPI also drop `system`, `test`, `computer`, `information`. Other languages are only stemmed.
STOP_LISTS = {
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "dutch_porter": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN_PLUS",
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "porter": "STOPWORDS_EN_PLUS",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}

_JOINT = r"(?:[-./]|_+)"
_JOINTS = re.compile(_JOINT)
_ASCII_WORDS = re.compile(rf"[a-z0-9]+(?:{_JOINT}[a-z0-9]+)*")
# Written without spaces. The long-vowel mark is of no script of its own; both kana use it.
_SCRIPTS = (
    r"\p{Han}",
    r"\p{Hiragana}\u30fc",
    r"\p{Katakana}\u30fc",
    r"\p{Thai}",
    r"\p{Lao}",
    r"\p{Khmer}",
    r"\p{Myanmar}",
)
_UNSPACED = rf"[[{''.join(_SCRIPTS)}]&&[\p{{L}}\p{{Nl}}]]"
_RUN = "|".join(rf"(?:[[{script}]&&[\p{{L}}\p{{Nl}}]]\p{{M}}*)+" for script in _SCRIPTS)
_LETTER = r"[^\W\p{Pc}\p{M}]"  # `\w` of `regex` holds letters, digits, marks and connectors
_WORD = rf"{_LETTER}[^\W\p{{Pc}}]*"
_SPACED_WORD = rf"(?:[{_LETTER}--{_UNSPACED}]\p{{M}}*)+"
# Three speeds for one definition of a word: ASCII; no unspaced script in the text; any text.
_WORDS = regex.compile(rf"(?V1){_WORD}(?:{_JOINT}{_WORD})*")
_WORDS_AND_RUNS = regex.compile(rf"(?V1)({_RUN})|({_SPACED_WORD}(?:{_JOINT}{_SPACED_WORD})*)")
_ANY_UNSPACED = regex.compile(rf"(?V1){_UNSPACED}")
_CLUSTERS = regex.compile(r"\X")
# Invisible characters that may stand inside a word (soft hyphen, joiners, variation selectors).
# The zero-width space is not among them: it separates words.
_INVISIBLE = regex.compile(r"(?V1)[\p{Default_Ignorable_Code_Point}--\u200b]")
_HYPHENS = re.compile("[\u2010-\u2013\u2212]")


def analyze(text: str, *, analyzer: str) -> list[str]:
    """Return the terms of one text, in order, repeats included.

    Args:
        text: a chunk or a query; may be empty.
        analyzer: `auto` or a Snowball language.

    Returns: terms; empty when the text holds neither letters nor digits.

    Raises:
        IndexingError: for an unknown analyzer.
    """
    return make_analyzer(analyzer)(text)


def make_analyzer(name: str) -> Callable[[str], list[str]]:
    """Return the function that turns a text into terms, as `analyze` does.

    It is not to be shared between threads: PyStemmer's stemmers keep state.

    Args:
        name: one of `analyzer_names()`.

    Raises:
        IndexingError: for an unknown name; says the nearest known one.
    """
    if name == AUTO:
        return _split
    if name not in analyzer_names():
        near = difflib.get_close_matches(name.lower(), analyzer_names(), n=1)
        advice = f"Write {near[0]!r}." if near else f"Known: {', '.join(analyzer_names())}."
        raise IndexingError(
            f"bm25.analyzer: must be 'auto' or a Snowball language, got {name!r}. {advice}"
        )
    stem_words = Stemmer.Stemmer(name).stemWords
    stop_words = _stop_words(name)

    def split_and_stem(text: str) -> list[str]:
        terms = _split(text)
        kept = [term for term in terms if term not in stop_words]
        stems: list[str] = stem_words(kept or terms)
        return stems

    return split_and_stem


def analyzer_names() -> tuple[str, ...]:
    """Return every known analyzer: `auto`, then PyStemmer's languages."""
    return (AUTO, *Stemmer.algorithms())


def _split(text: str) -> list[str]:
    """Return the terms of `auto`."""
    if text.isascii():
        return _with_parts(_ASCII_WORDS.findall(text.lower()))
    # Case folding can undo the composed form, hence twice.
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    clean = _HYPHENS.sub("-", _INVISIBLE.sub("", folded))
    if not _ANY_UNSPACED.search(clean):
        return _with_parts(_WORDS.findall(clean))
    terms: list[str] = []
    for run, word in _WORDS_AND_RUNS.findall(clean):
        terms += _bigrams(run) if run else _with_parts([word])
    return terms


def _with_parts(pieces: list[str]) -> list[str]:
    """Return the words of each piece, and the piece itself where it is an identifier."""
    terms: list[str] = []
    for piece in pieces:
        if piece.isalnum():
            terms.append(piece)
            continue
        parts = _JOINTS.split(piece)
        terms += parts
        if len(parts) > 1 and ("_" in piece or any(map(str.isdecimal, piece))):
            terms.append(piece)
    return terms


def _bigrams(run: str) -> list[str]:
    """Return overlapping pairs of grapheme clusters, or the only cluster."""
    clusters: list[str] = _CLUSTERS.findall(run)
    if len(clusters) == 1:
        return clusters
    return [first + second for first, second in zip(clusters, clusters[1:], strict=False)]


@cache
def _stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a Snowball language in the form `auto` gives them."""
    if language not in STOP_LISTS:
        return frozenset()
    import bm25s.stopwords  # imports scipy: only where stop words are asked for

    split = map(_split, getattr(bm25s.stopwords, STOP_LISTS[language]))
    # `aren't` is two terms here; its parts that are words of their own are listed by themselves.
    return frozenset(terms[0] for terms in split if len(terms) == 1)
