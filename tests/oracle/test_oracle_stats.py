"""All cases of the shared statistics oracle (made with scipy and statsmodels)."""

import json
import math
from typing import Any

import numpy as np
import pytest

from sweep.records import Floats
from sweep.winner.statistics.bootstrap import bootstrap_interval
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
from tests.shared_data import shared


def cases(kind: str) -> list[dict[str, Any]]:
    lines = shared("oracle", "stats.jsonl").read_text(encoding="utf-8").splitlines()
    return [case for case in map(json.loads, lines) if case["kind"] == kind]


def number(value: Any) -> float:
    return float(value["__float__"]) if isinstance(value, dict) else float(value)


def differences(case: dict[str, Any]) -> Floats:
    return np.array(case["b"]) - np.array(case["a"])


def close(value: Any) -> Any:
    return pytest.approx(number(value), rel=1e-9, abs=1e-12, nan_ok=True)


def test_paired_t() -> None:
    for case in cases("paired"):
        wanted, d = case["expected"], differences(case)
        assert d.mean() == close(wanted["mean_diff_b_minus_a"]), case["id"]
        # Only rounding noise is in the deviation of `constant_diff`; one pair has none.
        if case["tag"] == "constant_diff" or "t_statistic" not in wanted:
            continue
        found = paired_t(d)
        assert found.statistic == close(wanted["t_statistic"]), case["id"]
        assert found.degrees == wanted["t_df"], case["id"]
        assert found.p_value == close(wanted["t_p_two_sided"]), case["id"]
        assert found.p_greater == close(wanted["t_p_greater_b_gt_a"]), case["id"]


def test_fisher_randomisation() -> None:
    seen = 0
    for case in cases("paired"):
        wanted, p_value = case["expected"], randomisation_p(differences(case), draws=20_000)
        if "fisher_exact_p_two_sided" in wanted:
            assert p_value == close(wanted["fisher_exact_p_two_sided"]), case["id"]
        else:
            # Both are Monte Carlo: 200,000 draws there, a tenth here.
            error = max(number(wanted["fisher_mc_standard_error"]), 1e-5) * math.sqrt(1 + 10)
            expected = number(wanted["fisher_mc_p_two_sided"])
            assert p_value == pytest.approx(expected, abs=5 * error), case["id"]
        seen += 1
    assert seen >= 30


def test_wilcoxon() -> None:
    for case in cases("paired"):
        for name, wanted in case["expected"].items():
            words = name.split("_")
            if words[0] != "wilcoxon":
                continue
            if "asymptotic" in words:
                found = wilcoxon(
                    differences(case),
                    zeros=words[1],  # type: ignore[arg-type]
                    correction=words[-1] == "cc",
                    method="asymptotic",
                )
            else:
                method = "exact" if "exact" in words else "auto"
                found = wilcoxon(differences(case), method=method)  # type: ignore[arg-type]
            assert found[0] == close(wanted["statistic"]), (case["id"], name)
            assert found[1] == close(wanted["p"]), (case["id"], name)


def test_sign_test() -> None:
    for case in cases("paired"):
        wanted, d = case["expected"]["sign_test"], differences(case)
        assert sign_counts(d) == (wanted["wins"], wanted["losses"], wanted["ties"]), case["id"]
        assert sign_test_p(d) == close(wanted["p_two_sided"]), case["id"]


def test_percentile_bootstrap() -> None:
    seen = 0
    for case in cases("paired"):
        wanted = case["expected"].get("bootstrap_percentile_ci95_mean_diff")
        if wanted is None:
            continue
        d = differences(case)
        low, high = bootstrap_interval(d, resamples=20_000)
        distinct = np.unique(np.round(d, 9))
        step = np.diff(distinct).min() / len(d) if len(distinct) > 1 else 0.0
        tolerance = max(number(wanted["mc_tolerance"]), step) + 1e-12
        assert low == pytest.approx(number(wanted["lo"]), abs=tolerance), case["id"]
        assert high == pytest.approx(number(wanted["hi"]), abs=tolerance), case["id"]
        seen += 1
    assert seen >= 25


def test_adjusted_p_values() -> None:
    for case in cases("holm"):
        p_values, wanted = np.array(case["p"], dtype=np.float64), case["expected"]
        assert holm(p_values) == pytest.approx(wanted["holm_adjusted"], abs=1e-12), case["id"]
        assert (holm(p_values) <= 0.05).tolist() == wanted["reject_at_0.05"], case["id"]
        assert bonferroni(p_values) == pytest.approx(wanted["bonferroni_adjusted"], abs=1e-12)
        expected = wanted["benjamini_hochberg_adjusted"]
        assert benjamini_hochberg(p_values) == pytest.approx(expected, abs=1e-12), case["id"]
