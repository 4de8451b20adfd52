"""Ranked lists of a whole study's queries: one deep list per index serves every configuration."""

from collections.abc import Callable
from dataclasses import asdict, replace

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.engine.stages.output import (
    FIRST_DEPTH,
    cut_depth,
    first_mode,
    first_stage,
    rank,
    vector_depth,
)
from sweep.engine.stages.pairs import PairStages
from sweep.engine.stages.texts import TextStages
from sweep.engine.stages.vectors import VectorStages
from sweep.engine.store.cache import StageCache
from sweep.engine.store.keys import stage_key
from sweep.index.bm25 import search_bm25
from sweep.index.vectors import EXACT, recall_against_exact, search_vectors, to_chunks
from sweep.machine import version_of
from sweep.records import Floats, RankedLists


class ListStages:
    """Ranked lists of chunks for all queries of the corpus."""

    def __init__(
        self, texts: TextStages, vectors: VectorStages, pairs: PairStages, cache: StageCache
    ) -> None:
        self.texts = texts
        self.vectors = vectors
        self.pairs = pairs
        self.cache = cache

    def output(self, configuration: Configuration) -> RankedLists:
        """Return what a configuration retrieves for every query."""
        chunks = self.texts.chunks(configuration.chunk)
        with self.cache.store.report.stage("fuse"):  # what the lists inside take is theirs
            return rank(configuration, _Source(self, configuration), chunks.document)

    def candidates(self, configuration: Configuration) -> RankedLists:
        """Return a rerank configuration's list before it is reranked."""
        assert configuration.rerank is not None
        return first_stage(configuration, _Source(self, configuration), configuration.rerank.depth)

    def bm25(self, chunk: ChunkConfig, config: Bm25Config, depth: int) -> RankedLists:
        """Return the BM25 list of every query, at most `depth` deep."""
        deep = _deep(depth)
        queries = [query.text for query in self.texts.corpus.queries]
        return self._stored(
            "bm25_list",
            self.bm25_key(chunk, config, depth),
            depth,
            lambda: search_bm25(
                self.texts.terms(chunk, config.analyzer), config, queries, depth=deep
            ),
        )

    def bm25_key(self, chunk: ChunkConfig, config: Bm25Config, depth: int) -> str:
        """Return the key of the stored list that serves `bm25(chunk, config, depth)`."""
        inputs = (
            self.texts.terms_key(chunk, config.analyzer),
            self.texts.queries_key,
            version_of("scipy"),
            version_of("rank-bm25"),
        )
        return stage_key("bm25_list", {**asdict(config), "depth": _deep(depth)}, inputs)

    def vector(self, chunk: ChunkConfig, config: VectorConfig, depth: int) -> RankedLists:
        """Return the vector list of every query, at most `depth` deep.

        An approximate index is asked for exactly `depth`, since what it finds depends on it.
        """
        key = self.vector_key(chunk, config, depth)
        deep = _vector_depth(config, depth)
        return self._stored("vector_list", key, depth, lambda: self._search(chunk, config, deep))

    def vector_key(self, chunk: ChunkConfig, config: VectorConfig, depth: int) -> str:
        """Return the key of the stored list that serves `vector(chunk, config, depth)`."""
        inputs = (
            self.vectors.index_key(chunk, config),
            self.texts.queries_key,
            version_of("faiss-cpu"),
        )
        params = {"prefix": config.query_prefix, "depth": _vector_depth(config, depth)}
        return stage_key("vector_list", params, inputs)

    def exact(self, chunk: ChunkConfig, config: VectorConfig, depth: int) -> RankedLists:
        """Return what exact search over the vectors of an approximate index returns.

        It is stored as the list of a Flat index, which it is equal to.
        """
        flat = exact_config(config)
        key, deep = self.vector_key(chunk, flat, depth), _vector_depth(flat, depth)
        return self._stored(
            "vector_list", key, depth, lambda: self._search(chunk, config, deep, exact=True)
        )

    def index_recall(self, configuration: Configuration) -> dict[str, float] | None:
        """Return what an approximate index finds of what exact search does.

        Returns: `recall`, over all queries of the corpus, and `depth`, how many chunks the
            configuration asks the index for; None without an approximate index.
        """
        vector, chunk = configuration.vector, configuration.chunk
        if vector is None or first_mode(configuration) == "bm25" or vector.index == EXACT:
            return None
        depth = vector_depth(configuration)
        lists = self.exact(chunk, vector, depth), self.vector(chunk, vector, depth)
        return {"recall": recall_against_exact(*lists), "depth": depth}

    def _search(
        self, chunk: ChunkConfig, config: VectorConfig, depth: int, *, exact: bool = False
    ) -> RankedLists:
        indexed = self.vectors.index(chunk, config)
        found = search_vectors(
            replace(indexed.index, approximate=None) if exact else indexed.index,
            self.vectors.query_vectors(config),
            depth=depth,
            threads=self.vectors.pool.threads,
        )
        return to_chunks(found, indexed.rows)

    def _stored(
        self, stage: str, key: str, depth: int, compute: Callable[[], RankedLists]
    ) -> RankedLists:
        lists = self.cache.get(
            stage,
            key,
            compute=compute,
            encode=lambda value: {"items": value.items, "scores": value.scores},
            decode=lambda arrays: RankedLists(**arrays),
        )
        return cut_depth(lists, depth)


class _Source:
    """The lists of one configuration, from the study's shared ones."""

    def __init__(self, stages: ListStages, configuration: Configuration) -> None:
        self.stages = stages
        self.configuration = configuration

    def vector(self, depth: int) -> RankedLists:
        assert self.configuration.vector is not None
        return self.stages.vector(self.configuration.chunk, self.configuration.vector, depth)

    def bm25(self, depth: int) -> RankedLists:
        assert self.configuration.bm25 is not None
        return self.stages.bm25(self.configuration.chunk, self.configuration.bm25, depth)

    def rerank(self, candidates: RankedLists) -> Floats:
        assert self.configuration.rerank is not None
        return self.stages.pairs.scores(
            self.configuration.rerank,
            self.configuration.chunk,
            self.configuration.vector,
            candidates,
        )


def _deep(depth: int) -> int:
    """Round a depth up, so that nearby depths share one stored list."""
    deep = FIRST_DEPTH
    while deep < depth:
        deep *= 2
    return deep


def exact_config(config: VectorConfig) -> VectorConfig:
    """Return the same vectors, searched exactly."""
    return replace(config, index=EXACT, ef_search=None, nprobe=None)


def _vector_depth(config: VectorConfig, depth: int) -> int:
    return _deep(depth) if config.index == EXACT else depth
