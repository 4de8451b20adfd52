"""The whole engine against the plain path: one text and one pair at a time, in plain loops.

In fp32, what shared stages, batches, blocks and matrices give is the same to the last bit.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Bm25Config, Configuration, HybridConfig, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages.scoring import Scorer
from sweep.index import embed
from sweep.index.analyzer import analyze
from sweep.index.embed import Encoder
from sweep.metrics import parse_metric
from sweep.records import Corpus, Floats
from tests.engine_inputs import CHUNK, engine_on, handbook, trimmed

Ranking = list[tuple[int, float]]  # chunk row and score, best first
BM25, VECTOR = Bm25Config(), VectorConfig()
BASE = Configuration(mode="bm25", top_k=30, chunk=CHUNK, bm25=BM25)
HYBRIDS = {
    "rrf": HybridConfig(depth=20),
    "weighted": HybridConfig(fusion="weighted", rrf_k=None, weight=0.3, depth=15),
}
CONFIGURATIONS = {
    "bm25": BASE,
    "vector": replace(BASE, mode="vector", bm25=None, vector=VECTOR),
    **{
        name: replace(BASE, mode="hybrid", vector=VECTOR, hybrid=hybrid)
        for name, hybrid in HYBRIDS.items()
    },
}


class PlainPath:
    """Ranks the chunks of an engine's corpus without the engine."""

    def __init__(self, engine: Engine, encoder: Encoder) -> None:
        self.corpus = engine.corpus
        chunks = engine.texts.chunks(CHUNK)
        self.document = chunks.document.tolist()
        self.texts = []
        for row, start, end in zip(
            self.document, chunks.start.tolist(), chunks.end.tolist(), strict=True
        ):
            document = self.corpus.documents[row]
            text = document.text[start:end]
            self.texts.append(f"{document.title}\n{text}" if document.title else text)
        self.encoder = encoder
        self.vectors = [self.unit_vector(text, "passage") for text in self.texts]
        self.asked = {q.text: self.unit_vector(q.text, "query") for q in self.corpus.queries}
        self.counts = [Counter(analyze(text, analyzer="auto")) for text in self.texts]

    def unit_vector(self, text: str, role: str) -> Floats:
        """Return the vector of a text that is embedded alone."""
        ids, _ = self.encoder.inputs([text])
        vector = self.encoder.embed(ids, role=role)[0]  # type: ignore[arg-type]
        length = np.sqrt((vector.astype(np.float64) ** 2).sum())
        return np.asarray((vector / length).astype(np.float32), dtype=np.float64)

    def vector(self, query: str) -> Ranking:
        asked = self.asked[query]
        scores = {
            row: float((asked * vector).sum())
            for row, vector in enumerate(self.vectors)
            if self.texts[row].strip()
        }
        return ranked(scores)

    def bm25(self, query: str) -> Ranking:
        """Score each chunk term by term, as rank_bm25 does, with Lucene's idf."""
        counts = self.counts
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths)
        scores: dict[int, float] = {}
        for term, times in sorted(Counter(analyze(query, analyzer="auto")).items()):
            holding = sum(term in count for count in counts)
            idf = math.log1p((len(counts) - holding + 0.5) / (holding + 0.5))
            for row, count in enumerate(counts):
                if term not in count:
                    continue
                norm = 1 - BM25.b + BM25.b * lengths[row] / mean
                weight = count[term] * (BM25.k1 + 1) / (count[term] + BM25.k1 * norm) * idf
                scores[row] = scores.get(row, 0.0) + times * weight
        return ranked(scores)

    def fused(self, query: str, config: HybridConfig) -> Ranking:
        lists = [self.vector(query)[: config.depth], self.bm25(query)[: config.depth]]
        if config.rrf_k is not None:
            parts = [
                {row: 1 / (config.rrf_k + rank) for rank, (row, _) in enumerate(found, start=1)}
                for found in lists
            ]
        else:
            assert config.weight is not None
            shares = (config.weight, 1 - config.weight)
            parts = [scaled(found, share) for found, share in zip(lists, shares, strict=True)]
        rows = parts[0].keys() | parts[1].keys()
        return ranked({row: parts[0].get(row, 0.0) + parts[1].get(row, 0.0) for row in rows})

    def output(self, query: str, configuration: Configuration) -> Ranking:
        if configuration.mode == "bm25":
            found = self.bm25(query)
        elif configuration.mode == "vector":
            found = self.vector(query)
        else:
            assert configuration.hybrid is not None
            found = self.fused(query, configuration.hybrid)
        return found[: configuration.top_k]

    def metrics(self, output: Ranking, grades: Mapping[str, int]) -> list[float]:
        """Return ndcg@10, recall@10, rr and map of one query."""
        rows = dict.fromkeys(self.document[row] for row, _ in output)
        found = [grades.get(self.corpus.documents[row].id, 0) for row in rows]
        relevant = [grade for grade in grades.values() if grade > 0]
        hits = [rank for rank, grade in enumerate(found, start=1) if grade > 0]
        precisions = [(place + 1) / rank for place, rank in enumerate(hits)]
        return [
            gain(found[:10]) / gain(sorted(relevant, reverse=True)[:10]),
            sum(rank <= 10 for rank in hits) / len(relevant),
            1 / hits[0] if hits else 0.0,
            sum(precisions) / len(relevant),
        ]


def ranked(scores: Mapping[int, float]) -> Ranking:
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))


def scaled(found: Ranking, share: float) -> dict[int, float]:
    values = [score for _, score in found]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if low == high:
        return {row: share * 0.5 for row, _ in found}
    return {row: share * ((score - low) / (high - low)) for row, score in found}


def gain(grades: Sequence[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))


def compare(corpus: Corpus, store: Path, encoder: Encoder) -> int:
    """Check every configuration on a corpus; return how many results were compared."""
    engine = engine_on(store, corpus, precision="fp32", threads=2)
    plain = PlainPath(engine, encoder)
    names = ["ndcg@10", "recall@10", "rr", "map"]
    compared = 0
    for configuration in CONFIGURATIONS.values():
        output = engine.output(configuration)
        expected = [plain.output(query.text, configuration) for query in corpus.queries]
        assert trimmed(output) == expected
        compared += sum(map(len, expected))
        judged = [query.id for query in corpus.queries if any(corpus.qrels[query.id].values())]
        table = Scorer(engine.texts, [parse_metric(name) for name in names], judged).score(
            configuration, output
        )
        by_query = dict(zip((q.id for q in corpus.queries), expected, strict=True))
        values = [plain.metrics(by_query[id_], corpus.qrels[id_]) for id_ in table.query_ids]
        assert table.values.tolist() == pytest.approx(np.array(values), abs=1e-12)
    return compared


def test_engine_gives_what_the_plain_path_gives(
    tmp_path: Path, minilm: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed, "BATCH_TOKENS", 40)  # a text alone runs among few dummy rows
    assert compare(handbook(), tmp_path, minilm) > 300
