import json
import math
from pathlib import Path
from typing import Any

import pytest

from sweep.evaluators.batch import Batch, evaluate_rows, report_batch
from sweep.evaluators.criteria import make_criteria, read_criteria
from sweep.evaluators.rows import read_rows

KEYS = ["type", "name", "metric", "score", "label", "passed", "reason", "threshold"]


def row(labels: dict[str, Any], scores: dict[str, Any]) -> dict[str, Any]:
    return {
        "retrieval_ground_truth": [
            {"document_id": i, "query_relevance_label": v} for i, v in labels.items()
        ],
        "retrieved_documents": [
            {"document_id": i, "relevance_score": v} for i, v in scores.items()
        ],
    }


PERFECT = row({"a": 4}, {"a": 1.0})
HALF = row({"a": 4}, {"x": 2.0, "a": 1.0})  # ndcg@3 = 1 / log2(3)
BAD_LABEL = row({"a": 9}, {"a": 1.0})
NAN_SCORE = row({"a": 4}, {"a": math.nan})


def run(folder: Path, rows: list[Any], **parameters: Any) -> Batch:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in rows))
    criteria = make_criteria("document_retrieval", parameters=parameters, mapping={})
    return evaluate_rows(read_rows(path), criteria)


def test_means_are_over_scored_rows_and_pass_rates_over_all(tmp_path: Path) -> None:
    report = report_batch(run(tmp_path, [PERFECT, HALF, BAD_LABEL, '{"a'], ndcg_threshold=0.7))
    assert report["metrics"]["document_retrieval.ndcg@3"] == pytest.approx(
        (1 + 1 / math.log2(3)) / 2
    )
    assert report["metrics"]["document_retrieval.holes"] == 0.5
    assert report["pass_rates"]["document_retrieval.ndcg@3"] == 1 / 4
    assert report["pass_rates"]["document_retrieval.holes"] == 1 / 4
    assert report["counts"] == {"rows": 4, "scored": 2, "failed": 2, "nan": {}}
    assert [(one["row"], one["code"]) for one in report["errors"]] == [
        (3, "LABEL_ABOVE_MAX"),
        (4, "INVALID_JSON"),
    ]
    assert f"{tmp_path / 'rows.jsonl'}:3: " in report["errors"][0]["message"]
    assert report["errors"][0]["name"] == "document_retrieval"


def test_one_item_per_metric_in_the_services_shape(tmp_path: Path) -> None:
    report = report_batch(run(tmp_path, [HALF]))
    (entry,) = report["output_items"]
    assert (entry["id"], entry["datasource_item_id"]) == ("1", 0)
    assert all(list(item) == KEYS for item in entry["results"])
    assert len({item["metric"] for item in entry["results"]}) == len(entry["results"]) == 9
    assert entry["results"][0] == {
        "type": "azure_ai_evaluator",
        "name": "document_retrieval",
        "metric": "ndcg@3",
        "score": pytest.approx(1 / math.log2(3)),
        "label": "pass",
        "passed": True,
        "reason": None,
        "threshold": 0.5,
    }


def test_the_items_of_a_failed_row_are_there_and_hold_nulls(tmp_path: Path) -> None:
    report = report_batch(run(tmp_path, [NAN_SCORE, PERFECT]))
    items = report["output_items"][0]["results"]
    assert len(items) == 9
    for item in items:
        assert {item[key] for key in KEYS[3:]} == {None}
        assert item["status"] == "error"
        assert item["sample"]["error"]["code"] == "SCORE_IS_NAN"


def test_an_undefined_value_is_counted_and_left_out_of_its_mean_only(tmp_path: Path) -> None:
    undefined = row({"a": 1}, {"a": 1.0})
    report = report_batch(
        run(
            tmp_path,
            [undefined, row({"a": 5}, {"a": 1.0})],
            ground_truth_label_min=1,
            ground_truth_label_max=5,
        )
    )
    assert report["counts"]["nan"] == {"document_retrieval.fidelity": 1}
    assert report["counts"]["failed"] == 0
    assert report["metrics"]["document_retrieval.fidelity"] == 1.0
    assert report["pass_rates"]["document_retrieval.fidelity"] == 0.5
    item = report["output_items"][0]["results"][2]
    assert (item["metric"], item["score"], item["label"]) == ("fidelity", None, "fail")
    assert item["reason"].startswith("undefined")


def test_a_row_counts_as_failed_passed_or_errored(tmp_path: Path) -> None:
    low = dict.fromkeys(
        (
            "xdcg_threshold",
            "top1_relevance_threshold",
            "top3_max_relevance_threshold",
            "total_retrieved_documents_threshold",
            "total_ground_truth_documents_threshold",
        ),
        0,
    )
    report = report_batch(run(tmp_path, [PERFECT, HALF, BAD_LABEL], **low))
    counts = {"passed": 1, "failed": 1, "errored": 1, "skipped": 0}  # HALF has a hole
    assert report["result_counts"] == {"total": 3, **counts}
    assert report["per_testing_criteria_results"] == [
        {"testing_criteria": "document_retrieval", **counts}
    ]


def test_several_criteria_fail_rows_on_their_own(tmp_path: Path) -> None:
    criteria = tmp_path / "criteria.yaml"
    criteria.write_text(
        "- {name: narrow, evaluator_name: builtin.document_retrieval}\n"
        "- name: wide\n  evaluator_name: builtin.document_retrieval\n"
        "  initialization_parameters: {ground_truth_label_max: 9}\n"
    )
    rows = tmp_path / "rows.jsonl"
    rows.write_text("\n".join(map(json.dumps, [PERFECT, BAD_LABEL])))
    batch = evaluate_rows(read_rows(rows), read_criteria(criteria))
    report = report_batch(batch)
    assert report["counts"] == {"rows": 2, "scored": 1, "failed": 1, "nan": {}}
    assert [(one["row"], one["name"]) for one in report["errors"]] == [(2, "narrow")]
    assert report["metrics"]["narrow.top1_relevance"] == 4.0
    assert report["metrics"]["wide.top1_relevance"] == 6.5
    assert len(report["output_items"][1]["results"]) == 18


def test_nothing_scored(tmp_path: Path) -> None:
    batch = run(tmp_path, [BAD_LABEL, {"query": "x"}, "oops"])
    report = report_batch(batch)
    assert not batch.any_scored
    assert math.isnan(report["metrics"]["document_retrieval.ndcg@3"])
    assert [one["code"] for one in report["errors"]] == [
        "LABEL_ABOVE_MAX",
        "INPUT_MISSING",
        "INVALID_JSON",
    ]
    assert report["result_counts"]["errored"] == 3


def test_compat_gives_the_sdks_aggregates_and_one_item(tmp_path: Path) -> None:
    report = report_batch(run(tmp_path, [PERFECT, HALF, PERFECT, HALF], compat="azure-1.18"))
    mean = pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert report["metrics"] == {
        "document_retrieval.document_retrieval": mean,
        "document_retrieval.document_retrieval_score": mean,
        "document_retrieval.document_retrieval_passed": 1.0,
        "document_retrieval.binary_aggregate": 1.0,
    }
    (item,) = report["output_items"][1]["results"]
    assert item["metric"] == "document_retrieval"
    assert item["properties"]["holes"] == 1
    failed = report_batch(run(tmp_path, [PERFECT, PERFECT, BAD_LABEL], compat="azure-1.18"))
    assert failed["metrics"]["document_retrieval.binary_aggregate"] == 0.67
    assert "document_retrieval.document_retrieval_passed" not in failed["metrics"]
