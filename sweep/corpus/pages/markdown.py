"""The title of a Markdown page: its first heading."""

import re

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ATX = re.compile(r" {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_NOT_UNDERLINED = re.compile(r"\s*(?:[-*+>|#]|\d+[.)] )")  # lists, quotes, tables
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)|\s*\{#[^}]*\}\s*$|</?[A-Za-z][^<>]*>")


def split_heading(text: str) -> tuple[str, str]:
    """Return the first heading of a text (plain, "" without one), and the text.

    Where nothing stands before the heading, the text is what follows it: titles are put before
    every chunk anyway, and need not be there twice.
    """
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        if fence:
            fence = "" if line.lstrip().startswith(fence) else fence
            continue
        if opened := _FENCE.match(line):
            fence = opened[1]
            continue
        title, length = _heading_at(lines, number)
        if title:
            above = "\n".join(lines[:number]).strip()
            rest = "\n".join(lines[number + length :]).strip("\n") if not above else text
            return title, rest if rest.strip() else text
    return "", text


def _heading_at(lines: list[str], number: int) -> tuple[str, int]:
    """Return the heading that begins in a line, and how many lines it takes."""
    line = lines[number]
    if found := _ATX.fullmatch(line):
        return plain_words(found[1] or ""), 1
    below = lines[number + 1] if number + 1 < len(lines) else ""
    above = lines[number - 1] if number else ""
    if (
        line.strip()
        and not above.strip()
        and _UNDERLINE.fullmatch(below)
        and not _NOT_UNDERLINED.match(line)
    ):
        return plain_words(line), 2
    return "", 0


def plain_words(text: str) -> str:
    """Return a line of Markdown without its marks: of links their text."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())
