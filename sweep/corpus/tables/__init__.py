"""Tables of any usual file (.csv .tsv .jsonl .json .parquet .xlsx) as rows with their places.

Cells of text files stay texts as they are written: no id is ever taken for a number, no word for
"nothing". Other files give what they hold: texts, numbers, lists, None.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.corpus.compressed import bare_name
from sweep.corpus.found import Place
from sweep.errors import CorpusError

FindHeader = Callable[[Sequence[Sequence[str]]], int]  # of the first filled rows: which it is
HEADER_WITHIN = 10  # filled rows among which the names of columns are looked for
FORMATS = ("csv", "tsv", "jsonl", "parquet", "xlsx")
_ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its place and its cells by column."""

    place: Place
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of a file.

    Attributes:
        file: the file.
        name: what tells what it is about: the file's name without ending, or a sheet's name.
        columns: in the file's order; of JSON Lines every key that occurs.
        rows: in the file's order; a key that a record of JSON Lines lacks is not in its row.
        remarks: what a reader should know (another separator, quoted cells ...).
    """

    file: str
    name: str
    columns: tuple[str, ...]
    rows: Sequence[Row]
    remarks: tuple[str, ...] = ()


def format_of(path: Path) -> str | None:
    """Return the form of a table that a file's name tells, None if it tells none."""
    return _ENDINGS.get(Path(bare_name(path)).suffix)


def read_tables(
    path: Path,
    *,
    format: str | None = None,
    encoding: str | None = None,
    given: Mapping[str, str] | None = None,
    find_header: FindHeader | None = None,
) -> list[Table]:
    """Return the tables of a file: one, or one a sheet.

    Args:
        path: the file; compressed or not.
        format: one of `FORMATS`; None: what its name tells.
        encoding: of a text file; see `read_text`.
        given: column by field, as named by the user; tells a first line of names from data.
        find_header: tells which row of a text file or a sheet names the columns, where a title
            may stand above it; None: the first.
    Raises: CorpusError, naming file and line, if it cannot be read as such a table.
    """
    form = format or format_of(path)
    if form in ("csv", "tsv"):
        from sweep.corpus.tables.delimited import read_delimited

        return [
            read_delimited(
                path, form=form, encoding=encoding, given=given or {}, find_header=find_header
            )
        ]
    if form == "jsonl":
        from sweep.corpus.tables.json_rows import read_json_rows

        return [read_json_rows(path, encoding=encoding)]
    if form == "parquet":
        from sweep.corpus.tables.parquet_rows import read_parquet_rows

        return [read_parquet_rows(path)]
    if form == "xlsx":
        from sweep.corpus.tables.workbook import read_workbook

        return read_workbook(path, find_header=find_header)
    raise CorpusError(
        f"{path}: must be a table ({', '.join(_ENDINGS)}), got another name. "
        "Rename it, or name its form by --format."
    )


def header_remark(number: int) -> str:
    """Return what is said of a header that is not the first row."""
    return f"header found in row {number}; what stands above it is left out"


def table_name(path: Path) -> str:
    """Return a file's name without endings."""
    return Path(bare_name(path)).stem
