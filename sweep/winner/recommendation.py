"""Which configuration to use: the cheapest that gives nothing measurable away."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats, Ints
from sweep.winner.preference import MAX_LOSS
from sweep.winner.statistics.inference import (
    TukeyResult,
    detectable_difference,
    queries_needed,
    tied_within,
    tukey_hsd,
)

_ROUNDING = 1e-9  # of the scale: a loss of exactly max_loss is permitted
_WORTH_SHOWING = 0.02  # of the scale: the difference that `queries_needed` is about


Cost = float | tuple[float, float]  # a number, or the interval of one that was measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """The choice and how sure it is. Losses are in the unit of the scores.

    Attributes:
        best: the configuration with the highest mean.
        recommended: the cheapest tied one whose observed loss is within the limit.
        tied: indices in rising order, not separable from the best.
        loss_observed: mean of the best minus mean of the recommended, on these queries.
        loss_bound: what the recommended may truly lose against the true best at most, with
            confidence 1 - alpha, allowing for all configurations; infinite below 5 queries.
        critical: the observed difference from which on a configuration is called worse.
        detectable: the true difference these queries show with probability .8; NaN if unknown.
        queries_needed: about how many queries would show .02 of the scale; None if unknown.
        tukey: the test behind all this, with figures for every configuration.
    """

    best: int
    recommended: int
    tied: Ints
    loss_observed: float
    loss_bound: float
    critical: float
    detectable: float
    queries_needed: int | None
    tukey: TukeyResult


def recommend(
    scores: Floats,
    costs: Sequence[tuple[Cost, ...]],
    *,
    max_loss: float = MAX_LOSS,
    scale: float = 1.0,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    maximize: bool = True,
) -> Recommendation:
    """Return the cheapest configuration that is tied with the best and loses little to it.

    Args:
        scores: shape (N, Q), finite; objective per configuration and query.
        costs: N tuples of equal length, compared from left to right, lower is cheaper; see
            `cheapest`. Empty tuples: cost does not matter.
        max_loss: observed loss that is given away for a lower cost, as a share of `scale`, >= 0.
        scale: length of the metric's range (1 for nDCG), > 0.
        alpha: family-wise level of the test.
        permutations: random sign patterns of the test.
        seed: of the sign patterns.
        maximize: False where lower scores are better.

    Raises:
        WinnerError: for costs that do not fit the scores, or are NaN, or options out of range.
    """
    bounds = _bounds(costs, len(scores))
    allowed = _allowed(max_loss=max_loss, scale=scale)
    tukey = tukey_hsd(
        scores,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
        maximize=maximize,
    )
    eligible = tukey.tied[tukey.loss[tukey.tied] <= allowed]
    recommended = cheapest(bounds[eligible], tukey.loss[eligible], eligible)
    return Recommendation(
        best=tukey.best,
        recommended=recommended,
        tied=tukey.tied,
        loss_observed=float(tukey.loss[recommended]),
        loss_bound=float(tukey.loss_bound[recommended]),
        critical=tukey.critical,
        detectable=detectable_difference(tukey),
        queries_needed=queries_needed(tukey, difference=_WORTH_SHOWING * scale),
        tukey=tukey,
    )


def choose(
    scores: Floats,
    costs: Sequence[tuple[Cost, ...]],
    *,
    max_loss: float = MAX_LOSS,
    scale: float = 1.0,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    maximize: bool = True,
) -> int:
    """Return `recommend(...).recommended` and nothing else, in a fraction of the time."""
    bounds = _bounds(costs, len(scores))
    allowed = _allowed(max_loss=max_loss, scale=scale)
    tied, losses = tied_within(
        scores, allowed, permutations=permutations, alpha=alpha, seed=seed, maximize=maximize
    )
    return cheapest(bounds[tied], losses, tied)


def cheapest(bounds: Floats, losses: Floats, rows: Ints) -> int:
    """Return the cheapest of some configurations; of equally cheap ones, the best.

    Costs are compared one after another, over all that are left. An exact cost leaves those that
    have the lowest. A measured one, known as an interval, leaves all but those of which it is
    shown that another is cheaper: those whose interval begins above the lowest upper end of all.
    Every one that is left overlaps with the one that has this end, and counts as equal. (Compared
    pair by pair, overlapping intervals are no order: a may equal b and b equal c while a is below
    c. This rule looks at all at once, so that their order does not matter.) Of what is left in
    the end, the lowest loss decides, then the lowest row.

    Args:
        bounds: shape (n, C, 2), n >= 1; lower and upper end of each cost, equal where it is exact.
        losses: shape (n,), to the best.
        rows: shape (n,), the configurations' rows.
    """
    left = np.arange(len(rows))
    for cost in range(bounds.shape[1]):
        low, high = bounds[left, cost].T
        left = left[low <= high.min()]
    return int(min(zip(losses[left].tolist(), rows[left].tolist(), strict=True))[1])


def _allowed(*, max_loss: float, scale: float) -> float:
    """Return the largest loss that may be given away, in the unit of the scores."""
    if max_loss < 0.0 or not scale > 0.0:
        raise WinnerError(
            f"recommend: max_loss >= 0 and scale > 0 must hold, got {max_loss} and {scale}. "
            "Use .01 and the length of the metric's range."
        )
    return (max_loss + _ROUNDING) * scale


def _bounds(costs: Sequence[tuple[Cost, ...]], n_configurations: int) -> Floats:
    """Return the costs as intervals, shape (N, C, 2), if there is one comparable for each.

    Raises: WinnerError.
    """
    lengths = {len(cost) for cost in costs}
    if len(costs) != n_configurations or len(lengths) > 1:
        raise WinnerError(
            f"recommend: there must be one cost tuple of one length per configuration, got "
            f"{len(costs)} of lengths {sorted(lengths)} for {n_configurations} configurations. "
            "Give the same cost metrics for each."
        )
    bounds = np.array(
        [[c if isinstance(c, tuple) else (c, c) for c in cost] for cost in costs],
        dtype=np.float64,
    ).reshape(n_configurations, *lengths, 2)
    if np.isnan(bounds).any():
        raise WinnerError(
            "recommend: costs must be numbers, got NaN. Leave out a cost metric that was not "
            "measured for every configuration."
        )
    return bounds
