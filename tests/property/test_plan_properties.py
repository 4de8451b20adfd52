"""Whatever the corpus and the space: what is planned is what a run then does."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.plan.plan import Plan, make_plan
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from tests.engine_inputs import corpus_with, engine_on
from tests.toy_models import lookup_model

WORDS = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8], "dog": [-1.0, 0.0]}
TEXTS = st.lists(st.lists(st.sampled_from([*WORDS, "emu"]), min_size=1, max_size=9), min_size=1)
CHUNKS = st.builds(
    ChunkConfig,
    splitter=st.just("words"),
    size=st.integers(1, 4),
    overlap=st.sampled_from([0.0, 0.5]),
    unit=st.just("words"),
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return lookup_model(tmp_path_factory.mktemp("model"), WORDS)


@st.composite
def spaces(draw: st.DrawFn) -> list[dict[str, object]]:
    """Return a few configurations of all modes, without their model."""
    modes = st.sampled_from(["bm25", "vector", "hybrid", "rerank"])
    made = []
    for _ in range(draw(st.integers(1, 6))):
        mode, candidates = draw(modes), draw(st.sampled_from(["bm25", "vector", "hybrid"]))
        kinds = {mode, candidates} if mode == "rerank" else {mode}
        depth = draw(st.integers(1, 5))
        made.append(
            {
                "mode": mode,
                "chunk": draw(CHUNKS),
                "bm25": Bm25Config() if kinds & {"bm25", "hybrid"} else None,
                "vector": kinds & {"vector", "hybrid", "rerank"},
                "hybrid": HybridConfig(depth=depth) if "hybrid" in kinds else None,
                "rerank": RerankConfig(candidates=candidates, depth=depth)
                if mode == "rerank"
                else None,
            }
        )
    return made


def configurations(space: list[dict[str, object]], model: str) -> list[Configuration]:
    vector = VectorConfig(model=model)
    made = [{**one, "vector": vector if one["vector"] else None} for one in space]
    return list(dict.fromkeys(Configuration(**one) for one in made))  # type: ignore[arg-type]


def texts_of(plan: Plan) -> tuple[int, int]:
    return sum(w.texts for w in plan.encoders), sum(w.queries for w in plan.encoders)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS, spaces(), st.integers(0, 3))
def test_what_is_planned_is_what_is_done(
    model: str, texts: list[list[str]], space: list[dict[str, object]], done: int
) -> None:
    corpus = corpus_with(
        {f"d{n:03}": " ".join(words) for n, words in enumerate(texts)},
        {"q1": "bee ant", "q2": "cat", "q3": "bee ant"},
    )
    made = configurations(space, model)
    with tempfile.TemporaryDirectory() as folder:
        before = engine_on(Path(folder), corpus, tokenizer=model)
        for configuration in made[:done]:  # a run that was stopped
            before.output(configuration)
        plan = make_plan(engine_on(Path(folder), corpus, tokenizer=model), made)
        engine = engine_on(Path(folder), corpus, tokenizer=model)
        prefetch_vectors(engine, made)
        prefetch_pairs(engine, made)
        for configuration in made:
            engine.output(configuration)
        computed = engine.report.computed
        lists = [computed.get("bm25_list", 0), computed.get("vector_list", 0)]
        again = make_plan(engine_on(Path(folder), corpus, tokenizer=model), made)
    assert texts_of(plan) == (computed.get("embed", 0), computed.get("queries", 0))
    assert computed.get("terms", 0) == len(plan.terms)
    assert lists == [plan.stage(f"deep {kind} lists").to_do for kind in ("BM25", "vector")]
    scored = computed.get("pairs", 0)
    assert sum(w.pairs for w in plan.rerankers) <= scored
    assert scored <= sum(w.pairs + w.unknown for w in plan.rerankers)
    if not any(work.unknown for work in plan.rerankers):
        assert sum(w.pairs for w in plan.rerankers) == scored
    assert texts_of(again) == (0, 0)
    assert [(w.pairs, w.unknown) for w in again.rerankers if w.pairs or w.unknown] == []
