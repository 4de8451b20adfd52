"""Texts -> terms in any script; what every analyzer begins with.

Text is brought to one form (NFKC, case-folded, invisible characters and the many hyphens unified),
then cut into

* words: letters and digits with the combining marks that follow them (a Devanagari vowel sign
  stays in its word), split at everything else, apostrophes included;
* identifiers: words joined by `-`, `.`, `/` or `_` without spaces, of which one holds a digit or
  which hold a `_`, give the whole beside the parts: `LRD-2207` gives `lrd`, `2207`, `lrd-2207`;
* bigrams: scripts written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar) give
  overlapping pairs of characters (grapheme clusters) of each run of one script; a run of one
  character gives that character.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import regex

Split = Callable[[str], list[str]]

JOINT = r"(?:[-./]|_+)"
_JOINTS = re.compile(JOINT)
_ASCII_WORDS = re.compile(rf"[a-z0-9]+(?:{JOINT}[a-z0-9]+)*")
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
# Three speeds for one definition of a word: ASCII; no unspaced script in the text; any text.
_WORDS = regex.compile(rf"(?V1){_WORD}(?:{JOINT}{_WORD})*")
_ANY_UNSPACED = regex.compile(rf"(?V1){_UNSPACED}")
_CLUSTERS = regex.compile(r"\X")
# Invisible characters that may stand inside a word (soft hyphen, joiners, variation selectors).
# The zero-width space is not among them: it separates words.
_INVISIBLE = regex.compile(r"(?V1)[\p{Default_Ignorable_Code_Point}--\u200b]")
_HYPHENS = re.compile("[\u2010-\u2013\u2212]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmenter:
    """Cuts text of some scripts into words with a dictionary.

    Attributes:
        letters: its scripts, as the inside of a character class of `regex`.
        run: a pattern of what it is given at once.
        cut: gives the terms of one run, and is told whether it follows a letter or digit without
            a space (a Korean particle after a Latin name).
    """

    letters: str
    run: str
    cut: Callable[[str, bool], list[str]]


def split_words(text: str) -> list[str]:
    """Return the terms of a text."""
    if text.isascii():
        return words_with_parts(_ASCII_WORDS.findall(text.lower()))
    clean = tidy(fold(text))
    if not _ANY_UNSPACED.search(clean):
        return words_with_parts(_WORDS.findall(clean))
    terms: list[str] = []
    for run, word in _ANY_TEXT.findall(clean):
        terms += bigrams(run) if run else words_with_parts([word])
    return terms


def fold(text: str) -> str:
    """Return a text in the form in which terms are compared."""
    # Case folding can undo the composed form, hence twice.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def tidy(text: str) -> str:
    """Return a text without invisible characters and with one kind of hyphen."""
    return _HYPHENS.sub("-", _INVISIBLE.sub("", text))


def words_with_parts(pieces: list[str]) -> list[str]:
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


def bigrams(run: str) -> list[str]:
    """Return overlapping pairs of grapheme clusters, or the only cluster."""
    clusters: list[str] = _CLUSTERS.findall(run)
    if len(clusters) == 1:
        return clusters
    return [first + second for first, second in zip(clusters, clusters[1:], strict=False)]


def text_pattern(*, joint: str, segmenter: Segmenter | None = None) -> Any:
    """Return a pattern that finds runs and words in any text.

    Its groups are a run of the segmenter's scripts, a run of another unspaced script, and words
    with what joins them; without a segmenter, the last two.
    """
    other = _UNSPACED
    groups = rf"({_RUN})"
    if segmenter is not None:
        other = rf"[{_UNSPACED}[{segmenter.letters}]]"
        groups = rf"({segmenter.run})|{groups}"
    word = rf"(?:[{_LETTER}--{other}]\p{{M}}*)+"
    return regex.compile(rf"(?V1){groups}|({word}(?:{joint}{word})*)")


def make_splitter(
    *, joint: str, joined: Split, segmenter: Segmenter | None, folded: bool
) -> Split:
    """Return what turns any text into terms.

    Args:
        joint: a pattern of what joins words without spaces.
        joined: gives the terms of joined words.
        segmenter: for its scripts, in place of bigrams.
        folded: whether `joined` gets folded text; else only NFKC.
    """
    pattern = text_pattern(joint=joint, segmenter=segmenter)

    def parts(text: str) -> Iterator[str]:
        clean = tidy(fold(text) if folded else unicodedata.normalize("NFKC", text))
        for match in pattern.finditer(clean):
            *segmented, run, word = match.groups()
            if segmented and segmented[0]:
                assert segmenter is not None
                start = match.start()
                yield from segmenter.cut(fold(segmented[0]), clean[start - 1 : start].isalnum())
            elif run:
                yield from bigrams(fold(run))
            else:
                yield from joined(word)

    return lambda text: list(parts(text))


_ANY_TEXT = text_pattern(joint=JOINT)
