"""The rows of a table of questions: what each asks, which pages it names, what it quotes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sweep.corpus.asked.columns import AskedColumns
from sweep.corpus.fields import CUTTING
from sweep.corpus.found import Place
from sweep.corpus.tables import Row, Table
from sweep.numerals import whole_number

_BETWEEN = re.compile(r"\s*(?:[;|]|\r?\n)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRow:
    """One row that asks something.

    Attributes:
        place: file and row.
        question: its text; white space at its ends is left out.
        pages: what names the right pages, as it is written; empty where the row names none.
        quotes: texts that answer, as they are written.
        grade: of its pages, 1 where there is no such cell; None: the cell is no whole number.
        grade_cell: what says so, as it is written.
        id: what its id column says, "" where it says nothing.
        metadata: `kind` and every column that is none of these.
    """

    place: Place
    question: str
    pages: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    grade: int | None = 1
    grade_cell: str = ""
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


def asked_rows(table: Table, columns: AskedColumns) -> Iterator[AskedRow]:
    """Yield the rows of a table that are not empty."""
    used = {column for names in columns.values() for column in names}
    for row in table.rows:
        if any(_text(value) for value in row.values.values()):
            yield _row(row, columns, used)


def split_pages(cell: str) -> tuple[str, ...]:
    """Return the names in a cell, between `;`, `|` or line ends."""
    return tuple(name for name in _BETWEEN.split(cell.strip()) if name)


def _row(row: Row, columns: AskedColumns, used: set[str]) -> AskedRow:
    def cells(name: str) -> tuple[str, ...]:
        values = (row.values.get(column) for column in columns.get(name, ()))
        items = (i for v in values for i in (v if isinstance(v, list) else [v]))
        return tuple(text for item in items if (text := _text(item)))

    metadata = {name: value for name, value in row.values.items() if name not in used}
    if kind := next(iter(cells("kind")), ""):
        metadata = {"kind": kind} | metadata
    grade = next(iter(cells("grade")), "")
    return AskedRow(
        place=row.place,
        question=next(iter(cells("question")), ""),
        pages=tuple(dict.fromkeys(cells("page"))),
        quotes=tuple(dict.fromkeys(cells("quote"))),
        grade=whole_number(grade or "1"),
        grade_cell=grade,
        id=next(iter(cells("id")), ""),
        metadata={name: value for name, value in metadata.items() if value not in (None, "")},
    )


def _text(value: Any) -> str:
    """Return a cell as it reads in the spreadsheet: whole numbers without `.0`."""
    if value is None or isinstance(value, list | dict):
        return "" if not value else str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def holds_cut(text: str) -> bool:
    """Return whether a text holds what would end a cell or a line of the judgements' file."""
    return CUTTING.search(text) is not None
