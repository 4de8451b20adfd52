"""Shared work in one go changes no result, and leaves nothing to do."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.engine.plan.shared_work import join_candidates
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from sweep.engine.stages import pairs
from tests.engine_inputs import CHUNK, configurations, engine_on, trimmed
from tests.toy_models import lookup_model

WORDS = {"parking": [1.0, 0.0], "holiday": [0.0, 1.0], "forms": [0.6, 0.8], "laptop": [-1.0, 0.0]}


def refuse(*args: object, **options: object) -> None:
    raise AssertionError("there was work left")


def test_prefetched_work_is_the_same_work(
    tmp_path: Path, cross_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    made = [
        replace(
            c, chunk=replace(CHUNK, size=size), vector=c.vector and replace(c.vector, model=model)
        )
        for size in (6, 12)
        for name, c in configurations(cross_encoder).items()
    ]
    made += [
        replace(c, rerank=replace(c.rerank, depth=c.rerank.depth + 3)) for c in made if c.rerank
    ]
    expected = [trimmed(engine_on(tmp_path / "one").output(c)) for c in made]
    engine = engine_on(tmp_path / "other")
    prefetch_vectors(engine, made)
    prefetch_pairs(engine, made)
    monkeypatch.setattr(engine.pool.encoder(model), "stream_token_vectors", refuse)
    monkeypatch.setattr(engine.pool.cross_encoder(cross_encoder), "score", refuse)
    monkeypatch.setattr(pairs, "maxsim_scores", refuse)
    assert [trimmed(engine.output(c)) for c in made] == expected


def test_candidates_are_joined_each_chunk_once_per_query(
    tmp_path: Path, cross_encoder: str
) -> None:
    engine = engine_on(tmp_path)
    deep = configurations(cross_encoder)["cross-encoder"]
    assert deep.rerank is not None
    made = [replace(deep, rerank=replace(deep.rerank, depth=depth)) for depth in (3, 8, 5)]
    joined = join_candidates(engine, made).items
    most = engine.reranked(made[1])
    assert most is not None
    assert [sorted(row[row >= 0].tolist()) for row in joined] == [
        sorted(row[row >= 0].tolist()) for row in most.items
    ]
    assert joined.shape[1] == (most.items >= 0).sum(axis=1).max()
    assert (np.diff((joined < 0).astype(int), axis=1) >= 0).all()  # padding at the end
    assert join_candidates(engine, []).items.shape == (len(engine.corpus.queries), 0)


def test_nothing_is_shared_by_one_configuration(tmp_path: Path, cross_encoder: str) -> None:
    engine = engine_on(tmp_path)
    prefetch_vectors(engine, [configurations(cross_encoder)["vector"]])
    prefetch_pairs(engine, [configurations(cross_encoder)["rerank"]])
    prefetch_vectors(engine, [])
    prefetch_pairs(engine, [])
    assert engine.report.computed == {}
