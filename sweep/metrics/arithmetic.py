"""Gain of a label, discount of a rank, sums per query: the arithmetic that metrics share.

Labels are whole numbers; a document without judgement has no entry here (it gains nothing).
Ranks start at 1.
"""

import numpy as np
from numpy.typing import NDArray

from sweep.errors import MetricError
from sweep.records import Floats, Ints

Flags = NDArray[np.bool_]
XDCG_DISCOUNT = 0.6  # per rank, fixed by the Azure evaluator
_LAST_GEOMETRIC_RANK = 2000  # .6^1999 is 0 in float64
_HIGHEST_LABEL = 1000  # 2^1023 is the largest power of two in float64; the rest is for sums


def sum_per_row(rows: Ints, weights: Floats | Ints | Flags, *, n_rows: int) -> Floats:
    """Return the sum of the weights of every row, shape (n_rows,), added in the order given."""
    sums: Floats = np.bincount(rows, weights=weights.astype(np.float64), minlength=n_rows).astype(
        np.float64, copy=False
    )
    return sums


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Return numerator / denominator, 0 where the denominator is 0. Shape as given."""
    result = np.zeros_like(numerator)
    return np.divide(numerator, denominator, out=result, where=denominator != 0)


def linear_gain(labels: Ints) -> Floats:
    """Return max(label, 0), trec_eval's gain. Shape as given."""
    return np.maximum(labels, 0).astype(np.float64)


def exponential_gain(labels: Ints) -> Floats:
    """Return 2^label - 1, and 0 for labels <= 0. Shape as given.

    Source: Burges et al. 2005, doi:10.1145/1102351.1102363.

    Raises:
        MetricError: if a label is above 1000.
    """
    return power_of_two(np.maximum(labels, 0)) - 1.0


def fidelity_weight(labels: Ints, *, label_min: int) -> Floats:
    """Return the Azure evaluator's weight of a good document. Shape as given.

    w(label) = 2^(label + 1) - 1 where label > `label_min` (3, 7, 15, 31 for 1 to 4), else 0.
    """
    return np.where(labels > label_min, power_of_two(labels + 1) - 1.0, 0.0)


def power_of_two(exponents: Ints) -> Floats:
    """Return 2^exponent, exactly (the C function behind `exp2` may be off in the last bit).

    Raises:
        MetricError: if an exponent is above 1001, the label 1000 of fidelity.
    """
    if exponents.size and int(exponents.max()) > _HIGHEST_LABEL + 1:
        raise MetricError(
            f"exponential gain: labels must be <= {_HIGHEST_LABEL}, got {int(exponents.max())}. "
            "Use grades (0 to 4), or ndcg, whose gain is linear."
        )
    powers: Floats = np.ldexp(1.0, exponents)
    return powers


def log_discount(ranks: Ints) -> Floats:
    """Return log2(rank + 1), by which trec_eval divides the gain at a rank. Shape as given."""
    discount: Floats = np.log2(ranks + 1.0)
    return discount


def geometric_discount(ranks: Ints) -> Floats:
    """Return .6^(rank - 1), by which xdcg multiplies the gain at a rank. Shape as given."""
    discount: Floats = np.power(XDCG_DISCOUNT, ranks - 1.0)
    return discount


def geometric_sum(cutoff: int | None) -> float:
    """Return the sum of the geometric discounts of ranks 1 to `cutoff`, by which xdcg is divided.

    Without a cut-off it is the limit 1 / (1 - .6) = 2.5: a norm that depended on how much was
    returned would reward short outputs.
    """
    if cutoff is None:
        return 1.0 / (1.0 - XDCG_DISCOUNT)
    ranks = np.arange(1, min(cutoff, _LAST_GEOMETRIC_RANK) + 1, dtype=np.int64)
    return float(np.cumsum(geometric_discount(ranks))[-1])
