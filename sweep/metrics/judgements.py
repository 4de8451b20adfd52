"""Judgements as arrays, prepared once per corpus and shared by every configuration.

Nothing here is as large as documents times queries: one entry per judgement, and one per span.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from sweep.errors import MetricError
from sweep.metrics.arithmetic import Flags, sum_per_row
from sweep.records import Corpus, Floats, Ints
from sweep.text_lines import shorten

Id = TypeVar("Id", bound=Hashable)
_LABEL_LIMIT = 2**31  # a label beyond it is an id or a time in the wrong column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgements:
    """The labels of the judged queries; a query with no judgement is left out.

    `J` judged queries, `n` judgements of documents that can be retrieved, `N` >= n judgements in
    all (one of a document outside the collection cannot be found, but belongs to the ideal list).

    Attributes:
        query_ids: J ids, in corpus order.
        rows: shape (J,), position of each judged query in `Corpus.queries`; rising.
        n_queries, n_documents: sizes of the corpus (Q and D).
        keys: shape (n,), judged row * D + document position; rising.
        labels: shape (n,), the label of each key.
        ideal_row, ideal_rank, ideal_label: shape (N,), the ideal list of every query: judged row,
            rank from 1, label; by row, labels falling.
    """

    query_ids: tuple[str, ...]
    rows: Ints
    n_queries: int
    n_documents: int
    keys: Ints
    labels: Ints
    ideal_row: Ints
    ideal_rank: Ints
    ideal_label: Ints

    def __len__(self) -> int:
        """Return J, the number of judged queries."""
        return len(self.query_ids)

    def total(self) -> Floats:
        """Return the number of judged documents of every query, shape (J,)."""
        return self.ideal_sum(np.ones(len(self.ideal_row)))

    def relevant(self, relevance: int) -> Floats:
        """Return R, the number of documents with label >= `relevance`, shape (J,)."""
        return self.ideal_sum(self.ideal_label >= relevance)

    def nonrelevant(self, relevance: int) -> Floats:
        """Return N, the number of documents with 0 <= label < `relevance`, shape (J,)."""
        return self.ideal_sum((self.ideal_label >= 0) & (self.ideal_label < relevance))

    def ideal_sum(self, weights: Floats | Flags, *, cutoff: int | None = None) -> Floats:
        """Return the sum of `weights`, shape (N,), over the ideal lists cut at `cutoff`; (J,)."""
        if cutoff is not None:
            weights = weights * (self.ideal_rank <= cutoff)
        return sum_per_row(self.ideal_row, weights, n_rows=len(self))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SpanJudgements:
    """The answer passages of all queries, by query, document and start; `S` spans.

    Attributes:
        n_queries: size of the corpus (Q).
        query, document: shape (S,), positions in the corpus.
        start, end: shape (S,), code points in the document's text; start < end.
        grade: shape (S,).
    """

    n_queries: int
    query: Ints
    document: Ints
    start: Ints
    end: Ints
    grade: Ints

    def __len__(self) -> int:
        """Return S, the number of spans."""
        return len(self.query)


def prepare_judgements(corpus: Corpus) -> Judgements:
    """Return the corpus's judgements as arrays.

    Raises:
        MetricError: if a label is not a whole number.
    """
    return judgements_from_qrels(
        corpus.qrels,
        [document.id for document in corpus.documents],
        query_ids=[query.id for query in corpus.queries],
    )


def judgements_from_qrels(
    qrels: Mapping[str, Mapping[Id, int]],
    document_ids: Sequence[Id],
    *,
    query_ids: Sequence[str] | None = None,
) -> Judgements:
    """Return plain judgements as arrays, for output that was not made here.

    Args:
        qrels: label by document id, by query id.
        document_ids: the documents that lists may hold; a list addresses them by position here.
        query_ids: the queries in the order of the lists' rows; by default those of `qrels`.

    Raises:
        MetricError: if an id repeats, or a label is not a whole number.
    """
    ids = tuple(qrels) if query_ids is None else tuple(query_ids)
    position = {document: index for index, document in enumerate(document_ids)}
    for what, unique, given in (
        ("document", len(position), len(document_ids)),
        ("query", len(set(ids)), len(ids)),
    ):
        if unique != given:
            raise MetricError(
                f"judgements: {what} ids must be unique, got {given - unique} repeated. "
                "Remove the repetitions."
            )
    rows = [row for row, query in enumerate(ids) if qrels.get(query)]
    entries = [
        (row, position.get(document, -1), _checked_label(label, ids[query], document))
        for row, query in enumerate(rows)
        for document, label in qrels[ids[query]].items()
    ]
    table = np.array(entries, dtype=np.int64).reshape(-1, 3)
    return _arrange(
        table,
        query_ids=tuple(ids[row] for row in rows),
        rows=np.array(rows, dtype=np.int64),
        n_queries=len(ids),
        n_documents=len(document_ids),
    )


def with_labels(judgements: Judgements, row: Ints, document: Ints, label: Ints) -> Judgements:
    """Return judgements with labels added, of pairs that had none.

    Args:
        judgements: J judged queries.
        row: shape (m,), judged row of each pair.
        document: shape (m,), its document position.
        label: shape (m,), its label.
    """
    known = np.stack([judgements.ideal_row, judgements.ideal_label], axis=1)
    keys = np.concatenate([judgements.keys, row * judgements.n_documents + document])
    labels = np.concatenate([judgements.labels, label])
    ideal = np.concatenate([known, np.stack([row, label], axis=1)])
    order, by_label = np.argsort(keys), np.lexsort((-ideal[:, 1], ideal[:, 0]))
    ideal_row = ideal[by_label, 0]
    first = np.searchsorted(ideal_row, ideal_row, side="left")
    return replace(
        judgements,
        keys=keys[order],
        labels=labels[order],
        ideal_row=ideal_row,
        ideal_rank=np.arange(1, len(ideal_row) + 1, dtype=np.int64) - first,
        ideal_label=ideal[by_label, 1],
    )


def prepare_spans(corpus: Corpus) -> SpanJudgements:
    """Return the corpus's answer passages as arrays.

    Raises:
        MetricError: if a span is empty, or names a query or document that is not in the corpus.
    """
    documents = {document.id: index for index, document in enumerate(corpus.documents)}
    queries = {query.id: index for index, query in enumerate(corpus.queries)}
    entries: list[tuple[int, int, int, int, int]] = []
    for span in corpus.spans:
        where = f"span {shorten(span.query_id)} in {shorten(span.document_id)}"
        if span.query_id not in queries or span.document_id not in documents:
            raise MetricError(f"{where}: must name a query and a document of the corpus.")
        if not 0 <= span.start < span.end:
            raise MetricError(
                f"{where}: 0 <= start < end must hold, got {span.start} and {span.end}. "
                "Remove the empty span."
            )
        row = queries[span.query_id], documents[span.document_id]
        entries.append((*row, span.start, span.end, span.grade))
    table = np.array(sorted(entries), dtype=np.int64).reshape(-1, 5)
    query, document, start, end, grade = (np.ascontiguousarray(column) for column in table.T)
    return SpanJudgements(
        n_queries=len(corpus.queries),
        query=query,
        document=document,
        start=start,
        end=end,
        grade=grade,
    )


def _arrange(
    table: Ints,
    *,
    query_ids: tuple[str, ...],
    rows: Ints,
    n_queries: int,
    n_documents: int,
) -> Judgements:
    """Sort the (N, 3) table of judged row, document position or -1, label, in the two orders."""
    row, document, label = (np.ascontiguousarray(column) for column in table.T)
    found = np.flatnonzero(document >= 0)
    keys = row[found] * n_documents + document[found]
    order = np.argsort(keys)
    ideal = np.lexsort((-label, row))
    ideal_row = row[ideal]
    first = np.searchsorted(ideal_row, ideal_row, side="left")
    return Judgements(
        query_ids=query_ids,
        rows=rows,
        n_queries=n_queries,
        n_documents=n_documents,
        keys=keys[order],
        labels=label[found][order],
        ideal_row=ideal_row,
        ideal_rank=np.arange(1, len(row) + 1, dtype=np.int64) - first,
        ideal_label=label[ideal],
    )


def _checked_label(label: object, query: object, document: object) -> int:
    if not isinstance(label, int | np.integer) or abs(int(label)) >= _LABEL_LIMIT:
        raise MetricError(
            f"judgement of {shorten(document)} for {shorten(query)}: the label must be a "
            f"whole number, got {shorten(label)}. Round it, or map it to grades (0 to 4)."
        )
    return int(label)
