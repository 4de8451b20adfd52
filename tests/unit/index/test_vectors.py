"""Indexes over vectors: building, fitting to small data, saving, and faiss's own limits."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweep.configuration import VectorConfig
from sweep.errors import IndexingError
from sweep.index.vectors import (
    VectorIndex,
    build_index,
    check_factory,
    index_size,
    load_index,
    recall_against_exact,
    save_index,
    search_vectors,
    set_effort,
)
from sweep.records import RankedLists, Vectors
from tests.shared_data import bugcase

FACTORIES: list[dict[str, Any]] = [
    {"index": "Flat"},
    {"index": "HNSW8", "ef_search": 40},
    {"index": "IVF3,Flat", "nprobe": 3},
    {"index": "SQ8"},
    {"index": "Flat", "similarity": "l2"},
    {"index": "HNSW8", "similarity": "l2"},
    {"index": "Flat", "similarity": "ip"},
]


def lists(items: list[list[int]]) -> RankedLists:
    """Return ranked lists without scores."""
    return RankedLists(items=np.array(items), scores=np.zeros(np.shape(items)))


def recall(index: VectorIndex, queries: Vectors, *, depth: int) -> float:
    """Return what an index finds of what exact search over its vectors does."""
    exact = search_vectors(replace(index, approximate=None), queries, depth=depth)
    return recall_against_exact(exact, search_vectors(index, queries, depth=depth))


def some(count: int, dimension: int = 8, seed: int = 0) -> Vectors:
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


def test_case_52_more_lists_than_vectors(capfd: pytest.CaptureFixture[str]) -> None:
    case = bugcase("52")
    wanted = json.loads((case / "config.json").read_text(encoding="utf-8"))["index"]
    made = np.random.default_rng(0)  # as its gen.py makes them
    vectors = made.normal(size=(50, 8)).astype(np.float32)
    queries = made.normal(size=(5, 8)).astype(np.float32)
    factory = f"IVF{wanted['nlist']},Flat"
    index = build_index(vectors, VectorConfig(index=factory, nprobe=wanted["nprobe"]))
    ranked = search_vectors(index, queries, depth=10)
    assert (ranked.items >= 0).sum(axis=1).tolist() == [10] * 5
    assert index.notice == "IVF256,Flat over 50 vectors: 1 lists instead of 256"
    assert recall(index, queries, depth=10) == 1.0
    assert capfd.readouterr() == ("", "")


def test_index_that_cannot_be_trained_is_exact(capfd: pytest.CaptureFixture[str]) -> None:
    index = build_index(some(50), VectorConfig(index="IVF4,PQ4"))
    assert index.approximate is None
    assert index.notice.startswith("IVF4,PQ4 cannot be trained on 50 vectors; exact search is")
    assert capfd.readouterr() == ("", "")


def test_scarcely_trained_index_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    index = build_index(some(50), VectorConfig(index="PQ4x4fs"))
    assert "fewer than faiss advises" in index.notice
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("options", FACTORIES, ids=str)
def test_saved_index_finds_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    config = VectorConfig(**options)
    index = build_index(some(120), config)
    queries = some(7, seed=1)
    found = search_vectors(index, queries, depth=10)
    save_index(index, tmp_path / "vectors.faiss")
    loaded = load_index(tmp_path / "vectors.faiss", config)
    again = search_vectors(loaded, queries, depth=10)
    np.testing.assert_array_equal(again.items, found.items)
    np.testing.assert_array_equal(again.scores, found.scores)
    assert index_size(loaded) == index_size(index)


@pytest.mark.parametrize("options", FACTORIES, ids=str)
def test_result_does_not_depend_on_batch_or_thread_count(options: dict[str, Any]) -> None:
    import faiss

    queries = some(9, seed=1)
    config = VectorConfig(**options)
    found = search_vectors(build_index(some(120), config), queries, depth=10)
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(2)
    try:
        index = build_index(some(120), config)
        for row in range(len(queries)):
            alone = search_vectors(index, queries[row : row + 1], depth=10)
            assert alone.items[0].tolist() == found.items[row].tolist()
            assert alone.scores[0].tolist() == found.scores[row].tolist()
        assert faiss.omp_get_max_threads() == 2  # left as it was
    finally:
        faiss.omp_set_num_threads(before)


def test_approximate_index_orders_equal_scores_by_row_and_pads_the_end() -> None:
    vectors = np.repeat(some(4), 30, axis=0)  # 4 clusters of 30 copies
    config = VectorConfig(index="IVF3,Flat", nprobe=1)
    index = build_index(vectors, config)
    ranked = search_vectors(index, vectors[::30], depth=120)
    for items, scores in zip(ranked.items, ranked.scores, strict=True):
        found = items[items >= 0]
        assert 0 < len(found) < 120  # one of three lists
        assert (items[len(found) :] == -1).all()
        assert np.isnan(scores[len(found) :]).all()
        order = np.lexsort((found, -scores[: len(found)]))
        assert order.tolist() == list(range(len(found)))
    assert recall(index, vectors[::30], depth=120) < 1


def test_recall_is_the_share_of_what_exact_search_returns() -> None:
    exact = lists([[4, 2, 0], [1, 3, -1]])  # 5 rows are to be found
    assert recall_against_exact(exact, exact) == 1.0
    assert recall_against_exact(exact, lists([[2, 4, 5], [3, -1, -1]])) == 3 / 5
    assert recall_against_exact(exact, lists([[-1], [-1]])) == 0.0
    assert recall_against_exact(lists([[-1]]), lists([[-1]])) == 1.0


def test_size_of_an_exact_index_is_that_of_its_vectors() -> None:
    assert index_size(build_index(some(50, 8), VectorConfig())) == 50 * 8 * 4
    approximate = build_index(some(50, 8), VectorConfig(index="HNSW8"))
    assert index_size(approximate) > 50 * 8 * 4  # with its graph


def test_no_vectors_and_no_queries() -> None:
    nothing = np.empty((0, 0), dtype=np.float32)
    for factory in ("Flat", "HNSW8"):
        index = build_index(nothing, VectorConfig(index=factory))
        assert search_vectors(index, some(3), depth=5).items.shape == (3, 0)
        assert index_size(index) == 0
    full = build_index(some(5), VectorConfig())
    assert search_vectors(full, nothing, depth=5).items.shape == (0, 0)


def test_query_of_another_dimension_is_refused() -> None:
    index = build_index(some(5, 2), VectorConfig())
    with pytest.raises(IndexingError, match="one dimension, got 3 and 2"):
        search_vectors(index, some(1, 3), depth=1)


@pytest.mark.parametrize("factory", ["Falt", "PQ3", "IVF,Flat", "IVF0,Flat", "HNSW0", "HNSW1"])
def test_factory_that_faiss_cannot_make_is_refused(factory: str) -> None:
    """HNSW0 and HNSW1 would end the whole process inside faiss."""
    config = VectorConfig(index=factory)
    with pytest.raises(IndexingError, match=re.escape(f"got {factory!r}")):
        check_factory(config, 8)
    with pytest.raises(IndexingError, match=r"vector\.index: must"):
        build_index(some(60), config)


@pytest.mark.parametrize("factory", ["Flat", "HNSW16", "IVF10,Flat", "HNSW10", "IVF8_HNSW32,SQ8"])
def test_factory_that_faiss_can_make_passes(factory: str) -> None:
    check_factory(VectorConfig(index=factory), 8)


def test_search_effort_is_set() -> None:
    config = VectorConfig(index="HNSW8", ef_search=77)
    assert build_index(some(60), config).approximate.hnsw.efSearch == 77
    config = VectorConfig(index="IVF2,Flat", nprobe=2)
    assert build_index(some(90), config).approximate.nprobe == 2


def test_file_that_is_no_index_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vectors.faiss"
    path.write_bytes(b"not an index")
    with pytest.raises(IndexingError, match=r"vectors\.faiss: must be a faiss index.*Export it"):
        load_index(path, VectorConfig())
    with pytest.raises(IndexingError, match=r"vectors\.faiss: must be a faiss index"):
        load_index(tmp_path / "absent" / "vectors.faiss", VectorConfig())


def test_effort_that_does_not_fit_the_index_is_refused() -> None:
    index: VectorIndex = build_index(some(60), VectorConfig(index="HNSW8"))
    with pytest.raises(
        IndexingError, match=r"vector\.nprobe: must fit the index, got 3 for HNSW8"
    ):
        set_effort(index.approximate, VectorConfig(index="HNSW8", nprobe=3))
    with pytest.raises(IndexingError, match=r"vector\.ef_search: must fit the index"):
        check_factory(VectorConfig(index="IVF2,Flat", ef_search=3), 8)
