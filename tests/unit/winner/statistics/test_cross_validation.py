"""Cross-validated selection: choices worked by hand, groups kept whole, luck removed."""

import math

import numpy as np
import pytest

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.winner.statistics.cross_validation import honest_scores
from sweep.winner.statistics.scores import highest_mean


def test_three_queries_are_left_out_one_by_one() -> None:
    scores = np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.6]])
    honest = honest_scores(scores)
    # Without query 0: means 0 and .6, so 1 is chosen and scores 0 on query 0.
    # Without query 1: means .5 and .3, so 0 is chosen and scores 0; query 2 likewise.
    assert honest.per_query.tolist() == [0.0, 0.0, 0.0]
    assert honest.chosen.tolist() == [2, 1]
    assert (honest.folds, honest.repeats, honest.usable) == (3, 1, True)


def test_a_clear_winner_keeps_its_own_scores() -> None:
    scores = np.random.default_rng(1).random((4, 50))
    scores[2] += 2.0
    honest = honest_scores(scores)
    assert honest.per_query == pytest.approx(scores[2], abs=1e-12)
    assert honest.chosen.tolist() == [0, 0, 100, 0]
    assert honest.mean == pytest.approx(scores[2].mean())
    assert honest.interval[0] < honest.mean < honest.interval[1]


def test_pure_luck_is_removed() -> None:
    rng = np.random.default_rng(2)
    lucky, honest = [], []
    for seed in range(40):
        scores = rng.normal(0.5, 0.2, size=(60, 40))
        lucky.append(scores.mean(axis=1).max() - 0.5)
        honest.append(honest_scores(scores, repeats=4, seed=seed).mean - 0.5)
    assert np.mean(lucky) > 0.06
    assert abs(np.mean(honest)) < 0.02


def test_groups_are_never_split() -> None:
    groups = ["a", "a", "b", "c", "c", "c", "d", "e", "f", "f"]
    row = np.unique(groups, return_inverse=True)[1].astype(np.float64)
    sizes = np.bincount(row.astype(int))
    seen: list[int] = []

    def rule(scores: Floats) -> int:
        counts = np.bincount(scores[0].astype(int), minlength=6)
        assert all(count in (0, size) for count, size in zip(counts, sizes, strict=True))
        seen.append(len(scores[0]))
        return 0

    honest = honest_scores(row[None, :], folds=3, repeats=5, groups=groups, rule=rule)
    assert len(seen) == 15
    assert sum(10 - size for size in seen) == 5 * 10  # every query held out once a repeat
    assert honest.per_query.tolist() == row.tolist()


def test_folds_of_single_queries_differ_by_one_at_most() -> None:
    sizes: list[int] = []
    honest_scores(
        np.zeros((1, 13)), repeats=1, rule=lambda scores: sizes.append(13 - scores.shape[1]) or 0
    )
    assert sorted(sizes) == [2, 2, 3, 3, 3]


def test_ties_go_to_the_lowest_index_in_spite_of_rounding() -> None:
    low, high = np.array([0.1, 0.2, 0.3] * 4), np.array([0.3, 0.1, 0.2] * 4)
    assert highest_mean(np.stack([low, high])) == highest_mean(np.stack([high, low])) == 0


def test_lower_is_better_on_request() -> None:
    scores = np.random.default_rng(3).random((5, 20))
    turned = honest_scores(-scores, maximize=False)
    assert turned.per_query.tolist() == (-honest_scores(scores).per_query).tolist()


def test_the_gain_over_a_baseline_needs_only_a_subtraction() -> None:
    scores = np.random.default_rng(4).random((5, 30))
    gain = honest_scores(scores - scores[1])
    whole = honest_scores(scores)
    assert gain.chosen.tolist() == whole.chosen.tolist()
    assert gain.per_query == pytest.approx(whole.per_query - scores[1], abs=1e-12)


@pytest.mark.parametrize("groups", [None, ["one"]])
def test_one_query_cannot_be_held_out(groups: list[str] | None) -> None:
    honest = honest_scores(np.array([[0.2], [0.4]]), groups=groups)
    assert not honest.usable
    assert all(math.isnan(x) for x in (honest.mean, *honest.interval, honest.per_query[0]))
    assert honest.chosen.tolist() == [0, 0]


def test_one_group_cannot_be_held_out() -> None:
    assert not honest_scores(np.ones((2, 3)), groups=["g", "g", "g"]).usable


def test_unusable_input_is_refused() -> None:
    scores = np.ones((2, 4))
    with pytest.raises(WinnerError, match="folds >= 2.*got folds 1"):
        honest_scores(scores, folds=1)
    with pytest.raises(WinnerError, match="3 groups for 4 queries"):
        honest_scores(scores, groups=["a", "b", "c"])
    with pytest.raises(WinnerError, match="scores must be finite"):
        honest_scores(np.array([[0.1, math.nan]]))
    with pytest.raises(WinnerError, match=r"got shape \(0, 4\)"):
        honest_scores(np.empty((0, 4)))
