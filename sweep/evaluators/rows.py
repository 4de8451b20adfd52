"""Rows of a JSON Lines file: a line that cannot be read is a failed row, not the end of the rest.

NaN and infinite numbers are read (they are not JSON, but Python writes them); whoever uses a value
says what it may be.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.errors import MetricError, SweepError
from sweep.evaluators.inputs import EvaluatorInputError
from sweep.json_keys import RepeatedKeyError, unique_keys
from sweep.text_lines import read_byte_lines, shorten

_PREFIX = "DocumentRetrievalEvaluator: "  # says nothing new in a message that names file and line


class RowError(MetricError):
    """A row cannot be scored; the batch goes on.

    Attributes:
        code: names the rule that was broken, for example `LABEL_ABOVE_MAX`.
    """

    def __init__(self, text: str, *, code: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the file.

    Attributes:
        number: from 1, blank lines not counted.
        where: `file:line`.
        values: the fields; empty if the line could not be read.
        error: why it could not be read.
    """

    number: int
    where: str
    values: Mapping[str, Any]
    error: RowError | None = None


def read_rows(path: Path) -> tuple[Row, ...]:
    """Return the rows of a JSON Lines file (UTF-8; blank lines are skipped).

    Raises:
        MetricError: if the file cannot be read or holds no row.
    """
    rows = tuple(
        _read_row(line, number=number, where=f"{path}:{place}")
        for number, (place, line) in enumerate(read_byte_lines(path), start=1)
    )
    if not rows:
        raise MetricError(
            f"{path}: must hold at least one row, got an empty file. Write one JSON object a line."
        )
    return rows


def as_row_error(error: SweepError, *, where: str) -> RowError:
    """Return an error of an evaluator or a metric as that of a row."""
    code = error.code if isinstance(error, RowError | EvaluatorInputError) else "NOT_SCORABLE"
    return RowError(f"{where}: {str(error).removeprefix(_PREFIX)}", code=code)


def _read_row(line: bytes, *, number: int, where: str) -> Row:
    try:
        values = _parse(line, where=where)
    except RowError as error:
        return Row(number=number, where=where, values={}, error=error)
    return Row(number=number, where=where, values=values)


def _parse(line: bytes, *, where: str) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
        values = json.loads(text, object_pairs_hook=unique_keys)
    except UnicodeDecodeError as error:
        raise RowError(
            f"{where}: must be UTF-8, got byte 0x{line[error.start]:02x}. Save it as UTF-8.",
            code="NOT_UTF8",
        ) from error
    except json.JSONDecodeError as error:
        raise RowError(
            f"{where}: must be one JSON object, got {shorten(text)} ({error.msg} at column "
            f"{error.colno}). Complete the line.",
            code="INVALID_JSON",
        ) from error
    except RepeatedKeyError as error:
        raise RowError(
            f"{where}: an object must name a key once, got {error}. Remove one of them.",
            code="INVALID_JSON",
        ) from error
    except (ValueError, RecursionError) as error:  # thousands of digits; nested too deeply
        raise RowError(
            f"{where}: must be a JSON object that can be read, got {type(error).__name__}. "
            "Flatten the row, and write long numbers as texts.",
            code="INVALID_JSON",
        ) from error
    if not isinstance(values, dict):
        raise RowError(
            f"{where}: must be one JSON object, got {shorten(values)}. Write fields in {{}}.",
            code="ROW_NOT_OBJECT",
        )
    return values
