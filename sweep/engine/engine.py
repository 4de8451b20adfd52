"""The engine: joins the stages for one corpus; every unique piece of work is done once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.hits import Hit, corpus_texts, search
from sweep.engine.measure.costs import costs_of
from sweep.engine.measure.latency import Latency, LatencyMeter, latency_key, timed_configuration
from sweep.engine.measure.load import LoadMeter
from sweep.engine.measure.report import Report
from sweep.engine.pool import ModelPool
from sweep.engine.retriever import (
    CrossEncoderReranker,
    MaxSimReranker,
    Reranker,
    Retriever,
)
from sweep.engine.stages.lists import ListStages
from sweep.engine.stages.output import cut_depth, first_mode
from sweep.engine.stages.pairs import PairStages
from sweep.engine.stages.texts import TextStages
from sweep.engine.stages.vectors import VectorStages
from sweep.engine.store.cache import StageCache
from sweep.engine.store.store import Store
from sweep.index.embed import Encoder
from sweep.models import find_model
from sweep.rankings.rerank import CrossEncoderScorer
from sweep.records import Corpus, RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How the engine works; no result depends on `threads` or on the store.

    `store_max` is in bytes.
    """

    store: Path
    tokenizer: str
    store_max: int | None = None
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
        self.store = Store(options.store, self.report, limit=options.store_max)
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
        self._latencies = LatencyMeter(self.store, LoadMeter())

    def output(self, configuration: Configuration) -> RankedLists:
        """Return the ranked chunks for every query of the corpus, shape (Q, k)."""
        return self.lists.output(configuration)

    def costs(self, configuration: Configuration) -> dict[str, float]:
        """Return `work` and `index_bytes`."""
        with self.report.stage("costs"):
            computed = costs_of(configuration, self.lists, self.reranked(configuration))
        return {"work": computed.work, "index_bytes": float(computed.index_bytes)}

    def latency(self, configuration: Configuration) -> Latency:
        """Return how long a query takes here, measured once per way to retrieve."""
        with self.report.stage("latency") as stage:
            key = self.latency_key(configuration)
            latency, fresh = self._latencies.latency(
                key,
                lambda: self._timed_search(configuration),
                [query.text for query in self.corpus.queries],
            )
            stage.got("latency", "computed" if fresh else "store", key=key)
        return latency

    def latency_key(self, configuration: Configuration) -> str:
        """Return the key of its latency, equal for all configurations that take as long."""
        return latency_key(configuration, self._inputs(configuration))

    def hits(self, configuration: Configuration, query: str) -> list[Hit]:
        """Return what a configuration finds for any query, best first."""
        texts = corpus_texts(self.corpus, self.texts.chunks(configuration.chunk))
        return search(self.retriever(configuration), texts, query)

    def _timed_search(self, configuration: Configuration) -> Callable[[str], list[Hit]]:
        """Return the search that is timed for a configuration, its models loaded."""
        timed = timed_configuration(configuration)
        texts = corpus_texts(self.corpus, self.texts.chunks(timed.chunk))
        retriever = self.retriever(timed)
        for model in self._models(timed):
            self.pool.warm(model)
        return lambda query: search(retriever, texts, query)

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
        """Return the query side of a configuration, as production runs it: on one thread."""
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
            return MaxSimReranker(encoder, configuration.vector, inputs.ids, threads=1)
        assert configuration.rerank.model is not None
        scorer = self.pool.cross_encoder(configuration.rerank.model)
        return CrossEncoderReranker(scorer, self.texts.passages(configuration.chunk), threads=1)

    def reranked(self, configuration: Configuration) -> RankedLists | None:
        """Return the candidates that a reranker scores, shape (Q, depth), or None."""
        if configuration.rerank is None:
            return None
        return cut_depth(self.lists.candidates(configuration), configuration.rerank.depth)

    def precisions(self, configuration: Configuration) -> dict[str, str]:
        """Return in what precision the models of a configuration run here, by their names."""
        return {model.files.name: model.precision for model in self._models(configuration)}

    def index_recall(self, configuration: Configuration) -> dict[str, float] | None:
        """Return `recall` at `depth` of its approximate index; None where it has none."""
        return self.lists.index_recall(configuration)

    def _inputs(self, configuration: Configuration) -> tuple[str, ...]:
        models = self._models(configuration)
        return (self.texts.chunks_key(configuration.chunk), *(model.key for model in models))

    def _models(self, configuration: Configuration) -> list[Encoder | CrossEncoderScorer]:
        """Return the models that a query of a configuration runs through."""
        models: list[Encoder | CrossEncoderScorer] = []
        if configuration.vector is not None:
            models.append(self.pool.encoder(configuration.vector.model))
        if configuration.rerank is not None and configuration.rerank.model is not None:
            models.append(self.pool.cross_encoder(configuration.rerank.model))
        return models
