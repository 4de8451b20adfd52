"""Tables: CSV, TSV, JSON Lines, parquet and .xlsx, with columns that are named or guessed.

A table holds documents, queries (perhaps with the documents and the passage that answer them),
judgements, or spans; which of these, its columns tell, then its name, or the user
(`queries=FILE`).
"""

from collections.abc import Iterator, Mapping

from sweep.corpus.columns import NEEDED, find_column, guess_columns, guess_role
from sweep.corpus.compressed import bare_name
from sweep.corpus.fields import read_id, read_metadata, read_text, read_title, read_whole_number
from sweep.corpus.found import (
    ColumnsRead,
    Finding,
    Found,
    Judgement,
    ReadOptions,
    Role,
    Source,
)
from sweep.corpus.readers.questions import read_questions
from sweep.corpus.tables import Row, Table, format_of, read_tables
from sweep.corpus.text_file import peek_text
from sweep.errors import CorpusError
from sweep.records import Document, Notice, Span
from sweep.text_lines import shorten

NAME = "table"


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a file's name is that of a table; a .json file must be a list."""
    if bare_name(source.path).endswith(".json"):
        return peek_text(source.path, encoding=options.encoding).lstrip().startswith("[")
    return format_of(source.path) is not None


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield what the tables of a file hold.

    Raises: CorpusError if what it holds cannot be told, or a cell is not what it must be.
    """
    return read_as(source, options, form=None)


def read_as(source: Source, options: ReadOptions, *, form: str | None) -> Iterator[Finding]:
    """Yield what the tables of a file hold, read in a named form; see `read`."""
    tables = read_tables(
        source.path, format=form, encoding=options.encoding, given=options.columns
    )
    if not any(table.rows for table in tables):
        raise CorpusError(f"{source.path}: must hold records, got an empty file. Check it.")
    for table in tables:
        if table.rows:
            yield from read_table(table, options, role=source.role)


def read_table(table: Table, options: ReadOptions, *, role: Role | None) -> Iterator[Finding]:
    """Yield what one table holds.

    Args:
        table: at least one row.
        options: `columns` counts.
        role: what it holds; None: what its columns and its name tell.
    Raises: CorpusError if what it holds cannot be told, or a cell is not what it must be.
    """
    role = role or guess_role(table, options.columns)
    if role is None:
        raise CorpusError(
            f"{table.file}: must hold documents, queries or judgements, got columns "
            f"{', '.join(map(repr, table.columns[:12]))}. Name them (--column id=... --column "
            f"text=...), and say what they are (documents={table.file})."
        )
    columns = guess_columns(table.columns, role, options.columns)
    missing = [field for field in NEEDED[role] if field not in columns]
    if missing:
        raise CorpusError(
            f"{table.file}: {role} must have {' and '.join(NEEDED[role])}, got columns "
            f"{', '.join(map(repr, table.columns[:12]))}. Name the one for "
            f"{shorten(missing[0])} by --column {missing[0]}=COLUMN."
        )
    named = {f: find_column(c, table.columns) for f, c in options.columns.items()}
    given = frozenset(f for f, c in named.items() if c is not None and columns.get(f) == c)
    yield ColumnsRead(
        file=table.file, role=role, columns=columns, given=given, all_columns=table.columns
    )
    yield from (Notice(where=table.file, text=remark) for remark in table.remarks)
    if role == "queries":
        yield from read_questions(table, columns)
    else:
        for row in table.rows:
            yield Found(row.place, _item(row, columns, role))
    if role in ("qrels", "spans") and "grade" not in columns:
        text = "no column of grades (score, label ...), so every judgement counts 1"
        yield Notice(where=table.file, text=text)


def _item(row: Row, columns: Mapping[str, str], role: Role) -> Document | Judgement | Span:
    if role == "documents":
        return _document(row, columns)
    return _span(row, columns) if role == "spans" else _judgement(row, columns)


def _document(row: Row, columns: Mapping[str, str]) -> Document:
    where = str(row.place)
    id_ = read_id(row.values, columns["id"], where=where)
    title = columns.get("title")
    return Document(
        id=id_,
        text=read_text(row.values, where=where, id=id_, key=columns["text"]),
        title=read_title(row.values, where=where, id=id_, key=title) if title else "",
        metadata=read_metadata(row.values, used=frozenset(columns.values())),
    )


def _judgement(row: Row, columns: Mapping[str, str]) -> Judgement:
    where = str(row.place)
    return Judgement(
        read_id(row.values, columns["query-id"], where=where),
        read_id(row.values, columns["document-id"], where=where),
        _grade(row, columns),
    )


def _span(row: Row, columns: Mapping[str, str]) -> Span:
    where = str(row.place)
    start, end = (
        read_whole_number(row.values.get(columns[field]), where=where, what=repr(columns[field]))
        for field in ("start", "end")
    )
    return Span(
        query_id=read_id(row.values, columns["query-id"], where=where),
        document_id=read_id(row.values, columns["document-id"], where=where),
        start=start,
        end=end,
        grade=_grade(row, columns),
    )


def _grade(row: Row, columns: Mapping[str, str]) -> int:
    column = columns.get("grade")
    if column is None:
        return 1
    return read_whole_number(row.values.get(column), where=str(row.place), what=repr(column))
