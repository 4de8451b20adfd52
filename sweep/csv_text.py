"""CSV that people open in a spreadsheet: no cell of it is taken for a formula.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, whoever wrote the text. Such cells
get an apostrophe before them, as spreadsheets themselves mark a text; finite numbers stay.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

from sweep.numerals import is_numeral

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the start of a formula
GUARD = "'"  # written before such a cell, and taken away when it is read
_QUOTED_ENDS = "\r\n"  # csv quotes a cell for what ends its lines: a CR alone must be quoted, too
BOM = "\ufeff"  # tells Excel that a CSV file is UTF-8


def csv_text(
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    line_end: str = "\n",
    mark: bool = False,
) -> str:
    """Return comma-separated values with a header line, each text guarded against formulas.

    Args:
        header: names of the columns.
        rows: numbers, texts, and None for an empty cell.
        line_end: what ends a line.
        mark: begin with the mark by which Excel knows UTF-8.
    """
    lines = [BOM] if mark else []
    for row in (header, *rows):
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator=_QUOTED_ENDS)
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
        lines += [buffer.getvalue().removesuffix(_QUOTED_ENDS), line_end]
    return "".join(lines)


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; `unguarded` gives it back."""
    if not cell.startswith((*FORMULA, GUARD)) or (is_numeral(cell) and isfinite(float(cell))):
        return cell
    return GUARD + cell


def unguarded(cell: str) -> str:
    """Return what `guarded` was given."""
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith((*FORMULA, GUARD)) else cell
