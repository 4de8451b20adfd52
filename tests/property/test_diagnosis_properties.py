"""Whatever the lists are: each miss has one stage, and what is returned has none."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.traces import make_trace
from sweep.records import Floats, RankedLists
from sweep.study.diagnosis.diagnosis import diagnose
from sweep.study.diagnosis.examination import pipeline_of
from sweep.winner.diagnosis.charge import STAGES, Target, charge
from sweep.winner.diagnosis.explanation import where_lost
from sweep.winner.diagnosis.standing import Standing, places_of
from tests.diagnosed import BM25, corpus_of_spans, study_of
from tests.engine_inputs import engine_on

CHUNKS = 40
WORDS = ("oak", "ash", "elm", "fir", "yew", "box")


class Shuffled:
    """A source of lists for one query: any order, BM25 without some chunks, an index that errs."""

    def __init__(self, seed: int) -> None:
        order = np.random.default_rng(seed)
        self._vector = order.permutation(CHUNKS)
        self._bm25 = order.permutation(CHUNKS)[: order.integers(0, CHUNKS)]
        self._lost = order.random(CHUNKS) < 0.2
        self._scores = order.random(CHUNKS)

    def exact(self, depth: int) -> RankedLists:
        return listed(self._vector[:depth])

    def vector(self, depth: int) -> RankedLists:
        return listed(self._vector[~self._lost[self._vector]][:depth])

    def bm25(self, depth: int) -> RankedLists:
        return listed(self._bm25[:depth])

    def rerank(self, candidates: RankedLists) -> Floats:
        return np.where(candidates.items >= 0, self._scores[candidates.items], np.nan)


def listed(items: np.ndarray) -> RankedLists:
    return RankedLists(items=items[None], scores=-np.arange(len(items), dtype=np.float64)[None])


@st.composite
def any_configuration(draw: st.DrawFn) -> Configuration:
    mode = draw(st.sampled_from(["bm25", "vector", "hybrid", "rerank"]))
    first = draw(st.sampled_from(["bm25", "vector", "hybrid"])) if mode == "rerank" else mode
    rerank = RerankConfig(
        candidates=first,
        depth=draw(st.integers(1, 12)),
        blend=draw(st.sampled_from([0.0, 0.5, 1.0])),
    )
    hybrid = HybridConfig(
        depth=draw(st.integers(1, 20)), fusion="weighted", weight=draw(st.floats(0, 1)), rrf_k=None
    )
    index = draw(st.sampled_from(["Flat", "HNSW4"]))
    return Configuration(
        mode=mode,
        top_k=draw(st.integers(1, 12)),
        top_k_unit=draw(st.sampled_from(["chunks", "documents"])),
        bm25=Bm25Config() if first != "vector" else None,
        vector=VectorConfig(index=index) if first != "bm25" or mode == "rerank" else None,
        hybrid=hybrid if first == "hybrid" else None,
        rerank=rerank if mode == "rerank" else None,
    )


@given(any_configuration(), st.integers(0, 2**32 - 1), st.integers(1, 8), st.booleans())
def test_every_chunk_that_is_not_returned_was_lost_by_one_stage_that_exists(
    configuration: Configuration, seed: int, documents: int, is_seen: bool
) -> None:
    source = Shuffled(seed)
    chunk_document = np.arange(CHUNKS) * documents // CHUNKS
    if configuration.vector is None or configuration.vector.index == "Flat":
        source.vector = source.exact  # type: ignore[method-assign]
    trace = make_trace(configuration, source, source.exact, chunk_document)
    pipeline = pipeline_of(configuration)
    unit = configuration.top_k_unit
    names = ("vector", "searched", "bm25", "fused", "reranked")
    lists = {name: one for name in names if (one := getattr(trace, name)) is not None}
    standings = {n: Standing(one, 0, chunk_document, unit=unit) for n, one in lists.items()}
    returned = set(trace.output.items[0].tolist())
    for chunk in set(range(CHUNKS)) - returned:
        shares = None if pipeline.first == "vector" else bool(standings["bm25"].place([chunk]))  # type: ignore[index]
        target = Target(
            query=0,
            document=0,
            document_id="d",
            grade=1,
            chunks=(chunk,),
            is_seen=is_seen,
            shares_term=shares,
        )
        places = places_of(standings, target.chunks)  # type: ignore[arg-type]
        stage = charge(target, places, pipeline)
        assert stage in STAGES
        if stage == "fusion":
            assert pipeline.first == "hybrid"
        if stage in ("rerank", "rerank depth"):
            assert configuration.mode == "rerank"
        if stage == "index":
            assert pipeline.asked is not None
        if stage in ("rerank", "top_k") and (cut := where_lost(stage, pipeline)) is not None:
            place = places.get(cut[0])
            assert place is None or place.turn > cut[1], (stage, place)
        if stage == "no shared term":
            assert not shares


@settings(max_examples=15)
@given(st.data())
def test_on_any_corpus_charges_add_up_and_bounds_hold(data: st.DataObject) -> None:
    """Counted by hand from what is returned; recall tells the same; a full top_k misses nothing
    but what BM25 can never find.
    """
    text = st.lists(st.sampled_from(WORDS), min_size=0, max_size=8).map(" ".join)
    texts = {f"d{n}": data.draw(text) for n in range(5)} | {"d9": "oak"}
    queries = {f"q{n}": data.draw(st.sampled_from(WORDS)) for n in range(3)}
    grades = st.dictionaries(st.sampled_from(sorted(texts)), st.integers(0, 2), min_size=1)
    qrels = {query: data.draw(grades) for query in queries}
    passages = [("q0", id_, text.split()[0]) for id_, text in texts.items() if text.strip()]
    with tempfile.TemporaryDirectory() as folder:
        engine = engine_on(Path(folder, "store"), corpus_of_spans(texts, queries, qrels, passages))
        words = ChunkConfig(splitter="words", unit="words", size=data.draw(st.integers(1, 4)))
        configuration = replace(BM25, chunk=words, top_k=data.draw(st.integers(1, 4)))
        metric = data.draw(
            st.sampled_from(["recall@10", "ndcg@5", "map", "span_recall", "span_rr"])
        )
        found = diagnose(*study_of(Path(folder), engine, configuration, objective=metric), engine)
        everything = replace(configuration, top_k=1000)
        whole = diagnose(*study_of(Path(folder), engine, everything, objective=metric), engine)
    assert sum(loss.documents for loss in found.losses) == found.missed_documents
    assert sum(loss.spans for loss in found.losses) == found.missed_spans
    assert {loss.stage for loss in whole.losses} <= {"no text", "no shared term", "cutting"}
    for one in (found, whole):
        assert all(one.score - 1e-12 <= (loss.bound or 0) <= 1 + 1e-12 for loss in one.losses)
    if metric == "recall@10":
        relevant = [sum(g > 0 for g in own.values()) for own in qrels.values()]
        assert found.documents == sum(relevant)
        if found.missed_documents == 0:
            assert found.score == sum(r > 0 for r in relevant) / len(relevant)
