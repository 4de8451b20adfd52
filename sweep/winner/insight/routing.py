"""Would it pay to send each kind of query to a configuration of its own?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.records import Floats, Ints
from sweep.winner.insight.division import FEWEST, Division
from sweep.winner.preference import WORTH
from sweep.winner.rounding import signed
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.cross_validation import draw_folds, group_index
from sweep.winner.statistics.scores import highest_mean, oriented, rounding, whole_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """The best configuration of each slice against the best of all queries, chosen elsewhere.

    Attributes:
        by: what the slices are made by.
        gain: mean over the queries, > 0 where routing is better, whatever the metric's direction.
        interval: 95 % bootstrap interval of it.
        slices: how many could choose for themselves: those of 5 queries and more.
        scale: length of the metric's range.
    """

    by: str
    gain: float
    interval: tuple[float, float]
    slices: int
    scale: float

    @property
    def verdict(self) -> str:
        """Return what follows from the interval."""
        low, high = self.interval
        if low > 0:
            return "worth a try"
        return "not worth it" if high < WORTH * self.scale else "no gain is shown"

    def text(self) -> str:
        """Return the figure as a sentence."""
        low, high = self.interval
        return (
            f"routing by {self.by} would gain {signed(self.gain)} [{signed(low)}, {signed(high)}] "
            f"(cross-validated): {self.verdict}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "gain": self.gain,
            "interval": list(self.interval),
            "how": "cross-validated",
            "slices": self.slices,
            "verdict": self.verdict,
            "text": self.text(),
        }


def oracle_gain(scores: Floats, *, maximize: bool = True) -> float:
    """Return what the best configuration for every single query gains over the best one of all.

    An upper bound of what any routing could gain on these queries, and flattered: each query's
    choice is made by the very scores that it is measured with, so noise alone makes it > 0.

    Args:
        scores: shape (N, Q), finite.
        maximize: False where lower scores are better.
    """
    turned = oriented(scores, maximize=maximize, where="oracle_gain")
    return float((turned.max(axis=0) - turned[highest_mean(turned)]).mean())


def routing_gain(
    division: Division,
    scores: Floats,
    *,
    maximize: bool = True,
    scale: float = 1.0,
    groups: Sequence[str] | None = None,
    folds: int = 5,
    repeats: int = 20,
    seed: int = 0,
) -> Routing | None:
    """Return what choosing by slice gains over choosing once, on queries that did not choose.

    Repeated k-fold: on all folds but one, the best of all queries and the best of each slice are
    chosen; both are scored on the fifth. A slice with fewer than 5 queries to choose on takes the
    choice of all, as does one where that is as good as any.

    Args:
        division: of the Q queries; a query in several slices has no route.
        scores: shape (N, Q), finite.
        maximize: False where lower scores are better.
        scale: length of the metric's range.
        groups: the group of each query; none is divided between choosing and scoring.
        folds: >= 2.
        repeats: how often the folds are drawn anew.
        seed: of the folds and of the interval.

    Returns: None where nothing could be routed: fewer than two slices of 5 queries, slices that
        overlap, or fewer groups than folds.
    """
    sizes = [int(inside.sum()) for inside in division.members.values()]
    slices = sum(size >= FEWEST for size in sizes)
    group_of = group_index(scores.shape[1], groups)
    if slices < 2 or not division.is_partition or int(group_of.max()) + 1 < folds:
        return None
    numbers, unit = whole_numbers(oriented(scores, maximize=maximize, where="routing_gain"))
    slice_of = np.argmax(np.stack(list(division.members.values())), axis=0)
    rng = np.random.default_rng(seed)
    held = np.stack(
        [_gains(numbers, slice_of, draw_folds(group_of, folds, rng)) for _ in range(repeats)]
    )
    held *= unit
    return Routing(
        by=division.by,
        gain=float(held.mean(axis=0).mean()),
        interval=bootstrap_interval(held, groups=groups, expanded=True, seed=seed),
        slices=slices,
        scale=scale,
    )


def _gains(numbers: Floats, slice_of: Ints, fold_of: Ints) -> Floats:
    """Return what routing gains on each query, shape (Q,), chosen on the folds it is not in.

    Args:
        numbers: shape (N, Q), whole numbers, so that sums are exact in any order.
        slice_of: shape (Q,).
        fold_of: shape (Q,).
    """
    n_slices, n_folds = int(slice_of.max()) + 1, int(fold_of.max()) + 1
    cell = slice_of * n_folds + fold_of
    in_cell = np.zeros((len(cell), n_slices * n_folds))
    in_cell[np.arange(len(cell)), cell] = 1.0
    sums = (numbers @ in_cell).reshape(-1, n_slices, n_folds)
    counts = in_cell.sum(axis=0).reshape(n_slices, n_folds)
    outside = sums.sum(axis=2, keepdims=True) - sums  # of each slice, without each fold
    chosen_on = counts.sum(axis=1, keepdims=True) - counts
    slack = rounding(len(cell))
    for_all = _first_highest(outside.sum(axis=1), slack)
    own = _first_highest(outside, slack)
    of_all = np.take_along_axis(outside, for_all[None, None, :], axis=0)[0]
    stays = (chosen_on < FEWEST) | (of_all >= outside.max(axis=0) - slack)
    route = np.where(stays, for_all, own)
    queries = np.arange(len(cell))
    routed: Floats = numbers[route[slice_of, fold_of], queries]
    return routed - numbers[for_all[fold_of], queries]


def _first_highest(sums: Floats, slack: float) -> Ints:
    """Return the lowest row with the highest sum but for rounding, per column."""
    rows: Ints = (sums >= sums.max(axis=0) - slack).argmax(axis=0)
    return rows
