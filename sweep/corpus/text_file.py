"""The text of a file: UTF-8, or what its byte order mark or `--encoding` says; lines end at LF.

`str.splitlines` is not used: it also cuts at U+2028, U+0085 and others, which are legal inside a
JSON string (RFC 8259 escapes only what is below U+0020).
"""

import codecs
from collections.abc import Iterator
from pathlib import Path

from sweep.corpus.compressed import read_bytes
from sweep.errors import CorpusError
from sweep.text_lines import shorten

PEEKED_BYTES = 65_536
_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # begins as UTF-16's does: looked at before it
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_ZIP = b"PK\x03\x04"


def read_lines(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, str]]:
    r"""Yield the non-blank lines of a text file, each with its line number (from 1).

    Lines end at LF; a CR before it is dropped; nothing else is changed.
    Raises: CorpusError, see `read_text`.
    """
    for number, line in enumerate(read_text(path, encoding=encoding).split("\n"), start=1):
        if line.strip(" \t\r"):
            yield number, line.removesuffix("\r")


def read_text(path: Path, *, encoding: str | None = None) -> str:
    """Return the text of a file, without a byte order mark.

    Args:
        path: the file; compressed or not.
        encoding: what it is in; None: what its byte order mark says, UTF-8 without one.
    Raises: CorpusError if it cannot be read, or is not in that encoding (with line and byte).
    """
    data = read_bytes(path)
    if data.startswith(_ZIP):
        raise CorpusError(
            f"{path}: must be a text file, got a zip archive. Unpack it, and give the folder."
        )
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if encoding is not None:
        return _decode_as(path, data, encoding)
    if _MARKS.get(mark) == "utf-32":
        raise _not_text(path, 1, data, 0, advice="Save it as UTF-8, or give --encoding utf-32.")
    if not mark and (guess := _unmarked_utf16(data)):
        advice = f"It looks like UTF-16 without a mark: save it as UTF-8, or --encoding {guess}."
        raise _not_text(path, 1, data, data.index(0), advice=advice)
    return _decode(path, data, _MARKS.get(mark, "utf-8"), start=len(mark))


def encoding_where_needed(path: Path, encoding: str | None) -> str | None:
    """Return an encoding for a file among many, of which some are UTF-8 and others are not.

    A file with letters beyond ASCII that is valid UTF-8 is that: other encodings hardly make such
    bytes. Returns: None for such a file, otherwise `encoding`.

    Raises: CorpusError if the file cannot be read.
    """
    if encoding is None:
        return None
    data = read_bytes(path)
    if data.isascii():
        return encoding
    try:
        data.decode()
    except UnicodeDecodeError:
        return encoding
    return None


def peek_text(path: Path, *, encoding: str | None = None) -> str:
    """Return the beginning of a file, to see what it is; faults are left for whoever reads it."""
    try:
        data = read_bytes(path, PEEKED_BYTES)
        mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
        return data[len(mark) :].decode(encoding or _MARKS.get(mark, "utf-8"), "replace")
    except (CorpusError, LookupError, ValueError):
        return ""


def check_encoding(encoding: str | None) -> None:
    """Refuse a name that is no encoding of texts.

    Raises: CorpusError.
    """
    try:
        b"aaaa".decode(encoding or "utf-8")  # of no bytes at all, no codec is looked up
    except UnicodeError:
        return  # it is one, if not of these bytes
    except (LookupError, ValueError) as error:
        raise CorpusError(
            f"--encoding: must name an encoding of texts, got {shorten(encoding)}. "
            "Write for example cp1252, latin-1, shift_jis or utf-16."
        ) from error


def _decode(path: Path, data: bytes, encoding: str, *, start: int = 0) -> str:
    try:
        return str(memoryview(data)[start:], encoding=encoding)
    except UnicodeDecodeError as error:
        offset = start + error.start
        line = data[start:offset].decode(encoding, "ignore").count("\n") + 1
        raise _not_text(path, line, data, offset, encoding=encoding) from error


def _decode_as(path: Path, data: bytes, encoding: str) -> str:
    check_encoding(encoding)
    try:
        text = _decode(path, data, encoding).removeprefix("\ufeff")
        text.encode()  # raw_unicode_escape and its like can make halves of characters
    except UnicodeError as error:
        raise CorpusError(
            f"{path}: must be in {encoding}, got bytes that are not ({error}). Check --encoding."
        ) from error
    return text


def _not_text(
    path: Path, line: int, data: bytes, offset: int, *, encoding: str = "utf-8", advice: str = ""
) -> CorpusError:
    byte = f"byte 0x{data[offset]:02x}" if offset < len(data) else "the end"
    advice = advice or "Save the file as UTF-8, or name its encoding by --encoding."
    return CorpusError(
        f"{path}:{line}: must be {encoding.upper()}, got {byte} at byte offset {offset}. {advice}"
    )


def _unmarked_utf16(data: bytes) -> str | None:
    """Return which UTF-16 this looks like: every other byte of the beginning is 0."""
    head = data[:64]
    if len(head) < 4:
        return None
    for name, zeros, others in (
        ("utf-16-le", head[1::2], head[::2]),
        ("utf-16-be", head[::2], head[1::2]),
    ):
        if not any(zeros) and all(others):
            return name
    return None
