"""Plain paired tests on per-query differences, and adjustment of p-values for their number."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import stdtr  # scipy.stats, loaded where it is used, takes 0.5 s

from sweep.records import Floats
from sweep.winner.statistics.sign_flips import sign_patterns

_EXACT_QUERIES = 16  # 2^16 sign patterns are listed, more are sampled
_BLOCK_CELLS = 2_000_000
_ROUNDING = 1e-12  # sums this close (relative to the largest) count as equal


@dataclass(frozen=True, slots=True, kw_only=True)
class TTest:
    """Paired t test; `statistic` is NaN for all-zero differences, infinite for constant ones."""

    statistic: float
    degrees: int
    p_value: float  # two-sided
    p_greater: float  # one-sided, alternative: the mean difference is > 0


def paired_t(differences: Floats) -> TTest:
    """Return the paired t test: t = mean / (sd / sqrt(n)), sd with n - 1, df = n - 1.

    Args:
        differences: shape (n,), n >= 2, finite.
    """
    assert len(differences) >= 2, len(differences)
    degrees = len(differences) - 1
    mean, sd = float(differences.mean()), float(differences.std(ddof=1))
    if sd > 0.0:
        statistic = mean / (sd / math.sqrt(len(differences)))
    else:
        statistic = math.nan if mean == 0.0 else math.copysign(math.inf, mean)
    return TTest(
        statistic=statistic,
        degrees=degrees,
        p_value=float(2.0 * stdtr(degrees, -abs(statistic))),
        p_greater=float(stdtr(degrees, -statistic)),
    )


def randomisation_p(differences: Floats, *, draws: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p-value of Fisher's randomisation test, statistic |sum of s_i d_i|.

    Up to 16 queries the exact share of all sign patterns, the observed one included; above, the
    Monte Carlo estimate (c + 1) / (draws + 1), which never claims p = 0.
    Source: Phipson and Smyth 2010, doi:10.2202/1544-6115.1585.

    Args:
        differences: shape (n,), n >= 1, finite.
        draws: random sign patterns above 16 queries, >= 1.
        seed: of the random signs.

    Returns:
        In (0, 1]; 1.0 where all differences are 0.
    """
    n = len(differences)
    threshold = abs(float(differences.sum())) - _ROUNDING * float(np.abs(differences).sum())
    if n <= _EXACT_QUERIES:
        signs = sign_patterns(n, 2 ** (n - 1), seed)  # all of them
        return float((np.abs((signs * differences).sum(axis=1)) >= threshold).mean())
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // n)
    count = 0
    for start in range(0, draws, block):
        size = (min(block, draws - start), n)
        drawn = 1.0 - 2.0 * rng.integers(0, 2, size=size, dtype=np.int8)
        count += int((np.abs(drawn @ differences) >= threshold).sum())
    return (count + 1) / (draws + 1)


def wilcoxon(
    differences: Floats,
    *,
    zeros: Literal["wilcox", "pratt", "zsplit"] = "wilcox",
    correction: bool = False,
    method: Literal["auto", "asymptotic", "exact"] = "auto",
) -> tuple[float, float]:
    """Return statistic min(W+, W-) and two-sided p-value of the signed-rank test, by scipy.

    Round the differences first where equal ones must share a rank: .3 - .2 is not .2 - .1.

    Args:
        differences: shape (n,), n >= 1, finite.
        zeros: how zero differences are ranked, scipy's `zero_method`.
        correction: continuity correction of the approximation.
        method: scipy's: exact or normal approximation; auto decides by n, ties and zeros.
    """
    from scipy import stats

    with np.errstate(all="ignore"):  # all zeros: scipy divides 0 by 0, and the p-value is NaN
        result = stats.wilcoxon(
            differences, zero_method=zeros, correction=correction, method=method
        )
    return float(result.statistic), float(result.pvalue)


def sign_counts(differences: Floats) -> tuple[int, int, int]:
    """Return how many differences are > 0, < 0 and 0 (within 1e-12), shape of input (n,)."""
    wins = int((differences > _ROUNDING).sum())
    losses = int((differences < -_ROUNDING).sum())
    return wins, losses, len(differences) - wins - losses


def sign_test_p(differences: Floats) -> float:
    """Return the two-sided exact binomial p-value of wins against losses; 1.0 without either."""
    from scipy import stats

    wins, losses, _ = sign_counts(differences)
    return float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0


def bonferroni(p_values: Floats) -> Floats:
    """Return min(1, m p), shape (m,)."""
    adjusted: Floats = np.minimum(1.0, len(p_values) * p_values)
    return adjusted


def holm(p_values: Floats) -> Floats:
    """Return Holm's p-values, shape (m,): max over i <= j of min(1, (m - i + 1) p_(i))."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.minimum(1.0, p_values[order] * np.arange(len(p_values), 0, -1))
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.maximum.accumulate(scaled)
    return adjusted


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Return p-values for the false discovery rate, (m,): min over i >= j of m p_(i) / i."""
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * len(p_values) / np.arange(1, len(p_values) + 1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return adjusted
