"""Every recorded batch of the SDK: our means are 1.11's, `compat` gives 1.18's.

Decided differently from 1.11: thresholds and `higher_is_better` are not averaged, and
`binary_aggregate` (there the verdict on the number of judgements) is a pass rate per metric.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from sweep.evaluators.batch import evaluate_rows, report_batch
from sweep.evaluators.criteria import make_criteria
from sweep.evaluators.rows import read_rows
from tests.shared_data import SHARED

FILE = SHARED / "oracle" / "batch.jsonl"
NOT_MEANS = ("_threshold", "_higher_is_better", "binary_aggregate")


def read_cases() -> list[Any]:
    if not FILE.exists():
        reason = "needs ../shared/oracle/batch.jsonl, which is not in the project"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    cases = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return [pytest.param(case, id=case["id"]) for case in cases]


def report(case: dict[str, Any], folder: Path, **options: Any) -> dict[str, Any]:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, case["rows"])), encoding="utf-8")
    parameters = case["params"] | options
    criteria = make_criteria("document_retrieval", parameters=parameters, mapping={})
    return report_batch(evaluate_rows(read_rows(path), criteria))


@pytest.mark.parametrize("case", read_cases())
def test_means_are_those_of_the_flat_form(case: dict[str, Any], tmp_path: Path) -> None:
    flat = case["metrics_sdk_1.11.0_flat"]
    expected = {name: value for name, value in flat.items() if not name.endswith(NOT_MEANS)}
    ours = report(case, tmp_path)
    assert ours["metrics"] == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("case", read_cases())
def test_the_pass_rate_of_ndcg_is_the_share_of_all_rows(
    case: dict[str, Any], tmp_path: Path
) -> None:
    share = case["metrics_sdk_1.18.10_nested"]["document_retrieval.binary_aggregate"]
    ours = report(case, tmp_path)["pass_rates"]["document_retrieval.ndcg@3"]
    assert round(ours, 2) == share


@pytest.mark.parametrize("case", read_cases())
def test_compat_gives_the_nested_forms_aggregates(case: dict[str, Any], tmp_path: Path) -> None:
    expected = case["metrics_sdk_1.18.10_nested"]
    ours = report(case, tmp_path, compat="azure-1.18")["metrics"]
    assert ours == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("case", read_cases())
def test_failed_rows_are_counted(case: dict[str, Any], tmp_path: Path) -> None:
    counts = report(case, tmp_path)["counts"]
    failed = sum(not row["retrieval_ground_truth"] for row in case["rows"])
    assert (counts["rows"], counts["failed"]) == (len(case["rows"]), failed)
