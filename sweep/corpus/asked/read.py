"""Pages and a table of questions -> a corpus, and what became of every row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sweep.corpus.asked.columns import (
    AskedColumns,
    check_asked_columns,
    find_asked_header,
    guess_asked_columns,
)
from sweep.corpus.asked.resolve import Resolved, Unresolved, resolve
from sweep.corpus.asked.rows import AskedRow, asked_rows
from sweep.corpus.assemble import assemble
from sweep.corpus.found import Dropped, Found, ReadOptions, Source
from sweep.corpus.readers import pages
from sweep.corpus.tables import Row, Table, format_of, read_tables
from sweep.corpus.text_file import check_encoding, encoding_where_needed
from sweep.csv_text import csv_text, unguarded
from sweep.errors import CorpusError
from sweep.records import Corpus, Document, Notice

SHOWN = 5  # rows that an error names
ASKED_ENDINGS = ".csv, .tsv, .xlsx, .jsonl, .parquet"
LISTED = ("row", "question", "page", "quote", "why", "kept", "nearest")  # in unresolved.csv


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTable:
    """A table of questions as it was taken: columns by field, and all that it has."""

    file: str
    name: str
    columns: AskedColumns
    given: frozenset[str]
    all_columns: tuple[str, ...]
    n_rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCorpus:
    """A corpus of pages and questions, and how it came about.

    Attributes:
        corpus: what can be used; `notices` tells what was left out or joined.
        tables: the tables of questions that were read.
        resolved: what became of the rows.
        dropped: records that are not in the corpus for another reason.
    """

    corpus: Corpus
    tables: tuple[AskedTable, ...]
    resolved: Resolved
    dropped: tuple[Dropped, ...]


def read_asked(
    folder: Path,
    questions: Path,
    *,
    name: str,
    columns: Mapping[str, tuple[str, ...]] | None = None,
    encoding: str | None = None,
    drop_repeated: bool = False,
) -> AskedCorpus:
    """Read a folder of pages and a table of questions as a corpus.

    Args:
        folder: of Markdown, HTML or plain text.
        questions: a table; its first row names the columns.
        name: of the corpus.
        columns: column names by field, where the user says them; others are guessed.
        encoding: of text files; None: see `read_text`, and what an HTML page says of itself.
        drop_repeated: take lines out of the pages that stand on most of them.
    Raises: CorpusError if a file cannot be read, no column holds questions, or nothing of any
        question can be resolved.
    """
    check_encoding(encoding)
    given = columns or {}
    tables, notices = _asked_tables(questions, given, encoding)
    options = ReadOptions(encoding=encoding, drop_repeated=drop_repeated)
    found = list(pages.read(Source(folder), options))
    documents = [
        one.item for one in found if isinstance(one, Found) and isinstance(one.item, Document)
    ]
    rows = [row for table, taken in tables for row in asked_rows(table, taken.columns)]
    if not rows:
        raise CorpusError(f"{questions}: must hold questions, got empty rows. Check the sheet.")
    resolved = resolve(rows, documents, where=questions.name)
    if not resolved.findings:
        raise CorpusError(_none_resolved(questions, resolved))
    assembled = assemble(
        (*found, *notices, *resolved.notices, *resolved.findings),
        name=name,
        where=f"{folder}, {questions}",
    )
    return AskedCorpus(
        corpus=replace(assembled.corpus, name=name),
        tables=tuple(taken for _, taken in tables),
        resolved=resolved,
        dropped=assembled.dropped,
    )


def unresolved_csv(rows: Sequence[Unresolved]) -> str:
    """Return the rows that were not resolved as CSV: see `LISTED`."""
    cells = (
        (
            one.row.place.at,
            one.row.question,
            "; ".join(one.row.pages),
            "\n".join(one.row.quotes),
            one.why,
            one.kept or "nothing",
            "\n".join(one.candidates),
        )
        for one in rows
    )
    return csv_text(LISTED, cells)


def _asked_tables(
    path: Path, given: Mapping[str, tuple[str, ...]], encoding: str | None
) -> tuple[list[tuple[Table, AskedTable]], list[Notice]]:
    """Return the tables of a file that hold questions, each with its columns."""
    if not path.is_file() or format_of(path) is None:
        got = "nothing there" if not path.exists() else "a folder" if path.is_dir() else "another"
        raise CorpusError(
            f"{path}: must be a table of questions ({ASKED_ENDINGS}), got {got}. Save the "
            "spreadsheet as one of these."
        )
    named = {field: names[0] for field, names in given.items()}
    encoding = encoding_where_needed(path, encoding)
    found = read_tables(
        path,
        encoding=encoding,
        given=named,
        find_header=lambda rows: find_asked_header(rows, given),
    )
    tables = [table for table in found if table.columns]
    check_asked_columns(given, tables)
    taken, notices = [], []
    for table in tables:
        columns = guess_asked_columns(table.columns, given)
        if table.columns == LISTED:
            table = _unguarded(table)
        if "question" in columns and ("page" in columns or "quote" in columns):
            taken.append((table, _as_taken(table, columns, given)))
            notices += [Notice(where=table.name, text=remark) for remark in table.remarks]
        elif len(tables) > 1:
            text = f"sheet without questions and pages left out: columns {_names(table.columns)}"
            notices.append(Notice(where=table.name, text=text))
    if not taken:
        names = _names(list(dict.fromkeys(n for table in tables for n in table.columns)))
        raise CorpusError(
            f"{path}: must have a column of questions and one of pages or quotes, got columns "
            f"{names or 'none'}. Name them: --column question=COLUMN --column page=COLUMN."
        )
    return taken, notices


def _unguarded(table: Table) -> Table:
    """Return the rows of an `unresolved.csv` that somebody has mended as they were asked."""
    rows = [
        Row(row.place, {name: unguarded(str(cell)) for name, cell in row.values.items()})
        for row in table.rows
    ]
    return replace(table, rows=rows)


def _as_taken(
    table: Table, columns: AskedColumns, given: Mapping[str, tuple[str, ...]]
) -> AskedTable:
    return AskedTable(
        file=table.file,
        name=table.name,
        columns=columns,
        given=frozenset(field for field in columns if field in given),
        all_columns=table.columns,
        n_rows=len(table.rows),
    )


def _names(columns: Sequence[str]) -> str:
    return ", ".join(map(repr, columns[:12]))


def _none_resolved(path: Path, resolved: Resolved) -> str:
    shown = "\n".join(describe(one) for one in resolved.unresolved[:SHOWN])
    count = len(resolved.unresolved)
    more = f"\n  and {count - SHOWN:,} more" if count > SHOWN else ""
    return (
        f"{path}: some question must name a page of the folder, or quote one, got none of "
        f"{count:,} rows. Check the columns (--column page=COLUMN) and the folder:\n{shown}{more}"
    )


def describe(one: Unresolved) -> str:
    """Return a row that was not resolved as a line for people."""
    nearest = f" (nearest: {one.candidates[0]})" if one.candidates else ""
    return f"  {shown_place(one.row)}: {one.why}{nearest}"


def shown_place(row: AskedRow) -> str:
    """Return where a row stands, for people."""
    at = row.place.at
    return f"line {at}" if at.isdigit() else at
