import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import bootstrap_interval


def test_the_interval_of_a_share_is_close_to_the_binomial_one() -> None:
    values = np.repeat([0.0, 1.0], 50)[:, None]
    low, high = bootstrap_interval(values)[0]
    # of 100 fair draws, 95 % of the means lie within .5 +- 1.96 * .05
    assert low == pytest.approx(0.402, abs=0.02)
    assert high == pytest.approx(0.598, abs=0.02)


def test_columns_are_resampled_together_and_do_not_touch_each_other() -> None:
    values = np.random.default_rng(1).random((30, 3))
    both = bootstrap_interval(values)
    assert both.shape == (3, 2)
    assert np.allclose(bootstrap_interval(values[:, 1:2]), both[1:2], rtol=1e-12)
    shifted = bootstrap_interval(values + 1.0)
    assert np.allclose(shifted, both + 1.0, rtol=1e-12)


def test_equal_seeds_give_equal_bits() -> None:
    values = np.random.default_rng(2).random((225, 10))
    assert (bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)).all()
    assert (bootstrap_interval(values, seed=3) != bootstrap_interval(values, seed=4)).any()


def test_a_wider_level_gives_a_wider_interval() -> None:
    values = np.random.default_rng(5).random((40, 1))
    (low, high), (lowest, highest) = (
        bootstrap_interval(values, level=level)[0] for level in (0.8, 0.99)
    )
    assert lowest < low < values.mean() < high < highest


def test_one_query_or_equal_values_have_no_width() -> None:
    assert bootstrap_interval(np.array([[0.3, 0.7]])).tolist() == [[0.3, 0.3], [0.7, 0.7]]
    assert bootstrap_interval(np.full((7, 1), 0.3)).tolist() == [[0.3, 0.3]]
    assert bootstrap_interval(np.zeros((5, 0))).shape == (0, 2)


def test_many_queries_are_drawn_in_blocks() -> None:
    values = np.random.default_rng(6).random((300_000, 1))
    low, high = bootstrap_interval(values, resamples=30)[0]
    assert low < values.mean() < high
    assert high - low < 0.01


def test_what_cannot_be_resampled_is_refused() -> None:
    with pytest.raises(MetricError, match=">= 1 query, got 0"):
        bootstrap_interval(np.zeros((0, 2)))
    with pytest.raises(MetricError, match="must be finite"):
        bootstrap_interval(np.array([[1.0], [np.nan]]))
    with pytest.raises(MetricError, match="0 < level < 1"):
        bootstrap_interval(np.zeros((2, 1)), level=95)
