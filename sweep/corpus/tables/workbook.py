"""Rows of a spreadsheet (.xlsx), one table a sheet; formulas by the value that was saved."""

import warnings
from pathlib import Path
from typing import Any

from sweep.corpus.compressed import read_bytes
from sweep.corpus.fields import EXACT_BELOW
from sweep.corpus.found import Place
from sweep.corpus.tables import HEADER_WITHIN, FindHeader, Row, Table, header_remark, table_name
from sweep.corpus.tables.plain import to_plain
from sweep.errors import CorpusError


def read_workbook(path: Path, *, find_header: FindHeader | None = None) -> list[Table]:
    """Return the sheets that hold something; the first row of each names its columns.

    With `find_header` another row may. An empty cell is an empty text. Columns without a name
    are left out.

    Raises: CorpusError if it cannot be read as a workbook.
    """
    import io

    import openpyxl

    data = read_bytes(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of features that do not matter here
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            sheets = [
                (sheet.title, [list(cells) for cells in sheet.iter_rows(values_only=True)])
                for sheet in book.worksheets
            ]
            book.close()
    except Exception as error:  # openpyxl lets through whatever zip, XML and its own parts raise
        reason = str(error) or type(error).__name__
        raise CorpusError(
            f"{path}: must be a workbook (.xlsx), got one that cannot be read ({reason}). "
            "Save it again, or as .csv."
        ) from error
    alone = len(sheets) == 1
    tables = [_sheet(path, title, rows, find_header, alone=alone) for title, rows in sheets]
    return [table for table in tables if table.columns]


def _sheet(
    path: Path,
    title: str,
    rows: list[list[Any]],
    find_header: FindHeader | None,
    *,
    alone: bool,
) -> Table:
    filled = [
        (number, cells)
        for number, cells in enumerate(rows, start=1)
        if any(cell not in (None, "") for cell in cells)
    ]
    name = table_name(path) if alone else title
    file = str(path)
    if not filled:
        return Table(file=file, name=name, columns=(), rows=())
    first = 0 if find_header is None else find_header(_heads(filled))
    columns = {
        place: str(cell) for place, cell in enumerate(filled[first][1]) if cell not in (None, "")
    }
    if len(set(columns.values())) < len(columns):
        raise CorpusError(
            f"{path}:sheet {title}: columns must have names of their own, got "
            f"{sorted(columns.values())}. Rename one."
        )
    table = []
    for number, cells in filled[first + 1 :]:
        values = {
            column: _cell(cells[place] if place < len(cells) else None)
            for place, column in columns.items()
        }
        at = f"row {number}" if alone else f"sheet {title}, row {number}"
        table.append(Row(Place(file, at), values))
    remarks = (header_remark(filled[first][0]),) if first else ()
    return Table(
        file=file, name=name, columns=tuple(columns.values()), rows=table, remarks=remarks
    )


def _heads(filled: list[tuple[int, list[Any]]]) -> list[list[str]]:
    return [["" if c is None else str(c) for c in cells] for _, cells in filled[:HEADER_WITHIN]]


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= EXACT_BELOW:
        return float(value)  # a spreadsheet has rounded it: no id
    return _whole(to_plain(value))


def _whole(value: Any) -> Any:
    """Return a text without halves of characters, which XML's escapes can smuggle in."""
    if not isinstance(value, str):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
