r"""Where the words of a text lie: the smallest pieces between which chunks are normally cut.

A word is a run of graphemes (user-perceived characters, `\X` of Unicode Standard Annex 29) without
white space. In scripts that are written without spaces between words (Han, Hiragana, Katakana,
Thai, Lao, Khmer, Myanmar) each grapheme is a word of its own, with the brackets that open before
it and the punctuation that follows it.
"""

import re
from collections.abc import Iterator

import regex

Span = tuple[int, int]

# White space is what str.isspace() says. A space that carries a combining mark is one grapheme
# with it and so belongs to a word; control characters (a line end) never carry one.
_CONTROLS = r"\t-\r\x1c-\x1f\x85\u2028\u2029"
_SPACES = r"\x20\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
_MARKS = r"\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}"
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_OPENING = r"\p{Ps}\p{Pi}"
_CLOSING = r"\p{Pe}\p{Pf}\p{Po}"

_GRAPHEME = regex.compile(r"\X")
_PLAIN_WORD = re.compile(f"[^{_CONTROLS}{_SPACES}]+")
_WORD = regex.compile(
    rf"(?:(?=[{_OPENING}])\X)*+ (?=[{_UNSPACED}])\X (?:(?=[{_CLOSING}])\X)*+"
    rf"| (?: (?! [{_CONTROLS}] | [{_SPACES}](?![{_MARKS}]) | [{_OPENING}]*+[{_UNSPACED}] ) \X )++",
    regex.VERBOSE,
)
# Without any of these no grapheme reaches across white space and every script has spaces.
_NOT_PLAIN = regex.compile(rf"[{_MARKS}\p{{GCB=Prepend}}{_UNSPACED}]")


def find_words(text: str) -> list[Span]:
    """Return start and end of every word; together they hold every non-blank character."""
    return list(iterate_words(text))


def iterate_words(text: str) -> Iterator[Span]:
    """Yield what `find_words` returns, for texts of millions of words."""
    plain = text.isascii() or _NOT_PLAIN.search(text) is None
    for match in _PLAIN_WORD.finditer(text) if plain else _WORD.finditer(text):
        yield match.span()


def find_graphemes(text: str) -> list[Span]:
    """Return start and end of every user-perceived character, white space included."""
    return [match.span() for match in _GRAPHEME.finditer(text)]
