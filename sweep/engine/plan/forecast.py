"""From a plan to seconds and bytes: what the engine's work will take on this machine.

Models are timed (see `sweep.engine.plan.calibrate`), term matrices are tried on a sample of the
chunks. Searching takes little beside them, and is reckoned from its size.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sweep.configuration import ChunkConfig, Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.measure.latency import sample_size
from sweep.engine.plan.calibrate import Calibration, Model
from sweep.engine.plan.pair_batches import pair_batches
from sweep.engine.plan.plan import IndexWork, ListWork, Plan
from sweep.engine.plan.rerank_work import RerankWork
from sweep.engine.plan.shared_work import PairGroup
from sweep.engine.stages.output import first_mode
from sweep.errors import IndexingError
from sweep.index.bm25 import build_terms, to_arrays
from sweep.models import find_model

SAMPLE = 2000  # chunks whose terms are counted to see what all will take
SCORE_S = 1.2e-8  # per query and chunk: a score, and finding the best
PRODUCT_S = 1e-10  # per query, chunk and dimension, in a matrix product
SCAN_S = 5e-10  # per chunk and dimension, for one query alone
EXACT_S = 3e-9  # per query, candidate and dimension, in float64
PREPARE_S = 1e-8  # per number of an index
BUILD_S = 2e-4  # per vector of an approximate index
HIT_S = 5e-4  # per query alone: its terms, and the texts of its hits
READY_S = 1e-5  # per chunk, to make an index ready for one query at a time
KEY_BYTES, NUMBER_BYTES, SCORE_BYTES, ENTRY_BYTES = 16, 4, 8, 16
LATENCY_BYTES = 600  # one small file
DRAWS = 8  # queries whose candidates stand for all
USUAL_DIMENSION = 384  # where a model does not say


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What the engine's part of a run will take.

    Attributes:
        seconds: by stage, named as a run names it (`sweep.engine.measure.account.STAGES`).
        store_bytes: that will be added to the store.
        terms_bytes, index_bytes: the largest term matrices and vector indexes, largest first.
    """

    seconds: Mapping[str, float]
    store_bytes: int
    terms_bytes: Sequence[int]
    index_bytes: Sequence[int]


def forecast(engine: Engine, plan: Plan, calibration: Calibration) -> Forecast:
    """Return what a plan will take.

    Args:
        engine: the plan's; chunks are read from its store.
        plan: what is to be done.
        calibration: tells how long models take here.
    """
    return _Reckoning(engine, plan, calibration).forecast()


class _Reckoning:
    def __init__(self, engine: Engine, plan: Plan, calibration: Calibration) -> None:
        self.engine = engine
        self.plan = plan
        self.calibration = calibration
        self.queries = len(engine.corpus.queries)
        self._configs = {c.vector.model: c.vector for c in plan.configurations if c.vector}

    def forecast(self) -> Forecast:
        plan, calibration = self.plan, self.calibration
        load_s = sum(map(calibration.load_seconds, self._loaded()))  # before a model is tried
        terms_s, terms_bytes = self._terms()
        embed_s = [self._embed_seconds(work.model, work.queries) for work in plan.encoders]
        embed_s += [calibration.embedding_seconds(work) for work in plan.encoders if work.texts]
        indexes = [
            self._chunks(work) * NUMBER_BYTES * self._dimension(work.vector)
            for work in plan.indexes
        ]
        return Forecast(
            seconds={
                "terms": terms_s,
                "load": load_s,
                "embed": sum(embed_s),
                "index": sum(map(self._index_seconds, plan.indexes)),
                "lists": sum(map(self._list_seconds, plan.lists)),
                "rerank": sum(map(self._rerank_seconds, plan.rerankers)),
                "latency": sum(map(self._latency_seconds, plan.latencies)),
            },
            store_bytes=sum(terms_bytes) + sum(self._stored()),
            terms_bytes=sorted(terms_bytes, reverse=True),
            index_bytes=sorted(indexes, reverse=True),
        )

    def _stored(self) -> Iterator[int]:
        """Yield the bytes of what is written beside term matrices."""
        for work in self.plan.encoders:
            row = KEY_BYTES + NUMBER_BYTES * self._dimension(VectorConfig(model=work.model))
            yield (work.texts + work.queries) * row
        for made in self.plan.lists:
            yield self.queries * min(made.depth, self._chunks(made)) * ENTRY_BYTES
        for scored in self.plan.rerankers:
            yield round(scored.expected) * (KEY_BYTES + SCORE_BYTES)
        yield LATENCY_BYTES * len(self.plan.latencies)

    def _terms(self) -> tuple[float, list[int]]:
        """Return the seconds of the term matrices, and the bytes of each."""
        rates: dict[str, tuple[float, float]] = {}
        seconds, sizes = 0.0, []
        for work in self.plan.terms:
            if work.analyzer not in rates:
                texts = self.engine.texts.passages(work.chunk)
                rates[work.analyzer] = self._term_rates(texts, work.analyzer)
            characters = self._characters(work.chunk)
            seconds += characters * rates[work.analyzer][0]
            sizes.append(round(characters * rates[work.analyzer][1]))
        return seconds, sizes

    def _characters(self, chunk: ChunkConfig) -> int:
        """Return the length of all passages together."""
        chunks = self.engine.texts.chunks(chunk)
        total = int((chunks.end - chunks.start).sum())
        if chunk.prepend_title:
            titles = np.array([len(d.title) for d in self.engine.corpus.documents], dtype=np.int64)
            total += int(titles[chunks.document].sum())
        return total

    def _term_rates(self, texts: Sequence[str], analyzer: str) -> tuple[float, float]:
        """Return seconds and bytes per character."""
        sample = [texts[row] for row in range(0, len(texts), max(1, len(texts) // SAMPLE))]
        start = self.calibration.clock()
        try:
            arrays = to_arrays(build_terms(sample, analyzer=analyzer))
        except IndexingError:  # no term in the sample
            return 0.0, 0.0
        characters = max(1, sum(map(len, sample)))
        size = sum(array.nbytes for array in arrays.values())
        return (self.calibration.clock() - start) / characters, size / characters

    def _loaded(self) -> list[Model]:
        """Return the models that the run has to load."""
        plan, pool = self.plan, self.engine.pool
        bi = {work.model for work in plan.encoders if work.texts or work.queries}
        bi |= {c.vector.model for c in plan.latencies if c.vector is not None}
        cross = {c.rerank.model for c in plan.latencies if c.rerank and c.rerank.model}
        for work in plan.rerankers:
            if work.expected:
                (bi if work.kind == "maxsim" else cross).add(work.model)
        return [
            *(pool.encoder(name) for name in sorted(bi)),
            *(pool.cross_encoder(name) for name in sorted(cross)),
        ]

    def _embed_seconds(self, model: str, queries: int) -> float:
        return queries * self.calibration.query_seconds(self._configs[model]) if queries else 0.0

    def _rerank_seconds(self, work: RerankWork) -> float:
        if not work.expected:
            return 0.0
        seconds = self.calibration.rerank_times(work).total(work.batches)
        if work.kind == "maxsim":
            seconds += work.expected * self.calibration.product_seconds(work)
            seconds += self._embed_seconds(work.model, self.queries)  # their token vectors
        return seconds

    def _list_seconds(self, work: ListWork) -> float:
        chunks = self._chunks(work)
        if work.vector is None:
            return self.queries * chunks * SCORE_S
        dimension = self._dimension(work.vector)
        exact = min(work.depth, chunks) * dimension * EXACT_S
        return self.queries * (chunks * (SCORE_S + dimension * PRODUCT_S) + exact)

    def _index_seconds(self, work: IndexWork) -> float:
        build = 0.0 if work.vector.index == "Flat" else BUILD_S
        return self._chunks(work) * (self._dimension(work.vector) * PREPARE_S + build)

    def _latency_seconds(self, configuration: Configuration) -> float:
        """Return how long it takes to measure a latency: queries alone, on one thread."""
        chunks, vector = self._chunks(configuration), configuration.vector
        one = HIT_S + chunks * SCORE_S
        if vector is not None and first_mode(configuration) != "bm25":
            one += self.calibration.query_seconds(vector)
            one += chunks * self._dimension(vector) * SCAN_S
        if configuration.rerank is not None:
            one += self._query_rerank_seconds(configuration)
        n, rounds = sample_size(one, self.queries)
        return chunks * READY_S + one * (2 + n * rounds)

    def _query_rerank_seconds(self, configuration: Configuration) -> float:
        """Return how long the candidates of one query take, as if drawn from all chunks."""
        rerank, vector = configuration.rerank, configuration.vector
        assert rerank is not None
        model = rerank.model or (vector.model if vector else "")
        files = find_model(model).fingerprint  # one model may have several names
        work = next(
            w
            for w in self.plan.rerankers
            if w.kind == rerank.kind and find_model(w.model).fingerprint == files
        )
        group = PairGroup(
            rerank=rerank, chunk=configuration.chunk, vector=vector, configurations=()
        )
        counter = pair_batches(self.engine, group)
        times, depth = self.calibration.rerank_times(work), min(rerank.depth, counter.chunks)
        rng = np.random.default_rng(0)
        drawn = [
            counter.of(
                np.full(depth, rng.integers(self.queries)),
                rng.choice(counter.chunks, depth, replace=False),
            )
            for _ in range(DRAWS)
        ]
        seconds = self.engine.options.threads * sum(map(times.total, drawn)) / DRAWS
        if rerank.kind == "maxsim" and vector is not None:
            seconds += depth * self.calibration.product_seconds(work)
            seconds += self.calibration.query_seconds(vector)
        return seconds

    def _chunks(self, work: Configuration | ListWork | IndexWork) -> int:
        return len(self.engine.texts.chunks(work.chunk))

    def _dimension(self, vector: VectorConfig) -> int:
        files = self.engine.pool.encoder(vector.model).files
        return vector.dimensions or files.dimension or USUAL_DIMENSION
