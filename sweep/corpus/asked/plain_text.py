"""A text as it is compared with a quote: without what copying and Markdown change.

Case, kinds of quotation marks, dashes and blanks, runs of white space, soft hyphens, ligatures,
composed and decomposed letters, and Markdown's marks (emphasis, code, headings, bullets, the
targets of links, borders of tables) do not count. Every character knows where it came from.
"""

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field

import regex

_QUOTES = dict.fromkeys("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u2039\u203a"
                        "\u2032\u2033\u00b4`\"", "'")  # fmt: skip
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-")
_SPECIAL = regex.compile(
    r"(?P<target>(?<=\])\([^()\s]*(?:\s[^()]*)?\))"
    r"|(?P<bullet>(?m:^)[ \t]*(?:[-+*\u2022]|\#{1,6}|>)[ \t]+)"
    r"|(?P<border>(?<!-)\|?(?:[ \t]*+:?-{3,}+:?[ \t]*+\|)++(?:[ \t]*+:?-{3,}+:?[ \t]*+)?)"
    r"|(?P<none>[*_\[\]|\\\u00ad\u200b-\u200f\u2060\ufeff\x00-\x08]+)"
    r"|(?P<blank>[\s\u00a0\u2028\u2029]+)"
    r"|(?P<mark>[\"`])"
    r"|(?P<letter>.\p{M}+|[^\x00-\x7f])"
)


@dataclass(frozen=True, slots=True)
class PlainText:
    """What is compared, and the pieces that it is made of: where each starts here and there."""

    text: str
    _starts: list[int] = field(repr=False)
    _origins: list[tuple[int, int]] = field(repr=False)

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return which part of the original became `text[start:end]`; start < end."""
        piece = bisect_right(self._starts, end - 1) - 1
        ends_piece = end == (*self._starts[piece + 1 : piece + 2], len(self.text))[0]
        stop = self._origins[piece][1] if ends_piece else self._place(end - 1) + 1
        return self._place(start), stop

    def _place(self, number: int) -> int:
        piece = bisect_right(self._starts, number) - 1
        origin, stop = self._origins[piece]
        return min(origin + number - self._starts[piece], stop - 1)


def to_plain_text(text: str) -> PlainText:
    """Return a text as it is compared; see the module."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int]] = []
    length = end = 0

    def add(piece: str, origin: int, stop: int) -> None:
        nonlocal length
        if piece == " " and (not parts or parts[-1] == " "):
            return
        if piece:
            parts.append(piece)
            starts.append(length)
            origins.append((origin, stop))
            length += len(piece)

    for found in _SPECIAL.finditer(text):
        add(text[end : found.start()].lower(), end, found.start())
        add(_compared(found), found.start(), found.end())
        end = found.end()
    add(text[end:].lower(), end, len(text))
    return PlainText("".join(parts), starts, origins)


def _compared(found: "regex.Match[str]") -> str:
    """Return what stands for something special."""
    kind, piece = found.lastgroup, found[0]
    if kind in ("bullet", "blank", "border"):
        return " "
    if kind in ("none", "target"):
        return ""
    if kind == "mark":
        return "'"
    if piece in _QUOTES or piece in _DASHES:
        return _QUOTES.get(piece) or _DASHES[piece]
    folded = unicodedata.normalize("NFKC", piece).casefold()
    return " " if folded.isspace() else unicodedata.normalize("NFKC", folded)
