"""Which configuration to use: the cheapest that gives nothing measurable away."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats, Ints
from sweep.winner.statistics.inference import (
    TukeyResult,
    detectable_difference,
    queries_needed,
    tied_within,
    tukey_hsd,
)

_ROUNDING = 1e-9  # of the scale: a loss of exactly max_loss is permitted
_WORTH_SHOWING = 0.02  # of the scale: the difference that `queries_needed` is about


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
    costs: Sequence[tuple[float, ...]],
    *,
    max_loss: float = 0.01,
    scale: float = 1.0,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    maximize: bool = True,
) -> Recommendation:
    """Return the cheapest configuration that is tied with the best and loses little to it.

    Args:
        scores: shape (N, Q), finite; objective per configuration and query.
        costs: N tuples of equal length, compared from left to right, lower is cheaper; equal costs
            go to the higher mean, then to the lower index. Empty tuples: cost does not matter.
        max_loss: observed loss that is given away for a lower cost, as a share of `scale`, >= 0.
        scale: length of the metric's range (1 for nDCG), > 0.
        alpha: family-wise level of the test.
        permutations: random sign patterns of the test.
        seed: of the sign patterns.
        maximize: False where lower scores are better.

    Raises:
        WinnerError: for costs that do not fit the scores, or are NaN, or options out of range.
    """
    allowed = _allowed(costs, len(scores), max_loss=max_loss, scale=scale)
    tukey = tukey_hsd(
        scores,
        permutations=permutations,
        alpha=alpha,
        seed=seed,
        maximize=maximize,
    )
    eligible = [int(i) for i in tukey.tied if tukey.loss[i] <= allowed]
    recommended = min(eligible, key=lambda i: (tuple(costs[i]), tukey.loss[i], i))
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
    costs: Sequence[tuple[float, ...]],
    *,
    max_loss: float = 0.01,
    scale: float = 1.0,
    alpha: float = 0.05,
    permutations: int = 10_000,
    seed: int = 0,
    maximize: bool = True,
) -> int:
    """Return `recommend(...).recommended` and nothing else, in a fraction of the time."""
    allowed = _allowed(costs, len(scores), max_loss=max_loss, scale=scale)
    tied, losses = tied_within(
        scores, allowed, permutations=permutations, alpha=alpha, seed=seed, maximize=maximize
    )
    eligible = zip(tied.tolist(), losses.tolist(), strict=True)
    return int(min(eligible, key=lambda found: (tuple(costs[found[0]]), found[1], found[0]))[0])


def _allowed(
    costs: Sequence[tuple[float, ...]], n_configurations: int, *, max_loss: float, scale: float
) -> float:
    """Return the largest loss that may be given away, in the unit of the scores."""
    if max_loss < 0.0 or not scale > 0.0:
        raise WinnerError(
            f"recommend: max_loss >= 0 and scale > 0 must hold, got {max_loss} and {scale}. "
            "Use .01 and the length of the metric's range."
        )
    _check_costs(costs, n_configurations)
    return (max_loss + _ROUNDING) * scale


def _check_costs(costs: Sequence[tuple[float, ...]], n_configurations: int) -> None:
    """Raise a WinnerError unless there is one comparable cost per configuration."""
    lengths = {len(cost) for cost in costs}
    if len(costs) != n_configurations or len(lengths) > 1:
        raise WinnerError(
            f"recommend: there must be one cost tuple of one length per configuration, got "
            f"{len(costs)} of lengths {sorted(lengths)} for {n_configurations} configurations. "
            "Give the same cost metrics for each."
        )
    if any(np.isnan(value) for cost in costs for value in cost):
        raise WinnerError(
            "recommend: costs must be numbers, got NaN. Leave out a cost metric that was not "
            "measured for every configuration."
        )
