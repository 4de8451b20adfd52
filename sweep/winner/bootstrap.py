"""Bootstrap interval of a mean over queries, or over groups of queries."""

from collections.abc import Sequence

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats

_BLOCK_CELLS = 2_000_000  # draws held at once: 16 MB


def bootstrap_interval(
    values: Floats,
    *,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean.

    Queries are drawn with replacement; low, high = quantiles (1 - level) / 2 and (1 + level) / 2
    of the resampled means, with linear interpolation. Where queries come in groups (several of one
    document), whole groups are drawn: queries of one group are no independent evidence.
    Source: Efron and Tibshirani 1993, section 13.3.

    Args:
        values: shape (Q,), finite.
        groups: the group of each query; None = each query is its own.
        level: in (0, 1).
        resamples: number of resampled means, >= 1.
        seed: equal seeds give equal intervals, bit for bit.

    Returns:
        low, high in the unit of the values; (NaN, NaN) for fewer than two queries or groups.

    Raises:
        WinnerError: if a value is not finite, or level or resamples are out of range.
    """
    if not np.isfinite(values).all() or not 0.0 < level < 1.0 or resamples < 1:
        raise WinnerError(
            "bootstrap_interval: finite values, 0 < level < 1 and resamples >= 1 must hold, got "
            f"level {level}, resamples {resamples}. Drop undefined values; use the defaults."
        )
    sums, sizes = _group_sums(values, groups)
    if len(sums) < 2:
        return float("nan"), float("nan")
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // len(sums))
    means = []
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = rng.integers(0, len(sums), size=(rows, len(sums)))
        means.append(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    low, high = np.quantile(np.concatenate(means), [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def _group_sums(values: Floats, groups: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Return the sum of values and the number of queries of each group."""
    if groups is None:
        return values, np.ones(len(values))
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    return np.bincount(index, weights=values), np.bincount(index).astype(np.float64)
