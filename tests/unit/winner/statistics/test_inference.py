"""Tukey's test on numbers worked by hand, what the queries can show, planned comparisons."""

import math

import numpy as np
import pytest
from scipy import stats

from sweep.errors import WinnerError
from sweep.winner.statistics.inference import (
    detectable_difference,
    planned_comparison,
    queries_needed,
    tukey_hsd,
)
from sweep.winner.statistics.paired_tests import randomisation_p


def test_six_queries_can_just_call_a_configuration_worse() -> None:
    result = tukey_hsd(np.array([[0.4] * 6, [0.5] * 6]))
    assert result.best == 1
    assert result.loss.tolist() == pytest.approx([0.1, 0.0])
    assert result.p_values.tolist() == [1 / 32, 1.0]  # all alike: 2 of 64 sign patterns
    assert result.tied.tolist() == [1]
    assert result.critical == pytest.approx(0.4 / 6)  # one query against five is the next pattern
    assert result.loss_bound.tolist() == pytest.approx([0.1, 0.0])  # no noise at all


def test_five_queries_can_call_nothing_worse() -> None:
    result = tukey_hsd(np.array([[0.4] * 5, [0.5] * 5]))
    assert result.p_values.tolist() == [1 / 16, 1.0]
    assert result.tied.tolist() == [0, 1]
    assert result.critical == detectable_difference(result) == math.inf
    assert queries_needed(result) is None


def test_the_range_counts_all_configurations_one_step() -> None:
    # Differences to the third: each pattern's largest minus smallest sum by hand.
    scores = np.array([[0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.0]])
    result = tukey_hsd(scores, step_down=False, alpha=0.5)
    # Patterns ++ +- -+ -- of queries 0 and 1 (the first is fixed): ranges .3 .6 .3 .6 (x 1/3).
    assert result.p_values.tolist() == [1.0, 1.0, 1.0]
    assert result.critical == pytest.approx(0.1)
    assert result.tied.tolist() == [0, 1, 2]


def test_step_down_is_not_coarsened_by_a_bad_configuration() -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(0.0, 0.05, (10, 40))
    scores[1:] -= 0.04
    clean = tukey_hsd(scores)
    spoiled = np.vstack([scores, rng.normal(-0.6, 0.05, 40)])
    one_step = tukey_hsd(spoiled, step_down=False)
    assert one_step.critical > 2 * clean.critical
    assert len(one_step.tied) > len(clean.tied)
    assert tukey_hsd(spoiled).tied.tolist() == clean.tied.tolist()
    assert tukey_hsd(spoiled).critical == pytest.approx(clean.critical)


def test_all_patterns_are_listed_where_they_are_few_and_sampled_where_not() -> None:
    scores = np.random.default_rng(2).random((3, 10))
    exact = tukey_hsd(scores)
    assert tukey_hsd(scores, seed=9).p_values.tolist() == exact.p_values.tolist()
    sampled = tukey_hsd(scores, permutations=500)
    assert sampled.p_values == pytest.approx(exact.p_values, abs=0.08)
    assert sampled.p_values.min() >= 1 / 501


def test_two_configurations_are_the_paired_randomisation_test() -> None:
    scores = np.random.default_rng(3).random((2, 12))
    result = tukey_hsd(scores)
    assert result.p_values.min() == randomisation_p(scores[1] - scores[0])


def test_twins_of_the_best_are_tied_and_the_first_is_best() -> None:
    row = np.random.default_rng(4).random(30)
    result = tukey_hsd(np.stack([row - 0.2, row, row]))
    assert result.best == 1
    assert result.tied.tolist() == [1, 2]
    assert result.p_values[2] == 1.0
    assert result.loss.tolist() == pytest.approx([0.2, 0.0, 0.0])


@pytest.mark.parametrize("scores", [np.array([[0.1, 0.4, 0.3]]), np.full((3, 9), 0.25)])
def test_nothing_to_compare_says_unknown(scores: np.ndarray) -> None:
    result = tukey_hsd(scores)
    assert result.tied.tolist() == list(range(len(scores)))
    assert math.isnan(detectable_difference(result))
    assert queries_needed(result) is None


def test_one_query_tells_nothing() -> None:
    result = tukey_hsd(np.array([[0.1], [0.9]]))
    assert result.tied.tolist() == [0, 1]
    assert result.loss_bound.tolist() == [math.inf, math.inf]
    assert math.isnan(result.standard_error)


def test_bound_of_one_other_configuration_is_a_one_sided_t_bound() -> None:
    scores = np.random.default_rng(5).normal(0.5, 0.2, (2, 60))
    result = tukey_hsd(scores)
    differences = scores[result.best] - scores[1 - result.best]
    error = differences.std(ddof=1) / math.sqrt(60)
    wanted = differences.mean() + stats.t.ppf(0.95, 59) * error
    assert result.loss_bound[1 - result.best] == pytest.approx(wanted, rel=0.03)


def test_lower_is_better_on_request() -> None:
    scores = np.random.default_rng(6).random((4, 20))
    turned, plain = tukey_hsd(-scores, maximize=False), tukey_hsd(scores)
    assert turned.best == plain.best
    assert turned.p_values.tolist() == plain.p_values.tolist()
    assert turned.loss_bound.tolist() == plain.loss_bound.tolist()


def test_blocks_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = np.random.default_rng(7).random((20, 33))
    whole = tukey_hsd(scores, permutations=777)
    monkeypatch.setattr("sweep.winner.statistics.sign_flips._BLOCK_CELLS", 330)
    parts = tukey_hsd(scores, permutations=777)
    assert parts.p_values.tolist() == whole.p_values.tolist()
    assert parts.loss_bound.tolist() == whole.loss_bound.tolist()
    assert parts.critical == whole.critical


def test_detectable_difference_is_the_critical_one_and_a_margin_for_the_power() -> None:
    scores = np.random.default_rng(8).normal(0.5, 0.2, (2, 80))
    result = tukey_hsd(scores)
    error = (scores[0] - scores[1]).std(ddof=1) / math.sqrt(80)
    assert result.standard_error == pytest.approx(error)
    assert detectable_difference(result) == pytest.approx(result.critical + 0.8416 * error, 1e-4)
    # Two configurations: the textbook sample size (1.96 + .84)^2 variance / difference^2.
    textbook = (1.96 + 0.8416) ** 2 * (error**2 * 80) / 0.02**2
    assert queries_needed(result) == pytest.approx(textbook, rel=0.06)
    assert queries_needed(result, difference=0.04) == pytest.approx(textbook / 4, rel=0.06)


def test_false_calls_on_equal_correlated_configurations_stay_at_the_level() -> None:
    rng = np.random.default_rng(9)
    called = 0
    for seed in range(150):
        shared = rng.normal(size=(3, 30))[rng.integers(0, 3, 30)]
        scores = 0.15 * shared + 0.05 * rng.normal(size=(30, 30)) + rng.normal(size=30)
        called += len(tukey_hsd(scores, permutations=400, seed=seed).tied) < 30
    assert called <= 15  # 7.5 expected; above 15 has probability .4 %


def test_unusable_input_is_refused() -> None:
    scores = np.ones((2, 4))
    with pytest.raises(WinnerError, match="permutations >= 1 and 0 < alpha < 1"):
        tukey_hsd(scores, permutations=0)
    with pytest.raises(WinnerError, match="permutations >= 1 and 0 < alpha < 1"):
        tukey_hsd(scores, alpha=1.0)
    with pytest.raises(WinnerError, match="tukey_hsd: scores must be finite"):
        tukey_hsd(np.array([[math.inf, 0.0]]))
    with pytest.raises(WinnerError, match="difference must be > 0, got 0"):
        queries_needed(tukey_hsd(scores), difference=0.0)
    with pytest.raises(WinnerError, match="one score per query, got shapes"):
        planned_comparison(np.ones(3), np.ones(4))


def test_planned_comparison_by_hand() -> None:
    baseline = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    candidate = np.array([0.2, 0.2, 0.5, 0.4, 0.4])
    result = planned_comparison(baseline, candidate)
    assert result.difference == pytest.approx(0.04)  # (.1 + 0 + .2 + 0 - .1) / 5
    assert (result.wins, result.losses, result.ties) == (2, 1, 2)
    # |sum| >= .2 of signs on .1, .2, .1: .4 .2 .2 0 and their opposites: 6 of 8.
    assert result.p_value == pytest.approx(0.75)
    assert result.interval[0] <= 0.04 <= result.interval[1]


def test_planned_comparison_of_a_configuration_with_itself() -> None:
    same = np.random.default_rng(10).random(25)
    result = planned_comparison(same, same)
    assert (result.difference, result.p_value, result.interval) == (0.0, 1.0, (0.0, 0.0))
    assert (result.wins, result.losses, result.ties) == (0, 0, 25)
    alone = planned_comparison(same[:1], same[1:2])
    assert alone.p_value == 1.0
    assert math.isnan(alone.interval[0])
