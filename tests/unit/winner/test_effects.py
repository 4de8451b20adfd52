"""What values of a parameter do to a metric: by hand, and against the interval of SciPy."""

import math

import numpy as np
import pytest
from scipy import stats

from sweep.winner.insight.effects import parameter_effects

SIZES = [{"mode": "bm25", "size": 10}, {"mode": "bm25", "size": 20}]
BLENDS = [
    {"mode": "rerank", "size": 10, "blend": 0.5},
    {"mode": "rerank", "size": 20, "blend": 1.0},
]
SCORES = np.array([[0.2, 0.4], [0.4, 0.6], [0.6, 0.6], [0.8, 1.0]])


def test_differences_are_to_the_mean_of_those_that_have_the_parameter() -> None:
    found = parameter_effects(SIZES + BLENDS, SCORES)
    assert {name: [e.value for e in group] for name, group in found.items()} == {
        "mode": ["bm25", "rerank"],
        "blend": ["0.5", "1"],
        "size": ["10", "20"],
    }  # by the difference they make: .35, .3, .25
    bm25, rerank = found["mode"]
    assert (bm25.mean, rerank.mean) == (pytest.approx(0.4), pytest.approx(0.75))
    assert bm25.difference == pytest.approx(-0.175)
    assert rerank.difference == pytest.approx(0.175)
    low, high = found["blend"]
    assert (low.difference, high.difference) == (pytest.approx(-0.15), pytest.approx(0.15))
    assert [e.configurations for group in found.values() for e in group] == [2, 2, 1, 1, 2, 2]


def test_the_interval_is_the_paired_t_interval_over_queries() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((6, 30))
    params = [{"k": row % 3} for row in range(6)]
    for row, effect in enumerate(parameter_effects(params, scores)["k"]):
        own, everyone = scores[[row, row + 3]].mean(axis=0), scores.mean(axis=0)
        interval = stats.ttest_rel(own, everyone).confidence_interval(0.95)
        assert effect.interval == pytest.approx((interval.low, interval.high))


def test_many_numbers_are_put_into_bins_that_hold_all() -> None:
    weights = [w / 100 for w in range(40)]
    scores = np.array([[w] for w in weights])
    found = parameter_effects([{"weight": w} for w in weights], scores)["weight"]
    assert [e.value for e in found] == ["0 to 0.09", "0.1 to 0.19", "0.2 to 0.29", "0.3 to 0.39"]
    assert [e.configurations for e in found] == [10, 10, 10, 10]
    assert [e.mean for e in found] == pytest.approx([0.045, 0.145, 0.245, 0.345])
    assert all(math.isnan(bound) for e in found for bound in e.interval)  # one column


def test_names_that_read_alike_stay_apart() -> None:
    params = [{"model": "a/mini"}, {"model": "b/mini"}, {"model": ""}]
    found = parameter_effects(params, np.array([[0.1], [0.2], [0.6]]))["model"]
    assert [(e.value, e.mean) for e in found] == [("none", 0.6), ("mini", 0.1), ("mini", 0.2)]


def test_what_was_not_varied_has_no_effect() -> None:
    assert parameter_effects([{"k": 1}, {"k": 1}], np.ones((2, 4))) == {}
    assert parameter_effects([], np.empty((0, 0))) == {}
