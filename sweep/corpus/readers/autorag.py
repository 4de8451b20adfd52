"""AutoRAG's pair of parquet files: `corpus.parquet` and `qa.parquet`.

`doc_id`, `contents`, `metadata` are documents. `qid`, `query`, `retrieval_gt`, `generation_gt` are
queries: `retrieval_gt` lists groups of ids, of which a good answer needs one from every group;
here every id of every group is a relevant document (grade 1). A question with an empty list has no
judgement. `generation_gt` is kept as metadata of the query.
"""

from collections.abc import Iterator
from typing import Any

from sweep.corpus.fields import read_id, read_metadata, read_text
from sweep.corpus.found import Finding, Found, Judgement, ReadOptions, Source
from sweep.corpus.tables import Row, format_of
from sweep.corpus.tables.parquet_rows import parquet_columns, read_parquet_rows
from sweep.errors import CorpusError
from sweep.records import Document, Notice, Query
from sweep.text_lines import shorten

NAME = "autorag"
_DOCUMENTS = frozenset({"doc_id", "contents"})
_QUESTIONS = frozenset({"qid", "query", "retrieval_gt"})


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a parquet file has the columns of one of the pair."""
    if format_of(source.path) != "parquet":
        return False
    columns = set(parquet_columns(source.path))
    return columns >= _QUESTIONS or columns >= _DOCUMENTS


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield documents, or queries with their judgements.

    Raises: CorpusError, naming the row, if a cell is not what it must be.
    """
    table = read_parquet_rows(source.path)
    columns = set(table.columns)
    if columns >= _QUESTIONS:
        n_choices = 0
        for row in table.rows:
            query = _query(row)
            yield Found(row.place, query)
            groups = _groups(row)
            n_choices += any(len(group) > 1 for group in groups)
            ids = dict.fromkeys(id_ for group in groups for id_ in group)
            yield from (Found(row.place, Judgement(query.id, id_, 1)) for id_ in ids)
        if n_choices:
            some = f"{n_choices} of {len(table.rows)} queries"
            text = f"{some} name documents of which any one would do; all count as relevant"
            yield Notice(where=table.file, text=text)
    elif columns >= _DOCUMENTS:
        for row in table.rows:
            yield Found(row.place, _document(row))
    else:
        raise CorpusError(
            f"{source.path}: must have AutoRAG's columns (doc_id, contents; or qid, query, "
            f"retrieval_gt), got {', '.join(table.columns)}. Read it by --format parquet."
        )


def _document(row: Row) -> Document:
    where = str(row.place)
    id_ = read_id(row.values, "doc_id", where=where)
    return Document(
        id=id_,
        text=read_text(row.values, where=where, id=id_, key="contents"),
        metadata=read_metadata(row.values, used=_DOCUMENTS),
    )


def _query(row: Row) -> Query:
    where = str(row.place)
    id_ = read_id(row.values, "qid", where=where)
    return Query(
        id=id_,
        text=read_text(row.values, where=where, id=id_, key="query"),
        metadata=read_metadata(row.values, used=_QUESTIONS),
    )


def _groups(row: Row) -> list[list[str]]:
    value = row.values["retrieval_gt"]
    listed: list[Any] = [] if value is None else value if isinstance(value, list) else [value]
    groups = [group if isinstance(group, list) else [group] for group in listed]
    ids = [id_ for group in groups for id_ in group]
    if any(isinstance(id_, list | dict) or id_ is None for id_ in ids):
        raise CorpusError(
            f"{row.place}: 'retrieval_gt' must list groups of ids, got {shorten(value)}. "
            'Write [["d1", "d2"], ["d3"]].'
        )
    return [[read_id({"id": id_}, "id", where=str(row.place)) for id_ in g] for g in groups]
