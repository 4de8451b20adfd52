"""Hits with their texts, and that a timed search runs as production does: on one thread."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep import parallel
from sweep.engine.engine import Engine
from sweep.engine.hits import Hit, corpus_texts
from sweep.engine.measure.latency import timed_configuration
from sweep.records import Chunks, Corpus, Document
from tests.engine_inputs import configurations, engine_on


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_on(tmp_path_factory.mktemp("store"), threads=2)


def test_hits_are_spans_of_their_documents() -> None:
    corpus = Corpus(
        documents=(
            Document(id="a", text="one two", title="A", metadata={"kind": "x"}),
            Document(id="b", text="three"),
        ),
        queries=(),
        qrels={},
        spans=(),
        hash="0" * 64,
        name="made",
    )
    chunks = Chunks(
        document=np.array([0, 0, 1]),
        start=np.array([0, 4, 0]),
        end=np.array([3, 7, 5]),
        tokens=np.array([1, 1, 1]),
    )
    hits = corpus_texts(corpus, chunks).hits(np.array([2, 1, -1]), np.array([0.9, 0.5, np.nan]))
    assert hits == [
        Hit(
            rank=1,
            score=0.9,
            document_id="b",
            title="",
            text="three",
            start=0,
            end=5,
            chunk=2,
            metadata={},
        ),
        Hit(
            rank=2,
            score=0.5,
            document_id="a",
            title="A",
            text="two",
            start=4,
            end=7,
            chunk=1,
            metadata={"kind": "x"},
        ),
    ]
    assert hits[1].to_json()["text"] == "two"
    assert type(hits[0].start) is int


def test_metadata_of_a_hit_is_its_own(engine: Engine, cross_encoder: str) -> None:
    bm25 = configurations(cross_encoder)["bm25"]
    first = engine.hits(bm25, "parking")[0]
    first.metadata["changed"] = True  # type: ignore[index]
    assert "changed" not in engine.hits(bm25, "parking")[0].metadata


@pytest.mark.parametrize("name", ["bm25", "hybrid", "vector HNSW", "rerank", "cross-encoder"])
def test_timed_search_starts_no_thread(
    engine: Engine, cross_encoder: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the run's thread count is, so that it is no part of the latency's key."""
    configuration = configurations(cross_encoder)[name]
    search = engine._timed_search(configuration)
    alone = [(hit.chunk, hit.score) for hit in search("who approves parking")]
    row = engine.output(timed_configuration(configuration))

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr(parallel, "ThreadPoolExecutor", refuse)
    again = search("who approves parking")
    assert [(hit.chunk, hit.score) for hit in again] == alone
    width = (row.items[0] >= 0).sum()
    assert [chunk for chunk, _ in alone[:width]] == row.items[0][:width].tolist()


def test_latency_does_not_depend_on_the_thread_count(
    tmp_path: Path, engine: Engine, cross_encoder: str
) -> None:
    rerank = configurations(cross_encoder)["rerank"]
    one = engine_on(tmp_path, threads=1)
    assert one.latency_key(rerank) == engine.latency_key(rerank)
    other = replace(rerank, top_k=rerank.top_k + 1)
    assert one.latency_key(other) == engine.latency_key(rerank)
