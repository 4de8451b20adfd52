"""Rerank scores: one number per model, query and passage, computed once for a whole sweep."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
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
from sweep.index.embed import Encoder
from sweep.rankings.rerank import CrossEncoderScorer
from sweep.records import Floats, RankedLists
from tests.engine_inputs import CHUNK, configurations, corpus_with, engine_on, trimmed
from tests.toy_models import lookup_model

WORDS = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8]}
WHOLE = ChunkConfig(splitter="document", size=None)


class RecordingScorer(CrossEncoderScorer):
    """Notes how many pairs it scores."""

    def __init__(self, scorer: CrossEncoderScorer) -> None:
        super().__init__(scorer.files, precision=scorer.precision, threads=scorer.threads)
        self.pairs: list[tuple[str, str]] = []

    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats:
        self.pairs += pairs
        return super().score(pairs)


def recorded(engine: Engine, model: str) -> RecordingScorer:
    """Put a recording scorer in the place of the engine's own."""
    scorer = RecordingScorer(engine.pool.cross_encoder(model))
    engine.pool.cross_encoder = lambda name: scorer  # type: ignore[method-assign]
    return scorer


def candidates(*rows: list[int]) -> RankedLists:
    width = max(map(len, rows))
    items = np.array([row + [-1] * (width - len(row)) for row in rows])
    return RankedLists(items=items, scores=np.where(items >= 0, 1.0, np.nan))


def test_maxsim_by_hand_padding_is_nan(tmp_path: Path) -> None:
    """`ant cat` against `cat`: ant finds 0.6, cat finds 1."""
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with({"d1": "cat", "d2": "bee ant"}, {"q1": "ant cat", "q2": "bee"})
    engine = engine_on(tmp_path, corpus)
    scores = engine.pairs.scores(
        RerankConfig(), WHOLE, VectorConfig(model=model), candidates([0, 1], [1])
    )
    assert scores[0] == pytest.approx([0.8, 0.9], abs=1e-7)
    assert scores[1, 0] == 1.0
    assert np.isnan(scores[1, 1])


def test_late_interaction_decides_the_order(tmp_path: Path) -> None:
    """BM25 prefers the chunk that says `cat` twice; its words are farther from `ant`."""
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with({"d1": "cat cat bee", "d2": "cat ant ant ant"}, {"q": "cat ant dog"})
    configuration = Configuration(
        mode="rerank",
        top_k=2,
        chunk=WHOLE,
        bm25=Bm25Config(k1=0.0, b=0.0),
        vector=VectorConfig(model=model),
        hybrid=HybridConfig(),
        rerank=RerankConfig(candidates="bm25", depth=2),
    )
    found = trimmed(engine_on(tmp_path, corpus).output(configuration))
    assert found == [[(1, 1.0), (0, 0.0)]]


def test_cross_encoder_scores_each_pair_once_for_a_whole_sweep(
    tmp_path: Path, cross_encoder: str
) -> None:
    engine = engine_on(tmp_path)
    scorer = recorded(engine, cross_encoder)
    first = configurations(cross_encoder)["cross-encoder"]
    assert first.rerank is not None
    expected = trimmed(engine.output(first))
    scored = list(scorer.pairs)
    assert 0 < len(scored) == len(set(scored))
    for blend, depth, top_k in ((0.3, 8, 7), (1.0, 4, 7), (1.0, 8, 2)):
        engine.output(
            replace(first, top_k=top_k, rerank=replace(first.rerank, blend=blend, depth=depth))
        )
    assert scorer.pairs == scored
    engine.output(replace(first, rerank=replace(first.rerank, depth=12)))
    assert len(scorer.pairs) == len(set(scorer.pairs)) > len(scored)
    later = engine_on(tmp_path)
    quiet = recorded(later, cross_encoder)
    assert trimmed(later.output(first)) == expected
    assert quiet.pairs == []


def test_cross_encoder_reads_title_and_text(tmp_path: Path, cross_encoder: str) -> None:
    corpus = corpus_with({"d1": "text"}, {"q": "query"})
    corpus = replace(corpus, documents=(replace(corpus.documents[0], title="Title"),))
    engine = engine_on(tmp_path, corpus)
    scorer = recorded(engine, cross_encoder)
    config = RerankConfig(kind="cross-encoder", model=cross_encoder)
    for chunk in (WHOLE, replace(WHOLE, prepend_title=False)):
        engine.pairs.scores(config, chunk, None, candidates([0]))
    assert scorer.pairs == [("query", "Title\ntext"), ("query", "text")]


def test_border_between_query_and_passage_counts(tmp_path: Path, cross_encoder: str) -> None:
    """Two pairs with one concatenation are two pairs."""
    corpus = corpus_with({"d1": "b c", "d2": " c"}, {"q1": "a ", "q2": "a b"})
    engine = engine_on(tmp_path, corpus)
    scorer = recorded(engine, cross_encoder)
    config = RerankConfig(kind="cross-encoder", model=cross_encoder)
    chunk = replace(CHUNK, splitter="document", size=None, overlap=0.0)
    scores = engine.pairs.scores(config, chunk, None, candidates([0, 1], [0, 1]))
    assert len(scorer.pairs) == 4
    assert scores.shape == (2, 2)


def test_passage_runs_once_for_all_queries_that_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the order of the candidates; each pair's score is that of the pair alone."""
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with(
        {"d1": "cat", "d2": "bee ant", "d3": "ant ant cat"}, {"q1": "ant cat", "q2": "bee"}
    )
    vector = VectorConfig(model=model)
    alone = [
        engine_on(tmp_path / f"{row}", corpus).pairs.scores(
            RerankConfig(), WHOLE, vector, candidates([row], [row])
        )
        for row in range(3)
    ]
    ran: list[list[int]] = []
    stream = Encoder.stream_token_vectors

    def streamed(self: Encoder, inputs: Sequence[np.ndarray], **options: Any) -> Any:
        if options["role"] == "passage":
            ran.extend(ids.tolist() for ids in inputs)
        return stream(self, inputs, **options)

    monkeypatch.setattr(Encoder, "stream_token_vectors", streamed)
    together = engine_on(tmp_path, corpus).pairs.scores(
        RerankConfig(), WHOLE, vector, candidates([2, 0, 1], [1, 2, 0])
    )
    assert len(ran) == 3
    by_row = np.concatenate(alone, axis=1)
    assert together.tolist() == [by_row[0, [2, 0, 1]].tolist(), by_row[1, [1, 2, 0]].tolist()]


def test_score_of_a_model_is_not_taken_for_anothers(tmp_path: Path) -> None:
    corpus = corpus_with({"d1": "ant"}, {"q": "bee"})
    engine = engine_on(tmp_path / "store", corpus)
    near = lookup_model(tmp_path / "near", {"ant": [1, 0], "bee": [1, 0]})
    far = lookup_model(tmp_path / "far", {"ant": [1, 0], "bee": [-1, 0]})
    scores = [
        engine.pairs.scores(RerankConfig(), WHOLE, VectorConfig(model=m), candidates([0]))
        for m in (near, far)
    ]
    assert [float(s[0, 0]) for s in scores] == [1.0, -1.0]
