"""Two ranked lists of chunks -> one: fusion of vector and BM25, and blending with a reranker.

A chunk is known by its row, never by its text. Every list is cut first and normalised per query
over what is left, so that a score depends on the configuration alone. At a cut the list's own
order decides which of several equal scores stay (score descending, then row).
"""

from typing import cast

import numpy as np

from sweep.configuration import HybridConfig
from sweep.errors import RankingError
from sweep.records import Floats, Ints, RankedLists


def fuse_lists(vector: RankedLists, bm25: RankedLists, config: HybridConfig) -> RankedLists:
    """Join the two lists of each query, each cut at `config.depth` first.

    * `rrf`: the sum over lists of `1 / (rrf_k + rank)`, ranks from 1; a chunk that a list does not
      hold gets 0 from it. The two lists can be exchanged without effect.
    * `weighted`: `weight * vector + (1 - weight) * bm25` after min-max of each list, 0.5 for every
      member of a constant list; a missing chunk gets 0.
    * `zscore`: the same sum of z-scores (population standard deviation), 0 for every member of a
      constant list; a missing chunk gets the list's minimum (0 if the list is empty).

    Args:
        vector: chunk rows, shape (Q, kv); lists may be empty.
        bm25: chunk rows, shape (Q, kb); lists may be empty.
        config: `fusion`, `depth` and `rrf_k` or `weight`.

    Returns: the union, score descending, ties by row; shape (Q, min(kv, depth) + min(kb, depth)).

    Raises:
        RankingError: if a score to be scaled is NaN or infinite.

    Source: Cormack, Clarke & Buettcher 2009, doi:10.1145/1571941.1572114, for `rrf`.
    """
    assert len(vector.items) == len(bm25.items), (vector.items.shape, bm25.items.shape)
    cut = [_cut(vector, config.depth), _cut(bm25, config.depth)]
    if config.fusion == "rrf":
        assert config.rrf_k is not None
        parts = [_reciprocal_ranks(lists, config.rrf_k) for lists in cut]
        missing = [np.zeros((len(lists.items), 1)) for lists in cut]
    else:
        assert config.weight is not None
        shares = (config.weight, 1 - config.weight)
        scale = _min_max if config.fusion == "weighted" else _z_scores
        parts = [share * scale(lists) for share, lists in zip(shares, cut, strict=True)]
        missing = [np.nan_to_num(_lowest(part), posinf=0.0) for part in parts]
        if config.fusion == "weighted":
            missing = [np.zeros_like(low) for low in missing]
    return _merge(cut[0].items, cut[1].items, parts, missing)


def blend_lists(
    candidates: RankedLists, rerank_scores: Floats, *, depth: int, blend: float
) -> RankedLists:
    """Reorder the first `depth` candidates of each query by the reranker, wholly or in part.

    A reordered candidate scores `blend * reranker + (1 - blend) * first stage`, both min-maxed
    over the reordered candidates (a constant side is 0.5 for all), hence in [0, 1]; ties keep the
    first stage's order. With blend 1 the order is that of the raw reranker scores to the last bit.
    The candidates beyond `depth` follow in their order; their score is the first stage's, less the
    best among them, less 1: never above -1, and falling.

    Args:
        candidates: the first stage's chunks, shape (Q, k).
        rerank_scores: shape (Q, k), aligned with `candidates`, on any scale (logits, sums); read
            only where a list has a candidate among its first `depth`.
        depth: how many are reordered, >= 1.
        blend: the reranker's share, in [0, 1].

    Returns: the same chunks, shape (Q, k).

    Raises:
        RankingError: if a score that is read is NaN or infinite.
    """
    assert candidates.items.shape == rerank_scores.shape, rerank_scores.shape
    head = candidates.items >= 0
    head[:, depth:] = False
    tail = (candidates.items >= 0) & ~head
    items = np.where(head, candidates.items, -1)
    reranker = RankedLists(items=items, scores=np.where(head, rerank_scores, np.nan))
    first = RankedLists(items=items, scores=np.where(head, candidates.scores, np.nan))
    blended = blend * _min_max(reranker) + (1 - blend) * _min_max(first)
    order = _order(reranker.scores if blend == 1 else blended)
    blended = np.take_along_axis(blended, order, axis=1)
    ahead = np.max(candidates.scores, axis=1, where=tail, initial=-np.inf, keepdims=True)
    behind = np.subtract(candidates.scores, ahead, where=tail, out=np.zeros(tail.shape)) - 1
    return RankedLists(
        items=np.where(tail, candidates.items, np.take_along_axis(items, order, axis=1)),
        scores=np.where(tail, behind, blended),
    )


def _cut(lists: RankedLists, depth: int) -> RankedLists:
    """Return the first `depth` of each list."""
    return RankedLists(items=lists.items[:, :depth], scores=lists.scores[:, :depth])


def _reciprocal_ranks(lists: RankedLists, rrf_k: int) -> Floats:
    """Return `1 / (rrf_k + rank)`, NaN where a list has ended."""
    ranks = np.arange(1, lists.items.shape[1] + 1)
    return np.where(lists.items >= 0, 1 / (rrf_k + ranks), np.nan)


def _min_max(lists: RankedLists) -> Floats:
    """Return scores scaled to [0, 1] per query, 0.5 where all are equal, NaN at padding."""
    present = lists.items >= 0
    if not np.isfinite(lists.scores[present]).all():
        bad = int((~np.isfinite(lists.scores[present])).sum())
        raise RankingError(
            f"rankings.fuse: scores must be finite, got NaN or infinity for {bad} chunks. "
            "Look at the model that made them; with low precision, try --precision fp32."
        )
    low = _lowest(lists.scores)
    high = -_lowest(-lists.scores)
    constant = present & (low == high)
    scaled = np.full(lists.scores.shape, np.nan)
    np.subtract(lists.scores, low, out=scaled, where=present & ~constant)
    np.divide(scaled, high - low, out=scaled, where=present & ~constant)
    scaled[constant] = 0.5
    return scaled


def _z_scores(lists: RankedLists) -> Floats:
    """Return z-scores per query, 0 where all are equal, NaN at padding.

    Taken from the min-maxed scores, which have the same ones: their deviation cannot underflow.
    """
    present = lists.items >= 0
    scaled = _min_max(lists)
    number = np.maximum(present.sum(axis=1, keepdims=True), 1)
    centred = scaled - np.sum(scaled, axis=1, where=present, keepdims=True) / number
    spread = np.sqrt(np.sum(centred**2, axis=1, where=present, keepdims=True) / number)
    constant = _lowest(scaled) == -_lowest(-scaled)
    return np.where(
        present & constant, 0.0, centred / np.where(constant | (spread == 0), 1, spread)
    )


def _lowest(scores: Floats) -> Floats:
    """Return each query's lowest score, shape (Q, 1): NaN left out, infinity if all are NaN."""
    found = ~np.isnan(scores)
    return cast(Floats, np.min(scores, axis=1, where=found, initial=np.inf, keepdims=True))


def _merge(vector: Ints, bm25: Ints, parts: list[Floats], missing: list[Floats]) -> RankedLists:
    """Add up the parts of each chunk, with `missing` (Q, 1) where a list does not hold it."""
    items = np.concatenate([vector, bm25], axis=1)
    left = np.concatenate([parts[0], np.broadcast_to(missing[0], bm25.shape)], axis=1)
    right = np.concatenate([np.broadcast_to(missing[1], vector.shape), parts[1]], axis=1)
    width = items.shape[1]
    by_row = np.argsort(items * width + np.arange(width), axis=1)  # no two are equal
    items, left, right = (np.take_along_axis(a, by_row, axis=1) for a in (items, left, right))
    # A chunk of both lists now stands twice in a row, its place in the vector list first.
    twin = (items[:, 1:] == items[:, :-1]) & (items[:, 1:] >= 0)
    np.copyto(right[:, :-1], right[:, 1:], where=twin)
    np.copyto(items[:, 1:], -1, where=twin)
    scores = np.where(items >= 0, left + right, np.nan)
    order = _order(scores)
    return RankedLists(
        items=np.take_along_axis(items, order, axis=1),
        scores=np.take_along_axis(scores, order, axis=1),
    )


def _order(scores: Floats) -> Ints:
    """Return each query's places by score descending, ties by place, NaN last."""
    return np.argsort(-scores, axis=1, kind="stable")
