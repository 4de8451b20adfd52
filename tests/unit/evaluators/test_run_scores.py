import json
import math
from pathlib import Path
from typing import Any

import pytest

from sweep.errors import MetricError
from sweep.evaluators.ranked_rows import parse_field_mapping
from sweep.evaluators.rows import read_rows
from sweep.evaluators.run_scores import (
    RunScores,
    parse_labels,
    parse_metrics,
    report_scores,
    score_rows,
    score_run,
)
from sweep.evaluators.trec_files import Qrels

FIXTURE = {
    "qid": "q1",
    "query": "what is the abort threshold for multipart uploads",
    "gold_doc_ids": ["d1", "d3"],
    "gold_answer_substring": "three failed parts",
    "graded_relevance": {"d1": 3, "d3": 2},
    "retrieved": ["d2", "d1", "d5", "d3"],
}
METRICS = "p@3,recall@3,rr,ndcg@3,hit@3"


def rows_of(
    folder: Path, rows: list[Any], metrics: str = METRICS, *, labels: Any = (), **mapping: str
) -> RunScores:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in rows))
    return score_rows(
        parse_metrics(metrics),
        read_rows(path),
        parse_field_mapping(mapping),
        labels=parse_labels(labels),
    )


def values(scores: RunScores) -> dict[str, list[float]]:
    table = scores.table
    return dict(zip(table.query_ids, table.values.tolist(), strict=True))


def codes(scores: RunScores) -> list[tuple[int, str]]:
    return [(row.number, error.code) for row, error in scores.failures]


def runs(qrels: Any, run: Any, metrics: str, **options: Any) -> RunScores:
    return score_run(parse_metrics(metrics), Qrels(graded=qrels, binary=qrels), run, **options)


def test_the_lessons_fixture_with_the_list_in_the_row(tmp_path: Path) -> None:
    ndcg = (3 / math.log2(3)) / (3 + 2 / math.log2(3))
    expected = [1 / 3, 1 / 2, 1 / 2, pytest.approx(ndcg), 1.0]
    assert values(rows_of(tmp_path, [FIXTURE])) == {"q1": expected}
    for name in ("retrieved_doc_ids", "retrieved_documents"):
        renamed = {(name if key == "retrieved" else key): v for key, v in FIXTURE.items()}
        assert values(rows_of(tmp_path, [renamed])) == {"q1": expected}


def test_relevance_is_asked_of_gold_ids_and_gain_of_grades(tmp_path: Path) -> None:
    row = {**FIXTURE, "gold_doc_ids": ["d1"], "graded_relevance": {"d1": 3, "d2": 1}}
    scores = rows_of(tmp_path, [row], "rr,recall@1,recall(rel=1)@1,ndcg@1,holes@4")
    assert values(scores)["q1"] == [0.5, 0.0, 0.5, pytest.approx(1 / 3), 2.0]


def test_gold_ids_or_grades_alone_serve_all_metrics(tmp_path: Path) -> None:
    gold = {"qid": 1, "gold_doc_ids": ["a", "b", "a"], "retrieved": ["a"]}
    grades = {"qid": 2, "graded_relevance": {"a": 2, "b": 0}, "retrieved": ["b", "a"]}
    scores = rows_of(tmp_path, [gold, grades], "recall@2,ndcg@2,rr")
    ideal = 1 + 1 / math.log2(3)
    assert values(scores) == {
        "1": [0.5, pytest.approx(1 / ideal), 1.0],
        "2": [1.0, pytest.approx(1 / math.log2(3)), 0.5],
    }


def test_ids_that_are_numbers_match_the_texts_that_json_keys_are(tmp_path: Path) -> None:
    row = {"gold_doc_ids": [1], "graded_relevance": {"1": 2}, "retrieved": [2, 1]}
    assert values(rows_of(tmp_path, [row], "rr,ndcg@1")) == {"1": [0.5, 0.0]}


def test_azure_rows_are_sorted_by_score_and_ties_keep_their_order(tmp_path: Path) -> None:
    row = {
        "retrieval_ground_truth": [{"document_id": "a", "query_relevance_label": 2}],
        "retrieved_documents": [
            {"document_id": "x", "relevance_score": 1},
            {"document_id": "y", "relevance_score": 3},
            {"document_id": "a", "relevance_score": 3},
        ],
    }
    assert values(rows_of(tmp_path, [row], "rr")) == {"1": [0.5]}


def test_mapped_fields_go_before_others_that_mean_the_same(tmp_path: Path) -> None:
    row = {**FIXTURE, "hits": {"ids": ["d3"]}, "key": "other", "retrieval_ground_truth": []}
    scores = rows_of(
        tmp_path,
        [row],
        "rr,recall@1",
        retrieved_documents="{{item.hits.ids}}",
        query_id="${data.key}",
        gold_doc_ids="${data.gold_doc_ids}",
    )
    assert values(scores) == {"other": [1.0, 0.5]}
    with pytest.raises(MetricError, match="got 'gold'. There are: qid, "):
        rows_of(tmp_path, [row], gold="${data.gold_doc_ids}")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"retrieved": ["a", "a"]}, "DUPLICATE_DOCUMENT"),
        ({"retrieved": "d1"}, "RD_NOT_A_LIST"),
        ({"retrieved": [None]}, "ID_INVALID"),
        ({"retrieved": [True]}, "ID_INVALID"),
        ({"retrieved": None}, "INPUT_MISSING"),
        ({"retrieved": [{"document_id": "a", "relevance_score": math.nan}]}, "SCORE_IS_NAN"),
        ({"retrieved": [{"document_id": "a"}]}, "RD_ITEM_FIELD_MISSING"),
        ({"gold_doc_ids": "d1"}, "GT_NOT_A_LIST"),
        ({"graded_relevance": [1]}, "GT_NOT_A_MAPPING"),
        ({"graded_relevance": {"a": 1.5}}, "LABEL_NOT_INT"),
        ({"graded_relevance": {"a": "2"}}, "LABEL_NOT_INT"),
        ({"graded_relevance": {"a": True}}, "LABEL_NOT_INT"),
        ({"graded_relevance": {"a": 2**40}}, "LABEL_ABOVE_MAX"),
        ({"gold_doc_ids": [], "graded_relevance": {}}, "GT_EMPTY"),
        ({"gold_doc_ids": None, "graded_relevance": None}, "INPUT_MISSING"),
        ({"retrieval_ground_truth": []}, "GT_EMPTY"),
        ({"qid": "q2"}, "DUPLICATE_QUERY"),
        ({"qid": ["q"]}, "ID_INVALID"),
    ],
)
def test_a_row_that_fails_is_named_and_the_others_go_on(
    tmp_path: Path, change: dict[str, Any], code: str
) -> None:
    scores = rows_of(tmp_path, [{**FIXTURE, "qid": "q2"}, {**FIXTURE, **change}, "{"], "rr")
    assert codes(scores) == [(2, code), (3, "INVALID_JSON")]
    assert all(f"rows.jsonl:{row.number}: " in str(error) for row, error in scores.failures)
    assert scores.counts["rows"] == 3
    assert scores.counts["failed"] == 2
    assert scores.counts["judged"] == 1


def test_a_mapped_field_that_a_row_lacks_fails_that_row(tmp_path: Path) -> None:
    rows = [{**FIXTURE, "x": ["d1"]}, {**FIXTURE, "qid": "q2"}]
    scores = rows_of(tmp_path, rows, "rr", retrieved="${data.x}")
    assert codes(scores) == [(2, "FIELD_NOT_FOUND")]


def test_labels_beyond_the_range_fail_rows_only_where_the_range_matters(tmp_path: Path) -> None:
    rows = [FIXTURE, {**FIXTURE, "qid": "q2", "graded_relevance": {"d1": 5}}]
    assert codes(rows_of(tmp_path, rows, "ndcg@3")) == []
    assert codes(rows_of(tmp_path, rows, "document_retrieval.ndcg@3")) == [(2, "LABEL_ABOVE_MAX")]
    wide = ["ground_truth_label_max=5"]
    assert codes(rows_of(tmp_path, rows, "document_retrieval.ndcg@3", labels=wide)) == []


def test_a_label_too_high_for_an_exponential_gain_fails_its_row_only(tmp_path: Path) -> None:
    rows = [FIXTURE, {**FIXTURE, "qid": "q2", "graded_relevance": {"d1": 5000}}]
    assert codes(rows_of(tmp_path, rows, "ndcg,rr")) == []
    assert codes(rows_of(tmp_path, rows, "ndcg_exp,rr")) == [(2, "LABEL_ABOVE_MAX")]


def test_nothing_scored_gives_no_mean(tmp_path: Path) -> None:
    report = report_scores(rows_of(tmp_path, ["{"], "rr"), per_query=True)
    assert report["metrics"] == {"rr": None}
    assert report["per_query"] == {}
    assert report["errors"][0]["code"] == "INVALID_JSON"


def test_a_mean_is_over_all_judged_queries_and_says_who_is_missing() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}}
    scores = runs(qrels, {"q1": {"a": 1.0}, "q3": {"a": 1.0}, "q9": {"a": 1.0}}, "rr")
    report = report_scores(scores, per_query=True)
    assert report["metrics"]["rr"] == pytest.approx(1 / 3)
    assert report["per_query"] == {"q1": {"rr": 1.0}, "q2": {"rr": 0.0}, "q3": {"rr": 0.0}}
    assert report["counts"] == {
        "judged": 3,
        "without_result": 1,
        "without_relevant": 1,
        "unjudged": 1,
    }
    text = "\n".join(scores.notices)
    assert "nothing was retrieved: 1 query ('q2')" in text
    assert "no document has a label >= 1: 1 query ('q3')" in text
    assert "not judged: 1 query ('q9')" in text
    low, high = report["intervals"]["rr"]
    assert 0.0 <= low <= high <= 1.0


def test_one_query_has_no_interval() -> None:
    report = report_scores(runs({"q": {"a": 1}}, {"q": {"a": 1.0}}, "rr"), per_query=False)
    assert report["intervals"] == {"rr": None}
    assert "per_query" not in report


def test_run_and_qrels_that_share_no_query_are_refused() -> None:
    with pytest.raises(MetricError, match="share a query, got 1 and 1 queries .*'1' and 'q1'"):
        runs({"q1": {"a": 1}}, {"1": {"a": 1.0}}, "rr")


def test_a_run_of_which_no_document_is_judged_is_pointed_out() -> None:
    scores = runs({"q": {"a": 1}}, {"q": {"A": 1.0}}, "rr")
    assert any("no document of the run is judged (for example 'A')" in n for n in scores.notices)


def test_chunks_are_merged_only_where_nothing_is_judged_as_it_is() -> None:
    run = {"q": {"d1#0": 9.0, "d1#1": 8.0, "d2#0": 7.0, "d#3#0": 6.0}}
    scores = runs({"q": {"d#3": 1}}, run, "rr,p@3")
    assert scores.table.values.tolist() == [[1 / 3, 1 / 3]]
    assert "4 chunks merged into 3 documents" in scores.notices[0]
    judged_chunks = runs({"q": {"d1#1": 1}}, run, "rr")
    assert judged_chunks.table.values.tolist() == [[0.5]]
    assert judged_chunks.notices == ()


def test_the_chunk_separator_can_be_given_or_turned_off() -> None:
    run = {"q": {"x": 9.0, "d1/p0": 8.0, "d1/p1": 7.0}}
    assert runs({"q": {"d1": 1}}, run, "rr", chunk_separator="/").table.values.tolist() == [[0.5]]
    hashed = {"q": {"d1#0": 9.0}}
    assert runs({"q": {"d1": 1}}, hashed, "rr", chunk_separator="").table.values.tolist() == [[0]]


def test_metrics_that_need_more_than_documents_are_refused() -> None:
    for name in ("span_recall@5", "recall@100tok", "work", "context_tokens"):
        with pytest.raises(MetricError, match="must be computable from ranked documents"):
            parse_metrics(f"ndcg@3,{name}")
    with pytest.raises(MetricError, match=r"Did you mean rr\?"):
        parse_metrics("mrr")
    with pytest.raises(MetricError, match="must name a metric"):
        parse_metrics(" , ")
    assert len(parse_metrics("rr,rr, ndcg@3")) == 2


def test_the_range_of_labels() -> None:
    assert parse_labels(["ground_truth_label_min=1", "ground_truth_label_max=5"]) == (1, 5)
    for text in ("ground_truth_label_min=4", "ground_truth_label_max=x", "ndcg_threshold=1"):
        with pytest.raises(MetricError, match=r"^--set: "):
            parse_labels([text])
    with pytest.raises(MetricError, match="labels must lie in 0 to 4"):
        runs({"q": {"a": 5}}, {"q": {"a": 1.0}}, "document_retrieval.fidelity")
