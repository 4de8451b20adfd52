"""`ir_datasets:NAME`: a collection from the ir_datasets catalogue (extra `ir-datasets`)."""

from collections.abc import Iterator
from typing import Any

from sweep.corpus.fields import read_id, read_whole_number
from sweep.corpus.found import Finding, Found, Judgement, Place, ReadOptions, Source
from sweep.corpus.tables.plain import to_plain
from sweep.errors import CorpusError
from sweep.records import Document, Query

NAME = "ir_datasets"
PREFIX = "ir_datasets:"
_TEXTS = ("text", "body", "abstract")


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a source is a name of that catalogue."""
    return str(source.path).startswith(PREFIX)


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield what a data set has of documents, queries and judgements; it may be downloaded.

    Raises: CorpusError if the package is not installed, there is no such data set, or it cannot
        be had.
    """
    name = str(source.path).removeprefix(PREFIX)
    try:
        yield from _read(_load(name), f"{PREFIX}{name}")
    except (OSError, RuntimeError, EOFError, UnicodeError) as error:
        reason = next((part for part in error.args if isinstance(part, str)), repr(error))
        raise CorpusError(
            f"{PREFIX}{name}: must be a data set that can be had, got '{reason}'. "
            f"Check the network; https://ir-datasets.com/{name} says where its files come from."
        ) from error


def _load(name: str) -> Any:
    try:
        import ir_datasets
    except ImportError as error:
        raise CorpusError(
            f"{PREFIX}{name}: needs the package ir_datasets, got an installation without it. "
            'Run pip install "retrieval-sweep[ir-datasets]".'
        ) from error
    try:
        return ir_datasets.load(name)
    except KeyError as error:
        raise CorpusError(
            f"{PREFIX}{name}: must be a data set of ir_datasets, got an unknown name. "
            "See https://ir-datasets.com, and write for example ir_datasets:beir/scifact/test."
        ) from error


def _read(dataset: Any, where: str) -> Iterator[Found]:
    if dataset.has_docs():
        for number, one in enumerate(dataset.docs_iter(), start=1):
            place = Place(where, f"document {number}")
            yield Found(place, _document(one, str(place)))
    if dataset.has_queries():
        for number, one in enumerate(dataset.queries_iter(), start=1):
            place = Place(where, f"query {number}")
            yield Found(place, _query(one, str(place)))
    if dataset.has_qrels():
        for number, one in enumerate(dataset.qrels_iter(), start=1):
            place = Place(where, f"judgement {number}")
            grade = read_whole_number(one.relevance, where=str(place), what="relevance")
            yield Found(place, Judgement(str(one.query_id), str(one.doc_id), grade))


def _document(one: Any, where: str) -> Document:
    values = to_plain(one._asdict())
    id_ = read_id(values, "doc_id", where=where)
    field = next((name for name in _TEXTS if isinstance(values.get(name), str)), None)
    title = values["title"] if isinstance(values.get("title"), str) else ""
    text = values[field] if field else str(one.default_text())
    used = {"doc_id", field, "title" if title else ""}
    return Document(
        id=id_,
        text=text,
        title=title if field else "",
        metadata={k: v for k, v in values.items() if k not in used and v is not None},
    )


def _query(one: Any, where: str) -> Query:
    values = to_plain(one._asdict())
    id_ = read_id(values, "query_id", where=where)
    text = str(one.default_text())
    rest = {k: v for k, v in values.items() if k != "query_id" and v is not None and v != text}
    return Query(id=id_, text=text, metadata=rest)
