"""The query side of one configuration, as it runs in production: texts in, ranked chunks out."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array

from sweep.configuration import Bm25Config, Configuration, VectorConfig
from sweep.engine.stages.output import ListSource, rank
from sweep.index.bm25 import TermMatrix, encode_queries, make_postings, search_postings
from sweep.index.embed import Encoder
from sweep.index.vectors import VectorIndex, search_vectors, to_chunks
from sweep.rankings.rerank import CrossEncoderScorer, maxsim_scores
from sweep.records import Floats, Ints, RankedLists


class Reranker(Protocol):
    """Scores (query text, chunk rows) pairs."""

    def scores(self, query: str, chunks: Ints) -> Floats:
        """Return the score of one query with each of N chunks, shape (N,)."""


class MaxSimReranker:
    """Late interaction; the token vectors of candidates are computed at query time.

    Args:
        encoder: gives the token vectors.
        config: of the encoder.
        passages: what the encoder sees of each chunk.
        threads: None = those of the encoder.
    """

    def __init__(
        self,
        encoder: Encoder,
        config: VectorConfig,
        passages: Sequence[np.ndarray],
        *,
        threads: int | None = None,
    ) -> None:
        self.encoder = encoder
        self.config = config
        self.passages = passages
        self.threads = threads

    def scores(self, query: str, chunks: Ints) -> Floats:
        """Return the late-interaction score of one query with each chunk."""
        ids, _ = self.encoder.inputs([self.config.query_prefix + query])
        tokens = self.encoder.token_vectors(ids, role="query")[0]
        passages = [self.passages[row] for row in chunks.tolist()]
        found = self.encoder.token_vectors(passages, role="passage", threads=self.threads)
        return maxsim_scores([(tokens, passage) for passage in found])


class CrossEncoderReranker:
    """A cross-encoder over the chunks' texts.

    Args:
        scorer: the cross-encoder.
        passages: the text of each chunk.
        threads: None = those of the scorer.
    """

    def __init__(
        self, scorer: CrossEncoderScorer, passages: Sequence[str], *, threads: int | None = None
    ) -> None:
        self.scorer = scorer
        self.passages = passages
        self.threads = threads

    def scores(self, query: str, chunks: Ints) -> Floats:
        """Return the cross-encoder's logit of one query with each chunk."""
        pairs = [(query, self.passages[row]) for row in chunks.tolist()]
        return self.scorer.score(pairs, threads=self.threads)


class Retriever:
    """Everything one configuration needs to answer queries; parts its mode does not use are None.

    Args:
        configuration: what to retrieve.
        chunk_document: shape (C,), document position of each chunk.
        terms: the term matrix, for BM25.
        index, rows, encoder: the vector index, the chunk row of each vector, the bi-encoder.
        reranker: scores candidates.
    """

    def __init__(
        self,
        configuration: Configuration,
        chunk_document: Ints,
        *,
        terms: TermMatrix | None = None,
        index: VectorIndex | None = None,
        rows: Ints | None = None,
        encoder: Encoder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.configuration = configuration
        self.chunk_document = chunk_document
        self.terms = terms
        self.index = index
        self.rows = rows
        self.encoder = encoder
        self.reranker = reranker
        self._postings: csr_array | None = None

    def rank(self, queries: Sequence[str]) -> RankedLists:
        """Return the ranked chunks of each query; every query is run alone."""
        lists = [self._rank_one(query) for query in queries]
        width = max((one.items.shape[1] for one in lists), default=0)
        items = np.full((len(lists), width), -1, dtype=np.int64)
        scores = np.full((len(lists), width), np.nan)
        for row, one in enumerate(lists):
            items[row, : one.items.shape[1]] = one.items[0]
            scores[row, : one.items.shape[1]] = one.scores[0]
        return RankedLists(items=items, scores=scores)

    def _rank_one(self, query: str) -> RankedLists:
        return rank(self.configuration, self.source(query), self.chunk_document)

    def source(self, query: str) -> ListSource:
        """Return what gives the lists of one query, whose shapes are (1, k)."""
        return _OneQuery(self, query)

    def postings(self, config: Bm25Config) -> csr_array:
        """Return the weighted postings, computed at the first query."""
        if self._postings is None:
            assert self.terms is not None
            self._postings = make_postings(self.terms, config)
        return self._postings


class _OneQuery:
    """The lists of one query."""

    def __init__(self, retriever: Retriever, query: str) -> None:
        self.retriever = retriever
        self.query = query

    def vector(self, depth: int) -> RankedLists:
        retriever, config = self.retriever, self.retriever.configuration.vector
        assert config is not None
        assert retriever.encoder is not None
        assert retriever.index is not None
        assert retriever.rows is not None
        ids, _ = retriever.encoder.inputs([config.query_prefix + self.query])
        vectors = retriever.encoder.embed(ids, role="query")
        found = search_vectors(retriever.index, vectors, depth=depth)
        return to_chunks(found, retriever.rows)

    def bm25(self, depth: int) -> RankedLists:
        config = self.retriever.configuration.bm25
        assert config is not None
        assert self.retriever.terms is not None
        encoded = encode_queries(self.retriever.terms, [self.query], analyzer=config.analyzer)
        return search_postings(self.retriever.postings(config), encoded, depth=depth)

    def rerank(self, candidates: RankedLists) -> Floats:
        assert self.retriever.reranker is not None
        scores = np.full(candidates.items.shape, np.nan)
        present = candidates.items[0] >= 0
        scores[0, present] = self.retriever.reranker.scores(
            self.query, candidates.items[0, present]
        )
        return scores
