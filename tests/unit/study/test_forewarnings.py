"""What is told before the first trial: of sizes, cut-offs, queries and languages."""

from pathlib import Path
from typing import Any

import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.metrics import parse_metric
from sweep.records import Corpus
from sweep.study.driver import forewarnings as module
from sweep.study.driver.forewarnings import (
    forewarnings,
    hopeless_notices,
    lost_queries,
    saturation_notices,
    size_notices,
)
from tests.corpus_files import corpus_of
from tests.engine_inputs import corpus_with, engine_on


def made(*sizes: int, **others: Any) -> list[ChunkConfig]:
    return [ChunkConfig(size=size, **others) for size in sizes]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    texts = {f"d{number}": "word " * 10 for number in range(39)} | {"long": "word " * 50}
    return engine_on(tmp_path, corpus_with(texts, {"q": "word"}))


def test_sizes_that_cut_nothing_are_told(engine: Engine) -> None:
    assert list(size_notices(made(20, 50, 64, 128), engine)) == [
        "no document is longer than 50 tokens: chunk.size 50, 64, 128 (tokens) cuts nothing, so "
        "that 3 chunkings give the same chunks. Leave all but one out"
    ]
    overlaps = [*made(64), *made(64, overlap=0.5)]
    assert "2 chunkings give the same chunks" in next(size_notices(overlaps, engine))
    characters = made(249, 250, splitter="characters", unit="characters")
    assert list(size_notices(characters, engine)) == [
        "only 2.5% of the documents are longer than the smallest chunk.size 249 (characters): "
        "sizes and overlaps change little"
    ]
    assert list(size_notices(made(64), engine)) == []  # nothing to compare
    assert list(size_notices(made(5, 9), engine)) == []
    assert list(size_notices(made(60, 70, splitter="sentences", unit="words"), engine)) == []


@pytest.mark.parametrize(
    ("metric", "top_k", "told"),
    [
        ("hit@10", 10, "hit@10 over 12 documents says little: 83% expected of documents drawn"),
        ("recall@10", 10, "recall@10 over 12 documents says little: 83% of the corpus fits into"),
        ("recall@10", 3, None),  # three chunks cannot hold more than three documents
        ("ndcg@10", 20, "ndcg@10 over 12 documents says little"),
        ("ndcg@3", 10, None),
        ("rr", 10, None),
        ("work", 10, None),
    ],
)
def test_a_metric_that_chance_fills_is_told(metric: str, top_k: int, told: str | None) -> None:
    corpus = corpus_of(["text"] * 12, qrels={"q": {"d0001": 1}, "r": {"d0002": 2, "d0003": 0}})
    found = list(saturation_notices(parse_metric(metric), corpus, top_k=top_k))
    assert [text.startswith(told or "") for text in found] == ([True] if told else [])


def test_hits_are_likely_where_much_is_relevant() -> None:
    labels = {f"d{number:04}": 1 for number in range(40)}
    corpus = corpus_of(["text"] * 100, qrels={"q": labels})
    # 1 - C(60, 3) / C(100, 3) = 1 - 34220 / 161700
    found = next(saturation_notices(parse_metric("hit@3"), corpus, top_k=3))
    assert "79% expected" in found
    assert list(saturation_notices(parse_metric("hit(rel=2)@3"), corpus, top_k=3)) == []
    assert list(saturation_notices(parse_metric("hit@3"), corpus, top_k=3, relevance=2)) == []
    named = saturation_notices(parse_metric("hit(rel=1)@3"), corpus, top_k=3, relevance=2)
    assert "79% expected" in next(named)


def test_queries_without_a_relevant_document_are_told_as_the_study_counts() -> None:
    labels = {"q": {"d0000": 1}, "r": {"d0000": 2}, "s": {"d0001": 0}}
    corpus = corpus_of(["text"] * 2, qrels=labels)
    found = list(hopeless_notices(parse_metric("recall@1"), corpus, relevance=2))
    assert found == [
        "recall@1: 1 of 3 judged queries have labels above 0, but no document of 2 or more, and "
        "score 0 ('q')"
    ]
    for name, relevance in (("recall@1", 1), ("recall(rel=1)@1", 2), ("ndcg@1", 2), ("work", 2)):
        metric = parse_metric(name)
        assert list(hopeless_notices(metric, corpus, relevance=relevance)) == []
    assert "no document of 3" in next(hopeless_notices(parse_metric("hit(rel=3)@1"), corpus))


def test_queries_without_a_term_of_the_corpus_are_named() -> None:
    corpus = corpus_with(
        {"d1": "Running cats", "d2": "检索系统"},
        {"known": "a cat", "run": "run", "none": "zebra 茶", "han": "索系", "blank": " "},
    )
    assert lost_queries(corpus, analyzer="auto", with_title=True) == ["known", "run", "none"]
    assert lost_queries(corpus, analyzer="english", with_title=True) == ["none"]


def titled() -> Corpus:
    return corpus_of(["text"], titles=["Zebra"], qrels={"zebra": {"d0000": 1}})


def test_titles_count_where_they_are_searched() -> None:
    assert lost_queries(titled(), analyzer="auto", with_title=True) == []
    assert lost_queries(titled(), analyzer="auto", with_title=False) == ["zebra"]


def test_a_warm_run_does_not_look_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = corpus_with({"d1": "检索系统"}, {"lost": "zebra"})
    configurations = [
        Configuration(mode="bm25", bm25=Bm25Config()),
        Configuration(mode="vector", vector=VectorConfig()),
    ]
    metrics = [parse_metric("rr")]
    told = list(forewarnings(engine_on(tmp_path, corpus), configurations, metrics))
    assert told == [
        "100% of all letters are not Latin, and all-MiniLM-L6-v2 knows English only: choose a "
        "multilingual model, for example intfloat/multilingual-e5-small",
        "1 of 1 queries hold no term of the corpus, and BM25 finds nothing for them (analyzer "
        "auto; 'lost')",
    ]
    monkeypatch.setattr(module, "examine", None)
    monkeypatch.setattr(module, "lost_queries", None)
    assert list(forewarnings(engine_on(tmp_path, corpus), configurations, metrics)) == told
