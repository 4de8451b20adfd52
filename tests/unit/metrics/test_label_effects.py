"""Two lists of one query, worked by hand: what labels of their holes can do."""

from typing import Any

import numpy as np
import pytest

from sweep.metrics import (
    at_of,
    find_holes,
    judgements_from_qrels,
    label_effects,
    labelled_metric,
    parse_metric,
    relevant_scores,
)

SECOND = 1 / np.log2(3)  # discount of rank 2: .6309
FIRST_ONLY = 1 / (1 + SECOND)  # one of two relevant documents, at rank 1: .6131
# a is judged 1. List 0 has it first and then the hole x, list 1 the hole y and then it.
LISTS = [["a", "x"], ["y", "a"]]
DOCUMENTS = ["a", "x", "y"]


def made(name: str, reported: list[float], *, top: int = 1) -> tuple[Any, Any, Any, Any]:
    items = np.array([[[DOCUMENTS.index(d) for d in one]] for one in LISTS])
    lists = find_holes(judgements_from_qrels({"q": {"a": 1}}, DOCUMENTS), items)
    metric, labels = parse_metric(name), (0, top)
    at = at_of(metric, relevance=1, labels=labels)
    scores = np.array(reported)[:, None]
    return label_effects(metric, lists, scores, at=at, top=top), lists, metric, at


def test_holes_are_pairs_that_nobody_judged() -> None:
    _, lists, _, _ = made("ndcg@2", [1.0, SECOND])
    assert (lists.row.tolist(), lists.document.tolist()) == ([0, 0], [1, 2])
    assert lists.hole.tolist() == [[[-1, 0]], [[1, -1]]]
    assert lists.judged_share().tolist() == [0.5, 0.5]
    assert lists.per_query().tolist() == [2]


def test_ndcg_by_hand() -> None:
    """With y relevant: list 1 is ideal, list 0 has one of two: a lead of 1 - .6131 = .3869."""
    effects, lists, metric, at = made("ndcg@2", [1.0, SECOND])
    low, high = effects.bounds(np.array([0, 1]))
    assert low[:, 0] == pytest.approx([FIRST_ONLY, SECOND * FIRST_ONLY])
    assert high[:, 0] == pytest.approx([1.0, 1.0])
    lead = effects.largest_difference(np.array([1]), np.array([0]))
    assert lead[0, 0] == pytest.approx(1 - FIRST_ONLY)
    assert effects.with_one(0) == pytest.approx([1.0, FIRST_ONLY])
    assert effects.with_one(1) == pytest.approx([SECOND * FIRST_ONLY, 1.0])
    assert effects.change(1, 0) == pytest.approx(
        [SECOND * FIRST_ONLY - 1 - (SECOND - 1), 1 - FIRST_ONLY - (SECOND - 1)]
    )
    assert effects.favours(1, 0).tolist() == [False, True]
    own = relevant_scores(metric, lists, np.array([0, 1]), at=at, top=1)
    assert own[:, 0] == pytest.approx([1.0, 1.0])
    steps = effects.steps(np.array([1]), np.array([0]))[0, 0]
    assert steps == pytest.approx([(1 - FIRST_ONLY) - (SECOND - 1), 0.0])


def test_a_label_in_between_may_be_the_best() -> None:
    """The list is z (judged 0), the hole y, a (judged 1), whose gain at rank 3 is 1 / 2.

    With y of label 1: (.5 + d) / (1 + d) = .693; of label 4, first in the ideal list:
    (.5 + 4 d) / (4 + d) = .653; d = .6309.
    """
    documents = ["a", "y", "z"]
    lists = find_holes(
        judgements_from_qrels({"q": {"a": 1, "z": 0}}, documents), np.array([[[2, 1, 0]]])
    )
    metric = parse_metric("ndcg@3")
    at = at_of(metric, relevance=1, labels=(0, 4))
    effects = label_effects(metric, lists, np.array([[0.5]]), at=at, top=4)
    low, high = effects.bounds(np.array([0]))
    assert high[0, 0] == pytest.approx((0.5 + SECOND) / (1 + SECOND))
    assert effects.with_one(0)[0] == pytest.approx((0.5 + 4 * SECOND) / (4 + SECOND))
    assert low[0, 0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "reported", "bounds", "lead"),
    [
        # recall: 1 of 1; others' holes relevant: 1 of 2; both holes: each list has 2 of 3
        ("recall@2", [1.0, 1.0], [(0.5, 1.0), (0.5, 1.0)], 0.5),
        # precision: no divisor to change; y relevant: 2 of 2 against 1 of 2
        ("p@2", [0.5, 0.5], [(0.5, 1.0), (0.5, 1.0)], 0.5),
        # reciprocal rank: y relevant makes both 1
        ("rr@2", [1.0, 0.5], [(1.0, 1.0), (0.5, 1.0)], 0.0),
        ("hit@1", [1.0, 0.0], [(1.0, 1.0), (0.0, 1.0)], 0.0),
        # average precision: list 0 with y relevant: 1 / 2; list 1 with x relevant: (1/2) / 2
        ("map@2", [1.0, 0.5], [(0.5, 1.0), (0.25, 1.0)], 0.5),
        ("bpref", [1.0, 1.0], [(0.0, 1.0), (0.0, 1.0)], 1.0),
    ],
)
def test_other_metrics_by_hand(
    name: str, reported: list[float], bounds: list[tuple[float, float]], lead: float
) -> None:
    effects, _, _, _ = made(name, reported)
    low, high = effects.bounds(np.array([0, 1]))
    assert np.column_stack([low[:, 0], high[:, 0]]) == pytest.approx(np.array(bounds))
    found = effects.largest_difference(np.array([1]), np.array([0]))
    assert found[0, 0] == pytest.approx(lead)


@pytest.mark.parametrize(
    ("name", "labels", "found"),
    [
        ("ndcg@10", (0, 4), "ndcg@10"),
        ("span_recall@5", (0, 4), "None"),
        ("context_tokens", (0, 4), "None"),
        ("judged@10", (0, 4), "None"),
        ("holes_ratio", (0, 4), "None"),
        ("document_retrieval.ndcg@3", (0, 4), "ndcg_exp@3"),
        ("document_retrieval.ndcg@3", (-1, 4), "None"),
        ("document_retrieval.holes", (0, 4), "None"),
    ],
)
def test_metrics_that_labels_enter(name: str, labels: tuple[int, int], found: str) -> None:
    assert str(labelled_metric(parse_metric(name), labels)) == found
