"""Outputs -> score tables, by hand on three documents."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.engine.stages.scoring import Scorer
from sweep.engine.stages.texts import TextStages
from sweep.metrics import parse_metric
from sweep.records import Corpus, RankedLists, Span
from tests.engine_inputs import corpus_with, engine_on

TEXTS = {"d1": "one two three four", "d2": "five six", "d3": "seven"}
QRELS = {"q1": {"d1": 1}, "q2": {"d2": 2, "d3": 1}}
BM25 = Configuration(
    mode="bm25",
    bm25=Bm25Config(),
    chunk=ChunkConfig(splitter="words", size=2, unit="words"),  # d1 becomes chunks 0 and 1
)
OUTPUT = RankedLists(
    items=np.array([[2, 1, 0], [3, 0, -1], [0, -1, -1]]),
    scores=np.array([[3.0, 2.0, 2.0], [2.0, 1.0, np.nan], [1.0, np.nan, np.nan]]),
)


def corpus() -> Corpus:
    made = corpus_with(TEXTS, {"q1": "one", "q2": "five", "q3": "not judged"})
    return replace(made, qrels=QRELS)


@pytest.fixture
def texts(tmp_path: Path) -> TextStages:
    return engine_on(tmp_path, corpus()).texts


def scorer(texts: TextStages, *names: str, queries: tuple[str, ...] = ("q1", "q2")) -> Scorer:
    return Scorer(texts, [parse_metric(name) for name in names], queries)


def test_documents_are_scored_by_their_best_chunk(texts: TextStages) -> None:
    """q1 finds d2, d1; q2 finds d3, d1."""
    table = scorer(texts, "rr", "recall@1", "recall@2", "p@2").score(BM25, OUTPUT)
    assert table.query_ids == ("q1", "q2")
    assert table.values.tolist() == [[0.5, 0.0, 1.0, 0.5], [1.0, 0.5, 0.5, 0.5]]


def test_only_the_queries_asked_for_are_looked_at(texts: TextStages) -> None:
    table = scorer(texts, "rr", queries=("q2", "q3")).score(BM25, OUTPUT)
    assert table.query_ids == ("q2",)
    assert table.values.tolist() == [[1.0]]


def test_budget_counts_the_tokens_of_whole_chunks(texts: TextStages) -> None:
    """Chunks 2, 1, 0 of q1 have 2 tokens each: 3 tokens hold the first alone."""
    table = scorer(texts, "recall@3tok", "recall@4tok", "context_tokens").score(BM25, OUTPUT)
    assert table.values[0].tolist() == [0.0, 1.0, 6.0]
    assert table.column("context_tokens").tolist() == [6.0, 3.0]


def test_aggregate_of_the_configuration_is_used(texts: TextStages) -> None:
    """d1's chunks add up to 4, d2 has 3."""
    summed = replace(BM25, aggregate="sum")
    assert scorer(texts, "rr").score(summed, OUTPUT).values[0].tolist() == [1.0]


def test_costs_are_left_to_the_engine(texts: TextStages) -> None:
    made = scorer(texts, "rr", "work", "latency_p50_ms", "context_tokens")
    assert [str(metric) for metric in made.metrics] == ["rr", "context_tokens"]


def test_mean_is_over_the_queries_that_the_metric_is_defined_for(tmp_path: Path) -> None:
    span = Span(query_id="q1", document_id="d1", start=0, end=7, grade=1)  # `one two`
    spanned = replace(corpus(), spans=(span,))
    made = scorer(engine_on(tmp_path, spanned).texts, "span_recall@3", "span_recall@2", "rr")
    table = made.score(BM25, OUTPUT)
    recall, shallow, rr = made.metrics
    assert made.defined(recall).tolist() == [True, False]
    assert made.defined(rr).tolist() == [True, True]
    assert (made.mean(table, recall), made.mean(table, shallow)) == (1.0, 0.0)
    assert made.mean(table, rr) == 0.75
    assert made.values(table, recall).tolist() == [1.0]


def test_mean_over_no_query_is_not_a_number(texts: TextStages) -> None:
    made = scorer(texts, "span_recall@3")
    table = made.score(BM25, OUTPUT)
    assert np.isnan(made.mean(table, made.metrics[0]))
