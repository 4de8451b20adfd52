"""The lists behind an output: those of the study, and of production."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages.output import cut_depth
from sweep.engine.traces import (
    MatchedTerms,
    Trace,
    asked_depth,
    is_approximate,
    trace_queries,
    trace_text,
)
from sweep.records import RankedLists
from tests.engine_inputs import CHUNK, QUERIES, configurations, corpus_with, engine_on, trimmed


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_on(tmp_path_factory.mktemp("store"))


NAMES = [
    "bm25",
    "vector",
    "vector HNSW",
    "hybrid",
    "hybrid weighted",
    "rerank",
    "cross-encoder",
    "maxsim on bm25",
]


@pytest.mark.parametrize(
    ("name", "unit"),
    [*((name, "chunks") for name in NAMES), *((name, "documents") for name in NAMES[:4])],
)
def test_output_and_lists_are_those_of_the_study_and_of_production(
    engine: Engine, cross_encoder: str, name: str, unit: str
) -> None:
    """Of some queries in any order; and the last list begins with the output."""
    configuration = replace(configurations(cross_encoder)[name], top_k_unit=unit)  # type: ignore[arg-type]
    rows = np.array([4, 1, 2])
    trace = trace_queries(engine, configuration, rows)
    output = engine.output(configuration)
    expected = RankedLists(items=output.items[rows], scores=output.scores[rows])
    assert trimmed(trace.output) == trimmed(expected)
    last = next(
        one
        for n in ("reranked", "fused", "searched", "vector", "bm25")
        if (one := getattr(trace, n)) is not None
    )
    if unit == "chunks":  # an approximate index may be deepened for more documents
        assert trimmed(cut_depth(last, 7)) == trimmed(trace.output)
    alone = trace_text(engine, configuration, QUERIES[1])
    for field in Trace.__slots__:
        one, other = getattr(alone, field), getattr(trace, field)
        assert (one is None) == (other is None)
        if one is not None:
            assert trimmed(one)[0] == trimmed(other)[1]


def test_which_lists_there_are(engine: Engine, cross_encoder: str) -> None:
    made = configurations(cross_encoder)

    def lists(name: str) -> set[str]:
        trace = trace_queries(engine, made[name], np.array([0]))
        return {n for n in Trace.__slots__ if getattr(trace, n) is not None} - {"output"}

    assert lists("bm25") == {"bm25"}
    assert lists("vector") == {"vector"}
    assert lists("vector HNSW") == {"vector", "searched"}
    assert lists("hybrid") == {"vector", "bm25", "fused"}
    assert lists("rerank") == {"vector", "bm25", "fused", "reranked"}
    assert lists("maxsim on bm25") == {"bm25", "reranked"}


def test_single_lists_are_looked_at_to_their_end(engine: Engine) -> None:
    chunks = len(engine.texts.chunks(CHUNK))
    configuration = Configuration(mode="vector", vector=VectorConfig(), chunk=CHUNK, top_k=1)
    trace = trace_queries(engine, configuration, np.array([0]))
    assert trace.vector is not None
    assert len(trimmed(trace.vector)[0]) == len(engine.vectors.index(CHUNK, VectorConfig()).rows)
    assert chunks > 7


def test_nothing_deep_is_kept(tmp_path: Path) -> None:
    engine = engine_on(tmp_path)
    configuration = Configuration(mode="bm25", bm25=Bm25Config(), chunk=CHUNK)
    trace_queries(engine, configuration, np.array([0]))
    assert "bm25_list" not in engine.report.computed


def test_what_an_approximate_index_is_asked_for(cross_encoder: str) -> None:
    made = configurations(cross_encoder)
    assert asked_depth(made["vector HNSW"]) == 7
    assert asked_depth(replace(made["vector HNSW"], top_k_unit="documents")) == 100
    assert asked_depth(made["hybrid weighted"]) == 20
    assert is_approximate(made["vector HNSW"])
    assert not is_approximate(made["rerank"])
    hnsw = replace(made["maxsim on bm25"], vector=VectorConfig(index="HNSW4"))
    assert not is_approximate(hnsw)  # the vectors only rerank


def test_matched_terms_add_up_to_the_score(tmp_path: Path) -> None:
    """A term asked for twice adds twice; the terms of the title count."""
    texts = {"a": "red green green", "b": "red blue", "c": "white"}
    engine = engine_on(tmp_path, corpus_with(texts, {"q": "green red GREEN yellow"}))
    configuration = Configuration(
        mode="bm25", bm25=Bm25Config(), chunk=ChunkConfig(splitter="document", size=None)
    )
    trace = trace_queries(engine, configuration, np.array([0]))
    assert trace.bm25 is not None
    matched = MatchedTerms(engine, configuration)
    first, second, third = matched.shared("green red GREEN", [0, 1, 2])
    asked = [[0], [1], [2], [2, 1], []]
    shares = [matched.shares_any("green red GREEN", chunks) for chunks in asked]
    assert shares == [True, True, False, True, False]
    assert not matched.shares_any("zzz", [0, 1, 2])
    assert list(first) == ["green", "red"]  # the most first
    assert list(second) == ["red"]
    assert third == {}
    scores = dict(trimmed(trace.bm25)[0])
    assert sum(first.values()) == pytest.approx(scores[0], abs=1e-12)
    assert sum(second.values()) == pytest.approx(scores[1], abs=1e-12)
    assert 2 not in scores


def test_where_the_model_stops_reading(tmp_path: Path) -> None:
    """MiniLM reads 254 tokens: 300 words of one token are cut after the 254th, title included."""
    words = " ".join(["tree"] * 300)
    engine = engine_on(tmp_path, corpus_with({"a": words, "b": "a short text"}, {"q": "tree"}))
    config, chunk = VectorConfig(), ChunkConfig(splitter="document", size=None)
    rows = np.array([0, 1])
    assert engine.vectors.seen_ends(chunk, config, rows).tolist() == [254 * 5 - 1, 12]
    prefixed = VectorConfig(passage_prefix="wood wood ")  # takes two of the tokens
    assert engine.vectors.seen_ends(chunk, prefixed, rows).tolist() == [252 * 5 - 1, 12]
