"""Which configurations are worse than the best, and what difference the queries can show."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from sweep.errors import WinnerError
from sweep.records import Floats, Ints
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.paired_tests import randomisation_p, sign_counts
from sweep.winner.statistics.scores import first_highest, oriented, rounding, whole_numbers
from sweep.winner.statistics.sign_flips import (
    loss_bounds,
    null_ranges,
    sign_patterns,
    upper_quantiles,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TukeyResult:
    """All configurations against the best, at one family-wise level.

    Attributes:
        best: the configuration with the highest mean; ties go to the lowest index.
        loss: shape (N,), observed mean of the best minus that of each; >= 0.
        p_values: shape (N,), of "not worse than the best", allowing for the number of
            configurations and for the best being chosen on the same data; 1 for the best.
        tied: indices in rising order: p > alpha, which is loss <= critical. Not separable from the
            best, which is not the same as equal to it.
        critical: the observed difference from which on a configuration is called worse; infinite
            where so few queries can call none (fewer than 6 at 5 %).
        loss_bound: shape (N,), upper bound of the true loss against whichever configuration truly
            is best; all N hold together with confidence 1 - alpha; infinite below 5 queries.
        standard_error: of the difference between the best and a typical tied configuration
            (median; the second best where nothing is tied); NaN for one configuration or query.
        n_queries: Q.
        alpha: the family-wise level.
    """

    best: int
    loss: Floats
    p_values: Floats
    tied: Ints
    critical: float
    loss_bound: Floats
    standard_error: float
    n_queries: int
    alpha: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A planned, paired comparison of two configurations.

    Attributes:
        difference: mean of candidate - baseline.
        p_value: two-sided sign-flip randomisation test; 1 for equal scores.
        interval: 95 % bootstrap interval of the difference; NaN for one query.
        wins, losses, ties: queries on which the candidate scores higher, lower, the same.
    """

    difference: float
    p_value: float
    interval: tuple[float, float]
    wins: int
    losses: int
    ties: int


def tukey_hsd(
    scores: Floats,
    *,
    permutations: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    step_down: bool = True,
    maximize: bool = True,
) -> TukeyResult:
    """Return which configurations are worse than the best: the randomised Tukey HSD.

    Null distribution: every query's scores of all configurations get one common random sign; the
    statistic is the largest minus the smallest mean. (Centring the scores by query changes
    nothing: a query's constant drops out of every difference.) All sign patterns are taken where
    there are at most `permutations` of them, else that many at random and the observed one.

    Signs, not Carterette's permutations within a query: those take configurations as
    exchangeable. Measured with 100 equal configurations and 50 queries, level 5 %: with correlated
    families signs call one worse in 4.8 % of sweeps, permutations in 2.4 %; with a few noisy ones
    4.8 % against 75 %. tests/benchmarks/simulate_inference.py repeats this.

    Step-down: each configuration is tested with the range over those that score at least as high
    as itself, after all lower ones have been called worse. When all are equal the level is the
    same, because the first step is Tukey's. But otherwise a configuration that is plainly bad
    would coarsen the test for all others: its own large loss is flipped too (with a third of the
    grid .1 to .3 worse, the critical difference grows from .117 to .160).

    Args:
        scores: shape (N, Q), finite.
        permutations: random sign patterns, >= 1; 10,000 give p-values within .005.
        alpha: family-wise level, in (0, 1).
        seed: of the sign patterns.
        step_down: False = one critical difference from the range over all configurations.
        maximize: False where lower scores are better.

    Raises:
        WinnerError: for scores that are empty or not finite, or options out of range.

    Source: Carterette 2012, doi:10.1145/2094072.2094076 (test); Romano and Wolf 2005,
        doi:10.1198/016214504000000539 (step-down); Hsu 1984, doi:10.1214/aos/1176346710 (bound).
    """
    if permutations < 1 or not 0.0 < alpha < 1.0:
        raise WinnerError(
            "tukey_hsd: permutations >= 1 and 0 < alpha < 1 must hold, got "
            f"{permutations} and {alpha}. Use the defaults (10,000 and .05)."
        )
    turned = oriented(scores, maximize=maximize, where="tukey_hsd")
    numbers, unit = whole_numbers(turned)
    order, loss = _by_loss(numbers)
    signs = sign_patterns(turned.shape[1], permutations, seed)
    ranges = null_ranges(numbers[order], signs)
    if not step_down:
        ranges[:] = ranges[-1]
    p_values = _p_values(ranges, loss - rounding(turned.shape[1]))
    critical = upper_quantiles(ranges, alpha)
    n_tied = int((p_values > alpha).sum())
    last = max(n_tied, min(2, len(order)))  # one alone at the top: the test that made it so
    del ranges  # as large as what the bounds need
    back = np.argsort(order)  # from rank to configuration
    scale = unit / turned.shape[1]
    return TukeyResult(
        best=int(order[0]),
        loss=loss[back] * scale,
        p_values=p_values[back],
        tied=np.sort(order[:n_tied]),
        critical=float(critical[last - 1] * scale),
        loss_bound=loss_bounds(numbers, signs, alpha) * scale,
        standard_error=_typical_error(numbers[order[:last]]) * unit,
        n_queries=turned.shape[1],
        alpha=alpha,
    )


def tied_within(
    scores: Floats,
    limit: float,
    *,
    permutations: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    maximize: bool = True,
) -> tuple[Ints, Floats]:
    """Return those of the tied set of `tukey_hsd` that lose at most `limit`, and their losses.

    Much faster where many configurations lose more: a p-value depends on the higher rows and on
    the p-values of lower ones, so the rows in question decide alone as soon as the lowest of them
    is tied.

    Args:
        scores: shape (N, Q), finite.
        limit: observed loss to the best, in the unit of the scores, >= 0.
        permutations: as in `tukey_hsd`.
        alpha: as in `tukey_hsd`.
        seed: as in `tukey_hsd`.
        maximize: as in `tukey_hsd`.
    """
    turned = oriented(scores, maximize=maximize, where="tied_within")
    numbers, unit = whole_numbers(turned)
    order, loss = _by_loss(numbers)
    losses = loss * (unit / turned.shape[1])
    count = int((losses <= limit).sum())
    signs = sign_patterns(turned.shape[1], permutations, seed)
    reach = loss - rounding(turned.shape[1])
    p_values = _p_values(null_ranges(numbers[order[:count]], signs), reach[:count])
    if p_values[-1] <= alpha:
        p_values = _p_values(null_ranges(numbers[order], signs), reach)[:count]
    tied = p_values > alpha
    return order[:count][tied], losses[:count][tied]


def _p_values(ranges: Floats, loss: Floats) -> Floats:
    """Return the share of ranges that reach each loss, never falling towards the best."""
    shares = (ranges >= loss[:, None]).mean(axis=1)
    return np.maximum.accumulate(shares[::-1])[::-1]


def detectable_difference(result: TukeyResult, *, power: float = 0.8) -> float:
    """Return the smallest true difference to the best that these queries are likely to show.

    A configuration truly worse than the best by this much is called worse by `tukey_hsd` with
    probability `power` or more: critical difference + z(power) x standard error of the difference
    to a typical tied configuration.

    Args:
        result: of `tukey_hsd`.
        power: in (0, 1).

    Returns:
        In the unit of the scores; infinite where no difference could be called; NaN where there
        is nothing to compare (one configuration, or all score the same on every query).
    """
    if math.isnan(result.standard_error) or result.critical == result.standard_error == 0.0:
        return math.nan
    return result.critical + float(ndtri(power)) * result.standard_error


def queries_needed(
    result: TukeyResult, *, difference: float = 0.02, power: float = 0.8
) -> int | None:
    """Return about how many queries like these would show a true difference.

    Both parts of the detectable difference shrink with the square root of the number of queries.

    Args:
        result: of `tukey_hsd`.
        difference: in the unit of the scores, > 0.
        power: in (0, 1).

    Returns:
        At least 1; None where the queries at hand do not tell (see `detectable_difference`).

    Raises:
        WinnerError: for a difference that is not > 0.
    """
    if not difference > 0.0:
        raise WinnerError(
            f"queries_needed: difference must be > 0, got {difference}. Use .02 of the scale."
        )
    now = detectable_difference(result, power=power)
    return math.ceil(result.n_queries * (now / difference) ** 2) if math.isfinite(now) else None


def planned_comparison(baseline: Floats, candidate: Floats, *, seed: int = 0) -> Comparison:
    """Return how a candidate compares with a baseline that was named before looking.

    Args:
        baseline: shape (Q,), finite.
        candidate: shape (Q,), the same queries.
        seed: of the random signs (above 16 queries) and of the interval.

    Raises:
        WinnerError: for shapes that differ, or values that are not finite.
    """
    if baseline.shape != candidate.shape or baseline.ndim != 1:
        raise WinnerError(
            "planned_comparison: both need one score per query, got shapes "
            f"{baseline.shape} and {candidate.shape}. Score both on the same queries."
        )
    pair = oriented(np.stack([baseline, candidate]), maximize=True, where="planned_comparison")
    differences = pair[1] - pair[0]
    wins, losses, ties = sign_counts(differences)
    return Comparison(
        difference=float(differences.mean()),
        p_value=randomisation_p(differences, seed=seed),
        interval=bootstrap_interval(differences, expanded=True, seed=seed),
        wins=wins,
        losses=losses,
        ties=ties,
    )


def _by_loss(numbers: Floats) -> tuple[Ints, Floats]:
    """Return the rows from the best on, shape (N,), and the loss of their sums in that order."""
    sums = numbers.sum(axis=1)
    best = first_highest(sums, numbers.shape[1])
    loss = np.maximum(sums[best] - sums, 0.0)
    loss[loss <= rounding(numbers.shape[1])] = 0.0
    ahead = np.arange(len(sums)) != best
    order = np.lexsort((ahead, loss))
    return order, loss[order]


def _typical_error(numbers: Floats) -> float:
    """Return the median standard error of the difference between the first row and the others.

    Rows that differ from the first by rounding alone tell nothing of the noise; 0 without others.
    """
    n_rows, n_queries = numbers.shape
    if n_rows < 2 or n_queries < 2:
        return math.nan
    deviations = (numbers[1:] - numbers[0]).std(axis=1, ddof=1)
    differing = deviations[deviations > 1.0]  # in units: a whole number is off by half of one
    return float(np.median(differing)) / math.sqrt(n_queries) if len(differing) else 0.0
