"""Texts -> terms: the one analyzer that documents and queries share, by name.

* `auto` suits any script: words, identifiers and bigrams, see `sweep.index.words`.
* A Snowball language (`english`, `german`, ...) takes the terms of `auto`, drops that language's
  stop words, and stems the rest. A text of nothing but stop words keeps them all: a document of
  such words can still be found, by a query of such words.
* `jieba`, `sudachipy`, `kiwipiepy` find the words of Chinese, Japanese and Korean with a
  dictionary, and take the rest of a text as `auto` does, see `sweep.index.segmenters`.

Each may be followed by `+identifiers` (`english+identifiers`): names as machines write them are
then found whole and in parts, see `sweep.index.identifiers`.
"""

import difflib
import hashlib
from functools import cache

import Stemmer

from sweep.errors import IndexingError
from sweep.index import identifiers
from sweep.index.segmenters import DICTIONARIES, make_segmenter
from sweep.index.stop_lists import FUNCTION_WORDS
from sweep.index.words import JOINT, Split, make_splitter, split_words, words_with_parts
from sweep.machine import machine_name, version_of
from sweep.text_lines import shorten

AUTO = "auto"
IDENTIFIERS = "+identifiers"
# Names of `bm25s.stopwords`: Snowball's own lists (function words only). The larger collections on
# PyPI also drop `system`, `test`, `computer`, `information`. The other languages' lists are ours.
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
_CEDILLAS = str.maketrans("șț", "şţ")  # Romanian is written with either


def analyze(text: str, *, analyzer: str) -> list[str]:
    """Return the terms of one text, in order, repeats included.

    Args:
        text: a chunk or a query; may be empty.
        analyzer: see `make_analyzer`.

    Returns: terms; empty when the text holds neither letters nor digits.

    Raises:
        IndexingError: for an unknown analyzer.
    """
    return make_analyzer(analyzer)(text)


def make_analyzer(name: str) -> Split:
    """Return the function that turns a text into terms, as `analyze` does.

    It is not to be shared between threads: PyStemmer's stemmers keep state.

    Args:
        name: one of `analyzer_names()`, or one with `+identifiers` behind it.

    Raises:
        IndexingError: for an unknown name (says the nearest known one), or where the library that
            it needs is not installed.
    """
    base = name.removesuffix(IDENTIFIERS)
    if base not in analyzer_names():
        raise IndexingError(
            f"bm25.analyzer: must be a known analyzer, got {shorten(name)}. {_advice(name)}"
        )
    split = _splitter(base, has_identifiers=base != name)
    return split if base == AUTO or base in DICTIONARIES else _of_language(base, split)


def analyzer_names() -> tuple[str, ...]:
    """Return every analyzer: `auto`, PyStemmer's languages, the libraries with a dictionary."""
    return (AUTO, *Stemmer.algorithms(), *DICTIONARIES)


def analyzer_libraries(name: str) -> tuple[str, ...]:
    """Return the packages that an analyzer needs beside those that all do."""
    base = name.removesuffix(IDENTIFIERS)
    return tuple(filter(None, (base, DICTIONARIES[base]))) if base in DICTIONARIES else ()


def analyzer_key(name: str) -> tuple[str, ...]:
    """Return what beside its name, `regex`, `pystemmer` and `bm25s` can change a term."""
    base = name.removesuffix(IDENTIFIERS)
    parts = [f"{library}={version_of(library)}" for library in analyzer_libraries(name)]
    if base == "kiwipiepy":
        parts.append(machine_name())  # its model computes with what the processor has
    if base in FUNCTION_WORDS:
        parts.append(hashlib.sha256(FUNCTION_WORDS[base].encode()).hexdigest())
    return tuple(parts)


def _splitter(base: str, *, has_identifiers: bool) -> Split:
    """Return what comes before stop words and stems."""
    segmenter = make_segmenter(base) if base in DICTIONARIES else None
    if has_identifiers:
        return make_splitter(
            joint=identifiers.JOINT,
            joined=identifiers.split_identifier,
            segmenter=segmenter,
            folded=False,
        )
    if segmenter is None:
        return split_words
    return make_splitter(
        joint=JOINT,
        joined=lambda piece: words_with_parts([piece]),
        segmenter=segmenter,
        folded=True,
    )


def _of_language(language: str, split: Split) -> Split:
    stemmer, dropped = Stemmer.Stemmer(language), stop_words(language)

    def split_and_stem(text: str) -> list[str]:
        terms = split(text)
        kept = [term for term in terms if term not in dropped]
        stems: list[str] = stemmer.stemWords(kept or terms)
        return stems

    return split_and_stem


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of a Snowball language in the form `auto` gives them."""
    if language in STOP_LISTS:
        import bm25s.stopwords  # imports scipy: only where stop words are asked for

        listed = getattr(bm25s.stopwords, STOP_LISTS[language])
    else:
        words = FUNCTION_WORDS[language]
        listed = (words + words.translate(_CEDILLAS)).split()
    split = map(split_words, listed)
    # `aren't` is two terms here; its parts that are words of their own are listed by themselves.
    return frozenset(terms[0] for terms in split if len(terms) == 1)


def _advice(name: str) -> str:
    base, plus, _ = name.partition("+")
    if plus and base in analyzer_names():
        return f"Write {base + IDENTIFIERS!r}."
    near = difflib.get_close_matches(base.lower(), analyzer_names(), n=1)
    if near:
        return f"Write {near[0]!r}."
    return f"Known: {', '.join(analyzer_names())}; each also with {IDENTIFIERS}."
