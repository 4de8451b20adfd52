"""Lines of a text file that was not made here; what messages tell: a faulty value, a count.

Lines end at LF only, with a CR before it dropped: U+2028 and its like may stand inside an id.
"""

import codecs
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from sweep.errors import MetricError

_SHOWN_CHARACTERS = 80


def read_byte_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the non-blank lines of a file without their ends, each with its number (from 1).

    Raises:
        MetricError: if the file cannot be read.
    """
    for number, line in enumerate(_read_bytes(path).split(b"\n"), start=1):
        if line.strip():
            yield number, line.removesuffix(b"\r")


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file.

    Raises:
        MetricError: if the file cannot be read or is not UTF-8, with the line.
    """
    data = _read_bytes(path)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MetricError(
            f"{path}:{line}: must be UTF-8, got byte 0x{data[error.start]:02x}. "
            "Save the file as UTF-8."
        ) from error


def read_text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the non-blank lines of a UTF-8 file without their ends, each with its number (from 1).

    Raises:
        MetricError: if the file cannot be read or is not UTF-8, with the line.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if line.strip():
            yield number, line.removesuffix("\r")


def shorten(value: object) -> str:
    """Return `repr(value)`, cut to a length that fits in a message."""
    try:
        text = repr(value[: _SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    except ValueError:  # Python prints no integer of more than 4,300 digits
        return "a number with thousands of digits"
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."


def counted(count: int, noun: str) -> str:
    """Return `1 query`, `2,000 queries`."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{count:,} {noun[:-1]}ies"
    return f"{count:,} {noun}{'es' if noun.endswith('s') else 's'}"


def nearest(
    name: str,
    known: Iterable[str],
    *,
    otherwise: str = "",
    cutoff: float = 0.6,
    quoted: bool = True,
) -> str:
    """Return `Did you mean 'size'?` with the known name that is most like the one given.

    Args:
        name: as somebody wrote it.
        known: the names that there are.
        otherwise: returned where none is like it.
        cutoff: how much they must have in common, in [0, 1]; see `difflib`.
        quoted: whether the name stands in quotation marks.
    """
    near = get_close_matches(name, known, n=1, cutoff=cutoff)
    if not near:
        return otherwise
    return f"Did you mean {near[0]!r}?" if quoted else f"Did you mean {near[0]}?"


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise MetricError(
            f"{path}: must be a readable file, got '{reason}'. Check the path and its permissions."
        ) from error
