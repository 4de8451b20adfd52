"""Model times: measured on full batches, remembered, measured again where others disturbed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.measure.load import LoadMeter
from sweep.engine.plan.calibrate import BatchTimes, Calibration, _spread_lengths
from sweep.engine.plan.embedding_work import EncoderWork
from sweep.engine.plan.plan import make_plan
from sweep.index.embed import Encoder
from sweep.records import Vectors
from tests.clock import Clock
from tests.engine_inputs import CHUNK, configurations, engine_on
from tests.toy_models import lookup_model

WORDS = {"parking": [1.0, 0.0], "holiday": [0.0, 1.0], "forms": [0.6, 0.8], "laptop": [-1.0, 0.0]}


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """A machine on which others use as much as the test says."""
    share = {"others": 0.0}
    monkeypatch.setattr(LoadMeter, "others", lambda self, since=None: share["others"])
    return share


def work(model: str, batches: dict[int, float]) -> EncoderWork:
    return EncoderWork(
        model=model,
        chunk_sets=1,
        chunk_sets_stored=0,
        chunks=9,
        unique=9,
        texts=9,
        tokens=600,
        queries=0,
        batches=batches,
        samples={length: np.full(length, 2, dtype=np.int32) for length in batches},
    )


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    model = lookup_model(tmp_path / "model", WORDS)
    return engine_on(tmp_path / "store", threads=2, tokenizer=model)


def timed(engine: Engine, monkeypatch: pytest.MonkeyPatch, seconds: float) -> Calibration:
    """Return a calibration by whose clock a call takes so long, and a token as much again."""
    clock = Clock()

    def embed(self: Encoder, inputs: list[np.ndarray], *, role: str) -> Vectors:
        clock.now += seconds * (1 + len(inputs[0]))
        return np.zeros((len(inputs), 2), dtype=np.float32)

    monkeypatch.setattr(Encoder, "embed", embed)
    return Calibration(engine, clock)


def test_seconds_between_the_lengths_that_were_tried_are_interpolated() -> None:
    times = BatchTimes({16: 1.0, 32: 3.0})
    assert times.total({16: 2, 24: 1, 32: 0.5}) == pytest.approx(2 * 1 + 2 + 1.5)
    assert times.total({8: 1, 64: 1}) == pytest.approx(1 + 3)  # beyond them, the nearest
    assert times.total({}) == 0
    assert BatchTimes({}).total({16: 3}) == 0


def test_lengths_are_tried_where_the_batches_are() -> None:
    assert _spread_lengths({16: 98.0, 256: 1.0}) == [16]
    assert _spread_lengths({16: 1.0, 32: 8.0, 48: 8.0, 64: 1.0})[:3] == [32, 16, 64]
    assert _spread_lengths({256: 0.5}) == [256]


@pytest.mark.usefixtures("quiet")
def test_threads_share_the_batches(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """16 tokens: (1 + 16) * 0.01 s for the two batches that run side by side."""
    calibration = timed(engine, monkeypatch, 0.01)
    model = engine.options.tokenizer
    assert calibration.embedding_seconds(work(model, {16: 10.0})) == pytest.approx(10 * 0.17 / 2)
    assert calibration.tried == [model]


@pytest.mark.usefixtures("quiet")
def test_what_was_measured_is_remembered(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    model = engine.options.tokenizer
    first = timed(engine, monkeypatch, 0.01).embedding_seconds(work(model, {16: 10.0}))
    again = timed(engine, monkeypatch, 5.0)
    assert again.embedding_seconds(work(model, {16: 20.0})) == pytest.approx(2 * first)
    assert again.tried == []


def test_what_others_disturbed_is_measured_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, quiet: dict[str, float]
) -> None:
    model, some = engine.options.tokenizer, {16: 10.0}
    quiet["others"] = 0.9
    slow = timed(engine, monkeypatch, 1.0)
    first = slow.embedding_seconds(work(model, some))
    assert slow.embedding_seconds(work(model, some)) == first  # not twice in one process
    quiet["others"] = 0.0
    fast = timed(engine, monkeypatch, 0.01)
    assert fast.embedding_seconds(work(model, some)) == pytest.approx(first / 100)
    assert fast.tried == [model]


@pytest.mark.usefixtures("quiet")
def test_the_rate_of_an_earlier_run_comes_first(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        engine.vectors, "embedding_rate", lambda model, *, threads: 300.0 if threads == 2 else None
    )
    calibration = timed(engine, monkeypatch, 1.0)
    some = work(engine.options.tokenizer, {16: 10.0})
    assert calibration.embedding_seconds(some) == pytest.approx(600 / 300)
    assert calibration.tried == []


@pytest.mark.usefixtures("quiet")
def test_a_slow_model_is_tried_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of 17 s has used up the seconds that calibrating may take."""
    calibration = timed(engine, monkeypatch, 1.0)
    some = work(engine.options.tokenizer, {16: 10.0, 32: 1.0})
    assert calibration.embedding_seconds(some) == pytest.approx(11 * 17 / 2)
    assert isinstance(calibration.clock, Clock)
    assert calibration.clock.now == pytest.approx(17)


@pytest.mark.usefixtures("quiet")
def test_every_kind_of_work_is_timed_for_real(tmp_path: Path, cross_encoder: str) -> None:
    engine = engine_on(tmp_path)
    made = list(configurations(cross_encoder).values())
    plan = make_plan(engine, made)
    calibration = Calibration(engine)
    assert calibration.load_seconds(engine.pool.encoder("all-MiniLM-L6-v2")) > 0
    assert all(calibration.embedding_seconds(w) > 0 for w in plan.encoders)
    assert all(calibration.rerank_times(w).total(w.batches) > 0 for w in plan.rerankers)
    late = next(w for w in plan.rerankers if w.kind == "maxsim")
    assert 0 < calibration.product_seconds(late) < calibration.query_seconds(VectorConfig())
    assert engine.vectors.passage_inputs(CHUNK, VectorConfig()).rows.size
    assert not (tmp_path / "vectors").exists()  # what was tried is not stored
    assert not (tmp_path / "pairs").exists()


@pytest.mark.usefixtures("quiet")
def test_a_length_without_a_sample_is_reckoned_from_the_others(
    tmp_path: Path, cross_encoder: str
) -> None:
    """The samples are a draw: a rare length of the pairs that are left may be in none."""
    engine = engine_on(tmp_path)
    made = list(configurations(cross_encoder).values())
    work = next(w for w in make_plan(engine, made).rerankers if w.kind == "cross-encoder")
    longer = {**work.batches, max(work.samples) + 64: 3.0}
    times = Calibration(engine).rerank_times(replace(work, batches=longer))
    assert times.total(longer) > times.total(work.batches) > 0
