"""A configuration's output from its ranked lists: the same code in a sweep and in production."""

from typing import Protocol

import numpy as np

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
    a fused or reranked one ends with its candidates.
    """
    unit, top_k = configuration.top_k_unit, configuration.top_k
    depth = top_k if unit == "chunks" else max(FIRST_DEPTH, 4 * top_k)
    while True:
        ranked = _whole_list(configuration, source, depth)
        output = cut_top_k(ranked, chunk_document, top_k=top_k, unit=unit)
        if unit == "chunks" or _is_complete(configuration, ranked, output, chunk_document, depth):
            return output
        depth *= 4


def _is_complete(
    configuration: Configuration,
    ranked: RankedLists,
    output: RankedLists,
    chunk_document: Ints,
    depth: int,
) -> bool:
    if configuration.mode in ("hybrid", "rerank") or depth >= len(chunk_document):
        return True
    if ranked.items.shape[1] < depth:
        return True
    ended = (ranked.items[:, depth - 1] < 0).tolist()
    distinct = (np.unique(chunk_document[row[row >= 0]]).size for row in output.items)
    return all(e or n >= configuration.top_k for e, n in zip(ended, distinct, strict=True))


def _whole_list(configuration: Configuration, source: ListSource, depth: int) -> RankedLists:
    if configuration.mode != "rerank":
        return first_stage(configuration, source, depth)
    assert configuration.rerank is not None
    config = configuration.rerank
    depth = max(depth, config.depth)
    candidates = first_stage(configuration, source, depth)
    scores = np.full(candidates.scores.shape, np.nan)
    scores[:, : config.depth] = source.rerank(cut_depth(candidates, config.depth))
    return blend_lists(candidates, scores, depth=config.depth, blend=config.blend)


def first_stage(configuration: Configuration, source: ListSource, depth: int) -> RankedLists:
    """Return the list before any reranking, at least `depth` deep where there is so much."""
    kind = configuration.rerank.candidates if configuration.rerank else configuration.mode
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
