"""A corpus of thirty short documents, configurations of every mode, and engines over them."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.measure.report import Report
from sweep.records import Corpus, Document, Query, RankedLists

TOPICS = ["parking", "holiday", "expenses", "laptop", "canteen", "training"]
RULES = [
    "The {} rules apply to everybody, and were last changed in May.",
    "Ask the office about {} before Friday. Approval takes two days. Late requests wait a week.",
    "{0} forms are kept for six years; nobody throws {0} forms away before the audit is over.",
    "Nothing is said here about it.",
    "New colleagues hear about {} on their first day, from the person who looks after them.",
]
QUERIES = [
    "who approves parking",
    "holiday",
    "laptop and expenses forms",
    "zzz qqq",
    "canteen day",
]
CHUNK = ChunkConfig(splitter="tokens", size=12, overlap=0.25)


def handbook() -> Corpus:
    """Return thirty documents, judged for five queries.

    Six are equal but for their titles; one is blank, of one there is only the title.
    """
    documents = [
        Document(id=f"{topic}-{number}", text=rule.format(topic), title=topic if number else "")
        for topic in TOPICS
        for number, rule in enumerate(RULES)
    ]
    documents[7] = Document(id="holiday-2", text="  \n")
    documents[14] = Document(id="expenses-4", text="", title="travel")
    return Corpus(
        documents=tuple(sorted(documents, key=lambda document: document.id)),
        queries=tuple(Query(id=f"q{n}", text=text) for n, text in enumerate(QUERIES)),
        qrels={f"q{n}": {f"{TOPICS[n]}-1": 1, f"{TOPICS[n]}-2": 2} for n in range(5)},
        spans=(),
        hash="0" * 64,
        name="handbook",
    )


def corpus_with(texts: dict[str, str], queries: dict[str, str]) -> Corpus:
    """Return a corpus of these documents and queries, the first document relevant to each."""
    first = next(iter(texts))
    return Corpus(
        documents=tuple(Document(id=id_, text=text) for id_, text in sorted(texts.items())),
        queries=tuple(Query(id=id_, text=text) for id_, text in queries.items()),
        qrels={id_: {first: 1} for id_ in queries},
        spans=(),
        hash="0" * 64,
        name="made",
    )


def configurations(cross_encoder: str) -> dict[str, Configuration]:
    """Return one configuration of every mode, by name."""
    bm25, vector = Bm25Config(), VectorConfig()
    made = {
        "bm25": Configuration(mode="bm25", bm25=bm25),
        "vector": Configuration(mode="vector", vector=vector),
        "vector HNSW": Configuration(
            mode="vector", vector=VectorConfig(index="HNSW4", ef_search=16, similarity="l2")
        ),
        "hybrid": Configuration(mode="hybrid", bm25=bm25, vector=vector, hybrid=HybridConfig()),
        "hybrid weighted": Configuration(
            mode="hybrid",
            bm25=Bm25Config(variant="okapi"),
            vector=vector,
            hybrid=HybridConfig(fusion="weighted", rrf_k=None, weight=0.7, depth=20),
        ),
        "rerank": Configuration(
            mode="rerank",
            bm25=bm25,
            vector=vector,
            hybrid=HybridConfig(depth=10),
            rerank=RerankConfig(depth=6, blend=0.5),
        ),
        "cross-encoder": Configuration(
            mode="rerank",
            bm25=bm25,
            rerank=RerankConfig(
                kind="cross-encoder", model=cross_encoder, candidates="bm25", depth=8
            ),
        ),
        "maxsim on bm25": Configuration(
            mode="rerank",
            bm25=bm25,
            vector=vector,
            rerank=RerankConfig(candidates="bm25", depth=5),
        ),
    }
    return {name: replace(c, chunk=CHUNK, top_k=7) for name, c in made.items()}


def engine_on(
    store: Path,
    corpus: Corpus | None = None,
    *,
    threads: int = 1,
    precision: Literal["auto", "fp32", "bf16"] = "fp32",
    tokenizer: str = "all-MiniLM-L6-v2",
    report: Report | None = None,
) -> Engine:
    options = EngineOptions(store=store, tokenizer=tokenizer, precision=precision, threads=threads)
    return Engine(corpus or handbook(), options, report)


def trimmed(lists: RankedLists) -> list[list[tuple[int, float]]]:
    """Return the lists without padding; equal exactly when ids and scores are, to the last bit."""
    return [
        [(int(item), float(score)) for item, score in zip(items, scores, strict=True) if item >= 0]
        for items, scores in zip(lists.items, lists.scores, strict=True)
    ]


def assert_well_formed(lists: RankedLists) -> None:
    """Check what holds for every output: padding at the end, falling scores, no chunk twice."""
    present = lists.items >= 0
    assert (present[:, :-1] >= present[:, 1:]).all()
    assert (np.isnan(lists.scores) == ~present).all()
    for row in trimmed(lists):
        items, scores = [item for item, _ in row], [score for _, score in row]
        assert scores == sorted(scores, reverse=True)
        assert len(set(items)) == len(items)
