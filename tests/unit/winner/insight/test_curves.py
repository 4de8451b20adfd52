"""Curves and where they are flat: by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from sweep.errors import WinnerError
from sweep.winner.insight.curves import Curve, make_curve
from sweep.winner.insight.sentences import curve_sentence

NOISE = np.array([-0.2, -0.1, 0.1, 0.2])


def curve(means: list[float], *, spread: float = 0.0, **options: object) -> Curve:
    """Return a curve whose queries disagree on every other step by `spread`."""
    wobble = [spread * NOISE * (row % 2) for row in range(len(means))]
    scores = np.array([mean + NOISE + w for mean, w in zip(means, wobble, strict=True)])
    given = {"trial": 3, "metric": "ndcg@10", "by": "top_k", **options}
    return make_curve(range(1, len(means) + 1), scores, **given)  # type: ignore[arg-type]


def test_points_have_means_with_intervals() -> None:
    scores = np.array([[0.0, 0.2, 0.4], [0.9, 1.0, 1.0]])
    first, second = make_curve([1, 5], scores, trial=0, metric="rr", by="top_k").points
    assert (first.at, first.mean) == (1, pytest.approx(0.2))
    t = stats.t.interval(0.95, 2, 0.2, stats.sem(scores[0]))
    assert first.interval == (0.0, 0.4)  # the t interval is wider than any score
    assert t[0] < 0.0
    assert second.interval == (0.9, 1.0)


def test_flat_from_where_no_later_point_is_better_by_more_than_the_limit() -> None:
    found = curve([0.3, 0.5, 0.6, 0.605, 0.61]).plateau
    assert (found.start, found.best, found.sure) == (3, 5, True)
    assert found.gain == pytest.approx(0.01)
    assert curve([0.3, 0.5, 0.6, 0.605, 0.611]).plateau.start == 4
    assert curve([0.6, 0.5, 0.55, 0.605]).plateau.start == 1  # a valley gains nothing
    assert curve([60, 61, 61.9, 62], scale=100.0).plateau.start == 2


def test_an_interval_that_holds_more_is_not_sure() -> None:
    found = curve([0.5, 0.505, 0.5], spread=0.3).plateau
    assert (found.start, found.sure) == (1, False)
    low, high = found.interval
    assert low < 0 < 0.01 < high


def test_a_curve_that_rises_to_its_end_tells_its_last_step() -> None:
    found = curve([0.1, 0.3, 0.7]).plateau
    assert (found.start, found.best, found.sure) == (3, 3, False)
    assert found.gain == pytest.approx(0.4)
    alone = curve([0.1]).plateau
    assert (alone.start, alone.gain) == (1, 0.0)
    assert math.isnan(alone.interval[0])


def test_lower_can_be_better() -> None:
    found = curve([0.9, 0.5, 0.495], maximize=False).plateau
    assert (found.start, found.gain) == (2, pytest.approx(0.005))
    assert curve([0.1, 0.2, 0.3], maximize=False).plateau.start == 1


def test_sentences() -> None:
    assert curve_sentence(curve([0.3, 0.6, 0.604])) == (
        "#3 ndcg@10: from top_k 2 on a small gain is shown: +.004 [+.004, +.004] up to 3"
    )
    assert "on no difference is shown: +.005 [-" in curve_sentence(curve([0.5, 0.505], spread=0.3))
    falls = curve([0.5, 0.4, 0.4])
    assert curve_sentence(falls).startswith("#3 ndcg@10: from top_k 1 on a loss is shown: -.1")
    assert curve_sentence(curve([0.1, 0.3])) == (
        "#3 ndcg@10 rises to its end, top_k 2: +.200 [+.200, +.200] from 1"
    )
    tokens = curve([0.5, 0.5, 0.5], by="tokens", metric="ndcg@Ntok")
    assert "from 1 tokens on no difference is shown" in curve_sentence(tokens)
    assert curve_sentence(curve([0.5])) == "#3 ndcg@10: one point, top_k 1"


@pytest.mark.parametrize("scores", [np.ones((2, 3)), np.ones((3, 0)), np.full((3, 2), np.nan)])
def test_bad_scores(scores: np.ndarray) -> None:
    with pytest.raises(WinnerError, match="finite scores of >= 1 query for each of 3 points"):
        make_curve([1, 2, 3], scores, trial=0, metric="rr", by="top_k")
