"""Plain paired tests: numbers worked by hand, and statsmodels as a second opinion."""

import math

import numpy as np
import pytest

from sweep.winner.statistics.paired_tests import (
    benjamini_hochberg,
    bonferroni,
    holm,
    paired_t,
    randomisation_p,
    sign_counts,
    sign_test_p,
    wilcoxon,
)


def test_paired_t_by_hand() -> None:
    result = paired_t(np.array([1.0, 3.0]))  # mean 2, sd sqrt(2), standard error 1
    assert result.statistic == pytest.approx(2.0)
    assert result.degrees == 1
    # One degree of freedom is the Cauchy distribution: 1 - 2 atan(2) / pi.
    assert result.p_value == pytest.approx(1 - 2 * math.atan(2) / math.pi)
    assert result.p_greater == pytest.approx(result.p_value / 2)


@pytest.mark.parametrize(
    ("value", "statistic", "p_value"),
    [(0.0, math.nan, math.nan), (1.0, math.inf, 0.0), (-1.0, -math.inf, 0.0)],
)
def test_constant_differences(value: float, statistic: float, p_value: float) -> None:
    result = paired_t(np.full(4, value))
    assert result.statistic == pytest.approx(statistic, nan_ok=True)
    assert result.p_value == pytest.approx(p_value, nan_ok=True)


def test_randomisation_counts_sums_that_differ_only_by_rounding() -> None:
    # +.1 +.2 -.3 is 5.6e-17, not 0: all eight patterns are at least as large as the observed.
    assert randomisation_p(np.array([0.1, 0.2, -0.3])) == 1.0
    assert randomisation_p(np.array([0.5, 0.25, 0.125])) == 2 / 8


def test_randomisation_above_sixteen_queries_never_claims_zero() -> None:
    assert randomisation_p(np.ones(40), draws=999) == 1 / 1000
    assert randomisation_p(np.zeros(40), draws=999) == 1.0


def test_sign_test_by_hand() -> None:
    differences = np.array([0.3 - 0.2 - 0.1, 0.1, 0.2, 0.3, -0.1])  # the first is rounding noise
    assert sign_counts(differences) == (3, 1, 1)
    assert sign_test_p(differences) == pytest.approx(2 * (1 + 4) / 16)
    assert sign_test_p(np.zeros(3)) == 1.0


def test_wilcoxon_by_hand() -> None:
    # Ranks 1, 2, 3; W- = 1; two-sided exact: 2 x (patterns with W <= 1) / 8 = 2 x 2 / 8.
    assert wilcoxon(np.array([-0.1, 0.2, 0.3])) == (1.0, 0.5)


def test_adjustments_by_hand() -> None:
    p_values = np.array([0.01, 0.04, 0.03, 0.005])
    assert bonferroni(p_values).tolist() == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert holm(p_values).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p_values).tolist() == pytest.approx([0.02, 0.04, 0.04, 0.02])


@pytest.mark.parametrize("adjust", [bonferroni, holm, benjamini_hochberg])
def test_no_p_values_no_adjustment(adjust: type) -> None:
    assert len(adjust(np.array([]))) == 0


@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_statsmodels_agrees(size: int) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    p_values = np.round(np.random.default_rng(size).random(size) ** 3, 2)  # with ties
    for adjust, name in (
        (bonferroni, "bonferroni"),
        (holm, "holm"),
        (benjamini_hochberg, "fdr_bh"),
    ):
        wanted = multitest.multipletests(p_values, method=name)[1]
        assert adjust(p_values) == pytest.approx(wanted, abs=1e-12)
    differences = np.random.default_rng(size).normal(0.1, 1.0, size + 1)
    statistic, p_value, degrees = weightstats.DescrStatsW(differences).ttest_mean(0.0)
    ours = paired_t(differences)
    assert (ours.statistic, ours.p_value, ours.degrees) == pytest.approx(
        (statistic, p_value, degrees)
    )
