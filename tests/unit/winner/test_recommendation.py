"""The recommendation rule: the cheapest tied configuration within the permitted loss."""

import math

import numpy as np
import pytest

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.winner.recommendation import recommend


def ladder(losses: list[float], n_queries: int = 40) -> Floats:
    """Return scores that lose exactly `losses` to the first, on noise that is the same for all."""
    rng = np.random.default_rng(1)
    noise = rng.normal(0.0, 0.2, (len(losses), n_queries))
    noise -= noise.mean(axis=1, keepdims=True)
    return 0.6 + noise - np.array(losses)[:, None]


def test_the_cheapest_within_a_loss_of_one_hundredth() -> None:
    scores = ladder([0.0, 0.008, 0.012, 0.5])
    choice = recommend(scores, [(4.0,), (3.0,), (2.0,), (1.0,)])
    assert (choice.best, choice.recommended) == (0, 1)
    assert choice.tied.tolist() == [0, 1, 2]  # the cheapest of all is plainly worse
    assert choice.loss_observed == pytest.approx(0.008)
    assert choice.loss_bound > choice.loss_observed
    assert choice.critical < choice.detectable < math.inf
    assert choice.queries_needed == pytest.approx(40 * (choice.detectable / 0.02) ** 2, abs=1)


def test_a_loss_of_exactly_the_limit_is_permitted() -> None:
    choice = recommend(ladder([0.0, 0.01]), [(2.0,), (1.0,)])
    assert choice.recommended == 1
    assert recommend(ladder([0.0, 0.0101]), [(2.0,), (1.0,)]).recommended == 0


def test_the_limit_is_a_share_of_the_scale() -> None:
    scores, costs = 100.0 * ladder([0.0, 0.03]), [(2.0,), (1.0,)]
    assert recommend(scores, costs, scale=100.0).recommended == 0
    wide = recommend(scores, costs, scale=100.0, max_loss=0.05)
    assert wide.recommended == 1
    assert wide.queries_needed == recommend(scores / 100.0, costs).queries_needed


def test_a_configuration_that_is_worse_is_not_taken_however_small_its_loss() -> None:
    best = np.random.default_rng(2).random(20)
    choice = recommend(np.stack([best, best - 0.005]), [(2.0,), (1.0,)])
    assert choice.tied.tolist() == [0]
    assert choice.recommended == 0
    assert choice.loss_bound == pytest.approx(0.0, abs=1e-9)


def test_costs_are_compared_from_left_to_right_then_the_mean_decides() -> None:
    scores = ladder([0.0, 0.002, 0.004, 0.006])
    assert recommend(scores, [(5, 1), (5, 2), (4, 9), (4, 8)]).recommended == 3
    assert recommend(scores, [(5, 1), (4, 2), (4, 2), (4, 2)]).recommended == 1
    assert recommend(scores, [()] * 4).recommended == 0


def test_lower_is_better_on_request() -> None:
    scores = ladder([0.0, 0.008, 0.3])
    turned = recommend(-scores, [(3.0,), (2.0,), (1.0,)], maximize=False)
    assert (turned.best, turned.recommended) == (0, 1)
    assert turned.loss_observed == pytest.approx(0.008)


def test_one_configuration_is_recommended_without_figures() -> None:
    choice = recommend(np.array([[0.4, 0.6]]), [(1.0,)])
    assert (choice.best, choice.recommended, choice.tied.tolist()) == (0, 0, [0])
    assert choice.queries_needed is None
    assert math.isnan(choice.detectable)


def test_unusable_input_is_refused() -> None:
    scores = ladder([0.0, 0.1])
    with pytest.raises(WinnerError, match="one cost tuple of one length per configuration"):
        recommend(scores, [(1.0,)])
    with pytest.raises(WinnerError, match=r"lengths \[1, 2\]"):
        recommend(scores, [(1.0,), (1.0, 2.0)])
    with pytest.raises(WinnerError, match="costs must be numbers, got NaN"):
        recommend(scores, [(1.0,), (math.nan,)])
    with pytest.raises(WinnerError, match="max_loss >= 0 and scale > 0"):
        recommend(scores, [(1.0,), (1.0,)], max_loss=-0.1)
