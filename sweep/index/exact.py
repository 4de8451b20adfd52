"""Exact search: every row in its float64 order, at about the cost of one float32 product.

Matrix products only *nominate* candidates. What orders them is a dot product per pair in float64,
so that a score does not depend on the batch, the block or the thread count it was computed in.
"""

import numpy as np

from sweep.configuration import Similarity
from sweep.records import Floats, Ints, RankedLists, Vectors

MARGIN = 32  # nominated beyond the depth asked for
BLOCK_SCORES = 8_000_000  # float32 scores held at once (32 MB)
BLOCK_FLOATS = 8_000_000  # float64 products held at once (64 MB)
SLACK = 1e-4  # error of a float32 product, as a share of the vectors' lengths; room to spare
TINY = 1e-37  # below float32's normal numbers, where that share no longer bounds the error


def prepare_vectors(vectors: Vectors, similarity: Similarity) -> Vectors:
    """Return `vectors` as they are searched: unit rows (norms in float64) for cosine."""
    if similarity != "cosine" or not len(vectors):
        return np.ascontiguousarray(vectors, dtype=np.float32)
    norms = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.ascontiguousarray((vectors / np.maximum(norms, 1e-30)).astype(np.float32))


def search_exact(
    vectors: Vectors, queries: Vectors, *, similarity: Similarity, depth: int
) -> RankedLists:
    """Return the `depth` best rows for each query, score descending, ties by row.

    Args:
        vectors: shape (C, d), after `prepare_vectors`.
        queries: shape (Q, d), after `prepare_vectors`.
        similarity: see `VectorConfig`.
        depth: in [1, C].

    Returns: shape (Q, depth).
    """
    items = np.empty((len(queries), depth), dtype=np.int64)
    scores = np.empty((len(queries), depth), dtype=np.float64)
    slack = _slack(vectors, queries, similarity)
    step = max(1, BLOCK_SCORES // len(vectors))
    for start in range(0, len(queries), step):
        block = slice(start, start + step)
        items[block], scores[block] = _search_block(
            vectors, queries[block], slack[block], similarity, depth
        )
    return RankedLists(items=items, scores=scores)


def _search_block(
    vectors: Vectors, queries: Vectors, slack: Floats, similarity: Similarity, depth: int
) -> tuple[Ints, Floats]:
    rough = _rough_scores(vectors, queries, similarity)
    width = min(depth + MARGIN, rough.shape[1])
    if width < rough.shape[1]:
        nominated = np.argpartition(rough, -width, axis=1)[:, -width:]
    else:
        nominated = np.broadcast_to(np.arange(width), rough.shape)
    nominated = np.sort(nominated, axis=1)
    exact = _pair_scores(vectors, queries, nominated, similarity)
    order = np.argsort(-exact, axis=1, kind="stable")[:, :depth]
    items: Ints = np.take_along_axis(nominated, order, axis=1)
    scores: Floats = np.take_along_axis(exact, order, axis=1)
    lowest = np.take_along_axis(rough, nominated, axis=1).min(axis=1).astype(np.float64)
    unsure = (scores[:, -1] <= lowest + slack) & (width < rough.shape[1])
    for row in np.flatnonzero(unsure):  # the nominations ended inside a run of near ties
        near = np.flatnonzero(rough[row] >= scores[row, -1] - slack[row])
        exact = _pair_scores(vectors, queries[row, None], near[None, :], similarity)[0]
        best = np.argsort(-exact, kind="stable")[:depth]
        items[row], scores[row] = near[best], exact[best]
    return items, scores


def _slack(vectors: Vectors, queries: Vectors, similarity: Similarity) -> Floats:
    """Return how far a rough score can be from the exact one, shape (Q,)."""
    if similarity == "cosine":
        return np.full(len(queries), SLACK)
    longest = _lengths(vectors).max()
    lengths = _lengths(queries)
    scale = lengths * longest if similarity == "ip" else (lengths + longest) ** 2
    return np.asarray(SLACK * scale + TINY)


def _lengths(vectors: Vectors) -> Floats:
    """Return the Euclidean norm of each row, in float64."""
    squares: Floats = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return np.sqrt(squares)


def _rough_scores(vectors: Vectors, queries: Vectors, similarity: Similarity) -> Vectors:
    products: Vectors = queries @ vectors.T
    if similarity == "l2":
        norms = (vectors**2).sum(axis=1)
        products = 2 * products - norms - (queries**2).sum(axis=1, keepdims=True)
    return products


def _pair_scores(vectors: Vectors, queries: Vectors, rows: Ints, similarity: Similarity) -> Floats:
    """Return float64 scores of shape `rows.shape`; each depends on its own pair alone."""
    result = np.empty(rows.shape, dtype=np.float64)
    step = max(1, BLOCK_FLOATS // vectors.shape[1])
    for number, query in enumerate(queries.astype(np.float64)):
        for start in range(0, rows.shape[1], step):
            part = vectors[rows[number, start : start + step]].astype(np.float64)
            pairs = -((part - query) ** 2) if similarity == "l2" else part * query
            result[number, start : start + step] = pairs.sum(axis=1)
    return result
