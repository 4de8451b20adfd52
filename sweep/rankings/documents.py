"""A ranked list of chunks -> a ranked list of documents, and the cuts of a chunk list.

Lists fall from left to right, and a list's own order settles equal scores. Padding (-1, NaN) stays
at the end throughout.
"""

import re

import numpy as np
from numpy.typing import NDArray

from sweep.configuration import TopKUnit
from sweep.errors import RankingError
from sweep.records import Floats, Ints, RankedLists
from sweep.text_lines import shorten


def to_documents(lists: RankedLists, chunk_document: Ints, *, aggregate: str) -> RankedLists:
    """Return the documents of each chunk list, each once.

    A document's score is made of those of its chunks in the list:

    * `max`: the best; `first`: that of the chunk seen first (the same while scores fall).
      Documents of equal score keep the order in which they are first seen.
    * `sum`: all of them added up; `mean@m`: the mean of the best m (of all, when fewer).
      Documents of equal score are ordered by position. Both take scores as they are: where they
      can be negative (cosine, z-scores, `okapi`), one more chunk can lower a sum.

    Args:
        lists: chunk rows, shape (Q, k).
        chunk_document: shape (C,), the document position of each chunk.
        aggregate: `max`, `first`, `sum` or `mean@m`, m >= 1.

    Returns: document positions, score descending, shape (Q, k).

    Raises:
        RankingError: for another aggregate.
    """
    best_m = _parse_aggregate(aggregate)
    query, rank, document, seen, group = _group_by_document(lists, chunk_document)
    scores = lists.scores[query, rank]
    if aggregate == "first":
        totals = scores[seen]
    elif aggregate == "max":
        totals = np.full(len(seen), -np.inf)
        np.maximum.at(totals, group, scores)
    else:
        totals = _add_best(group, scores, best_m)
    ties = seen if aggregate in ("first", "max") else document[seen]
    order = np.lexsort((ties, -totals, query[seen]))
    return _padded(query[seen][order], document[seen][order], totals[order], lists.items.shape)


def cut_top_k(
    lists: RankedLists, chunk_document: Ints, *, top_k: int, unit: TopKUnit
) -> RankedLists:
    """Return what the generator would get: the beginning of each chunk list.

    Args:
        lists: chunk rows, shape (Q, k).
        chunk_document: shape (C,), the document position of each chunk.
        top_k: how many, >= 1.
        unit: `chunks`: the first `top_k`; `documents`: every chunk up to and including the one
            that brings the `top_k`-th distinct document; all, when there are fewer documents.

    Returns: chunk rows; shape (Q, min(top_k, k)) for chunks, (Q, k) for documents.
    """
    assert top_k >= 1, top_k
    if unit == "chunks":
        return RankedLists(items=lists.items[:, :top_k], scores=lists.scores[:, :top_k])
    query, rank, _, seen, _ = _group_by_document(lists, chunk_document)
    new = np.zeros(lists.items.shape, dtype=np.int64)
    new[query[seen], rank[seen]] = 1
    before: Ints = np.cumsum(new, axis=1) - new
    return _keep(lists, before < top_k)


def first_within_budget(lists: RankedLists, tokens: Ints, *, budget: int) -> RankedLists:
    """Return whole chunks in order until the next would pass the budget.

    A list whose first chunk is longer than the budget becomes empty; no later, shorter chunk
    takes its place.

    Args:
        lists: chunk rows, shape (Q, k).
        tokens: shape (C,), the length of each chunk in tokens.
        budget: tokens that the chunks of one list may have together, >= 0.

    Returns: chunk rows, shape (Q, k).
    """
    if not len(tokens):
        return lists
    lengths = np.where(lists.items >= 0, tokens[lists.items], 0)
    return _keep(lists, np.cumsum(lengths, axis=1) <= budget)


def _parse_aggregate(aggregate: str) -> int | None:
    """Return m of `mean@m`, None for the other aggregates."""
    if aggregate in ("max", "first", "sum"):
        return None
    if found := re.fullmatch(r"mean@([1-9][0-9]*)", aggregate):
        return int(found[1])
    raise RankingError(
        "aggregate: must be max, first, sum or mean@m with m >= 1, "
        f"got {shorten(aggregate)}. Write for example mean@3."
    )


def _add_best(group: Ints, scores: Floats, best_m: int | None) -> Floats:
    """Return each group's mean over its `best_m` highest scores, or its sum if that is None."""
    if best_m is None:
        return np.bincount(group, weights=scores).astype(np.float64)
    order = np.lexsort((-scores, group))
    sizes = np.bincount(group)
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    best = order[place < best_m]
    return np.bincount(group[best], weights=scores[best]) / np.minimum(sizes, best_m)


def _padded(query: Ints, items: Ints, scores: Floats, shape: tuple[int, ...]) -> RankedLists:
    """Return entries ordered by query, then rank, as padded lists."""
    sizes = np.bincount(query, minlength=shape[0])
    place = np.arange(len(query)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    result = RankedLists(items=np.full(shape, -1, dtype=np.int64), scores=np.full(shape, np.nan))
    result.items[query, place] = items
    result.scores[query, place] = scores
    return result


def _group_by_document(
    lists: RankedLists, chunk_document: Ints
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return what groups the entries of all lists, taken by query, then rank.

    Returns: `query`, `rank` and `document` of each entry, shape (n,); `seen`, the first entry of
        each group (one document in one query), shape (g,); the `group` of each entry, shape (n,).
    """
    query, rank = np.nonzero(lists.items >= 0)
    document = chunk_document[lists.items[query, rank]]
    keys = query * (int(chunk_document.max(initial=0)) + 1) + document
    _, seen, group = np.unique(keys, return_index=True, return_inverse=True)
    return query, rank, document, seen, group


def _keep(lists: RankedLists, kept: NDArray[np.bool_]) -> RankedLists:
    """Return the lists with all else made padding; `kept` marks a beginning of each list."""
    return RankedLists(
        items=np.where(kept, lists.items, -1), scores=np.where(kept, lists.scores, np.nan)
    )
