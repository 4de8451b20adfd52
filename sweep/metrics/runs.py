"""Runs that were not made here (`{query id: {document id: score}}`) as ranked lists."""

from collections.abc import Mapping, Sequence

import numpy as np

from sweep.errors import MetricError
from sweep.records import RankedLists
from sweep.text_lines import shorten

CHUNK_SEPARATOR = "#"  # between a document's id and what numbers its chunk


def lists_from_run(
    run: Mapping[str, Mapping[str, float]],
    document_ids: Sequence[str],
    *,
    query_ids: Sequence[str],
) -> RankedLists:
    """Rank a TREC run by trec_eval's rule, whatever ranks or order it was given in.

    Score falling after rounding to float32; ties by document id falling, in code point order
    ("9" before "10", "a" before "A"). So 1.0 and 1.0 + 1e-9 tie.

    Args:
        run: score by document id, by query id; queries that are not in `query_ids` are ignored,
            as trec_eval ignores queries without judgements.
        document_ids: the collection; the lists hold positions in it.
        query_ids: one list each, in this order; empty for a query that the run lacks.

    Returns:
        Lists of shape (Q, length of the longest one).

    Raises:
        MetricError: if a score is NaN or a document is not in the collection.
    """
    position = {document: index for index, document in enumerate(document_ids)}
    ranked: list[list[tuple[float, str]]] = []
    for query in query_ids:
        scored = run.get(query, {})
        for document, score in scored.items():
            _check_entry(query, document, score, known=document in position)
        with np.errstate(over="ignore"):  # beyond float32 means infinite, for trec_eval too
            entries = [(float(np.float32(score)), id_) for id_, score in scored.items()]
        ranked.append(sorted(entries, reverse=True))
    width = max((len(entries) for entries in ranked), default=0)
    items = np.full((len(ranked), width), -1, dtype=np.int64)
    scores = np.full((len(ranked), width), np.nan)
    for row, entries in enumerate(ranked):
        items[row, : len(entries)] = [position[document] for _, document in entries]
        scores[row, : len(entries)] = [score for score, _ in entries]
    return RankedLists(items=items, scores=scores)


def best_chunks(found: Mapping[str, float], separator: str) -> dict[str, float]:
    """Return each document once, at the score of its best chunk.

    Args:
        found: score by chunk id, `document<separator>rest`; ids without it stay whole.
        separator: cut at the last one; not empty.
    """
    best: dict[str, float] = {}
    for id_, score in found.items():
        document = id_.rpartition(separator)[0] or id_
        best[document] = max(best.get(document, score), score)
    return best


def _check_entry(query: str, document: str, score: float, *, known: bool) -> None:
    where = f"run, query {shorten(query)}, document {shorten(document)}"
    if score != score:
        raise MetricError(f"{where}: the score must be a number, got NaN. Remove the entry.")
    if not known:
        raise MetricError(
            f"{where}: the document must be in the collection. Check the ids, or give the ids of "
            "run and judgements together."
        )
