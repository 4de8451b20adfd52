"""CSV and TSV: every cell is a text, as it is written.

CSV is RFC 4180 (cells may be quoted, and hold separators and line ends then), with comma or, as
spreadsheets write it in some countries, semicolon. TSV is IANA's text/tab-separated-values: a cell
is what stands between two tabs, nothing is quoted.
"""

import csv
import re
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from sweep.corpus.columns import is_header
from sweep.corpus.fields import is_integer
from sweep.corpus.found import Place
from sweep.corpus.tables import Row, Table, table_name
from sweep.corpus.text_file import read_lines, read_text
from sweep.errors import CorpusError
from sweep.text_lines import shorten

NO_HEADER: dict[int, tuple[str, ...]] = {
    2: ("id", "text"),
    3: ("query-id", "corpus-id", "score"),
    4: ("query-id", "iteration", "corpus-id", "score"),
}
_LONE_CR = re.compile(r"\r(?!\n)")
_LIMIT = threading.Lock()  # the csv module has one limit on cells for the whole process


def read_delimited(
    path: Path, *, form: str, encoding: str | None, given: Mapping[str, str]
) -> Table:
    """Return the table of a CSV or TSV file.

    The first line names the columns, unless it is itself data: three cells that end in a whole
    number (a judgement), four of which the second is `0` or `Q0` (one of TREC's), or, in a TSV
    file, two that are no usual names (an id and a text).

    Raises: CorpusError if a line has another number of cells, a quote is not closed, or a column
        is named twice.
    """
    rows, remarks = _tsv(path, encoding) if form == "tsv" else _csv(path, encoding)
    if not rows:
        return Table(file=str(path), name=table_name(path), columns=(), rows=())
    first = rows[0][1]
    if _is_data(first, form, given):
        columns = NO_HEADER[len(first)]
    else:
        columns, rows = tuple(first), rows[1:]
    repeated = sorted({name for name in columns if columns.count(name) > 1})
    if repeated:
        raise CorpusError(
            f"{path}:1: columns must have names of their own, got {repeated} twice. Rename one."
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
    return Table(
        file=str(path),
        name=table_name(path),
        columns=columns,
        rows=table,
        remarks=remarks,
    )


def _is_data(cells: list[str], form: str, given: Mapping[str, str]) -> bool:
    if len(cells) == 3:
        return is_integer(cells[2])
    if len(cells) == 4:
        return cells[1] in ("0", "Q0") and is_integer(cells[3])
    return form == "tsv" and len(cells) == 2 and not is_header(cells, given)


def _tsv(path: Path, encoding: str | None) -> tuple[list[tuple[int, list[str]]], tuple[str, ...]]:
    rows = [(number, line.split("\t")) for number, line in read_lines(path, encoding=encoding)]
    quoted = sum(len(c) > 1 and c[0] == c[-1] == '"' for _, cells in rows for c in cells)
    remark = f"{quoted} cells begin and end with a quote, which is kept; save it as .csv otherwise"
    return rows, (remark,) if quoted else ()


def _csv(path: Path, encoding: str | None) -> tuple[list[tuple[int, list[str]]], tuple[str, ...]]:
    text = read_text(path, encoding=encoding)
    first = text.split("\n", 1)[0]
    semicolon = first.count(";") > 0 and "," not in first
    with _LIMIT:
        before = csv.field_size_limit(sys.maxsize)
        try:
            rows = list(_csv_rows(path, text, ";" if semicolon else ","))
        finally:
            csv.field_size_limit(before)
    return rows, ("cells are separated by semicolons",) if semicolon else ()


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
