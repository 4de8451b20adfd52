"""A configuration's output from its ranked lists: the same code in a sweep and in production."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sweep.configuration import Configuration
from sweep.rankings.documents import cut_top_k
from sweep.rankings.fuse import blend_lists, fuse_lists
from sweep.records import Floats, Ints, RankedLists

FIRST_DEPTH = 100  # chunks; exact lists are made this deep at least, and serve every smaller depth


class ListSource(Protocol):
    """Gives the ranked lists and pair scores that one configuration is made of."""

    def vector(self, depth: int) -> RankedLists:
        """Return the vector list, at most `depth` deep."""

    def bm25(self, depth: int) -> RankedLists:
        """Return the BM25 list, at most `depth` deep."""

    def rerank(self, candidates: RankedLists) -> Floats:
        """Return the reranker's score of every candidate, shape (Q, k), NaN where padded."""


def rank(configuration: Configuration, source: ListSource, chunk_document: Ints) -> RankedLists:
    """Return what the configuration retrieves: its `top_k` chunks for each query.

    With `top_k_unit: documents` a single list is deepened until `top_k` distinct documents are in;
    a fused or reranked one ends with its candidates. Each query is deepened on its own account: an
    approximate index finds something else when it is asked for more.
    """
    unit, top_k = configuration.top_k_unit, configuration.top_k
    depth = first_depth(configuration)
    ranked = whole_list(configuration, source, depth)
    output = cut_top_k(ranked, chunk_document, top_k=top_k, unit=unit)
    if unit == "chunks":
        return output
    complete = _complete(configuration, ranked, output, chunk_document, depth)
    while not complete.all():
        depth *= 4
        ranked = whole_list(configuration, source, depth)
        deeper = cut_top_k(ranked, chunk_document, top_k=top_k, unit=unit)
        output = _with_rows(deeper, output, complete)
        complete |= _complete(configuration, ranked, output, chunk_document, depth)
    return output


def first_depth(configuration: Configuration) -> int:
    """Return how deep a list is asked for to fill an output, before it turns out too short."""
    if configuration.top_k_unit == "chunks":
        return configuration.top_k
    return max(FIRST_DEPTH, 4 * configuration.top_k)


def vector_depth(configuration: Configuration) -> int:
    """Return how deep the vector list of a configuration that has one is asked for at first."""
    if first_mode(configuration) == "hybrid":
        assert configuration.hybrid is not None
        return configuration.hybrid.depth
    depth = first_depth(configuration)
    return max(depth, configuration.rerank.depth) if configuration.rerank else depth


def _complete(
    configuration: Configuration,
    ranked: RankedLists,
    output: RankedLists,
    chunk_document: Ints,
    depth: int,
) -> NDArray[np.bool_]:
    """Return which queries a deeper list would not change, shape (Q,)."""
    if (
        configuration.mode in ("hybrid", "rerank")
        or depth >= len(chunk_document)
        or ranked.items.shape[1] < depth
    ):
        return np.ones(len(output.items), dtype=np.bool_)
    distinct = [np.unique(chunk_document[row[row >= 0]]).size for row in output.items]
    ended = ranked.items[:, depth - 1] < 0
    return np.asarray(ended | (np.array(distinct) >= configuration.top_k))


def _with_rows(lists: RankedLists, others: RankedLists, rows: NDArray[np.bool_]) -> RankedLists:
    """Return `lists` (Q, k) with some rows taken from narrower ones."""
    items, scores = lists.items.copy(), lists.scores.copy()
    items[rows], scores[rows] = -1, np.nan
    items[rows, : others.items.shape[1]] = others.items[rows]
    scores[rows, : others.scores.shape[1]] = others.scores[rows]
    return RankedLists(items=items, scores=scores)


def whole_list(configuration: Configuration, source: ListSource, depth: int) -> RankedLists:
    """Return what the output is the beginning of, at least `depth` deep where there is so much."""
    if configuration.mode != "rerank":
        return first_stage(configuration, source, depth)
    assert configuration.rerank is not None
    config = configuration.rerank
    depth = max(depth, config.depth)
    candidates = first_stage(configuration, source, depth)
    scores = np.full(candidates.scores.shape, np.nan)
    scores[:, : config.depth] = source.rerank(cut_depth(candidates, config.depth))
    return blend_lists(candidates, scores, depth=config.depth, blend=config.blend)


def first_mode(configuration: Configuration) -> str:
    """Return which list comes before any reranking: `bm25`, `vector` or `hybrid`."""
    return configuration.rerank.candidates if configuration.rerank else configuration.mode


def first_stage(configuration: Configuration, source: ListSource, depth: int) -> RankedLists:
    """Return the list before any reranking, at least `depth` deep where there is so much."""
    kind = first_mode(configuration)
    if kind == "vector":
        return source.vector(depth)
    if kind == "bm25":
        return source.bm25(depth)
    assert configuration.hybrid is not None
    config = configuration.hybrid
    return fuse_lists(source.vector(config.depth), source.bm25(config.depth), config)


def cut_depth(lists: RankedLists, depth: int) -> RankedLists:
    """Return the first `depth` ranks."""
    return RankedLists(items=lists.items[:, :depth], scores=lists.scores[:, :depth])
