"""Exact search: every row in its float64 order, at about the cost of one float32 product.

Matrix products only *nominate* candidates. What orders them is a dot product per pair in float64,
so that a score does not depend on the batch, the block or the thread count it was computed in.

The matrix is read once, in blocks of rows, for all queries together: it may be memory-mapped. Of
each block only the scores that reach a query's bar are looked at: its `depth`-th best score so
far, less what float32 may have got wrong.
"""

from functools import partial

import numpy as np

from sweep.configuration import Similarity
from sweep.errors import IndexingError
from sweep.parallel import side_by_side, single_threaded_blas
from sweep.records import Floats, Ints, RankedLists, Vectors

BLOCK_SCORES = 500_000  # float32 scores held at once by a thread (2 MB)
BLOCK_ROWS = 16_384  # of the longest block, where queries are few
BLOCK_FLOATS = 8_000_000  # float64 products held at once (64 MB)
CROWDED = 4  # nominations are thinned out when there are so many times `depth` a query
SLACK = 1e-4  # error of a float32 product, as a share of the vectors' lengths; room to spare
TINY = 1e-37  # below float32's normal numbers, where that share no longer bounds the error
LONGEST = 1e18  # length of a vector; a float32 product of longer ones overflows

Nominations = tuple[Ints, Ints, Vectors]  # query and row of each (rows rising), float32 score


def prepare_vectors(
    vectors: Vectors, similarity: Similarity, dimensions: int | None = None
) -> Vectors:
    """Return `vectors` as they are searched: unit rows (norms in float64) for cosine.

    Args:
        vectors: shape (n, d).
        similarity: see `VectorConfig`.
        dimensions: numbers of each row that are kept, the first ones; the row keeps its length.

    Raises: IndexingError if a number is NaN or infinite, for cosine (exact search checks others),
        or there are fewer than `dimensions`.
    """
    if dimensions is not None and len(vectors):
        vectors = _cut(vectors, dimensions)
    if similarity != "cosine" or not len(vectors):
        return np.ascontiguousarray(vectors, dtype=np.float32)
    prepared = np.empty(vectors.shape, dtype=np.float32)
    step = max(1, BLOCK_SCORES // max(1, vectors.shape[1]))
    for start in range(0, len(vectors), step):
        part = slice(start, start + step)
        norms = np.sqrt((vectors[part].astype(np.float64) ** 2).sum(axis=1, keepdims=True))
        _check_lengths(norms)
        prepared[part] = vectors[part] / np.maximum(norms, 1e-30)
    return prepared


def _cut(vectors: Vectors, dimensions: int) -> Vectors:
    """Return the first numbers of each row, scaled to the length (norm) that the row had.

    Source: Kusupati et al. 2022 (Matryoshka representation learning), arXiv:2205.13147.
    """
    if dimensions > vectors.shape[1]:
        raise IndexingError(
            f"vector.dimensions: must be at most {vectors.shape[1]}, the length of this model's "
            f"vectors, got {dimensions}. Lower it, or leave it out."
        )
    if dimensions == vectors.shape[1]:
        return vectors
    part = vectors[:, :dimensions]
    before, after = _norms(vectors), _norms(part)
    scale = np.divide(before, after, out=np.zeros_like(after), where=after > 0)
    return np.asarray(part * scale[:, None], dtype=np.float32)


def _norms(vectors: Vectors) -> Floats:
    squares: Floats = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return np.sqrt(squares)


def search_exact(
    vectors: Vectors, queries: Vectors, *, similarity: Similarity, depth: int, threads: int = 1
) -> RankedLists:
    """Return the `depth` best rows for each query, score descending, ties by row.

    Args:
        vectors: shape (C, d), after `prepare_vectors`; may be memory-mapped.
        queries: shape (Q, d), after `prepare_vectors`.
        similarity: see `VectorConfig`.
        depth: in [1, C].
        threads: blocks worked on side by side; changes no bit of a score.

    Returns: shape (Q, depth).

    Raises: IndexingError if a number is NaN or infinite, or a vector too long for float32.
    """
    search = _Search(vectors, queries, similarity, depth)
    items = np.empty((len(queries), depth), dtype=np.int64)
    scores = np.empty((len(queries), depth), dtype=np.float64)
    for query, nominated in enumerate(search.nominate(threads)):
        items[query], scores[query] = search.best(query, nominated)
    return RankedLists(items=items, scores=scores)


class _Search:
    """One search, and the bar that a row must reach to be nominated for a query."""

    def __init__(
        self, vectors: Vectors, queries: Vectors, similarity: Similarity, depth: int
    ) -> None:
        self.vectors = vectors
        self.queries = queries
        self.similarity = similarity
        self.depth = depth
        self.slack = _slack(vectors, queries, similarity)
        self.bars = np.full(len(queries), -np.inf, dtype=np.float32)
        self.crowd = CROWDED * depth * len(queries)

    def nominate(self, threads: int) -> list[Ints]:
        """Return rows among which are the best, rising: one array per query."""
        step = max(1, min(BLOCK_ROWS, BLOCK_SCORES // len(self.queries)))
        starts = range(0, len(self.vectors), step)
        look = partial(self._look, step)
        with single_threaded_blas():
            held = [self._thin_out([look(0)])]  # sets the bars for the other blocks
            for found in side_by_side(look, starts[1:], threads=threads):
                held.append(found)
                if sum(len(rows) for _, rows, _ in held) > self.crowd:
                    held = [self._thin_out(held)]
        queries, rows, _ = self._thin_out(held)
        return [rows[part] for part in _by_query(queries, len(self.queries))]

    def best(self, query: int, nominated: Ints) -> tuple[Ints, Floats]:
        """Return the `depth` best of some rows (rising), and their scores."""
        exact = _pair_scores(self.vectors, self.queries[query], nominated, self.similarity)
        order = np.argsort(-exact, kind="stable")[: self.depth]
        return nominated[order], exact[order]

    def _look(self, step: int, start: int) -> Nominations:
        """Return what reaches its query's bar in one block, by row."""
        rough = _rough_scores(self.vectors[start : start + step], self.queries, self.similarity)
        found = np.flatnonzero(rough >= self.bars)
        if len(found) > self.crowd and len(rough) > self.depth:
            place = len(rough) - self.depth
            lowest = np.partition(rough, place, axis=0)[place]
            bars = np.maximum(self.bars, lowest - 2 * self.slack)
            found = np.flatnonzero(rough >= bars)
        rows, queries = np.divmod(found, len(self.queries))
        return queries, rows + start, rough.reshape(-1)[found]

    def _thin_out(self, held: list[Nominations]) -> Nominations:
        """Raise the bars, and return the nominations that reach them, by query, then row."""
        queries, rows, rough = (np.concatenate(parts) for parts in zip(*held, strict=True))
        kept = []
        for query, part in enumerate(_by_query(queries, len(self.queries))):
            if len(part) > self.depth:
                lowest = np.partition(rough[part], -self.depth)[-self.depth]
                self.bars[query] = max(self.bars[query], lowest - 2 * self.slack[query])
                part = part[rough[part] >= self.bars[query]]
            if len(part) > CROWDED * self.depth:  # ties that float32 cannot tell from each other
                best, _ = self.best(query, rows[part])
                part = part[np.isin(rows[part], best)]
            kept.append(part)
        places = np.concatenate(kept)
        return queries[places], rows[places], rough[places]


def _by_query(queries: Ints, count: int) -> list[Ints]:
    """Return the places of each query in `queries`, in their order."""
    small = queries.astype(np.min_scalar_type(count))  # numpy sorts 16 bits fastest
    ends = np.cumsum(np.bincount(queries, minlength=count))
    return np.split(np.argsort(small, kind="stable"), ends[:-1])


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
    lengths = _norms(vectors)
    _check_lengths(lengths)
    return lengths


def _check_lengths(lengths: Floats) -> None:
    if not (unfit := ~(lengths < LONGEST)).any():
        return
    raise IndexingError(
        f"vectors: numbers must be finite and lengths below {LONGEST:.0e}, got {unfit.sum()} "
        f"vectors that are not so. Look at the model that made them; with low precision, try "
        f"--precision fp32."
    )


def _rough_scores(vectors: Vectors, queries: Vectors, similarity: Similarity) -> Vectors:
    """Return float32 scores of a block's rows, shape (rows, Q)."""
    products: Vectors = vectors @ queries.T
    if similarity == "l2":
        products *= 2
        products -= (vectors**2).sum(axis=1, keepdims=True)
        products -= (queries**2).sum(axis=1)
    return products


def _pair_scores(vectors: Vectors, query: Vectors, rows: Ints, similarity: Similarity) -> Floats:
    """Return float64 scores of one query (d,) with `rows`; each depends on its own pair alone."""
    result = np.empty(len(rows), dtype=np.float64)
    wide = query.astype(np.float64)
    step = max(1, BLOCK_FLOATS // max(1, len(wide)))
    for start in range(0, len(rows), step):
        part = vectors[rows[start : start + step]].astype(np.float64)
        pairs = -((part - wide) ** 2) if similarity == "l2" else part * wide
        result[start : start + step] = pairs.sum(axis=1)
    return result
