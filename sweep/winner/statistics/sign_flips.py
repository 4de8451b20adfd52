"""The null distribution of differences: every query's scores get a random common sign."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from sweep.records import Floats

Signs = NDArray[np.int8]
_BLOCK_CELLS = 1_000_000  # flipped sums held at once: 8 MB


def sign_patterns(n_queries: int, permutations: int, seed: int) -> Signs:
    """Return sign patterns, shape (patterns, Q); the first is the observed one, all +1.

    The first query keeps its sign where all patterns are listed: a pattern and its opposite have
    the same range.
    """
    if n_queries <= permutations.bit_length() and 2 ** (n_queries - 1) <= permutations:
        codes = np.arange(2 ** (n_queries - 1))[:, None] >> np.arange(n_queries)[::-1]
        return (1 - 2 * (codes & 1)).astype(np.int8)
    rng = np.random.default_rng(seed)
    drawn = 1 - 2 * rng.integers(0, 2, size=(permutations, n_queries), dtype=np.int8)
    return np.concatenate([np.ones((1, n_queries), dtype=np.int8), drawn])


def null_ranges(numbers: Floats, signs: Signs) -> Floats:
    """Return the range of the flipped sums over the first 1, 2, .. N rows, shape (N, patterns)."""
    ranges = np.empty((len(numbers), len(signs)))
    block = max(1, _BLOCK_CELLS // max(numbers.shape))
    for start in range(0, len(signs), block):
        # Exact: whole numbers, so that threads and blocks cannot change a bit.
        flipped = numbers @ signs[start : start + block].T.astype(np.float64)
        highest = np.maximum.accumulate(flipped, axis=0)
        lowest = np.minimum.accumulate(flipped, axis=0)
        np.subtract(highest, lowest, out=ranges[:, start : start + block])
    return ranges


def loss_bounds(numbers: Floats, signs: Signs, alpha: float) -> Floats:
    """Return the upper bound of what each row's sum truly loses to the truly best row's.

    If row t is truly best, then with confidence 1 - alpha no row's noise exceeds that of t by more
    than c_t, so that every row i loses at most sum_t - sum_i + c_t; the largest over t holds
    whichever is best (Hsu 1984, doi:10.1214/aos/1176346710). c_t is the quantile of highest minus
    t's flipped sum; every pattern counts with its opposite, for this has a direction. Flipped are
    deviations from each row's own mean: here the rows need not be equal, and the loss of a bad row
    is no noise. Such deviations are too small by sqrt(1 - 1/Q), and their scale is an estimate:
    widened as a t interval is.

    Args:
        numbers: shape (N, Q), whole numbers.
        signs: shape (patterns, Q).
        alpha: of all N bounds together.

    Returns:
        Shape (N,); infinite where the patterns are too few to have a quantile (Q < 5 at 5 %).
    """
    n_queries = numbers.shape[1]
    deviations = np.rint(numbers - numbers.mean(axis=1, keepdims=True))  # whole: sums stay exact
    deficits = np.empty((len(numbers), 2 * len(signs)))
    block = max(1, _BLOCK_CELLS // max(numbers.shape))
    for start in range(0, len(signs), block):
        flipped = deviations @ signs[start : start + block].T.astype(np.float64)
        columns = slice(2 * start, 2 * start + 2 * flipped.shape[1])
        deficits[:, columns] = np.concatenate(
            [flipped.max(axis=0) - flipped, flipped - flipped.min(axis=0)], axis=1
        )
    critical = upper_quantiles(deficits, alpha)
    if n_queries > 1:
        critical *= math.sqrt(n_queries / (n_queries - 1))
        critical *= stdtrit(n_queries - 1, alpha / 2) / ndtri(alpha / 2)
    sums = numbers.sum(axis=1)
    bounds: Floats = (sums + critical).max() - sums
    return bounds


def upper_quantiles(ranges: Floats, alpha: float) -> Floats:
    """Return per row the value above which a loss has p <= alpha; infinite if none has.

    Reorders the rows of `ranges` (a copy would double the memory).
    """
    n_patterns = ranges.shape[1]
    allowed = math.floor(alpha * n_patterns + 1e-9)  # 1e-9: .05 x 20 must count as 1
    if allowed == 0:
        return np.full(len(ranges), np.inf)
    position = n_patterns - 1 - allowed
    ranges.partition(position, axis=1)
    return ranges[:, position].copy()
