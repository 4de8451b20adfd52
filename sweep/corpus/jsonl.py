"""Reading text files line by line: UTF-8, records end at LF only, every fault names its line.

`str.splitlines` is not used: it also cuts at U+2028, U+0085 and others, which are legal inside a
JSON string (RFC 8259 escapes only what is below U+0020).
"""

import codecs
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from sweep.errors import CorpusError

SHOWN_CHARACTERS = 60  # of an offending line or value, in a message


def read_jsonl(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a JSON Lines file, each with its line number (from 1).

    Args:
        path: the file; UTF-8, with or without a byte order mark; LF or CRLF; blank lines are
            skipped.
    Raises: CorpusError, naming file and line, if the file cannot be read, is not UTF-8, or a
        line is not one JSON object (lone surrogates, NaN and infinite numbers are refused too).
    """
    for number, line in read_lines(path):
        yield number, _parse_object(line, where=f"{path}:{number}")


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield the non-blank lines of a UTF-8 text file, each with its line number (from 1).

    Lines end at LF; a CR before it is dropped; nothing else is changed.
    Raises: CorpusError if the file cannot be read or is not UTF-8 (with line and byte offset).
    """
    for number, line in enumerate(_read_text(path).split("\n"), start=1):
        if line.strip(" \t\r"):
            yield number, line.removesuffix("\r")


def shorten(value: object) -> str:
    """Return `repr(value)`, cut to a length that fits in a message."""
    text = repr(value[: SHOWN_CHARACTERS + 1] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CorpusError(
            f"{path}: must be a readable file, got '{reason}'. Check the path and its permissions."
        ) from error
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        return str(memoryview(data)[mark:], encoding="utf-8")
    except UnicodeDecodeError as error:
        offset = mark + error.start
        line = data.count(b"\n", 0, offset) + 1
        raise CorpusError(
            f"{path}:{line}: must be UTF-8, got byte 0x{data[offset]:02x} at byte offset {offset}."
            " Save the file as UTF-8."
        ) from error


def _parse_object(line: str, *, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise CorpusError(
            f"{where}: must be one JSON object, got {shorten(line)} ({error.msg} at column "
            f"{error.colno}). Write one record per line."
        ) from error
    except ValueError as error:  # a number of ours or of Python's own limit on digits
        raise CorpusError(
            f"{where}: must hold finite numbers only, got {error}. Write it as a string."
        ) from error
    except RecursionError as error:
        raise CorpusError(
            f"{where}: must not be nested so deeply, got {shorten(line)}. Flatten the record."
        ) from error
    if not isinstance(record, dict):
        raise CorpusError(
            f"{where}: must be one JSON object, got {shorten(record)}. "
            'Write {"_id": ..., "text": ...}.'
        )
    if "\\ud" in line or "\\uD" in line:
        _refuse_lone_surrogates(record, where=where)
    return record


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{shorten(text)}, which is beyond a float's range")
    return value


def _refuse_lone_surrogates(record: dict[str, Any], *, where: str) -> None:
    try:
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise CorpusError(
            f"{where}: must hold whole characters, got the lone surrogate \\u{code:04x}. "
            "Write both halves of the pair, or leave it out."
        ) from error
