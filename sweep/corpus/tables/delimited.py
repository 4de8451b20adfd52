"""CSV and TSV: every cell is a text, as it is written.

CSV is RFC 4180 (cells may be quoted, and hold separators and line ends then), with comma or, as
some spreadsheets write it, semicolon or tab. TSV is IANA's text/tab-separated-values: a cell
is what stands between two tabs, nothing is quoted.
"""

import csv
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from sweep.corpus.columns import is_header
from sweep.corpus.found import Place
from sweep.corpus.tables import HEADER_WITHIN, FindHeader, Row, Table, header_remark, table_name
from sweep.corpus.text_file import read_lines, read_text
from sweep.errors import CorpusError
from sweep.numerals import is_numeral
from sweep.text_lines import shorten

NO_HEADER: dict[int, tuple[str, ...]] = {
    2: ("id", "text"),
    3: ("query-id", "corpus-id", "score"),
    4: ("query-id", "iteration", "corpus-id", "score"),
}
_SEPARATORS = {",": "", ";": "semicolons", "\t": "tabs"}  # the first that the first line holds
_LONE_CR = re.compile(r"\r(?!\n)")
_LIMIT = threading.Lock()  # the csv module has one limit on cells for the whole process


def read_delimited(
    path: Path,
    *,
    form: str,
    encoding: str | None,
    given: Mapping[str, str],
    find_header: FindHeader | None = None,
) -> Table:
    """Return the table of a CSV or TSV file.

    The first line names the columns, unless it is itself data: three cells that end in a
    number (a judgement), four of which the second is `0` or `Q0` (one of TREC's), or, in a TSV
    file, two that are no usual names (an id and a text).

    Raises: CorpusError if a line has another number of cells, a quote is not closed, or a column
        is named twice.
    """
    within = 1 if find_header is None else HEADER_WITHIN
    rows, remarks = _tsv(path, encoding) if form == "tsv" else _csv(path, encoding, within)
    if not rows:
        return Table(file=str(path), name=table_name(path), columns=(), rows=())
    if find_header and (above := find_header([cells for _, cells in rows[:HEADER_WITHIN]])):
        rows = rows[above:]
        remarks = (*remarks, header_remark(rows[0][0]))
    line, first = rows[0]
    if find_header is None and _is_data(first, form, given):
        columns = NO_HEADER[len(first)]
    else:
        columns, rows = tuple(first), rows[1:]
    table = _table_rows(path, line, columns, rows)
    return Table(
        file=str(path),
        name=table_name(path),
        columns=columns,
        rows=table,
        remarks=remarks,
    )


def _table_rows(
    path: Path, line: int, columns: tuple[str, ...], rows: list[tuple[int, list[str]]]
) -> list[Row]:
    """Return rows by column; `line` is that of the columns' names."""
    repeated = sorted({name for name in columns if columns.count(name) > 1})
    if repeated:
        raise CorpusError(
            f"{path}:{line}: columns must have names of their own, got {repeated} twice. Rename "
            "one."
        )
    table = []
    for number, cells in rows:
        if len(cells) != len(columns):
            raise CorpusError(
                f"{path}:{number}: must have {len(columns)} cells ({', '.join(columns)}), got "
                f"{len(cells)} in {shorten(cells[0])} ... Complete the line, or quote the cell."
            )
        values = dict(zip(columns, cells, strict=True))
        table.append(Row(Place(str(path), str(number)), values))
    return table


def _is_data(cells: list[str], form: str, given: Mapping[str, str]) -> bool:
    if len(cells) == 3:
        return is_numeral(cells[2])
    if len(cells) == 4:
        return cells[1] in ("0", "Q0") and is_numeral(cells[3])
    return form == "tsv" and len(cells) == 2 and not is_header(cells, given)


def _tsv(path: Path, encoding: str | None) -> tuple[list[tuple[int, list[str]]], tuple[str, ...]]:
    rows = [(number, line.split("\t")) for number, line in read_lines(path, encoding=encoding)]
    quoted = sum(len(c) > 1 and c[0] == c[-1] == '"' for _, cells in rows for c in cells)
    remark = f"{quoted} cells begin and end with a quote, which is kept; save it as .csv otherwise"
    return rows, (remark,) if quoted else ()


def _csv(
    path: Path, encoding: str | None, within: int
) -> tuple[list[tuple[int, list[str]]], tuple[str, ...]]:
    text = read_text(path, encoding=encoding)
    lines = text.split("\n", within)[:within]
    separator = next((mark for line in lines for mark in _SEPARATORS if mark in line), ",")
    with _LIMIT:
        before = csv.field_size_limit(sys.maxsize)
        try:
            rows = list(_csv_rows(path, text, separator))
        finally:
            csv.field_size_limit(before)
    name = _SEPARATORS[separator]
    return rows, (f"cells are separated by {name}",) if name else ()


def _csv_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(_lines(text), delimiter=delimiter, strict=True)
    number = 1
    try:
        for cells in reader:
            if any(cells) and (len(cells) > 1 or cells[0].strip(" \t")):
                yield number, cells
            number = reader.line_num + 1
    except csv.Error as error:
        if _LONE_CR.search(text):
            raise CorpusError(
                f"{path}:{number}: lines must end at LF or CRLF, got a CR alone outside of "
                "quotes. Save the file with such line ends, or quote the cell."
            ) from error
        raise CorpusError(
            f"{path}:{number}: must be cells in the form of RFC 4180, got a line that is not "
            f"({error}). Double the quotes inside a quoted cell, and close it."
        ) from error


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends; io.StringIO would hold four bytes for each character."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end
