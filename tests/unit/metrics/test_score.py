"""What `score_lists` asks of its input, and how the table is laid out."""

from collections.abc import Mapping

import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import defined_rows, judgements_from_qrels, parse_metric, score_lists
from sweep.metrics.judgements import SpanJudgements
from sweep.records import RankedLists, ScoreTable

JUDGEMENTS = judgements_from_qrels(
    {"r": {"a": 2, "b": 1}, "p": {"c": 1}}, ["a", "b", "c"], query_ids=["p", "q", "r"]
)


def lists(*rows: list[int]) -> RankedLists:
    items = np.array(rows, dtype=np.int64).reshape(len(rows), -1)
    return RankedLists(items=items, scores=np.zeros(items.shape))


def score(
    *names: str,
    documents: RankedLists,
    budgets: Mapping[int, RankedLists] | None = None,
    relevance: int = 1,
) -> ScoreTable:
    metrics = [parse_metric(name) for name in names]
    return score_lists(metrics, JUDGEMENTS, documents, budgets=budgets, relevance=relevance)


def test_rows_are_the_judged_queries_in_corpus_order() -> None:
    table = score("hit@1", "recall", documents=lists([2, -1], [0, 1], [0, -1]))
    assert table.query_ids == ("p", "r")
    assert table.metrics == ("hit@1", "recall")
    assert table.values.tolist() == [[1, 1], [1, 0.5]]
    assert table.mean("recall") == 0.75


def test_lists_of_width_zero_are_empty_lists() -> None:
    table = score("ndcg", "holes", "max_relevance", documents=lists([], [], []))
    assert table.values.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_no_metric_gives_an_empty_table() -> None:
    assert score(documents=lists([0], [0], [0])).values.shape == (2, 0)


def test_no_judged_query_gives_no_row() -> None:
    empty = judgements_from_qrels({}, ["a"], query_ids=["q"])
    assert score_lists([parse_metric("ndcg@3")], empty, lists([0])).values.shape == (0, 1)


def test_a_token_budget_is_scored_on_its_own_lists() -> None:
    table = score(
        *("recall@5tok", "ndcg@5tok", "recall"),
        documents=lists([2, -1], [-1, -1], [0, 1]),
        budgets={5: lists([-1], [-1], [0])},
    )
    ideal = 2 + 1 / np.log2(3)  # not cut: the budget bounds what is found, not what could be
    assert table.values.tolist() == [[0, 0, 1], [0.5, pytest.approx(2 / ideal), 1]]


def test_a_budget_without_lists_is_refused() -> None:
    with pytest.raises(MetricError, match=r"metric @9tok: needs .* got those within \[5\]"):
        score("recall@9tok", documents=lists([0], [0], [0]), budgets={5: lists([0], [0], [0])})


def test_there_must_be_a_list_per_query_of_the_corpus() -> None:
    with pytest.raises(MetricError, match=r"one per query \(3\), got 2"):
        score("ndcg", documents=lists([0], [0]))


def test_positions_outside_the_collection_are_refused() -> None:
    with pytest.raises(MetricError, match="positions must be below 3, got 3"):
        score("ndcg", documents=lists([0], [0], [3]))


def test_a_document_twice_in_a_list_is_refused_with_its_query() -> None:
    with pytest.raises(MetricError, match="query 'r': each document .* got position 1 twice"):
        score("ndcg", documents=lists([0, 1, 2], [0, 0, 0], [1, 0, 1]))


def test_costs_and_span_metrics_need_what_was_not_given() -> None:
    documents = lists([0], [0], [0])
    with pytest.raises(MetricError, match="must be measured where the cost arises"):
        score("index_bytes", documents=documents)
    for name in ("span_recall@3", "context_tokens"):
        with pytest.raises(MetricError, match="needs the chunk lists, got none"):
            score(name, documents=documents)


def test_the_relevance_level_is_at_least_one() -> None:
    with pytest.raises(MetricError, match="relevance: must be >= 1, got 0"):
        score("recall", documents=lists([0], [0], [0]), relevance=0)


def test_span_metrics_are_defined_where_a_query_has_a_span() -> None:
    one = np.array([2])
    spans = SpanJudgements(
        n_queries=3, query=one, document=one * 0, start=one * 0, end=one, grade=one
    )
    span_metric, document_metric = parse_metric("span_iou@3"), parse_metric("ndcg@3")
    assert defined_rows(span_metric, JUDGEMENTS, spans).tolist() == [False, True]
    assert defined_rows(span_metric, JUDGEMENTS, None).tolist() == [False, False]
    assert defined_rows(document_metric, JUDGEMENTS, spans).tolist() == [True, True]
