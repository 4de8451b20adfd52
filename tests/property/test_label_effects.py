"""Bounds of a metric hold under every labelling of the holes; some labelling reaches them."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sweep.metrics import (
    at_of,
    find_holes,
    judgements_from_qrels,
    label_effects,
    labelled_metric,
    parse_metric,
    relevant_scores,
    score_lists,
)
from sweep.metrics.label_effects import EMPTY
from sweep.records import RankedLists

DOCUMENTS = "abcdefg"
NAMES = (
    "ndcg@3 ndcg ndcg_exp@2 ndcg_exp p@3 recall@2 recall recall(rel=2)@3 hit@2 rr@3 rr map@3 map "
    "rprec bpref xdcg@3 xdcg fidelity fidelity@2 max_relevance@2 document_retrieval.ndcg@3 "
    "document_retrieval.xdcg@3 document_retrieval.fidelity document_retrieval.top1_relevance "
    "document_retrieval.top3_max_relevance"
).split()
LISTS = st.lists(st.permutations(range(len(DOCUMENTS))), min_size=2, max_size=3).flatmap(
    lambda lists: st.tuples(
        *(st.integers(0, 4).map(lambda n, one=one: list(one[:n])) for one in lists)
    )
)
QRELS = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1, max_size=4)


def scores_of(
    name: str, qrels: Sequence[dict[str, int]], lists: Any, labels: tuple[int, int]
) -> np.ndarray:
    """Return the metric under each labelling of each list, by the project's own scoring."""
    judgements = judgements_from_qrels(
        {str(number): one for number, one in enumerate(qrels)}, list(DOCUMENTS)
    )
    found = []
    for one in lists:
        items = np.tile(np.array(one, dtype=np.int64), (len(qrels), 1))
        ranked = RankedLists(items=items, scores=np.zeros(items.shape))
        table = score_lists([parse_metric(name)], judgements, ranked, labels=labels)
        found.append(table.values[:, 0])
    return np.stack(found, axis=1)


def effects_of(name: str, qrels: dict[str, int], lists: Any, labels: tuple[int, int]) -> Any:
    metric = labelled_metric(parse_metric(name), labels)
    assert metric is not None
    depth = max(len(one) for one in lists)
    items = np.full((len(lists), 1, depth), -1, dtype=np.int64)
    for row, one in enumerate(lists):
        items[row, 0, : len(one)] = one
    judgements = judgements_from_qrels({"q": qrels}, list(DOCUMENTS))
    holes = find_holes(judgements, items)
    reported = scores_of(name, [qrels], lists, labels).T
    at = at_of(metric, relevance=1, labels=labels)
    return label_effects(metric, holes, reported, at=at, top=labels[1]), holes, metric, at


def every_labelling(qrels: dict[str, int], holes: Any, labels: tuple[int, int]) -> Any:
    open_ = [DOCUMENTS[document] for document in holes.document.tolist()]
    for given_ in itertools.product(range(labels[0], labels[1] + 1), repeat=len(open_)):
        yield {**qrels, **dict(zip(open_, given_, strict=True))}


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=14)
@given(qrels=QRELS, lists=LISTS)
def test_bounds_hold_under_every_labelling_and_are_reached(
    name: str, qrels: dict[str, int], lists: Any
) -> None:
    top = 3
    assume("document_retrieval" not in name or min(qrels.values()) >= 0)
    labels = (min(0, *qrels.values()), top)
    effects, holes, metric, at = effects_of(name, qrels, lists, labels)
    assume(len(holes) <= 4)
    scores = scores_of(name, list(every_labelling(qrels, holes, labels)), lists, labels)
    rows = np.arange(len(lists))
    low, high = (side[:, 0] for side in effects.bounds(rows))
    largest = effects.largest_difference(rows[1:], rows[:1])[:, 0]
    differences = (scores[:, 1:] - scores[:, :1]).max(axis=0)
    assert (scores >= low - 1e-9).all()
    assert (scores <= high + 1e-9).all()
    assert (differences <= largest + 1e-9).all()
    if name not in ("rprec", "bpref"):
        assert low == pytest.approx(scores.min(axis=0), abs=1e-9)
        assert high == pytest.approx(scores.max(axis=0), abs=1e-9)
    if effects.attained:
        assert largest == pytest.approx(differences, abs=1e-9)
    if len(holes) == 0:
        assert largest == pytest.approx(scores[0, 1:] - scores[0, 0], abs=1e-12)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("rprec", "bpref")])
@settings(max_examples=6)
@given(qrels=QRELS, lists=LISTS)
def test_own_holes_relevant_and_one_hole_relevant(
    name: str, qrels: dict[str, int], lists: Any
) -> None:
    assume("document_retrieval" not in name or min(qrels.values()) >= 0)
    labels = (min(0, *qrels.values()), 3)
    effects, holes, metric, at = effects_of(name, qrels, lists, labels)
    rows = np.arange(len(lists))
    found = relevant_scores(metric, holes, rows, at=at, top=3)
    open_ = [DOCUMENTS[document] for document in holes.document.tolist()]
    changed = scores_of(name, [{**qrels, **{o: 3}} for o in open_] or [qrels], lists, labels)
    for row, one in enumerate(lists):
        own = {DOCUMENTS[d]: 3 for d in one if DOCUMENTS[d] not in qrels}
        expected = scores_of(name, [{**qrels, **own}], [one], labels)[0, 0]
        assert found[row, 0] == pytest.approx(expected, abs=1e-12)
        if open_:
            assert effects.with_one(row) == pytest.approx(changed[:, row], abs=1e-12)


@pytest.mark.parametrize("name", ["ndcg@3", "recall", "p@3", "rr@3", "hit@2", "fidelity"])
@settings(max_examples=6)
@given(qrels=QRELS, lists=LISTS)
def test_so_many_labels_reach_the_steps(name: str, qrels: dict[str, int], lists: Any) -> None:
    labels = (min(0, *qrels.values()), 3)
    effects, holes, _, _ = effects_of(name, qrels, lists, labels)
    assume(len(holes) <= 4)
    steps = effects.steps(np.array([1]), np.array([0]))[0, 0]
    assert (np.diff(steps) <= 1e-12).all()
    start = effects.reported[1, 0] - effects.reported[0, 0]
    open_ = [DOCUMENTS[d] for d in holes.document.tolist()]
    sizes = range(len(open_) + 1)
    chosen = [some for size in sizes for some in itertools.combinations(open_, size)]
    reached = scores_of(name, [{**qrels, **dict.fromkeys(c, 3)} for c in chosen], lists, labels)
    for count in range(len(steps) + 1):
        few = [row for row, some in enumerate(chosen) if len(some) <= count]
        most = (reached[few, 1] - reached[few, 0]).max()
        assert start + steps[:count].sum() <= most + 1e-9
    named = [DOCUMENTS[holes.document[h]] for h in effects.step_holes(1, 0)[0].tolist() if h >= 0]
    counts = range(int((steps > 0).sum()) + 1)
    prefixes = [{**qrels, **dict.fromkeys(named[:count], 3)} for count in counts]
    for count, scores in zip(counts, scores_of(name, prefixes, lists, labels), strict=True):
        assert scores[1] - scores[0] >= start + steps[:count].sum() - 1e-9


def test_empty_lists_and_no_holes() -> None:
    effects, _, _, _ = effects_of("ndcg@3", {"a": 1}, ([0], []), (0, 3))
    nothing = np.array([EMPTY])
    assert effects.largest_difference(nothing, nothing).tolist() == [[0.0]]
    assert effects.largest_difference(np.array([0]), nothing).tolist() == [[1.0]]
