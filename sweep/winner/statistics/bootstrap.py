"""Bootstrap interval of a mean over queries, or over groups of queries."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, stdtrit

from sweep.errors import WinnerError
from sweep.records import Floats

_BLOCK_CELLS = 2_000_000  # draws held at once: 16 MB


def bootstrap_interval(
    values: Floats,
    *,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
    expanded: bool = False,
    resamples: int = 10_000,
    seed: int = 0,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean.

    Queries are drawn with replacement; low, high = quantiles (1 - level) / 2 and (1 + level) / 2
    of the resampled means, with linear interpolation. Where queries come in groups (several of one
    document), whole groups are drawn: queries of one group are no independent evidence.
    Sources: Efron and Tibshirani 1993, section 13.3; `expanded`: Hesterberg 2015,
    doi:10.1080/00031305.2015.1089789.

    Args:
        values: finite, shape (Q,), or (R, Q) where each query's figure was found R times (repeats
            of a cross-validation): one of the R is drawn with the query. Their mean over R would
            hide a part of the noise (intervals covered 92 % in place of 94 %, simulated).
        groups: the group of each query; None = each query is its own.
        level: in (0, 1).
        expanded: take quantiles further out, so that the width is that of a t interval; plain
            percentiles are too narrow by sqrt(1 - 1/n) and the normal quantile.
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
    sums, sizes = _group_sums(np.atleast_2d(values), groups)
    n_groups = len(sizes)
    if n_groups < 2:
        return math.nan, math.nan
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // n_groups)
    means = []
    for start in range(0, resamples, block):
        shape = (min(block, resamples - start), n_groups)
        drawn = rng.integers(0, n_groups, size=shape)
        repeat = rng.integers(0, len(sums), size=shape) if len(sums) > 1 else 0
        means.append(sums[repeat, drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = (1.0 - level) / 2.0
    if expanded:
        widening = math.sqrt(n_groups / (n_groups - 1)) * stdtrit(n_groups - 1, tail)
        tail = float(ndtr(widening))
    low, high = np.quantile(np.concatenate(means), [tail, 1.0 - tail])
    return float(low), float(high)


def _group_sums(values: Floats, groups: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Return the sum of values of each repeat and group, (R, G), and the groups' sizes, (G,)."""
    if groups is None:
        return values, np.ones(values.shape[1])
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    sums: Floats = np.stack([np.bincount(index, weights=row) for row in values])
    sizes: Floats = np.bincount(index).astype(np.float64)
    return sums, sizes
