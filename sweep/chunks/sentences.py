"""Where the sentences of a text lie, as runs of whole words."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

import regex
import sentencex

from sweep.chunks.words import Span

SAMPLE_CHARACTERS = 2_000  # enough to tell the script of a document

# Borders that no full stop marks: a blank line, and the start of a Markdown heading or table row.
_PARAGRAPH = re.compile(r"(?>\r\n|[\n\r\x0b\x0c\x85\u2028])\s*[\n\r\x0b\x0c\x85\u2028]|\u2029")
_ROW = re.compile(r"[\n\r][ \t]*(?=[|#])")
# sentencex 1.0.32 panics on an initial after white space of more than one byte ("A\u2028."), so
# it sees a copy with plain spaces: as long as the text, so that positions stay true.
_PLAIN_SPACE = {
    **{ord(character): " " for character in "\x1c\x1d\x1e\x1f\xa0\u1680\u202f\u205f\u3000"},
    **{code: " " for code in range(0x2000, 0x200B)},
    **{ord(character): "\n" for character in "\x85\u2028\u2029"},
}
_LANGUAGES = {  # the language whose rules suit a script best
    "Han": "zh",
    "Hiragana": "ja",
    "Katakana": "ja",
    "Hangul": "ko",
    "Cyrillic": "ru",
    "Greek": "el",
    "Arabic": "ar",
    "Hebrew": "he",
    "Armenian": "hy",
    "Devanagari": "hi",
    "Bengali": "bn",
    "Gurmukhi": "pa",
    "Gujarati": "gu",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Thai": "th",
    "Myanmar": "my",
    "Khmer": "km",
}
_SCRIPTS = {name: regex.compile(rf"\p{{{name}}}") for name in ("Latin", *_LANGUAGES)}


def find_sentences(text: str, words: Sequence[Span]) -> list[Span]:
    """Return start and end of every sentence, in words.

    Sentences end where sentencex says, at blank lines and before Markdown headings and table rows,
    but never inside a word.

    Args:
        text: a document's text.
        words: its words (`find_words`).
    Returns: half-open ranges of word numbers that follow each other and hold every word.
    """
    if not words:
        return []
    ordered = sorted({0, len(words), *_words_at(_find_borders(text), words)})
    return list(zip(ordered[:-1], ordered[1:], strict=True))


def find_paragraphs(text: str, words: Sequence[Span]) -> list[int]:
    """Return the first word of every paragraph: blank lines end one.

    Each begins a sentence too (`find_sentences`).
    """
    if not words:
        return []
    borders = (match.end() for match in _PARAGRAPH.finditer(text))
    return sorted({0, *_words_at(borders, words)} - {len(words)})


def _words_at(borders: Iterable[int], words: Sequence[Span]) -> Iterator[int]:
    """Yield the first word after each border that does not fall into a word."""
    starts = [start for start, _ in words]
    ends = [end for _, end in words]
    for border in borders:
        word = bisect_left(starts, border)
        if word and ends[word - 1] <= border:
            yield word


def guess_language(text: str) -> str:
    """Return the language code whose sentence rules suit the script of the text, `en` at a tie."""
    if text.isascii():
        return "en"
    sample = text[:SAMPLE_CHARACTERS]
    counts = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
    if counts["Hiragana"] + counts["Katakana"] > 0.1 * counts["Han"]:
        counts["Hiragana"] += counts["Han"]  # Japanese mixes both; Chinese has no kana
    script = max(counts, key=lambda name: counts[name])  # the first of equals: Latin
    return _LANGUAGES.get(script, "en")


def _find_borders(text: str) -> list[int]:
    plain = text.translate(_PLAIN_SPACE)
    borders = [match.end() for pattern in (_PARAGRAPH, _ROW) for match in pattern.finditer(text)]
    for sentence in _segment(plain, language=guess_language(text)):
        borders += [sentence["start_index"], sentence["end_index"]]
    return borders


def _segment(text: str, *, language: str) -> list[dict[str, int]]:
    try:
        return list(sentencex.get_sentence_boundaries(language, text))
    except BaseException as error:
        # A panic inside the Rust library is no Exception. Paragraphs and words still cut the text.
        if type(error).__name__ != "PanicException":
            raise
        return []
