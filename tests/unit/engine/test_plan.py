"""A plan's counts, by hand on small corpora, and against what the engine then does."""

from dataclasses import replace
from itertools import product
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
from sweep.engine.plan.plan import Plan, make_plan
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from tests.engine_inputs import CHUNK, configurations, corpus_with, engine_on
from tests.toy_models import lookup_model

WHOLE = ChunkConfig(splitter="document", size=None)
WORDS = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8], "dog": [-1.0, 0.0]}
TEXTS = {"d1": "ant bee", "d2": "bee", "d3": "cat", "d4": "bee"}
MANY = {f"d{n:02}": " ".join(words) for n, words in enumerate(product(WORDS, repeat=3))}
QUERIES = {"q1": "bee", "q2": "ant cat"}


def counts(plan: Plan) -> dict[str, tuple[int, int | None]]:
    return {stage.kind: (stage.unique, stage.stored) for stage in plan.stages}


@pytest.fixture
def model(tmp_path: Path) -> str:
    return lookup_model(tmp_path / "model", WORDS)


@pytest.fixture
def animals(tmp_path: Path, model: str) -> Engine:
    """An engine over four documents, two of them equal, and two queries."""
    return engine_on(tmp_path / "store", corpus_with(TEXTS, QUERIES), tokenizer=model)


def reranking(candidates: str, model: str, **changes: object) -> Configuration:
    """Return late interaction over whole documents."""
    return Configuration(
        mode="rerank",
        chunk=WHOLE,
        bm25=None if candidates == "vector" else Bm25Config(),
        vector=VectorConfig(model=model),
        hybrid=HybridConfig() if candidates == "hybrid" else None,
        rerank=RerankConfig(candidates=candidates, **changes),  # type: ignore[arg-type]
    )


def test_stages_that_configurations_share_count_once(tmp_path: Path, cross_encoder: str) -> None:
    """Eight configurations over one chunking; see `tests.engine_inputs.configurations`."""
    engine = engine_on(tmp_path)
    plan = make_plan(engine, list(configurations(cross_encoder).values()))
    assert counts(plan) == {
        "chunkings": (1, 1),  # cut for the plan
        "term matrices": (1, 1),  # made for the plan: two rerank BM25 candidates
        "embedded chunk sets": (1, 0),
        "vector indexes": (2, None),  # Flat, HNSW4
        "deep BM25 lists": (2, 1),  # lucene and okapi; the first looked up for candidates
        "deep vector lists": (3, 0),  # 100 deep, by both similarities; HNSW4 exactly 7
        "fused lists": (3, None),  # rrf 100, weighted 20, rrf 10
        "rerank candidate sets": (3, 0),
        "latencies": (8, 0),
    }
    (embedded,) = plan.encoders
    texts = [text for text in engine.texts.passages(CHUNK) if text.strip()]
    assert len(set(texts)) < len(texts)
    assert (embedded.chunks, embedded.unique) == (len(texts), len(set(texts)))
    assert (embedded.texts, embedded.queries) == (embedded.unique, 5)


def test_top_k_weights_and_blends_add_no_stage(animals: Engine, model: str) -> None:
    one = reranking("hybrid", model, depth=3, blend=0.5)
    assert one.hybrid is not None
    assert one.rerank is not None
    more = [replace(one, top_k=k, aggregate=a) for k in (3, 7) for a in ("max", "sum")]
    more += [replace(one, rerank=replace(one.rerank, blend=b)) for b in (0.0, 1.0)]
    assert counts(make_plan(animals, more)) == counts(make_plan(animals, [one]))


def test_equal_texts_are_embedded_once_and_half_of_the_work_is_saved(
    animals: Engine, model: str
) -> None:
    plain = Configuration(mode="vector", chunk=WHOLE, vector=VectorConfig(model=model))
    sized = replace(plain, chunk=ChunkConfig(splitter="words", size=2))  # the same four texts
    (embedded,) = make_plan(animals, [plain, sized]).encoders
    assert (embedded.chunk_sets, embedded.chunks, embedded.unique, embedded.texts) == (2, 8, 3, 3)
    assert embedded.tokens == 2 + 1 + 1
    assert embedded.saved == pytest.approx(5 / 8)
    assert embedded.queries == 2


def test_known_candidates_give_an_exact_number_of_pairs(animals: Engine, model: str) -> None:
    """By hand: `bee` finds d1, d2, d4 (d2 and d4 are one text), `ant cat` finds d1, d3."""
    plan = make_plan(animals, [reranking("bm25", model, depth=10)])
    (scored,) = plan.rerankers
    assert (scored.pairs, scored.unknown, scored.expected) == (4, 0, 4)
    assert (plan.encoders, plan.indexes) == ((), ())  # late interaction needs no passage vectors


def test_candidates_that_are_not_known_are_bounded(animals: Engine, model: str) -> None:
    (scored,) = make_plan(animals, [reranking("vector", model, depth=3)]).rerankers
    assert (scored.pairs, scored.unknown) == (0, 2 * 3)
    assert 2 * 3 / 2 <= scored.expected <= 2 * 3
    (scored,) = make_plan(animals, [reranking("vector", model, depth=50)]).rerankers
    assert scored.unknown == 2 * 4  # there are no more than four chunks


def test_fused_lists_hold_only_what_their_sources_hold(tmp_path: Path, model: str) -> None:
    engine = engine_on(tmp_path / "store", corpus_with(MANY, QUERIES), tokenizer=model)
    one = reranking("hybrid", model, depth=6)
    weighted = [
        replace(one, hybrid=HybridConfig(fusion="weighted", rrf_k=None, weight=w, depth=8))
        for w in (0.2, 0.4, 0.6, 0.8)
    ]
    (scored,) = make_plan(engine, weighted[:2]).rerankers
    assert scored.unknown == 2 * (6 + 6)
    (scored,) = make_plan(engine, weighted).rerankers
    assert scored.unknown == 2 * (8 + 8)  # not 4 * 6
    assert 2 * 6 < scored.expected < scored.unknown


def test_lists_of_one_first_stage_are_beginnings_of_each_other(tmp_path: Path, model: str) -> None:
    engine = engine_on(tmp_path / "store", corpus_with(MANY, QUERIES), tokenizer=model)
    depths = [reranking("vector", model, depth=depth) for depth in (3, 9, 6)]
    (scored,) = make_plan(engine, depths).rerankers
    assert scored.unknown == 2 * 9
    assert scored.candidate_sets == 3


def test_a_long_output_needs_a_deeper_list_than_its_candidates(
    animals: Engine, model: str
) -> None:
    """The output is 150 long: a list of 200; the 5 candidates are looked up in one of 100."""
    long = replace(reranking("vector", model, depth=5), top_k=150)
    assert make_plan(animals, [long]).stage("deep vector lists").unique == 2
    assert make_plan(animals, [replace(long, top_k=90)]).stage("deep vector lists").unique == 1


def test_a_list_of_documents_may_have_to_be_deepened(animals: Engine, model: str) -> None:
    chunks = Configuration(mode="vector", chunk=WHOLE, vector=VectorConfig(model=model))
    plan = make_plan(animals, [chunks, replace(chunks, top_k_unit="documents")])
    assert plan.stage("deep vector lists").open_ended
    assert not plan.stage("deep BM25 lists").open_ended
    assert not make_plan(animals, [chunks]).stage("deep vector lists").open_ended


def test_what_was_done_is_not_planned_again(tmp_path: Path, cross_encoder: str) -> None:
    made = list(configurations(cross_encoder).values())
    engine = engine_on(tmp_path)
    for configuration in made:
        engine.output(configuration)
        engine.index_recall(configuration)
    engine.latency(made[0])
    again = make_plan(engine_on(tmp_path), made)
    left = {s.kind: s.to_do for s in again.stages if s.stored is not None and s.to_do}
    assert left == {"latencies": 7}
    assert [(work.texts, work.tokens, work.queries) for work in again.encoders] == [(0, 0, 0)]
    assert [(w.pairs, w.unknown, w.expected) for w in again.rerankers] == [(0, 0, 0)] * 2
    assert (again.terms, again.lists) == ((), ())


def test_a_damaged_list_is_not_looked_up(tmp_path: Path, animals: Engine, model: str) -> None:
    """It would have to be made again, and for that the chunks embedded."""
    one = reranking("vector", model, depth=3)
    animals.lists.candidates(one)
    (path,) = (tmp_path / "store" / "vector_list").rglob("*.safetensors")
    path.write_bytes(path.read_bytes()[:-1])
    again = engine_on(tmp_path / "store", animals.corpus, tokenizer=model)
    (scored,) = make_plan(again, [one]).rerankers
    assert (scored.pairs, scored.unknown) == (0, 6)
    assert "embed" not in again.report.computed
    assert "is damaged" in again.report.notices[0]


def test_a_plan_neither_embeds_nor_scores(
    tmp_path: Path, cross_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_on(tmp_path)
    monkeypatch.setattr(engine.pool, "warm", None)
    make_plan(engine, list(configurations(cross_encoder).values()))
    assert not (tmp_path / "vectors").exists()
    assert not (tmp_path / "pairs").exists()
    assert engine.report.computed.keys() <= {
        "offsets", "chunks", "inputs", "terms", "bm25_list", "query_inputs", "pair_tokens",
    }  # fmt: skip


def test_pairs_are_exact_once_the_chunks_have_vectors(tmp_path: Path, cross_encoder: str) -> None:
    """Two chunkings whose texts overlap, four rerankers' candidates: what is planned is done."""
    made = [
        replace(c, chunk=replace(CHUNK, size=size))
        for size in (8, 12)
        for c in configurations(cross_encoder).values()
        if c.mode == "rerank"
    ]
    deeper = [replace(c, rerank=replace(c.rerank, depth=9)) for c in made if c.rerank]
    engine = engine_on(tmp_path)
    before = make_plan(engine, made + deeper)
    prefetch_vectors(engine, made)
    for configuration in made:
        if configuration.hybrid is not None:
            engine.lists.candidates(configuration)  # what a run does before it scores
    plan = make_plan(engine, made + deeper)
    assert all(work.unknown == 0 for work in plan.rerankers)
    prefetch_pairs(engine, made + deeper)
    assert sum(work.pairs for work in plan.rerankers) == engine.report.computed["pairs"]
    for early, late in zip(before.rerankers, plan.rerankers, strict=True):
        assert early.pairs <= late.pairs <= early.pairs + early.unknown
        assert early.expected == pytest.approx(late.pairs, rel=0.5)
