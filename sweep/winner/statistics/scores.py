"""The table inference works on: N configurations x Q queries, with exact sums."""

import math

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats

_MANTISSA_BITS = 52  # whole numbers up to 2^52 add up exactly in float64
_PRECISION_BITS = 40  # finer differences between scores (1e-12 of the largest) are rounding noise


def oriented(scores: Floats, *, maximize: bool, where: str) -> Floats:
    """Return the scores turned so that higher is better.

    Args:
        scores: shape (N, Q), one row per configuration, one column per query.
        maximize: False where a lower score is better; the signs are then turned round.
        where: the caller's name, for the message.

    Returns:
        Shape (N, Q).

    Raises:
        WinnerError: if there is no configuration or no query, or a score is NaN or infinite.
    """
    if scores.ndim != 2 or 0 in scores.shape:
        raise WinnerError(
            f"{where}: scores must have >= 1 configuration and >= 1 query, got shape "
            f"{scores.shape}. Finish a trial, or judge a query."
        )
    if not np.isfinite(scores).all():
        raise WinnerError(
            f"{where}: scores must be finite, got NaN or infinity. Restrict the table to the "
            "queries for which the metric is defined."
        )
    return scores if maximize else -scores


def whole_numbers(scores: Floats) -> tuple[Floats, float]:
    """Return the scores as whole numbers of a small unit, so that their sums are exact.

    Sums of them depend neither on the order of addition nor on the number of threads.

    Args:
        scores: shape (N, Q), finite.

    Returns:
        Whole numbers in float64, shape (N, Q), and the unit (a power of two, > 0): scores =
        numbers x unit within half a unit. A sum of Q numbers with any signs stays below 2^52.
    """
    queries_bits = math.ceil(math.log2(scores.shape[1] + 1))
    bits = min(_PRECISION_BITS, _MANTISSA_BITS - queries_bits)
    exponent = max(math.frexp(float(np.abs(scores).max()))[1], -900)  # else the unit may be 0
    unit = math.ldexp(1.0, exponent - bits)
    numbers: Floats = np.rint(scores / unit)
    return numbers, unit


def highest_mean(scores: Floats) -> int:
    """Return the configuration with the highest mean over queries; ties go to the lowest index.

    Args:
        scores: shape (N, Q), finite, higher is better.
    """
    numbers, _ = whole_numbers(scores)
    return first_highest(numbers.sum(axis=1), scores.shape[1])


def rounding(n_queries: int) -> int:
    """Return up to what difference, in units, sums of `whole_numbers` count as equal.

    Each of the Q numbers of a sum is off by half a unit at most, and up to four sums are compared
    (.3 + .3 - .6 must be as large as .2 + .2 - .4).
    """
    return 2 * n_queries


def first_highest(sums: Floats, n_queries: int) -> int:
    """Return the lowest index whose sum of whole numbers is the highest but for rounding."""
    return int((sums >= sums.max() - rounding(n_queries)).argmax())
