"""How much of a grid would have found it: random subsets of the configurations, exactly.

Of N configurations in order of their scores, a random n without replacement have their best at
rank r (from 1) with probability C(N - r, n - 1) / C(N, n), and none of the first m with
C(N - m, n) / C(N, n), the hypergeometric distribution's. Scores are those that were observed: luck
is in all of them alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.winner.preference import WORTH

SURE = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Subset:
    """What a random part of the configurations would have found.

    Attributes:
        tried: how many, n.
        expected: mean of the best score among them.
        share: `expected` as a share of the best score of all; None where lower is better.
        close: probability that it is within `SearchEffort.within` of the best of all.
        as_good: probability that it is at least as good as the recommended one; None without it.
    """

    tried: int
    expected: float
    share: float | None
    close: float
    as_good: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEffort:
    """How much of a grid would have been enough.

    Attributes:
        configurations: N.
        best: their best score.
        recommended: score of the recommended one; None if there is none.
        recommended_share: that, as a share of the best; None where lower is better.
        within: what counts as close to the best, in the unit of the scores.
        near: how many are that close, the best included.
        sure: the probability that `enough` is about.
        enough: the smallest random subset that comes that close with that probability.
        subsets: of some sizes up to N.
    """

    configurations: int
    best: float
    recommended: float | None
    recommended_share: float | None
    within: float
    near: int
    sure: float
    enough: int
    subsets: tuple[Subset, ...]


def search_effort(
    means: Floats,
    *,
    recommended: int | None = None,
    scale: float = 1.0,
    maximize: bool = True,
) -> SearchEffort:
    """Return how many configurations tried at random would have come close to the best.

    Args:
        means: shape (N,), N >= 1, finite: each configuration's score.
        recommended: row of the recommended one.
        scale: length of the metric's range, > 0; .01 of it counts as close.
        maximize: whether higher is better.

    Raises:
        WinnerError: without configurations, for scores that are not finite, or a scale that is no
            length.
    """
    if not len(means) or not np.isfinite(means).all() or not scale > 0.0:
        raise WinnerError(
            f"search_effort: >= 1 finite score and scale > 0 must hold, got {len(means)} scores "
            f"and {scale}. Finish a trial; use the default scale."
        )
    turned = means if maximize else -means
    count, within = len(means), WORTH * scale
    best = float(turned.max())
    slack = 1e-9 * scale  # a loss of exactly .01 is close
    near = int((turned >= best - within - slack).sum())
    good = None if recommended is None else int((turned >= turned[recommended] - slack).sum())
    enough = next(n for n in range(1, count + 1) if hit_chance(count, near, n) >= SURE)
    top = best if maximize and best > 0 else None  # what shares are of
    own = None if recommended is None else float(means[recommended])
    return SearchEffort(
        configurations=count,
        best=best if maximize else -best,
        recommended=own,
        recommended_share=None if top is None or own is None else own / top,
        within=within,
        near=near,
        sure=SURE,
        enough=enough,
        subsets=tuple(
            _subset(turned, tried, near=near, good=good, top=top, maximize=maximize)
            for tried in _sizes(count, enough)
        ),
    )


def _subset(
    turned: Floats, tried: int, *, near: int, good: int | None, top: float | None, maximize: bool
) -> Subset:
    expected = expected_best(turned, tried)
    return Subset(
        tried=tried,
        expected=expected if maximize else -expected,
        share=None if top is None else expected / top,
        close=hit_chance(len(turned), near, tried),
        as_good=None if good is None else hit_chance(len(turned), good, tried),
    )


def hit_chance(count: int, good: int, tried: int) -> float:
    """Return the probability that at least one of the good ones is among those that are tried.

    1 - C(N - m, n) / C(N, n), as a product of n factors, so that nothing overflows.

    Args:
        count: N, of all.
        good: m, in [0, N].
        tried: n, in [0, N], drawn without replacement.
    """
    missed = 1.0
    for drawn in range(tried):
        missed *= max(count - good - drawn, 0) / (count - drawn)
    return 1.0 - missed


def expected_best(means: Floats, tried: int) -> float:
    """Return the expected best score of a random subset.

    Args:
        means: shape (N,), finite; higher is better.
        tried: size of the subset, in [1, N].
    """
    ordered = np.sort(means)[::-1]
    count = len(ordered)
    chance, total = tried / count, 0.0  # C(N - 1, n - 1) / C(N, n), of rank 1
    for rank, value in enumerate(ordered.tolist(), start=1):
        total += chance * value
        if count - rank < tried:  # too few are left below
            break
        chance *= (count - rank - tried + 1) / (count - rank)
    return total


def _sizes(count: int, enough: int) -> Sequence[int]:
    """Return sizes to show: 1, 2, 5, 10 .., the one that is enough, and all."""
    steps = [digit * 10**power for power in range(len(str(count))) for digit in (1, 2, 5)]
    return sorted({*(n for n in steps if n < count), enough, count})
