"""What a run would do, counted before it is done.

The counts come from the code that does the work: keys of outputs, groups of shared work, and the
lists that a configuration asks for. To count, documents are cut and their chunks tokenised (both
are kept, a run needs them); nothing is embedded, reranked or searched by vector. Candidates that
are known without a new vector are looked up; BM25 lists are made, and kept, for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sweep.configuration import ChunkConfig, Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.plan.embedding_work import EncoderWork, embedding_work
from sweep.engine.plan.rerank_work import RerankWork, rerank_work
from sweep.engine.plan.shared_work import pair_groups, passage_groups
from sweep.engine.stages.lists import exact_config
from sweep.engine.stages.output import first_mode, first_stage, rank, vector_depth
from sweep.index.vectors import EXACT
from sweep.records import Floats, RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCount:
    """Distinct outputs of one kind.

    Attributes:
        kind: in the plural, as people say it.
        unique: how many are needed.
        stored: how many of them are in the store; None where outputs are held in memory only.
        open_ended: whether there may be more: lists that are deepened until they hold enough
            distinct documents.
    """

    kind: str
    unique: int
    stored: int | None = None
    open_ended: bool = False

    @property
    def to_do(self) -> int:
        """Return how many have to be made."""
        return self.unique - (self.stored or 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TermWork:
    """A term matrix."""

    chunk: ChunkConfig
    analyzer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWork:
    """A ranked list for all queries; `vector` is None for a BM25 list."""

    stage: Literal["bm25_list", "vector_list"]
    chunk: ChunkConfig
    vector: VectorConfig | None
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexWork:
    """A vector index."""

    chunk: ChunkConfig
    vector: VectorConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the engine would do for some configurations.

    Attributes:
        configurations: those that are to be evaluated.
        stages: distinct outputs by kind, in the order of the flow.
        chunkings: all that are needed.
        terms, lists: those that are not stored.
        indexes: all that are needed.
        encoders: what is embedded, per bi-encoder.
        rerankers: what is scored, per reranker.
        latencies: one configuration per latency that is not stored.
    """

    configurations: tuple[Configuration, ...]
    stages: tuple[StageCount, ...]
    chunkings: tuple[ChunkConfig, ...]
    terms: tuple[TermWork, ...]
    lists: tuple[ListWork, ...]
    indexes: tuple[IndexWork, ...]
    encoders: tuple[EncoderWork, ...]
    rerankers: tuple[RerankWork, ...]
    latencies: tuple[Configuration, ...]

    def stage(self, kind: str) -> StageCount:
        """Return the count of one kind."""
        return next(stage for stage in self.stages if stage.kind == kind)


def make_plan(engine: Engine, configurations: Sequence[Configuration]) -> Plan:
    """Return what a run over these configurations would do.

    Args:
        engine: over the corpus; its store is looked at, and filled with chunks.
        configurations: distinct; those that have no finished trial yet.
    """
    rerankers = rerank_work(engine, pair_groups(configurations))  # first: may store BM25 lists
    wanted = _Wanted(engine)
    for configuration in configurations:
        wanted.add(configuration)
    lists = [*wanted.missing("bm25_list"), *wanted.missing("vector_list")]
    searching = [made.vector for made in lists if made.vector is not None]
    encoders = embedding_work(engine, passage_groups(configurations), searching)
    return Plan(
        configurations=tuple(configurations),
        stages=_stage_counts(wanted, encoders, rerankers),
        chunkings=tuple(wanted.outputs["chunks"].values()),
        terms=wanted.missing("terms"),
        lists=tuple(lists),
        indexes=tuple(wanted.outputs["index"].values()),
        encoders=encoders,
        rerankers=rerankers,
        latencies=wanted.missing("latency"),
    )


def _stage_counts(
    wanted: "_Wanted", encoders: Sequence[EncoderWork], rerankers: Sequence[RerankWork]
) -> tuple[StageCount, ...]:
    vectors = StageCount(
        kind="embedded chunk sets",
        unique=sum(work.chunk_sets for work in encoders),
        stored=sum(work.chunk_sets_stored for work in encoders),
    )
    candidates = StageCount(
        kind="rerank candidate sets",
        unique=sum(work.candidate_sets for work in rerankers),
        stored=sum(work.candidate_sets_stored for work in rerankers),
    )
    return (
        wanted.count("chunkings", "chunks"),
        wanted.count("term matrices", "terms"),
        vectors,
        StageCount(kind="vector indexes", unique=len(wanted.outputs["index"])),
        wanted.count("deep BM25 lists", "bm25_list"),
        wanted.count("deep vector lists", "vector_list"),
        StageCount(kind="fused lists", unique=len(wanted.outputs["fused"])),
        candidates,
        wanted.count("latencies", "latency"),
    )


class _Wanted:
    """The distinct outputs that configurations need, by the stage they are stored under."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        stages = ("chunks", "terms", "index", "bm25_list", "vector_list", "fused", "latency")
        self.outputs: dict[str, dict[str, Any]] = {stage: {} for stage in stages}
        self._open_ended: set[str] = set()

    def add(self, configuration: Configuration) -> None:
        """Note what a configuration needs; cuts its documents."""
        chunk, bm25, vector = configuration.chunk, configuration.bm25, configuration.vector
        texts, vectors = self.engine.texts, self.engine.vectors
        document = texts.chunks(chunk).document
        self.outputs["chunks"][texts.chunks_key(chunk)] = chunk
        if bm25 is not None:
            key = texts.terms_key(chunk, bm25.analyzer)
            self.outputs["terms"][key] = TermWork(chunk=chunk, analyzer=bm25.analyzer)
        if vector is not None and first_mode(configuration) != "bm25":
            key = vectors.index_key(chunk, vector)
            self.outputs["index"][key] = IndexWork(chunk=chunk, vector=vector)
        if configuration.hybrid is not None:
            self.outputs["fused"][str((chunk, bm25, vector, configuration.hybrid))] = None
        self.outputs["latency"].setdefault(self.engine.latency_key(configuration), configuration)
        asked = _Asked(self, configuration)
        rank(configuration, asked, document)
        if vector is not None and first_mode(configuration) != "bm25" and vector.index != EXACT:
            asked.exact(vector_depth(configuration))  # its index is compared with exact search
        if configuration.rerank is not None:
            first_stage(configuration, asked, configuration.rerank.depth)
        if configuration.top_k_unit == "documents" and configuration.mode in ("bm25", "vector"):
            self._open_ended.add(f"{configuration.mode}_list")

    def missing(self, stage: str) -> tuple[Any, ...]:
        """Return the outputs of a stage that are not in the store."""
        found = self.outputs[stage].items()
        return tuple(output for key, output in found if not self._is_stored(stage, key))

    def count(self, kind: str, stage: str) -> StageCount:
        """Return how many outputs of a stage there are."""
        unique = len(self.outputs[stage])
        return StageCount(
            kind=kind,
            unique=unique,
            stored=unique - len(self.missing(stage)),
            open_ended=stage in self._open_ended,
        )

    def _is_stored(self, stage: str, key: str) -> bool:
        return self.engine.store.path(stage, key).is_file()


class _Asked:
    """Notes which lists a configuration asks for, and gives it empty ones."""

    def __init__(self, wanted: _Wanted, configuration: Configuration) -> None:
        self.wanted = wanted
        self.configuration = configuration

    def vector(self, depth: int) -> RankedLists:
        chunk, vector = self.configuration.chunk, self.configuration.vector
        assert vector is not None
        return self._vector(chunk, vector, depth)

    def exact(self, depth: int) -> RankedLists:
        chunk, vector = self.configuration.chunk, self.configuration.vector
        assert vector is not None
        return self._vector(chunk, exact_config(vector), depth)

    def _vector(self, chunk: ChunkConfig, vector: VectorConfig, depth: int) -> RankedLists:
        key = self.wanted.engine.lists.vector_key(chunk, vector, depth)
        return self._note(
            key, ListWork(stage="vector_list", chunk=chunk, vector=vector, depth=depth)
        )

    def bm25(self, depth: int) -> RankedLists:
        chunk, bm25 = self.configuration.chunk, self.configuration.bm25
        assert bm25 is not None
        key = self.wanted.engine.lists.bm25_key(chunk, bm25, depth)
        return self._note(key, ListWork(stage="bm25_list", chunk=chunk, vector=None, depth=depth))

    def rerank(self, candidates: RankedLists) -> Floats:
        return np.full(candidates.items.shape, np.nan)

    def _note(self, key: str, work: ListWork) -> RankedLists:
        known = self.wanted.outputs[work.stage].get(key)
        if known is None or known.depth < work.depth:
            self.wanted.outputs[work.stage][key] = work
        empty = (len(self.wanted.engine.corpus.queries), 0)
        return RankedLists(items=np.empty(empty, dtype=np.int64), scores=np.empty(empty))
