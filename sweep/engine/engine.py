"""The engine: joins the stages for one corpus; every unique piece of work is done once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.cache import StageCache
from sweep.engine.costs import index_bytes, work_per_query
from sweep.engine.latency import latency_key, measure_latency
from sweep.engine.lists import ListStages
from sweep.engine.output import cut_depth, first_mode
from sweep.engine.pairs import PairStages
from sweep.engine.pool import ModelPool
from sweep.engine.report import Report
from sweep.engine.retriever import (
    CrossEncoderReranker,
    MaxSimReranker,
    Reranker,
    Retriever,
)
from sweep.engine.store import Store
from sweep.engine.texts import TextStages
from sweep.engine.vectors import VectorStages
from sweep.models import find_model
from sweep.records import Corpus, RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How the engine works; no result depends on `threads` or on where the store is."""

    store: Path
    tokenizer: str
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    threads: int = 1


class Engine:
    """Computes what a configuration retrieves from a corpus, and what that costs."""

    def __init__(
        self, corpus: Corpus, options: EngineOptions, report: Report | None = None
    ) -> None:
        self.corpus = corpus
        self.options = options
        self.report = report or Report()
        self.store = Store(options.store, self.report)
        self.pool = ModelPool(
            self.store,
            precision=options.precision,
            threads=options.threads,
            sample=[document.text for document in corpus.documents[:64]],
        )
        cache = StageCache(self.store)
        self.texts = TextStages(corpus, cache, find_model(options.tokenizer))
        self.vectors = VectorStages(self.texts, cache, self.pool)
        self.pairs = PairStages(self.vectors)
        self.lists = ListStages(self.texts, self.vectors, self.pairs, cache)

    def output(self, configuration: Configuration) -> RankedLists:
        """Return the ranked chunks for every query of the corpus, shape (Q, k)."""
        return self.lists.output(configuration)

    def costs(self, configuration: Configuration) -> dict[str, float]:
        """Return `work`, `index_bytes`, `latency_p50_ms` and `latency_p95_ms`."""
        latency = measure_latency(
            latency_key(configuration, self._inputs(configuration), self.options.threads),
            self.store,
            lambda: self.retriever(configuration),
            [query.text for query in self.corpus.queries],
        )
        return {
            "work": work_per_query(configuration, self.lists, self.reranked(configuration)),
            "index_bytes": float(index_bytes(configuration, self.lists)),
            "latency_p50_ms": latency.p50_ms,
            "latency_p95_ms": latency.p95_ms,
        }

    def build_seconds(self, configuration: Configuration) -> float:
        """Return about how long its index takes to build here from nothing (NaN if unknown)."""
        chunk = configuration.chunk
        seconds = self.texts.cache.seconds(self.texts.chunks_key(chunk))
        if configuration.bm25 is not None:
            terms_key = self.texts.terms_key(chunk, configuration.bm25.analyzer)
            seconds += self.texts.cache.seconds(terms_key)
        if configuration.vector is not None and first_mode(configuration) != "bm25":
            inputs = self.vectors.passage_inputs(chunk, configuration.vector)
            tokens = float(np.minimum(inputs.full, inputs.window).sum())
            seconds += tokens / self.vectors.embedding_rate(configuration.vector.model)
        return seconds

    def retriever(self, configuration: Configuration) -> Retriever:
        """Return the query side of a configuration, as production runs it."""
        chunk, vector = configuration.chunk, configuration.vector
        searched = vector is not None and first_mode(configuration) != "bm25"
        indexed = self.vectors.index(chunk, vector) if vector and searched else None
        return Retriever(
            configuration,
            self.texts.chunks(chunk).document,
            terms=self.texts.terms(chunk, configuration.bm25.analyzer)
            if configuration.bm25
            else None,
            index=indexed.index if indexed else None,
            rows=indexed.rows if indexed else None,
            encoder=self.pool.encoder(vector.model) if vector else None,
            reranker=self._reranker(configuration),
        )

    def _reranker(self, configuration: Configuration) -> Reranker | None:
        if configuration.rerank is None:
            return None
        if configuration.rerank.kind == "maxsim":
            assert configuration.vector is not None
            inputs = self.vectors.passage_inputs(configuration.chunk, configuration.vector)
            encoder = self.pool.encoder(configuration.vector.model)
            return MaxSimReranker(encoder, configuration.vector, inputs.ids)
        assert configuration.rerank.model is not None
        scorer = self.pool.cross_encoder(configuration.rerank.model)
        return CrossEncoderReranker(scorer, self.texts.passages(configuration.chunk))

    def reranked(self, configuration: Configuration) -> RankedLists | None:
        """Return the candidates that a reranker scores, shape (Q, depth), or None."""
        if configuration.rerank is None:
            return None
        return cut_depth(self.lists.candidates(configuration), configuration.rerank.depth)

    def _inputs(self, configuration: Configuration) -> tuple[str, ...]:
        keys = [self.texts.chunks_key(configuration.chunk)]
        if configuration.vector is not None:
            keys.append(self.pool.encoder(configuration.vector.model).key)
        if configuration.rerank is not None and configuration.rerank.model is not None:
            keys.append(self.pool.cross_encoder(configuration.rerank.model).key)
        return tuple(keys)
