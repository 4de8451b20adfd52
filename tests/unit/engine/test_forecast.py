"""What a plan takes, by hand: given times, bytes of every row, memory of what is held."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.engine import Engine
from sweep.engine.measure.latency import sample_size
from sweep.engine.plan.calibrate import BatchTimes, Calibration, Model
from sweep.engine.plan.embedding_work import EncoderWork
from sweep.engine.plan.forecast import Forecast, forecast
from sweep.engine.plan.memory import _held, run_memory
from sweep.engine.plan.plan import make_plan
from sweep.engine.plan.rerank_work import RerankWork
from tests.engine_inputs import corpus_with, engine_on
from tests.toy_models import lookup_model

WORDS = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8], "dog": [-1.0, 0.0]}
TEXTS = {f"d{n:02}": " ".join(words) for n, words in enumerate(product(WORDS, repeat=2))}
QUERIES = {"q1": "bee", "q2": "ant cat", "q3": "dog"}
WHOLE = ChunkConfig(splitter="document", size=None)


class Given(Calibration):
    """A calibration that knows all times."""

    def embedding_seconds(self, work: EncoderWork) -> float:
        return 100.0

    def rerank_times(self, work: RerankWork) -> BatchTimes:
        return BatchTimes({16: 2.0})

    def product_seconds(self, work: RerankWork) -> float:
        return 0.25

    def query_seconds(self, config: VectorConfig) -> float:
        return 0.125

    def load_seconds(self, model: Model) -> float:
        return 7.0


@pytest.fixture
def model(tmp_path: Path) -> str:
    return lookup_model(tmp_path / "model", WORDS, config={"hidden_size": 2})


@pytest.fixture
def engine(tmp_path: Path, model: str) -> Engine:
    return engine_on(tmp_path / "store", corpus_with(TEXTS, QUERIES), tokenizer=model)


def ahead(engine: Engine, *configurations: Configuration) -> Forecast:
    return forecast(engine, make_plan(engine, configurations), Given(engine))


def vector(model: str) -> Configuration:
    return Configuration(mode="vector", chunk=WHOLE, vector=VectorConfig(model=model), top_k=5)


def test_a_vector_search_loads_embeds_and_measures(engine: Engine, model: str) -> None:
    found = ahead(engine, vector(model))
    assert found.seconds["load"] == 7.0
    assert found.seconds["embed"] == pytest.approx(100.0 + 3 * 0.125)
    assert found.seconds["rerank"] == found.seconds["terms"] == 0
    n, rounds = sample_size(0.126, 3)
    assert found.seconds["latency"] == pytest.approx(0.126 * (2 + n * rounds), rel=0.01)


def test_bytes_of_rows_and_lists(engine: Engine, model: str) -> None:
    """16 passages and 3 queries of 16 bytes key and 2 floats; 3 lists of 16 chunks."""
    found = ahead(engine, vector(model))
    latency = found.store_bytes - (16 + 3) * (16 + 2 * 4) - 3 * 16 * 16
    assert 0 < latency < 1000
    assert found.index_bytes == [16 * 2 * 4]


def test_rerank_seconds(engine: Engine, model: str) -> None:
    """Late interaction on BM25: by hand 7 + 12 + 7 pairs, of all 16 passages but those without."""
    config = RerankConfig(candidates="bm25", depth=16)
    reranking = replace(vector(model), mode="rerank", bm25=Bm25Config(), rerank=config)
    plan = make_plan(engine, [reranking])
    assert [work.pairs for work in plan.rerankers] == [7 + 12 + 7]
    found = forecast(engine, plan, Given(engine))
    assert found.seconds["rerank"] == pytest.approx(1 * 2.0 + 26 * 0.25 + 3 * 0.125)
    assert found.seconds["embed"] == 0
    assert found.seconds["latency"] >= 2 * (2.0 + 16 * 0.25 + 0.125)


def test_bm25_needs_no_model(engine: Engine) -> None:
    found = ahead(engine, Configuration(mode="bm25", chunk=WHOLE, bm25=Bm25Config()))
    assert found.seconds["load"] == found.seconds["embed"] == found.seconds["rerank"] == 0
    assert found.seconds["terms"] > 0
    (size,) = found.terms_bytes
    arrays = engine.texts.terms(WHOLE, "auto")
    held = sum(a.nbytes for a in (arrays.indptr, arrays.indices, arrays.counts, arrays.lengths))
    assert held <= size <= held + 1000


def test_nothing_to_do_takes_nothing(engine: Engine) -> None:
    found = ahead(engine)
    assert set(found.seconds.values()) == {0}
    assert found.store_bytes == 0


def test_six_outputs_of_a_stage_are_held_at_most_fewer_where_they_are_large() -> None:
    assert _held([5] * 9) == 30
    assert _held([400_000_000, 300_000_000, 1]) == 400_000_000
    assert _held([900_000_000]) == 900_000_000
    assert _held([]) == 0


def test_memory_rises_with_what_is_held(
    engine: Engine, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.engine.plan.memory.peak_memory", lambda: 1_000_000_000)
    plan = make_plan(engine, [vector(model)])
    sizes: Mapping[str, float] = {}
    small = Forecast(seconds=sizes, store_bytes=0, terms_bytes=[], index_bytes=[])
    large = replace(small, terms_bytes=[40, 30], index_bytes=[7])
    assert run_memory(engine, plan, large) - run_memory(engine, plan, small) == 77
    assert run_memory(engine, plan, small) >= 1_000_000_000
