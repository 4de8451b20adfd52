"""Quality by how much of one configuration's output is used, and from where on it gains little.

A configuration's output of top_k chunks holds that of every smaller top_k: its beginning. So each
trial draws its own curve, without another search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.winner.insight.effects import t_interval
from sweep.winner.preference import WORTH

By = Literal["top_k", "tokens"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The score of an output cut at `at`, with its 95 % t interval over queries.

    The interval is kept within the scores of single queries: no mean lies outside of them.
    """

    at: int
    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plateau:
    """Where a curve has become flat.

    Attributes:
        start: the first point that no later one betters by more than .01 of the scale, observed;
            the last point, if the curve rises to its end.
        best: the best of the later points; `start` if it is the last one.
        gain: how much better the score at `best` is than at `start`; at the end of a curve that
            rises to it, the gain of its last step.
        interval: 95 % t interval of the gain over queries; NaN for a single point or query.
        sure: whether the interval, too, holds no gain of more than .01 of the scale.
    """

    start: int
    best: int
    gain: float
    interval: tuple[float, float]
    sure: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One metric of one trial.

    Attributes:
        trial: its number.
        metric: the metric's name; `ndcg@k` and `ndcg@Ntok` stand for their cut-offs along `by`.
        by: what is cut: the output at top_k, or the context at a budget of tokens.
        scale: length of the metric's range.
        points: in rising order of `at`.
        plateau: where it has become flat.
    """

    trial: int
    metric: str
    by: By
    scale: float
    points: tuple[Point, ...]
    plateau: Plateau


def make_curve(
    at: Sequence[int],
    scores: Floats,
    *,
    trial: int,
    metric: str,
    by: By,
    scale: float = 1.0,
    maximize: bool = True,
) -> Curve:
    """Return a curve from the scores of every query at every point.

    Args:
        at: K cut-offs, rising, K >= 1.
        scores: shape (K, Q), finite, Q >= 1; the same queries at every point.
        trial: number of the trial.
        metric: name of the metric.
        by: what `at` counts.
        scale: length of the metric's range, > 0.
        maximize: whether higher is better.

    Raises:
        WinnerError: if the shapes do not fit or a score is not finite.
    """
    if scores.shape[:1] != (len(at),) or not scores.size or not np.isfinite(scores).all():
        raise WinnerError(
            f"make_curve: there must be finite scores of >= 1 query for each of {len(at)} points, "
            f"got shape {scores.shape}. Leave out queries that the metric is not defined for."
        )
    points = [
        Point(at=x, mean=float(row.mean()), interval=_within(t_interval(row), row))
        for x, row in zip(at, scores, strict=True)
    ]
    return Curve(
        trial=trial,
        metric=metric,
        by=by,
        scale=scale,
        points=tuple(points),
        plateau=_plateau(at, scores if maximize else -scores, WORTH * scale),
    )


def _within(interval: tuple[float, float], row: Floats) -> tuple[float, float]:
    low, high = interval
    if np.isnan(low):
        return interval
    return max(low, float(row.min())), min(high, float(row.max()))


def _plateau(at: Sequence[int], scores: Floats, worth: float) -> Plateau:
    means = scores.mean(axis=1)
    for row in range(len(at) - 1):
        best = row + 1 + int(means[row + 1 :].argmax())
        gain = float(means[best] - means[row])
        if gain <= worth * (1 + 1e-9):
            interval = t_interval(scores[best] - scores[row])
            return Plateau(
                start=at[row],
                best=at[best],
                gain=gain,
                interval=interval,
                sure=interval[1] <= worth * (1 + 1e-9),
            )
    step = scores[-1] - scores[-2] if len(at) > 1 else np.zeros(1)
    return Plateau(
        start=at[-1],
        best=at[-1],
        gain=float(step.mean()),
        interval=t_interval(step),
        sure=False,
    )
