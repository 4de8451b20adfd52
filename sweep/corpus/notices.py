"""What is legal in a corpus but should be known: duplicate texts, unjudged queries ..."""

from collections.abc import Iterable, Mapping, Sequence

from sweep.records import Document, Notice, Query
from sweep.text_lines import counted

EXAMPLES = 3
NAMED = 10  # queries named in full, because their scores are 0 whatever is retrieved
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def find_notices(
    documents: Sequence[Document],
    queries: Sequence[Query],
    qrels: Mapping[str, Mapping[str, int]],
) -> list[Notice]:
    """Return the notices about content: in file order of documents, queries, judgements."""
    return [*_document_notices(documents), *_query_notices(queries, qrels)]


def duplicate_texts(documents: Iterable[Document]) -> list[tuple[str, ...]]:
    """Return the ids of each group of documents with equal title and equal, non-blank text."""
    groups: dict[tuple[str, str], list[str]] = {}
    for document in documents:
        if document.text.strip():
            groups.setdefault((document.title, document.text), []).append(document.id)
    return [tuple(ids) for ids in groups.values() if len(ids) > 1]


def unjudged_queries(
    queries: Iterable[Query], qrels: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Return the ids of queries without any judgement; they are left out of every mean."""
    return [query.id for query in queries if not qrels.get(query.id)]


def queries_without_relevant(
    queries: Iterable[Query], qrels: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Return the ids of judged queries without a positive grade; they score 0 and count."""
    judged = (query.id for query in queries if qrels.get(query.id))
    return [id_ for id_ in judged if max(qrels[id_].values()) <= 0]


def _document_notices(documents: Sequence[Document]) -> list[Notice]:
    where = "corpus.jsonl"
    notices = []
    blank = [document.id for document in documents if not document.text.strip()]
    if blank:
        text = f"{counted(len(blank), 'document')} without text ({_names(blank, EXAMPLES)})"
        notices.append(Notice(where=where, text=text))
    groups = duplicate_texts(documents)
    if groups:
        text = f"{counted(len(groups), 'group')} of duplicate texts"
        example = _names(groups[0], EXAMPLES)
        notices.append(Notice(where=where, text=f"{text} (e.g. {example})"))
    damaged = [document.id for document in documents if REPLACEMENT in document.text]
    if damaged:
        text = (
            f"{counted(len(damaged), 'document')} with U+FFFD, a sign of a wrong encoding earlier"
        )
        notices.append(Notice(where=where, text=f"{text} ({_names(damaged, EXAMPLES)})"))
    return notices


def _query_notices(
    queries: Sequence[Query], qrels: Mapping[str, Mapping[str, int]]
) -> list[Notice]:
    where = "queries.jsonl"
    notices = []
    blank = [query.id for query in queries if not query.text.strip()]
    if blank:
        text = f"{counted(len(blank), 'query')} without text ({_names(blank, EXAMPLES)})"
        notices.append(Notice(where=where, text=text))
    unjudged = unjudged_queries(queries, qrels)
    if unjudged:
        text = f"{counted(len(unjudged), 'query')} without any judgement, left out of every score"
        notices.append(Notice(where=where, text=f"{text} ({_names(unjudged, EXAMPLES)})"))
    hopeless = queries_without_relevant(queries, qrels)
    if hopeless:
        text = f"{counted(len(hopeless), 'query')} with no relevant document, each scores 0"
        notices.append(Notice(where=where, text=f"{text} ({_names(hopeless, NAMED)})"))
    return notices


def _names(ids: Sequence[str], limit: int) -> str:
    more = f" and {len(ids) - limit} more" if len(ids) > limit else ""
    return ", ".join(repr(id_) for id_ in ids[:limit]) + more
