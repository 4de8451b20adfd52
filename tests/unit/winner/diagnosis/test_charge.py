"""Every stage that can lose something, each by a case made by hand."""

from typing import Any

import numpy as np
import pytest

from sweep.records import RankedLists
from sweep.winner.diagnosis.charge import STAGES, Pipeline, Place, Target, charge
from sweep.winner.diagnosis.standing import Standing, places_of

BM25 = Pipeline(first="bm25", listed=100, asked=None, rerank_depth=None, top_k=10)
VECTOR = Pipeline(first="vector", listed=100, asked=None, rerank_depth=None, top_k=10)
HYBRID = Pipeline(first="hybrid", listed=50, asked=None, rerank_depth=None, top_k=10)
RERANK = Pipeline(first="hybrid", listed=50, asked=None, rerank_depth=20, top_k=10)
ON_BM25 = Pipeline(first="bm25", listed=100, asked=None, rerank_depth=20, top_k=10)
HNSW = Pipeline(first="vector", listed=100, asked=10, rerank_depth=None, top_k=10)
HNSW_DEEPER = Pipeline(first="vector", listed=100, asked=100, rerank_depth=None, top_k=10)
ON_HNSW = Pipeline(first="vector", listed=100, asked=100, rerank_depth=20, top_k=10)
HYBRID_HNSW = Pipeline(first="hybrid", listed=50, asked=50, rerank_depth=None, top_k=10)


def at(**ranks: int) -> Any:
    return {name: Place(rank=rank, turn=rank, score=1 / rank) for name, rank in ranks.items()}


def target(**changes: Any) -> Target:
    fields = {"query": 0, "document": 0, "document_id": "d", "grade": 1, "chunks": (3,)}
    return Target(**{**fields, **changes})


@pytest.mark.parametrize(
    ("stage", "lost", "places", "pipeline"),
    [
        # A blank document, or one that the corpus does not have.
        ("no text", {"has_text": False, "chunks": ()}, {}, HYBRID),
        ("no text", {"has_text": False, "chunks": (), "document": -1}, {}, BM25),
        # A passage in three chunks, none of which holds half of it.
        ("cutting", {"chunks": ()}, {}, RERANK),
        # The vector never saw the words; its rank is that of the rest of the chunk.
        ("window", {"is_seen": False}, at(vector=15), VECTOR),
        ("window", {"is_seen": False}, at(vector=300), HYBRID),
        ("window", {"is_seen": False}, at(vector=15, bm25=51, fused=30), HYBRID),
        # BM25 reads whole chunks: here it was lost later.
        ("top_k", {"is_seen": False}, at(vector=300, bm25=12, fused=20), HYBRID),
        ("top_k", {"is_seen": False}, at(bm25=12), BM25),
        ("no shared term", {"shares_term": False}, {}, BM25),
        ("no shared term", {"shares_term": False}, {}, ON_BM25),
        ("candidates", {"shares_term": True}, at(bm25=101), BM25),
        ("candidates", {"shares_term": True}, {}, BM25),
        ("candidates", {}, at(vector=101), VECTOR),
        ("candidates", {}, {}, VECTOR),
        ("candidates", {"shares_term": False}, at(vector=51), HYBRID),
        ("candidates", {"shares_term": True}, at(vector=51, bm25=60), RERANK),
        # Exact search would have had it.
        ("index", {}, at(vector=10), HNSW),
        ("top_k", {}, at(vector=11), HNSW),
        ("top_k", {}, at(vector=60), HNSW_DEEPER),  # it could have listed it, but no higher
        ("index", {}, at(vector=20), ON_HNSW),
        ("rerank depth", {}, at(vector=21), ON_HNSW),
        ("index", {}, at(vector=50), HYBRID_HNSW),
        ("top_k", {}, at(vector=3, bm25=40, fused=60), HYBRID_HNSW),
        ("fusion", {}, at(vector=3, searched=3, fused=11), HYBRID_HNSW),
        # One list has it in the first ten, both together have not.
        ("fusion", {}, at(vector=10, fused=11), HYBRID),
        ("fusion", {}, at(vector=40, bm25=1, fused=12), HYBRID),
        ("top_k", {}, at(vector=11, bm25=12, fused=11), HYBRID),
        # With a reranker, fusion must bring it among those that are reranked.
        ("fusion", {}, at(vector=20, fused=21, reranked=21), RERANK),
        ("rerank depth", {}, at(vector=21, bm25=30, fused=24, reranked=24), RERANK),
        ("rerank depth", {"shares_term": True}, at(bm25=21, reranked=21), ON_BM25),
        ("rerank", {}, at(vector=1, bm25=1, fused=1, reranked=11), RERANK),
        ("rerank", {"shares_term": True}, at(bm25=10, reranked=20), ON_BM25),
        ("top_k", {}, at(vector=1, fused=11, reranked=11), RERANK),
        ("top_k", {"shares_term": True}, at(bm25=11, reranked=15), ON_BM25),
        ("top_k", {}, at(vector=100), VECTOR),
    ],
)
def test_the_first_stage_that_lost_it(
    stage: str, lost: dict[str, Any], places: Any, pipeline: Pipeline
) -> None:
    assert charge(target(**lost), places, pipeline) == stage


def test_every_stage_is_charged_by_some_case_above() -> None:
    (marker,) = test_the_first_stage_that_lost_it.pytestmark  # type: ignore[attr-defined]
    assert {case[0] for case in marker.args[1]} == set(STAGES)


def test_with_documents_as_unit_a_turn_counts_distinct_documents() -> None:
    """Chunks 0 and 1 are of document 7, chunk 2 of 8, chunk 3 of 9, in this order."""
    lists = RankedLists(
        items=np.array([[1, 0, 2, 3, -1]]), scores=np.array([[5.0, 4, 3, 2, np.nan]])
    )
    documents = np.array([7, 7, 8, 9])
    by_document = Standing(lists, 0, documents, unit="documents")
    by_chunk = Standing(lists, 0, documents, unit="chunks")
    assert [by_document.place([n]) for n in (1, 0, 2, 3)] == [
        Place(rank=1, turn=1, score=5.0),
        Place(rank=2, turn=2, score=4.0),  # one document before it
        Place(rank=3, turn=2, score=3.0),
        Place(rank=4, turn=3, score=2.0),
    ]
    assert by_chunk.place([3, 2]) == Place(rank=3, turn=3, score=3.0)
    assert by_chunk.place([4]) is None
    assert by_document.last_through(2, by_turn=True) == (2, Place(rank=3, turn=2, score=3.0))
    assert by_document.last_through(9, by_turn=False) == (3, Place(rank=4, turn=3, score=2.0))
    assert places_of({"vector": by_chunk, "bm25": by_chunk}, [9]) == {}


def test_an_empty_list_holds_nothing() -> None:
    lists = RankedLists(items=np.full((1, 2), -1), scores=np.full((1, 2), np.nan))
    standing = Standing(lists, 0, np.array([0]), unit="documents")
    assert standing.place([0]) is None
    assert standing.last_through(3, by_turn=True) is None
