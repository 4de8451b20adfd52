"""Reading JSON Lines and JSON: records end at LF only, and every fault names its line."""

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from sweep.corpus.text_file import peek_text, read_lines, read_text
from sweep.errors import CorpusError
from sweep.json_keys import RepeatedKeyError, unique_keys
from sweep.text_lines import shorten

_KEY = re.compile(r'"([^"\\]*)"\s*:')


def read_jsonl(path: Path, *, encoding: str | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a JSON Lines file, each with its line number (from 1).

    Args:
        path: the file; see `read_text`; LF or CRLF; blank lines are skipped.
        encoding: see `read_text`.
    Raises: CorpusError, naming file and line, if the file cannot be read, or a line is not one
        JSON object (lone surrogates, NaN, infinite numbers and keys that repeat are refused too).
    """
    for number, line in read_lines(path, encoding=encoding):
        yield number, _parse_object(line, where=f"{path}:{number}")


def read_json(path: Path, *, encoding: str | None = None) -> Any:
    """Return the content of a JSON file.

    Raises: CorpusError, naming file and line, as for `read_jsonl`.
    """
    text = read_text(path, encoding=encoding)
    content = _parse(text, where=str(path), what="JSON", advice="Write the file again.")
    if _may_have_halves(text):
        _refuse_lone_surrogates(content, where=str(path))
    return content


def peek_keys(path: Path, *, encoding: str | None = None) -> frozenset[str]:
    """Return the keys of the first object in a JSON or JSON Lines file; none if it is no such.

    Of an object that is longer than what is looked at, all keys in that part, inner ones too.
    """
    head = peek_text(path, encoding=encoding)
    start = head.find("{")
    if start < 0 or head[:start].strip("[ \t\r\n"):
        return frozenset()
    try:
        record, _ = json.JSONDecoder().raw_decode(head, start)
        return frozenset(record)
    except (ValueError, RecursionError):
        return frozenset(_KEY.findall(head))


def _parse_object(line: str, *, where: str) -> dict[str, Any]:
    record = _parse(line, where=where, what="one JSON object")
    if not isinstance(record, dict):
        raise CorpusError(
            f"{where}: must be one JSON object, got {shorten(record)}. "
            'Write {"name": value, ...}.'
        )
    if _may_have_halves(line):
        _refuse_lone_surrogates(record, where=where)
    return record


def _parse(text: str, *, where: str, what: str, advice: str = "Write one record per line.") -> Any:
    try:
        return json.loads(
            text,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
            object_pairs_hook=unique_keys,
        )
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        raise CorpusError(
            f"{where}: must be {what}, got {shorten(text)} ({error.msg} at {line}column "
            f"{error.colno}). {advice}"
        ) from error
    except RepeatedKeyError as error:
        raise CorpusError(
            f"{where}: an object must name a key once, got {error}. Remove one of them."
        ) from error
    except ValueError as error:  # a number of ours or of Python's own limit on digits
        raise CorpusError(
            f"{where}: must hold finite numbers only, got {error}. Write it as a string."
        ) from error
    except RecursionError as error:
        raise CorpusError(
            f"{where}: must not be nested so deeply, got {shorten(text)}. Flatten the record."
        ) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is not JSON")


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # Python reads no integer of more than 4,300 digits
        raise ValueError(f"a number of {len(text.lstrip('-')):,} digits") from None


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{shorten(text)}, which is beyond a float's range")
    return value


def _may_have_halves(text: str) -> bool:
    return "\\ud" in text or "\\uD" in text


def _refuse_lone_surrogates(content: Any, *, where: str) -> None:
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        code = ord(error.object[error.start])
        raise CorpusError(
            f"{where}: must hold whole characters, got the lone surrogate \\u{code:04x}. "
            "Write both halves of the pair, or leave it out."
        ) from error
