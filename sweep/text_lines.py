"""Lines of a text file that was not made here, and how a faulty value is shown in a message.

Lines end at LF only, with a CR before it dropped: U+2028 and its like may stand inside an id.
"""

import codecs
from collections.abc import Iterator
from pathlib import Path

from sweep.errors import MetricError

_SHOWN_CHARACTERS = 60


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


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise MetricError(
            f"{path}: must be a readable file, got '{reason}'. Check the path and its permissions."
        ) from error
