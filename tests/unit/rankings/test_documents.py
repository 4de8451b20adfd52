"""Chunk lists -> document lists, and the cuts of a chunk list, by hand."""

import numpy as np
import pytest

from sweep.errors import RankingError
from sweep.rankings.documents import cut_top_k, first_within_budget, to_documents
from sweep.records import RankedLists

NAN = np.nan
# chunks 0-2 belong to document 0, 3 to 1, 4-5 to 2
DOCUMENT = np.array([0, 0, 0, 1, 2, 2])
TOKENS = np.array([10, 20, 30, 40, 50, 0])
LISTS = RankedLists(
    items=np.array([[4, 3, 0, 5, 2], [1, 0, 3, -1, -1], [-1, -1, -1, -1, -1]]),
    scores=np.array([[5.0, 4.0, 3.0, 2.5, 1.5], [2.0, 2.0, -3.0, NAN, NAN], [NAN] * 5]),
)


def rows(lists: RankedLists) -> list[list[tuple[int, float]]]:
    assert ((lists.items == -1) == np.isnan(lists.scores)).all()
    return [
        [(int(item), float(score)) for item, score in zip(*pair, strict=True) if item >= 0]
        for pair in zip(lists.items, lists.scores, strict=True)
    ]


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        ("max", [[(2, 5.0), (1, 4.0), (0, 3.0)], [(0, 2.0), (1, -3.0)], []]),
        ("first", [[(2, 5.0), (1, 4.0), (0, 3.0)], [(0, 2.0), (1, -3.0)], []]),
        ("sum", [[(2, 7.5), (0, 4.5), (1, 4.0)], [(0, 4.0), (1, -3.0)], []]),
        ("mean@1", [[(2, 5.0), (1, 4.0), (0, 3.0)], [(0, 2.0), (1, -3.0)], []]),
        ("mean@2", [[(1, 4.0), (2, 3.75), (0, 2.25)], [(0, 2.0), (1, -3.0)], []]),
        ("mean@9", [[(1, 4.0), (2, 3.75), (0, 2.25)], [(0, 2.0), (1, -3.0)], []]),
    ],
)
def test_documents_by_hand(aggregate: str, expected: list[list[tuple[int, float]]]) -> None:
    documents = to_documents(LISTS, DOCUMENT, aggregate=aggregate)
    assert documents.items.shape == LISTS.items.shape
    assert rows(documents) == expected


def test_equal_scores_by_first_appearance_or_by_position() -> None:
    tied = RankedLists(items=np.array([[4, 3, 1]]), scores=np.array([[1.0, 1.0, 1.0]]))
    for aggregate in ("max", "first"):
        assert to_documents(tied, DOCUMENT, aggregate=aggregate).items.tolist() == [[2, 1, 0]]
    for aggregate in ("sum", "mean@2"):
        assert to_documents(tied, DOCUMENT, aggregate=aggregate).items.tolist() == [[0, 1, 2]]


def test_mean_takes_the_best_of_each_document() -> None:
    one = RankedLists(items=np.array([[0, 1, 2]]), scores=np.array([[4.0, 2.0, 0.0]]))
    assert rows(to_documents(one, DOCUMENT, aggregate="mean@2")) == [[(0, 3.0)]]


def test_best_chunk_first_as_in_case_42() -> None:
    """d1#0, d1#1, d2#0, d1#2, d3#0 are the documents d1, d2, d3, each once."""
    ranked = RankedLists(items=np.array([[0, 1, 3, 2, 4]]), scores=np.array([[5.0, 4, 3, 2, 1]]))
    assert rows(to_documents(ranked, DOCUMENT, aggregate="max")) == [
        [(0, 5.0), (1, 3.0), (2, 1.0)]
    ]


@pytest.mark.parametrize("aggregate", ["mean", "mean@0", "mean@-1", "mean@2.5", "Max", ""])
def test_unknown_aggregate(aggregate: str) -> None:
    with pytest.raises(RankingError, match=f"got '{aggregate}'. Write for example mean@3."):
        to_documents(LISTS, DOCUMENT, aggregate=aggregate)


def test_cut_to_chunks() -> None:
    cut = cut_top_k(LISTS, DOCUMENT, top_k=2, unit="chunks")
    assert rows(cut) == [[(4, 5.0), (3, 4.0)], [(1, 2.0), (0, 2.0)], []]
    assert (
        cut_top_k(LISTS, DOCUMENT, top_k=99, unit="chunks").items.tolist() == LISTS.items.tolist()
    )


@pytest.mark.parametrize(
    ("top_k", "lengths"), [(1, [1, 1, 0]), (2, [2, 3, 0]), (3, [3, 3, 0]), (9, [5, 3, 0])]
)
def test_cut_to_documents(top_k: int, lengths: list[int]) -> None:
    """Query 1 begins with two chunks of document 0: both come before the second document."""
    cut = cut_top_k(LISTS, DOCUMENT, top_k=top_k, unit="documents")
    assert rows(cut) == [row[:n] for row, n in zip(rows(LISTS), lengths, strict=True)]


@pytest.mark.parametrize(
    ("budget", "lengths"),
    [(0, [0, 0, 0]), (49, [0, 2, 0]), (69, [1, 2, 0]), (100, [4, 3, 0]), (130, [5, 3, 0])],
)
def test_budget(budget: int, lengths: list[int]) -> None:
    """Together the chunks take 50, 90, 100, 100, 130 and 20, 30, 70 tokens."""
    cut = first_within_budget(LISTS, TOKENS, budget=budget)
    assert rows(cut) == [row[:n] for row, n in zip(rows(LISTS), lengths, strict=True)]


def test_empty_inputs() -> None:
    nothing = RankedLists(items=np.empty((2, 0), dtype=np.int64), scores=np.empty((2, 0)))
    none = np.empty(0, dtype=np.int64)
    for aggregate in ("max", "first", "sum", "mean@2"):
        assert to_documents(nothing, none, aggregate=aggregate).items.shape == (2, 0)
    assert cut_top_k(nothing, none, top_k=3, unit="documents").items.shape == (2, 0)
    assert first_within_budget(nothing, none, budget=5).items.shape == (2, 0)
