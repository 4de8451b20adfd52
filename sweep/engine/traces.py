"""Every list that an output is made of, for some queries: to see where something was lost.

Lists are those of the trial itself, from the store or computed again. Single lists are looked at
deeper than the trial needed, so that a rank can be told of what it missed; nothing of that is
kept.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from sweep.configuration import Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages.lists import ListStages
from sweep.engine.stages.output import (
    ListSource,
    cut_depth,
    first_depth,
    first_mode,
    first_stage,
    rank,
    whole_list,
)
from sweep.index.bm25 import encode_queries, make_postings, search_postings, weights
from sweep.index.vectors import search_vectors, to_chunks
from sweep.records import Floats, Ints, RankedLists

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DEEP = 1000  # chunks; ranks beyond are not told


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The lists behind the output of N queries, chunk rows; None where there is no such list.

    Attributes:
        vector: by exact search, up to `DEEP`, also where the configuration's index is approximate.
        searched: what an approximate index found when it was asked for `asked_depth`.
        bm25: up to `DEEP`.
        fused: both joined as the configuration joins them.
        reranked: the list after the reranker, as far as it reranks or is returned.
        output: what the configuration returns.
    """

    vector: RankedLists | None
    searched: RankedLists | None
    bm25: RankedLists | None
    fused: RankedLists | None
    reranked: RankedLists | None
    output: RankedLists


def trace_queries(engine: Engine, configuration: Configuration, rows: Ints) -> Trace:
    """Return the lists of some of the corpus's queries.

    Args:
        engine: over the corpus.
        configuration: what retrieves.
        rows: shape (N,), positions of the queries.
    """
    source = _SomeQueries(engine.lists, configuration, rows)
    chunk_document = engine.texts.chunks(configuration.chunk).document
    return make_trace(configuration, source, source.exact, chunk_document)


def trace_text(engine: Engine, configuration: Configuration, query: str) -> Trace:
    """Return the lists of any query, retrieved as production retrieves; N is 1."""
    retriever = engine.retriever(configuration)

    def exact(depth: int) -> RankedLists:
        flat = replace(configuration, vector=_flat(configuration.vector))
        return engine.retriever(flat).source(query).vector(depth)

    source = retriever.source(query)
    return make_trace(configuration, source, exact, retriever.chunk_document)


def asked_depth(configuration: Configuration) -> int:
    """Return how many chunks the vector index is asked for, to begin with."""
    if first_mode(configuration) == "hybrid":
        assert configuration.hybrid is not None
        return configuration.hybrid.depth
    depth = configuration.rerank.depth if configuration.rerank else 0
    return max(depth, first_depth(configuration))


def is_approximate(configuration: Configuration) -> bool:
    """Return whether an approximate index comes first."""
    vector = configuration.vector
    return first_mode(configuration) != "bm25" and vector is not None and vector.index != "Flat"


def make_trace(
    configuration: Configuration,
    source: ListSource,
    exact: Callable[[int], RankedLists],
    chunk_document: Ints,
) -> Trace:
    """Return every list that a configuration makes its output of.

    Args:
        configuration: what retrieves.
        source: its lists.
        exact: gives the vector list of exact search, so deep.
        chunk_document: shape (C,), document position of each chunk.
    """
    source = _Remembering(source)
    kind = first_mode(configuration)
    approximate = is_approximate(configuration)
    # An approximate index finds something else when it is asked for more.
    depth = first_depth(configuration) if approximate else DEEP
    return Trace(
        vector=exact(DEEP) if kind != "bm25" else None,
        searched=source.vector(asked_depth(configuration)) if approximate else None,
        bm25=source.bm25(DEEP) if kind != "vector" else None,
        fused=first_stage(configuration, source, depth) if kind == "hybrid" else None,
        reranked=_reranked(configuration, source),
        output=rank(configuration, source, chunk_document),
    )


def _reranked(configuration: Configuration, source: ListSource) -> RankedLists | None:
    if configuration.rerank is None:
        return None
    depth = max(configuration.rerank.depth, first_depth(configuration))
    return cut_depth(whole_list(configuration, source, first_depth(configuration)), depth)


def _flat(config: VectorConfig | None) -> VectorConfig:
    assert config is not None
    return replace(config, index="Flat", ef_search=None, nprobe=None)


class _Remembering:
    """Asks a source for each list once, and has each candidate reranked once."""

    def __init__(self, source: ListSource) -> None:
        self.vector = lru_cache(source.vector)
        self.bm25 = lru_cache(source.bm25)
        self._rerank = source.rerank
        self._scores: dict[bytes, Floats] = {}

    def rerank(self, candidates: RankedLists) -> Floats:
        key = candidates.items.tobytes()
        if key not in self._scores:
            self._scores[key] = self._rerank(candidates)
        return self._scores[key]


class _SomeQueries:
    """The lists of some queries; what the study has not stored is made for these alone.

    Args:
        stages: the study's lists.
        configuration: what retrieves.
        rows: shape (N,), positions of the queries.
    """

    def __init__(self, stages: ListStages, configuration: Configuration, rows: Ints) -> None:
        self.stages = stages
        self.configuration = configuration
        self.rows = rows

    def vector(self, depth: int) -> RankedLists:
        assert self.configuration.vector is not None
        return self._vector(self.configuration.vector, depth)

    def exact(self, depth: int) -> RankedLists:
        """Return the vector list by exact search."""
        return self._vector(_flat(self.configuration.vector), depth)

    def _vector(self, config: VectorConfig, depth: int) -> RankedLists:
        vectors = self.stages.vectors
        indexed = vectors.index(self.configuration.chunk, config)
        found = search_vectors(
            indexed.index,
            vectors.query_vectors(config)[self.rows],
            depth=depth,
            threads=vectors.pool.threads,
        )
        return to_chunks(found, indexed.rows)

    def bm25(self, depth: int) -> RankedLists:
        return search_postings(*self._terms, depth=depth)

    @cached_property
    def _terms(self) -> "tuple[csr_array, csr_array]":
        """Return the postings and the queries, as they are searched."""
        config = self.configuration.bm25
        assert config is not None
        terms = self.stages.texts.terms(self.configuration.chunk, config.analyzer)
        queries = self.stages.texts.corpus.queries
        texts = [queries[row].text for row in self.rows.tolist()]
        encoded = encode_queries(terms, texts, analyzer=config.analyzer)
        return make_postings(terms, config), encoded

    def rerank(self, candidates: RankedLists) -> Floats:
        config = self.configuration.rerank
        assert config is not None
        shape = (len(self.stages.texts.corpus.queries), candidates.items.shape[1])
        everyone = RankedLists(items=np.full(shape, -1), scores=np.full(shape, np.nan))
        everyone.items[self.rows] = candidates.items
        everyone.scores[self.rows] = candidates.scores
        scores = self.stages.pairs.scores(
            config, self.configuration.chunk, self.configuration.vector, everyone
        )
        found: Floats = scores[self.rows]
        return found


class MatchedTerms:
    """Which terms of a query BM25 finds in a chunk, and what each adds to the score.

    Args:
        engine: over the corpus.
        configuration: one that has BM25.
    """

    def __init__(self, engine: Engine, configuration: Configuration) -> None:
        assert configuration.bm25 is not None
        self.config = configuration.bm25
        self.terms = engine.texts.terms(configuration.chunk, configuration.bm25.analyzer)
        self._weights = weights(self.terms, configuration.bm25)
        self._queries: dict[str, dict[int, float]] = {}

    def shared(self, query: str, chunks: Sequence[int]) -> list[dict[str, float]]:
        """Return what each shared term adds, the most first, of each chunk."""
        asked = self._asked(query)
        return [self._of_chunk(asked, chunk) for chunk in chunks]

    def shares_any(self, query: str, chunks: Iterable[int]) -> bool:
        """Return whether one of the chunks shares a term with a query."""
        asked, terms = self._asked(query).keys(), self.terms
        return any(
            not asked.isdisjoint(terms.indices[terms.indptr[c] : terms.indptr[c + 1]].tolist())
            for c in chunks
        )

    def _asked(self, query: str) -> dict[int, float]:
        """Return how often a query says each term, by the term's number."""
        if query not in self._queries:
            encoded = encode_queries(self.terms, [query], analyzer=self.config.analyzer)
            pairs = zip(encoded.indices.tolist(), encoded.data.tolist(), strict=True)
            self._queries[query] = dict(pairs)
        return self._queries[query]

    def _of_chunk(self, asked: dict[int, float], chunk: int) -> dict[str, float]:
        part = slice(self.terms.indptr[chunk], self.terms.indptr[chunk + 1])
        numbers, added = self.terms.indices[part].tolist(), self._weights.data[part].tolist()
        found = [
            (self.terms.vocabulary[number], asked[number] * value)
            for number, value in zip(numbers, added, strict=True)
            if number in asked
        ]
        return dict(sorted(found, key=lambda pair: (-pair[1], pair[0])))
