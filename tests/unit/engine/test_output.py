"""From lists to outputs, with lists made up here."""

import numpy as np
import pytest

from sweep.configuration import (
    Bm25Config,
    Candidates,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.stages.output import cut_depth, first_mode, rank
from sweep.records import Floats, RankedLists
from tests.engine_inputs import trimmed


class MadeUp:
    """A source of lists: queries x chunks, all 1,000 deep; notes how deep it was asked."""

    def __init__(self, vector: list[list[int]], bm25: list[list[int]] | None = None) -> None:
        self.lists = {"vector": vector, "bm25": bm25 or vector}
        self.asked: list[tuple[str, int]] = []
        self.reranked: RankedLists | None = None

    def vector(self, depth: int) -> RankedLists:
        return self._cut("vector", depth)

    def bm25(self, depth: int) -> RankedLists:
        return self._cut("bm25", depth)

    def rerank(self, candidates: RankedLists) -> Floats:
        """Prefer high chunk numbers."""
        self.reranked = candidates
        return np.where(candidates.items >= 0, candidates.items, np.nan).astype(np.float64)

    def _cut(self, name: str, depth: int) -> RankedLists:
        self.asked.append((name, depth))
        rows = self.lists[name]
        width = max(len(row) for row in rows)
        items = np.array([row + [-1] * (width - len(row)) for row in rows])
        scores = np.where(items >= 0, 1000.0 - np.arange(width), np.nan)
        return cut_depth(RankedLists(items=items, scores=scores), depth)


VECTOR = Configuration(mode="vector", vector=VectorConfig(), top_k=3)
EACH = np.arange(1000)  # every chunk a document of its own


def items_of(lists: RankedLists) -> list[list[int]]:
    return [[item for item, _ in row] for row in trimmed(lists)]


def rerank(candidates: Candidates, depth: int, top_k: int) -> Configuration:
    return Configuration(
        mode="rerank",
        top_k=top_k,
        bm25=Bm25Config(),
        vector=VectorConfig(),
        hybrid=HybridConfig(depth=4),
        rerank=RerankConfig(candidates=candidates, depth=depth),
    )


def test_first_chunks_are_the_output() -> None:
    source = MadeUp([[4, 2, 9, 1], [7]])
    assert items_of(rank(VECTOR, source, EACH)) == [[4, 2, 9], [7]]
    assert source.asked == [("vector", 3)]


def test_bm25_takes_its_own_list() -> None:
    source = MadeUp([[1]], [[2, 3]])
    configuration = Configuration(mode="bm25", bm25=Bm25Config(), top_k=1)
    assert items_of(rank(configuration, source, EACH)) == [[2]]


def test_hybrid_lists_are_as_deep_as_the_configuration_says_whatever_top_k() -> None:
    source = MadeUp([[1, 2, 3, 4, 5, 6]], [[6, 5, 4, 3, 2, 1]])
    configuration = Configuration(
        mode="hybrid",
        top_k=2,
        bm25=Bm25Config(),
        vector=VectorConfig(),
        hybrid=HybridConfig(depth=4),
    )
    assert items_of(rank(configuration, source, EACH)) == [[3, 4]]
    assert source.asked == [("vector", 4), ("bm25", 4)]


def test_reranker_gets_its_depth_and_the_rest_follows() -> None:
    source = MadeUp([[3, 1, 2, 5, 4]])
    assert items_of(rank(rerank("vector", 3, 5), source, EACH)) == [[3, 2, 1, 5, 4]]
    assert source.reranked is not None
    assert source.reranked.items.tolist() == [[3, 1, 2]]
    assert source.asked == [("vector", 5)]
    assert items_of(rank(rerank("vector", 4, 1), source, EACH)) == [[5]]
    assert source.asked[1:] == [("vector", 4)]


@pytest.mark.parametrize(
    ("candidates", "mode"), [("bm25", "bm25"), ("vector", "vector"), ("hybrid", "hybrid")]
)
def test_first_mode_is_that_of_the_candidates(candidates: Candidates, mode: str) -> None:
    assert first_mode(rerank(candidates, 3, 5)) == mode
    assert first_mode(VECTOR) == "vector"


def documents_wanted(count: int) -> Configuration:
    return Configuration(mode="vector", vector=VectorConfig(), top_k=count, top_k_unit="documents")


def test_list_is_deepened_until_enough_documents_are_in() -> None:
    """The first 150 chunks are of one document."""
    document = np.minimum(np.maximum(np.arange(1000) - 149, 0), 800)
    source = MadeUp([list(range(1000))])
    output = rank(documents_wanted(3), source, document)
    assert items_of(output) == [list(range(152))]
    assert source.asked == [("vector", 100), ("vector", 400)]


def test_list_that_has_ended_is_not_deepened() -> None:
    source = MadeUp([[5, 6, 7], list(range(100, 103))])
    output = rank(documents_wanted(9), source, np.zeros(1000, dtype=np.int64))
    assert items_of(output) == [[5, 6, 7], [100, 101, 102]]
    assert source.asked == [("vector", 100)]


def test_each_query_is_deepened_on_its_own_account() -> None:
    """An index that finds something else when asked for more: the complete list stays."""

    class Fickle(MadeUp):
        def vector(self, depth: int) -> RankedLists:
            self.lists["vector"][0] = list(range(depth, depth + 100))
            return super().vector(depth)

    document = np.zeros(1000, dtype=np.int64)
    document[100:300] = np.arange(200)  # query 0 is complete at once, query 1 never
    both = rank(documents_wanted(2), Fickle([[], list(range(100))]), document)
    alone = rank(documents_wanted(2), Fickle([[]]), document)
    assert items_of(both) == [[100, 101], list(range(100))]
    assert trimmed(both)[0] == trimmed(alone)[0]
