"""All cases of the shared statistics oracle (made with scipy and statsmodels)."""

import json
import math
from typing import Any

import numpy as np
import pytest

from sweep.records import Floats
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.inference import planned_comparison
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


CHECKED = {  # field of a case -> the test that looks at it, or why none does
    "paired": {
        "n", "mean_a", "mean_b", "mean_diff_b_minus_a",  # planned comparison
        "t_statistic", "t_df", "t_p_two_sided", "t_p_greater_b_gt_a", "sd_diff_ddof1",  # paired t
        "cohen_dz",  # paired t: the statistic over the root of n
        "t_ci95", "bootstrap_bca_ci95_mean_diff",  # planned comparison: near its interval
        "fisher_exact_p_two_sided", "fisher_mc_p_two_sided", "fisher_mc_standard_error",
        "fisher_mc_permutations",
        "sign_test", "bootstrap_percentile_ci95_mean_diff",
    },
    "holm": {
        "holm_adjusted", "reject_at_0.05", "bonferroni_adjusted", "benjamini_hochberg_adjusted",
    },
}  # fmt: skip


def test_every_field_of_every_case_is_looked_at() -> None:
    for kind, checked in CHECKED.items():
        fields = {name for case in cases(kind) for name in case["expected"]}
        assert {name for name in fields if not name.startswith("wilcoxon_")} == checked
    lines = shared("oracle", "stats.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["kind"] for line in lines} == set(CHECKED)
    assert (len(cases("paired")), len(cases("holm"))) == (36, 22)


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
        if "cohen_dz" in wanted:
            effect = found.statistic / math.sqrt(wanted["n"])
            assert effect == close(wanted["cohen_dz"]), case["id"]
            assert d.mean() / effect == close(wanted["sd_diff_ddof1"]), case["id"]
        else:
            assert d.std(ddof=1) == number(wanted["sd_diff_ddof1"]) == 0.0


def test_planned_comparison() -> None:
    """Its interval is a bootstrap as wide as a t interval: near both, nearer with more pairs."""
    near = 0
    for case in cases("paired"):
        wanted, a, b = case["expected"], np.array(case["a"]), np.array(case["b"])
        assert len(a) == wanted["n"]
        assert a.mean() == close(wanted["mean_a"])
        assert b.mean() == close(wanted["mean_b"])
        if len(a) > 100:  # seconds of sign flips, for nothing new
            continue
        found = planned_comparison(a, b)
        assert found.difference == close(wanted["mean_diff_b_minus_a"]), case["id"]
        assert found.wins == wanted["sign_test"]["wins"], case["id"]
        assert found.losses == wanted["sign_test"]["losses"], case["id"]
        if "fisher_exact_p_two_sided" in wanted and len(a) <= 16:
            assert found.p_value == close(wanted["fisher_exact_p_two_sided"]), case["id"]
        if "t_ci95" not in wanted or len(a) < 12:
            continue
        (low, high), (least, most) = found.interval, wanted["t_ci95"]
        bca = wanted["bootstrap_bca_ci95_mean_diff"]
        reach = (most - least) * (0.05 if len(a) < 100 else 0.02)
        assert (low, high) == pytest.approx((least, most), abs=reach), case["id"]
        assert (low, high) == pytest.approx((bca["lo"], bca["hi"]), abs=2 * reach), case["id"]
        near += 1
    assert near >= 15


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
