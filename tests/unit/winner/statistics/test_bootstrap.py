"""The bootstrap interval: widths worked by hand, groups, repeats."""

import math

import numpy as np
import pytest
from scipy import stats

from sweep.errors import WinnerError
from sweep.winner.statistics.bootstrap import bootstrap_interval


def test_interval_of_many_queries_is_the_normal_one() -> None:
    values = np.tile([0.0, 1.0], 200)  # standard error .5 / 20
    low, high = bootstrap_interval(values)
    assert low == pytest.approx(0.5 - 1.96 * 0.025, abs=0.003)
    assert high == pytest.approx(0.5 + 1.96 * 0.025, abs=0.003)


def test_two_queries_have_the_three_means_that_two_draws_can_give() -> None:
    assert bootstrap_interval(np.array([0.0, 1.0])) == (0.0, 1.0)
    assert bootstrap_interval(np.array([0.0, 1.0]), level=0.4) == (0.5, 0.5)  # 1/4, 1/2, 1/4


def test_expanded_interval_is_as_wide_as_a_t_interval() -> None:
    values = np.random.default_rng(1).normal(size=12)
    low, high = bootstrap_interval(values, expanded=True, resamples=50_000)
    wanted = 2 * stats.t.ppf(0.975, 11) * values.std(ddof=1) / math.sqrt(12)
    assert high - low == pytest.approx(wanted, rel=0.05)


def test_queries_of_one_group_are_one_piece_of_evidence() -> None:
    values = np.repeat([0.1, 0.9, 0.4, 0.6, 0.2, 0.7], 10)
    groups = [name for name in "abcdef" for _ in range(10)]
    grouped = bootstrap_interval(values, groups=groups)
    assert grouped == pytest.approx(bootstrap_interval(values[::10]), abs=1e-12)
    alone = bootstrap_interval(values)
    assert alone[1] - alone[0] < 0.5 * (grouped[1] - grouped[0])


def test_groups_of_unequal_size_are_weighted_by_their_queries() -> None:
    low, high = bootstrap_interval(np.array([1.0, 0.0, 0.0, 0.0]), groups=["a", "b", "b", "b"])
    assert (low, high) == (0.0, 1.0)
    middle = bootstrap_interval(
        np.array([1.0, 0.0, 0.0, 0.0]), groups=["a", "b", "b", "b"], level=0.4
    )
    assert middle == (0.25, 0.25)  # one of each: 1 of 4 queries


def test_repeats_keep_the_noise_that_their_mean_would_hide() -> None:
    noisy = np.tile([[0.0, 1.0], [1.0, 0.0]], (1, 50))  # every query: .5 on average
    low, high = bootstrap_interval(noisy)
    assert high - low == pytest.approx(2 * 1.96 * 0.05, abs=0.02)
    assert bootstrap_interval(noisy.mean(axis=0)) == (0.5, 0.5)


@pytest.mark.parametrize("groups", [None, ["same", "same"]])
def test_one_query_or_group_has_no_interval(groups: list[str] | None) -> None:
    values = np.array([0.3]) if groups is None else np.array([0.3, 0.4])
    assert all(math.isnan(end) for end in bootstrap_interval(values, groups=groups))


def test_same_seed_same_interval_whatever_the_block(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).random(40)
    first = bootstrap_interval(values, seed=3)
    assert bootstrap_interval(values, seed=3) == first != bootstrap_interval(values, seed=4)
    monkeypatch.setattr("sweep.winner.statistics.bootstrap._BLOCK_CELLS", 4000)
    assert bootstrap_interval(values, seed=3) == first


@pytest.mark.parametrize(
    ("values", "level", "resamples"),
    [([0.1, math.nan], 0.95, 10), ([0.1, 0.2], 1.0, 10), ([0.1, 0.2], 0.95, 0)],
)
def test_unusable_input_is_refused(values: list[float], level: float, resamples: int) -> None:
    with pytest.raises(WinnerError, match="finite values, 0 < level < 1 and resamples >= 1"):
        bootstrap_interval(np.array(values), level=level, resamples=resamples)
