"""One deep list per index serves every configuration."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Bm25Config, Configuration, HybridConfig, VectorConfig
from sweep.engine.stages import lists
from tests.engine_inputs import CHUNK, engine_on, trimmed

BM25 = Bm25Config()


def refuse(*args: object, **options: object) -> None:
    raise AssertionError("searched again")


def test_one_list_serves_every_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = engine_on(tmp_path)
    deep = engine.lists.bm25(CHUNK, BM25, 100)
    vectors = engine.lists.vector(CHUNK, VectorConfig(), 100)
    monkeypatch.setattr(lists, "search_bm25", refuse)
    monkeypatch.setattr(lists, "search_vectors", refuse)
    for depth in (1, 7, 99):
        assert trimmed(engine.lists.bm25(CHUNK, BM25, depth)) == [r[:depth] for r in trimmed(deep)]
        shallow = engine.lists.vector(CHUNK, VectorConfig(), depth)
        assert trimmed(shallow) == [row[:depth] for row in trimmed(vectors)]
    with pytest.raises(AssertionError, match="searched again"):
        engine.lists.bm25(CHUNK, BM25, 101)
    with pytest.raises(AssertionError, match="searched again"):
        engine.lists.bm25(CHUNK, replace(BM25, k1=2.0), 100)


def test_approximate_index_is_asked_for_what_is_wanted(tmp_path: Path) -> None:
    """What it finds depends on how much is asked for, in a study as in production."""
    engine = engine_on(tmp_path)
    config = VectorConfig(index="HNSW4")
    assert engine.lists.vector(CHUNK, config, 3).items.shape == (5, 3)
    assert engine.lists.vector(CHUNK, config, 9).items.shape == (5, 9)
    assert engine.report.computed["vector_list"] == 2


@pytest.mark.parametrize(
    ("depth", "deep"), [(1, 100), (100, 100), (101, 200), (200, 200), (1000, 1600)]
)
def test_depths_are_rounded_up(depth: int, deep: int) -> None:
    assert lists._deep(depth) == deep


def test_list_names_chunks_not_rows_of_the_index(tmp_path: Path) -> None:
    """A chunk without text has no vector: later chunks keep their numbers."""
    engine = engine_on(tmp_path)
    chunk = replace(CHUNK, prepend_title=False)
    chunks = engine.texts.chunks(chunk)
    found = engine.lists.vector(chunk, VectorConfig(), 100)
    rows = engine.vectors.index(chunk, VectorConfig()).rows
    blank = np.flatnonzero(chunks.end == chunks.start).tolist()
    assert len(blank) == 1
    assert sorted(set(range(len(chunks))) - set(rows.tolist())) == blank
    for row in trimmed(found):
        assert sorted(item for item, _ in row) == rows.tolist()


def test_term_matrix_is_shared_by_k1_and_b(tmp_path: Path) -> None:
    engine = engine_on(tmp_path)
    for k1 in (0.9, 1.2, 2.0):
        engine.lists.bm25(CHUNK, Bm25Config(k1=k1), 10)
    assert engine.report.computed["terms"] == 1
    assert engine.report.computed["bm25_list"] == 3


def test_recall_of_an_approximate_index_against_exact_search(tmp_path: Path) -> None:
    flat, coarse = VectorConfig(), VectorConfig(index="IVF3,Flat", nprobe=1)
    mode = Configuration(mode="vector", chunk=CHUNK, top_k=4, vector=coarse)
    engine = engine_on(tmp_path)
    found = engine.index_recall(mode)
    pairs = zip(
        trimmed(engine.lists.vector(CHUNK, flat, 4)),
        trimmed(engine.lists.vector(CHUNK, coarse, 4)),
        strict=True,
    )
    shares = [len({i for i, _ in a} & {i for i, _ in b}) / len(a) for a, b in pairs]
    assert found == {"recall": pytest.approx(np.mean(shares)), "depth": 4}
    assert engine.report.computed["vector_list"] == 2  # the exact one is that of a Flat index
    again = engine_on(tmp_path)
    assert again.index_recall(mode) == found
    assert "vector_list" not in again.report.computed
    fused = replace(mode, mode="hybrid", bm25=BM25, hybrid=HybridConfig(depth=7))
    assert (engine.index_recall(fused) or {})["depth"] == 7
    assert engine.index_recall(replace(mode, vector=flat)) is None
    assert engine.index_recall(Configuration(mode="bm25", chunk=CHUNK, bm25=BM25)) is None
