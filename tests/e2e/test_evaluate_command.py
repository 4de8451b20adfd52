"""`python -m sweep evaluate` as a user types it: what it prints, and how it ends."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shared_data import bugcase

TRUTH = [
    {"document_id": str(number), "query_relevance_label": label}
    for number, label in enumerate((4, 2, 3, 1, 0), start=1)
]
FOUND = [
    {"document_id": id_, "relevance_score": score}
    for id_, score in (("2", 45.1), ("6", 35.8), ("3", 29.2), ("5", 25.4), ("7", 18.8))
]
EXAMPLE = {"query": "q", "retrieval_ground_truth": TRUTH, "retrieved_documents": FOUND}
CRITERIA = """
[{"type": "azure_ai_evaluator", "name": "Document Retrieval",
  "evaluator_name": "builtin.document_retrieval",
  "initialization_parameters": {"ground_truth_label_min": 1, "ground_truth_label_max": 5},
  "data_mapping": {"retrieval_ground_truth": "{{item.retrieval_ground_truth}}",
                   "retrieved_documents": "{{item.search.hits}}"}}]
"""


def evaluate(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sweep", "evaluate", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert "Traceback" not in done.stderr
    return done


def report(*arguments: object) -> Any:
    done = evaluate(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "rows.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def bug(number: str, metrics: str, *, run: str = "run.tsv") -> tuple[Any, Any]:
    """Return what is expected, and the report on the case's files."""
    folder = bugcase(number)
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["expect"]
    files = ("--qrels", folder / "qrels.tsv", "--run", folder / run)
    return expected, report(*files, "--metrics", metrics, "--per-query")


def test_the_sdk_pages_example_and_a_truncated_line(tmp_path: Path) -> None:
    path = write(tmp_path, EXAMPLE, '{"query": "q2", "retr')
    result = report(path, "--evaluators", "document_retrieval")
    metrics = result["metrics"]
    assert metrics["document_retrieval.ndcg@3"] == pytest.approx(0.310759325340, abs=5e-13)
    assert metrics["document_retrieval.xdcg@3"] == pytest.approx(39.285714285714, abs=5e-13)
    assert metrics["document_retrieval.fidelity"] == pytest.approx(0.392857142857, abs=5e-13)
    assert metrics["document_retrieval.holes"] == 2
    assert metrics["document_retrieval.holes_ratio"] == 0.4
    assert result["counts"] == {"rows": 2, "scored": 1, "failed": 1, "nan": {}}
    assert [(error["row"], error["code"]) for error in result["errors"]] == [(2, "INVALID_JSON")]
    table = evaluate(path, "--per-query")
    assert "document_retrieval.ndcg@3" in table.stdout
    assert "0.3108" in table.stdout
    assert "row 2 INVALID_JSON" in table.stderr
    assert "1 of 2 rows failed" in table.stderr


def test_a_criteria_file_gives_items_in_the_services_shape(tmp_path: Path) -> None:
    row = {
        "retrieval_ground_truth": [
            {"document_id": "1", "query_relevance_label": 4},
            {"document_id": "2", "query_relevance_label": 2},
        ],
        "search": {"hits": FOUND[:2]},
    }
    criteria = tmp_path / "criteria.json"
    criteria.write_text(CRITERIA)
    result = report(write(tmp_path, row, {"search": {}}), "--criteria", criteria)
    items = {item["metric"]: item for item in result["output_items"][0]["results"]}
    assert items["ndcg@3"] == {
        "type": "azure_ai_evaluator",
        "name": "Document Retrieval",
        "metric": "ndcg@3",
        "score": pytest.approx(0.177590565637, abs=5e-13),
        "label": "fail",
        "passed": False,
        "reason": None,
        "threshold": 0.5,
    }
    counts = {"total": 2, "passed": 0, "failed": 1, "errored": 1, "skipped": 0}
    assert result["result_counts"] == counts
    assert result["errors"][0]["code"] == "FIELD_NOT_FOUND"
    same = report(
        *(write(tmp_path, row), "--map", "retrieved_documents=${data.search.hits}"),
        *("--set", "ground_truth_label_min=1", "--set", "ground_truth_label_max=5"),
    )
    assert same["metrics"]["document_retrieval.ndcg@3"] == items["ndcg@3"]["score"]


def test_the_lessons_fixture(tmp_path: Path) -> None:
    row = {
        "qid": "q1",
        "query": "what is the abort threshold for multipart uploads",
        "gold_doc_ids": ["d1", "d3"],
        "gold_answer_substring": "three failed parts",
        "graded_relevance": {"d1": 3, "d3": 2},
    }
    metrics = "p@2,recall@2,rr,ndcg@2,hit@2"
    path = write(tmp_path, {**row, "retrieved": ["d2", "d1", "d3"]})
    result = report(path, "--metrics", metrics, "--per-query")
    expected = {"p@2": 0.5, "recall@2": 0.5, "rr": 0.5, "hit@2": 1.0}
    expected["ndcg@2"] = pytest.approx((3 / math.log2(3)) / (3 + 2 / math.log2(3)))
    assert result["metrics"] == result["per_query"]["q1"] == expected
    run = tmp_path / "pipeline.trec"
    run.write_text("q1 Q0 d2 1 3 t\nq1 Q0 d1 2 2 t\nq1 Q0 d3 3 1 t\n")
    assert report("--qrels", path, "--run", run, "--metrics", metrics)["metrics"] == expected


def test_several_runs_side_by_side(tmp_path: Path) -> None:
    folder = bugcase("33")
    files = ("--qrels", folder / "qrels.tsv")
    for number in (1, 2):
        files += ("--run", folder / f"run{number}.tsv")
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["expect"]
    runs = report(*files, "--metrics", "ndcg,rr,map")["runs"]
    for name, values in expected["id_desc"].items():
        ours = runs[name]["metrics"]
        assert [ours["ndcg"], ours["rr"], ours["map"]] == pytest.approx(list(values.values()))
    table = evaluate(*files, "--metrics", "ndcg", "--per-query").stdout
    assert table.split()[:5] == ["metric", "run1", "95", "%", "run2"]
    assert "0.6309" in table


def test_35_the_mean_is_over_all_judged_queries() -> None:
    expected, ours = bug("35", "ndcg@10")
    assert ours["metrics"]["ndcg@10"] == pytest.approx(expected["mean_ndcg@10"])
    for query, value in expected["per_query_ndcg@10"].items():
        assert ours["per_query"][query]["ndcg@10"] == pytest.approx(value)
    assert ours["counts"]["without_result"] == 1


def test_37_a_query_without_relevant_documents_scores_zero() -> None:
    expected, ours = bug("37", "ndcg,map,document_retrieval.fidelity,fidelity,bpref")
    for metric in ("ndcg", "map"):
        for query, value in expected[metric].items():
            assert ours["per_query"][query][metric] == pytest.approx(value)
    assert set(ours["per_query"]["q2"].values()) == {0.0}
    assert ours["counts"]["without_relevant"] == 1


def test_39_a_negative_label_gains_nothing_and_is_a_judgement() -> None:
    expected, ours = bug("39", "ndcg,map,p@1,holes,ndcg_exp")
    values = [ours["metrics"][name] for name in ("ndcg", "map", "p@1", "holes", "ndcg_exp")]
    assert values == pytest.approx(list(expected.values()))


def test_40_the_ideal_list_holds_all_judged_documents() -> None:
    expected, ours = bug("40", "ndcg@10,recall@10,p@10,map,rr")
    assert list(ours["metrics"].values()) == pytest.approx(list(expected.values()))


def test_42_chunks_of_one_document_are_one_hit() -> None:
    expected, ours = bug("42", "recall@3,p@3,ndcg@3,map", run="run_chunks.tsv")
    del expected["doc_ranking"]
    assert ours["metrics"] == pytest.approx(expected)


def test_44_the_azure_metrics() -> None:
    prefix = "document_retrieval."
    names = {
        "ndcg_exp@3": "ndcg_exp@3",
        "ndcg_linear@3": "ndcg@3",
        "xdcg@3": f"{prefix}xdcg@3",
        "fidelity": f"{prefix}fidelity",
        "top1_relevance": f"{prefix}top1_relevance",
        "top3_max_relevance": f"{prefix}top3_max_relevance",
        "holes": f"{prefix}holes",
        "holes_ratio": f"{prefix}holes_ratio",
        "total_retrieved": f"{prefix}total_retrieved_documents",
        "total_judged": f"{prefix}total_ground_truth_documents",
    }
    expected, ours = bug("44", ",".join(names.values()))
    values = {name: ours["metrics"][metric] for name, metric in names.items()}
    assert values == pytest.approx(expected)


def test_nothing_scored_ends_with_2_and_still_lists_the_errors(tmp_path: Path) -> None:
    path = write(tmp_path, {"query": "q"}, "[1]", {**EXAMPLE, "retrieved_documents": "none"})
    for options in ((), ("--metrics", "rr")):
        done = evaluate(path, *options, "--json")
        assert done.returncode == 2
        errors = json.loads(done.stdout)["errors"]
        assert [error["code"] for error in errors][:2] == ["INPUT_MISSING", "ROW_NOT_OBJECT"]
        assert "at least one row must be scorable, got 3 failed rows of 3" in done.stderr


def test_users_mistakes_end_with_2_and_say_what_to_do(tmp_path: Path) -> None:
    rows = write(tmp_path, EXAMPLE)
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 d 1\n")
    run.write_text("x Q0 d 1 0.5 t\n")
    mistakes: list[tuple[tuple[object, ...], str]] = [
        ((), "give INPUT.jsonl"),
        ((tmp_path / "none.jsonl",), "must be a readable file"),
        ((rows, "--evaluators", "groundedness"), "There is: builtin.document_retrieval"),
        ((rows, "--metrics", "mrr@5"), "Did you mean rr@5?"),
        ((rows, "--map", "x={{item.a}}"), "Did you mean"),
        ((rows, "--criteria", rows, "--set", "a=1"), "--criteria takes no --set"),
        ((rows, "--chunk-separator", "#"), "is for --run"),
        (("--qrels", qrels), "--qrels and --run belong together"),
        ((rows, "--qrels", qrels, "--run", run), "takes no INPUT.jsonl"),
        (("--qrels", qrels, "--run", run), f"{run}: run and qrels must share a query"),
    ]
    for arguments, text in mistakes:
        done = evaluate(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert text in done.stderr
