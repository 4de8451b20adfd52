"""Bootstrap intervals of means over queries."""

from functools import lru_cache

import numpy as np

from sweep.errors import MetricError
from sweep.records import Floats

_BLOCK_CELLS = 4_000_000  # resampled queries held at once: 32 MB


def bootstrap_interval(
    values: Floats, *, level: float = 0.95, resamples: int = 2000, seed: int = 0
) -> Floats:
    """Return the percentile bootstrap interval of every column's mean over queries.

    Queries are drawn with replacement, the same ones for every column, so that columns stay
    comparable. low, high = quantiles (1 - level) / 2 and (1 + level) / 2 of the resampled means,
    with linear interpolation. Source: Efron and Tibshirani 1993, section 13.3.

    Args:
        values: shape (Q, M), one column per metric; finite. Q = 1 has low = high = the value.
        level: in (0, 1).
        resamples: number of resampled means, >= 1.
        seed: equal seeds give equal intervals, bit for bit.

    Returns:
        Shape (M, 2), low and high in the unit of the values.

    Raises:
        MetricError: without any query, or if a value is NaN or infinite.
    """
    n_queries, n_columns = values.shape
    if not n_queries:
        raise MetricError("bootstrap interval: there must be >= 1 query, got 0. Judge a query.")
    if not np.isfinite(values).all():
        raise MetricError(
            "bootstrap interval: values must be finite, got NaN or infinity. Restrict the table "
            "to the queries for which the metric is defined."
        )
    if not 0.0 < level < 1.0 or resamples < 1:
        raise MetricError(
            f"bootstrap interval: 0 < level < 1 and resamples >= 1 must hold, got {level} and "
            f"{resamples}. Use the defaults (.95 and 2000)."
        )
    if n_queries == 1 or not n_columns:
        return np.stack([values.mean(axis=0)] * 2, axis=1)
    columns = np.ascontiguousarray(values.T)
    size = max(1, _BLOCK_CELLS // n_queries)
    # einsum adds in one fixed order; a BLAS product may not on another number of threads.
    sums = [
        np.einsum(
            "rq,mq->mr", _draw(n_queries, min(size, resamples - start), seed, start), columns
        )
        for start in range(0, resamples, size)
    ]
    means = np.concatenate(sums, axis=1) / n_queries
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    bounds: Floats = np.quantile(means, tails, axis=1)
    # Rounding may carry a mean of equal values past them by one bit.
    clipped: Floats = np.clip(bounds, values.min(axis=0), values.max(axis=0))
    return clipped.T


@lru_cache(maxsize=2)  # every trial of a study asks for the same draw
def _draw(n_queries: int, size: int, seed: int, start: int) -> Floats:
    """Return how often each query is drawn in each resample, shape (size, Q)."""
    drawn = np.random.default_rng([seed, start]).integers(0, n_queries, size=(size, n_queries))
    cells = drawn + np.arange(size)[:, None] * n_queries
    counts = np.bincount(cells.ravel(), minlength=size * n_queries).astype(np.float64)
    counts.flags.writeable = False
    return counts.reshape(size, n_queries)
