"""Rows for Azure's DocumentRetrievalEvaluator: judgements, and only perhaps texts.

`{"query_id": "q1", "query": "...", "retrieval_ground_truth": [{"document_id": "d1",
"query_relevance_label": 4}],
"retrieved_documents": [{"document_id": "d1", "relevance_score": 9.3}]}`

The judgements are taken; queries where rows have their text; documents where an item has `content`
or `text`. Scores of `retrieved_documents` are a run, not part of a corpus: `sweep evaluate` scores
it. What is missing comes from another file.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.corpus.fields import read_id, read_metadata, read_text, read_title, read_whole_number
from sweep.corpus.found import Finding, Found, Judgement, Place, ReadOptions, Source
from sweep.corpus.jsonl import peek_keys
from sweep.corpus.tables.json_rows import read_json_rows
from sweep.errors import CorpusError
from sweep.records import Document, Notice, Query
from sweep.text_lines import shorten

NAME = "azure"
TRUTH, RETRIEVED = "retrieval_ground_truth", "retrieved_documents"
_QUERY_IDS = ("qid", "query_id", "_id", "id")
_QUERY_TEXTS = ("query", "question")
_TEXTS = ("content", "text", "contents")


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether the first row of a file has the evaluator's fields."""
    return not {TRUTH, RETRIEVED}.isdisjoint(peek_keys(source.path, encoding=options.encoding))


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield the judgements of all rows, and the queries and documents that have texts.

    A row without an id is called by its number, as `sweep evaluate` does.

    Raises: CorpusError, naming the line, if a field is not what it must be.
    """
    table = read_json_rows(source.path, encoding=options.encoding)
    documents: dict[str, Document] = {}
    n_judgements = n_queries = 0
    for number, row in enumerate(table.rows, start=1):
        where = str(row.place)
        column = next((name for name in _QUERY_IDS if row.values.get(name) is not None), None)
        query_id = read_id(row.values, column, where=where) if column else str(number)
        text = next((name for name in _QUERY_TEXTS if row.values.get(name) is not None), None)
        if text is not None:
            n_queries += 1
            yield Found(row.place, _query(row.values, query_id, text, where))
        for at, item in _items(row.values, TRUTH, row.place):
            n_judgements += 1
            yield Found(row.place, _judgement(item, query_id, at))
        for name in (TRUTH, RETRIEVED):
            for at, item in _items(row.values, name, row.place):
                document = _document(item, at)
                if document is not None and documents.get(document.id) != document:
                    documents[document.id] = document
                    yield Found(row.place, document)
    text = (
        f"{n_judgements} judgements, the texts of {n_queries} queries and {len(documents)} "
        "documents; scores of retrieved documents are not part of a corpus"
    )
    yield Notice(where=table.file, text=text)


def _items(values: Mapping[str, Any], name: str, place: Place) -> list[tuple[str, Any]]:
    items = values.get(name)
    if items is None:
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise CorpusError(
            f"{place}: {shorten(name)} must be a list of objects, got {shorten(items)}. "
            "Write [{'document_id': ..., ...}]."
        )
    return [(f"{place} {name}[{index}]", item) for index, item in enumerate(items)]


def _query(values: Mapping[str, Any], query_id: str, text: str, where: str) -> Query:
    used = frozenset({*_QUERY_IDS, *_QUERY_TEXTS, TRUTH, RETRIEVED})
    return Query(
        id=query_id,
        text=read_text(values, where=where, id=query_id, key=text),
        metadata=read_metadata(values, used=used),
    )


def _judgement(item: Mapping[str, Any], query_id: str, where: str) -> Judgement:
    label = item.get("query_relevance_label")
    return Judgement(
        query_id,
        read_id(item, "document_id", where=where),
        read_whole_number(label, where=where, what="query_relevance_label"),
    )


def _document(item: Mapping[str, Any], where: str) -> Document | None:
    key = next((name for name in _TEXTS if item.get(name) is not None), None)
    if key is None:
        return None
    id_ = read_id(item, "document_id", where=where)
    return Document(
        id=id_,
        text=read_text(item, where=where, id=id_, key=key),
        title=read_title(item, where=where, id=id_),
    )
