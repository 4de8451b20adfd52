"""Costs by hand for a corpus of two documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.engine import Engine
from sweep.engine.measure.costs import multiply_adds_per_token
from sweep.models import find_model
from tests.engine_inputs import corpus_with, engine_on
from tests.toy_models import lookup_model

WHOLE = ChunkConfig(splitter="document", size=None)
SHAPE = {"hidden_size": 2, "num_hidden_layers": 1, "intermediate_size": 3}
PER_TOKEN = 4 * 2 * 2 + 2 * 2 * 3  # 28 multiply-adds
# Two chunks, terms ant, bee, cat: (2 + 1) * 8 bytes of `indptr`, 4 entries of 4 + 4 bytes, 2 * 8
# bytes of lengths, 9 letters.
TERM_BYTES = 24 + 32 + 16 + 9
VECTOR_BYTES = 2 * 2 * 4


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """`ant bee` and `ant cat`, asked for `ant` (2 postings) and `cat cat bee` (2 postings)."""
    corpus = corpus_with({"d1": "ant bee", "d2": "ant cat"}, {"q1": "ant", "q2": "cat cat bee"})
    return engine_on(tmp_path / "store", corpus)


@pytest.fixture
def model(tmp_path: Path) -> str:
    words = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8]}
    return lookup_model(tmp_path / "model", words, config=SHAPE)


def configuration(mode: str, model: str, **rerank: object) -> Configuration:
    return Configuration(
        mode=mode,  # type: ignore[arg-type]
        chunk=WHOLE,
        bm25=Bm25Config(),
        vector=VectorConfig(model=model),
        hybrid=HybridConfig(),
        rerank=RerankConfig(**rerank) if rerank else None,  # type: ignore[arg-type]
    )


def work(engine: Engine, configuration: Configuration) -> float:
    """Return multiply-adds per query."""
    return engine.costs(configuration)["work"] * 1e6


def test_bm25(engine: Engine, model: str) -> None:
    bm25 = replace(configuration("bm25", model), vector=None, hybrid=None)
    assert work(engine, bm25) == pytest.approx(2)
    assert engine.costs(bm25)["index_bytes"] == TERM_BYTES


def test_vector(engine: Engine, model: str) -> None:
    """(1 + 3) / 2 query tokens through the model, two vectors of two numbers."""
    vector = replace(configuration("vector", model), bm25=None, hybrid=None)
    assert work(engine, vector) == pytest.approx(2 * PER_TOKEN + 4)
    assert engine.costs(vector)["index_bytes"] == VECTOR_BYTES


def test_hybrid_is_both(engine: Engine, model: str) -> None:
    hybrid = configuration("hybrid", model)
    assert work(engine, hybrid) == pytest.approx(2 + 2 * PER_TOKEN + 4)
    assert engine.costs(hybrid)["index_bytes"] == TERM_BYTES + VECTOR_BYTES


def test_late_interaction(engine: Engine, model: str) -> None:
    """Each pair: two passage tokens through the model, and query x 2 tokens x 2 numbers."""
    rerank = configuration("rerank", model, candidates="hybrid", depth=2)
    first = 2 + 2 * PER_TOKEN + 4
    pairs = 2 * (2 * PER_TOKEN) + 2 * (2 * 2 * 2)  # queries have 2 tokens on average
    assert work(engine, rerank) == pytest.approx(first + pairs)
    single = configuration("rerank", model, candidates="hybrid", depth=1)
    assert work(engine, single) == pytest.approx(first + pairs / 2)


def test_late_interaction_on_bm25_needs_no_vector_index(engine: Engine, model: str) -> None:
    rerank = configuration("rerank", model, candidates="bm25", depth=2)
    assert engine.costs(rerank)["index_bytes"] == TERM_BYTES
    assert work(engine, rerank) == pytest.approx(2 + 2 * PER_TOKEN + 2 * 2 * PER_TOKEN + 16)


def test_cross_encoder(engine: Engine, model: str, cross_encoder: str) -> None:
    """Query, passage and three special tokens of every pair go through the model."""
    rerank = replace(
        configuration("rerank", model),
        vector=None,
        hybrid=None,
        rerank=RerankConfig(kind="cross-encoder", model=cross_encoder, candidates="bm25", depth=2),
    )
    per_token = 2 * (4 * 32 * 32 + 2 * 32 * 64)
    assert work(engine, rerank) == pytest.approx(2 + 2 * (2 + 2 + 3) * per_token)


def test_work_follows_the_pairs_that_there_are(tmp_path: Path, model: str) -> None:
    """The long query finds nothing: its length does not count for the pairs of the other."""
    corpus = corpus_with({"d1": "ant bee"}, {"q1": "ant", "q2": "dog dog dog"})
    engine = engine_on(tmp_path / "other", corpus)
    rerank = configuration("rerank", model, candidates="bm25", depth=2)
    encoded, pair = 2 * PER_TOKEN, 2 * PER_TOKEN + 1 * 2 * 2
    assert work(engine, rerank) == pytest.approx(1 / 2 + encoded + pair / 2)


@pytest.mark.parametrize(
    ("index", "scanned"),
    [
        ({"index": "IVF256,Flat", "nprobe": 1}, 4),  # one list left of 256: all of it
        ({"index": "HNSW4", "ef_search": 8}, 4),  # never more than there is
        ({"index": "SQ8"}, 4),
    ],
)
def test_approximate_scan(
    engine: Engine, model: str, index: dict[str, object], scanned: int
) -> None:
    vector = replace(
        configuration("vector", model),
        bm25=None,
        hybrid=None,
        vector=VectorConfig(model=model, **index),  # type: ignore[arg-type]
    )
    assert work(engine, vector) == pytest.approx(2 * PER_TOKEN + scanned)


def test_multiply_adds_of_minilm() -> None:
    """Six layers, hidden size 384, intermediate 1,536; static models have none."""
    expected = 6 * (4 * 384**2 + 2 * 384 * 1536)
    assert multiply_adds_per_token(find_model("all-MiniLM-L6-v2")) == expected == 10_616_832


def test_latency_is_measured_once_per_machine(engine: Engine, model: str) -> None:
    bm25 = replace(configuration("bm25", model), vector=None, hybrid=None)
    first = engine.latency(bm25)
    assert 0 < first.p50_interval[0] < first.p50_ms < first.p50_interval[1]
    assert first.p50_ms <= first.p95_ms < first.p95_interval[1]
    again = engine_on(engine.options.store, engine.corpus)
    again._latencies.load.others = lambda since=None: 1.0  # type: ignore[method-assign]
    assert again.latency(bm25) == first
    assert again.report.reused["latency"] == 1
