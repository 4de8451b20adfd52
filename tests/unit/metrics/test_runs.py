import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import lists_from_run


def test_score_falls_and_ties_are_broken_by_id_falling_in_code_point_order() -> None:
    ids = ["10", "100", "9", "A", "a"]
    run = {"q": {"10": 1.0, "9": 1.0, "a": 2.0, "A": 2.0, "100": 1.0}}
    ranked = lists_from_run(run, ids, query_ids=["q"])
    assert [ids[position] for position in ranked.items[0]] == ["a", "A", "9", "100", "10"]


def test_scores_are_compared_in_float32() -> None:
    ranked = lists_from_run({"q": {"a": 1.0 + 1e-9, "b": 1.0}}, ["a", "b"], query_ids=["q"])
    assert ranked.items.tolist() == [[1, 0]]
    ranked = lists_from_run({"q": {"a": 1e300, "b": 1e200}}, ["a", "b"], query_ids=["q"])
    assert ranked.items.tolist() == [[1, 0]]  # both infinite


def test_lists_are_padded_and_missing_queries_are_empty() -> None:
    run = {"q": {"a": 1.0}, "r": {"a": 1.0, "b": 2.0}, "not judged": {"a": 1.0}}
    ranked = lists_from_run(run, ["a", "b"], query_ids=["p", "q", "r"])
    assert ranked.items.tolist() == [[-1, -1], [0, -1], [1, 0]]
    assert np.isnan(ranked.scores).tolist() == [[True, True], [False, True], [False, False]]


def test_nan_and_unknown_documents_are_refused() -> None:
    with pytest.raises(MetricError, match="run, query 'q', document 'a': the score must be a num"):
        lists_from_run({"q": {"a": float("nan")}}, ["a"], query_ids=["q"])
    with pytest.raises(MetricError, match="document 'x': the document must be in the collection"):
        lists_from_run({"q": {"x": 1.0}}, ["a"], query_ids=["q"])
