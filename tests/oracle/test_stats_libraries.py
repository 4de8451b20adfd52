"""scipy and statsmodels agree on generated scores; Tukey's test against its definition."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from sweep.metrics import bootstrap_interval as metric_interval
from sweep.records import Floats
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.inference import planned_comparison, tukey_hsd
from sweep.winner.statistics.paired_tests import (
    benjamini_hochberg,
    bonferroni,
    holm,
    paired_t,
    randomisation_p,
    sign_test_p,
)

multitest = pytest.importorskip("statsmodels.stats.multitest")
descriptive = pytest.importorskip("statsmodels.stats.descriptivestats")

KINDS = ("ndcg", "hit", "coarse")


def scores(kind: str, n: int, q: int, seed: int) -> Floats:
    """Return (n, q) scores that look like a metric's: graded, 0 or 1, or few values with ties."""
    rng = np.random.default_rng([KINDS.index(kind), n, q, seed])
    level = np.clip(
        rng.normal(0.5, 0.3, q) + rng.normal(0.0, 0.2, (n, q)) + rng.normal(0.0, 0.05, (n, 1)),
        0.0,
        1.0,
    )
    if kind == "hit":
        return np.rint(level)
    return np.round(level * 4) / 4 if kind == "coarse" else level


def mean_difference(a: Floats, b: Floats, axis: int = -1) -> Floats:
    difference: Floats = np.mean(b - a, axis=axis)
    return difference


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("q", [2, 5, 9, 12])
def test_the_exact_randomisation_test_is_scipys(kind: str, q: int) -> None:
    for seed in range(4):
        a, b = scores(kind, 2, q, seed)
        wanted = stats.permutation_test(
            (a, b),
            mean_difference,
            permutation_type="samples",
            n_resamples=np.inf,
            vectorized=True,
        ).pvalue
        assert randomisation_p(b - a) == pytest.approx(wanted, abs=1e-12)
        assert planned_comparison(a, b).p_value == pytest.approx(wanted, abs=1e-12)
        assert tukey_hsd(np.stack([a, b])).p_values.min() == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sampled_randomisation_test_is_near_scipys(kind: str) -> None:
    a, b = scores(kind, 2, 60, 1)
    wanted = stats.permutation_test(
        (a, b), mean_difference, permutation_type="samples", n_resamples=20_000, vectorized=True,
        rng=np.random.default_rng(5),
    ).pvalue  # fmt: skip
    error = math.sqrt(wanted * (1 - wanted) / 20_000) + 1e-4
    assert randomisation_p(b - a, draws=20_000) == pytest.approx(wanted, abs=6 * error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("q", [8, 40, 150])
def test_both_bootstrap_intervals_are_scipys(kind: str, q: int) -> None:
    values = scores(kind, 1, q, 2)[0]
    wanted = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=20_000, vectorized=True,
        rng=np.random.default_rng(6),
    ).confidence_interval  # fmt: skip
    width = wanted.high - wanted.low
    reach = 0.03 * width + 1 / (4 * q) * (kind != "ndcg")  # means of few values come in steps
    for found in (
        bootstrap_interval(values, resamples=20_000),
        tuple(metric_interval(values[:, None], resamples=20_000)[0].tolist()),
    ):
        assert found == pytest.approx((wanted.low, wanted.high), abs=reach)


@pytest.mark.parametrize("kind", KINDS)
def test_paired_t_and_sign_test(kind: str) -> None:
    for seed in range(5):
        a, b = scores(kind, 2, 30, seed)
        wanted, found = stats.ttest_rel(b, a), paired_t(b - a)
        assert (found.statistic, found.p_value) == pytest.approx((wanted.statistic, wanted.pvalue))
        assert sign_test_p(b - a) == pytest.approx(descriptive.sign_test(b - a)[1])


@pytest.mark.parametrize("kind", KINDS)
def test_adjustments_of_real_p_values(kind: str) -> None:
    table = scores(kind, 9, 12, 3)
    p_values = np.array([randomisation_p(row - table[0]) for row in table[1:]])
    for adjust, name in (
        (holm, "holm"),
        (bonferroni, "bonferroni"),
        (benjamini_hochberg, "fdr_bh"),
    ):
        wanted = multitest.multipletests(p_values, alpha=0.05, method=name)
        assert adjust(p_values) == pytest.approx(wanted[1], abs=1e-12)
        assert ((adjust(p_values) <= 0.05) == wanted[0]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tukey_is_what_its_definition_says(kind: str, seed: int) -> None:
    """All sign patterns, one after another, in plain Python."""
    table = scores(kind, 5, 8, seed)
    means = table.mean(axis=1)
    best = int(np.flatnonzero(means >= means.max() - 1e-12)[0])
    order = sorted(range(5), key=lambda i: (-round(means[i], 12), i != best, i))
    wanted = {}
    for place, row in enumerate(order):
        above = order[: place + 1]  # step-down: those that score at least as high
        reached = 0
        for signs in itertools.product((1, -1), repeat=8):
            flipped = [sum(s * v for s, v in zip(signs, table[i], strict=True)) / 8 for i in above]
            reached += max(flipped) - min(flipped) >= means[best] - means[row] - 1e-12
        wanted[row] = reached / 2**8
    p_values = np.maximum.accumulate([wanted[row] for row in reversed(order)])[::-1]
    found = tukey_hsd(table)
    assert found.best == best
    assert found.p_values[order] == pytest.approx(p_values, abs=1e-12)
    assert set(found.tied.tolist()) == {
        row for row, p in zip(order, p_values, strict=True) if p > 0.05
    }
