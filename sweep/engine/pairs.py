"""Rerank scores: one number per (model, query, passage), computed once for a whole sweep."""

from collections.abc import Callable

import numpy as np

from sweep.configuration import ChunkConfig, RerankConfig, VectorConfig
from sweep.engine.keys import row_key
from sweep.engine.rows import RowStore
from sweep.engine.vectors import VectorStages
from sweep.rankings.rerank import maxsim_scores
from sweep.records import Floats, Ints, RankedLists, Vectors

BLOCK = 1024  # pairs scored between two writes; bounds the token vectors held at once


class PairStages:
    """Scores candidates with late interaction or a cross-encoder."""

    def __init__(self, vectors: VectorStages) -> None:
        self.vectors = vectors
        self._stores: dict[str, RowStore] = {}
        self._query_tokens: dict[str, list[Vectors]] = {}

    def scores(
        self,
        config: RerankConfig,
        chunk: ChunkConfig,
        vector: VectorConfig | None,
        candidates: RankedLists,
    ) -> Floats:
        """Return the score of each candidate, shape (Q, k), NaN where a list has ended."""
        queries, columns = np.nonzero(candidates.items >= 0)
        chunks = candidates.items[queries, columns]
        if config.kind == "maxsim":
            assert vector is not None
            values = self._maxsim(chunk, vector, queries, chunks)
        else:
            assert config.model is not None
            values = self._cross_encoder(config.model, chunk, queries, chunks)
        scores = np.full(candidates.items.shape, np.nan)
        scores[queries, columns] = values
        return scores

    def _maxsim(
        self, chunk: ChunkConfig, vector: VectorConfig, queries: Ints, chunks: Ints
    ) -> Floats:
        encoder = self.vectors.pool.encoder(vector.model)
        passages = self.vectors.passage_inputs(chunk, vector).ids
        corpus = self.vectors.texts.corpus
        query_ids, _ = encoder.inputs([vector.query_prefix + q.text for q in corpus.queries])
        keys = [
            row_key(query_ids[q].tobytes() + b"|" + passages[c].tobytes())
            for q, c in zip(queries.tolist(), chunks.tolist(), strict=True)
        ]

        def compute(positions: list[int]) -> Floats:
            tokens = self._tokens_of_queries(vector, query_ids)
            rows = chunks[positions]
            unique, place = np.unique(rows, return_inverse=True)
            found = encoder.token_vectors([passages[c] for c in unique.tolist()], role="passage")
            return maxsim_scores(
                [
                    (tokens[queries[p]], found[i])
                    for p, i in zip(positions, place.tolist(), strict=True)
                ]
            )

        return self._fetch(
            f"maxsim|{encoder.key}",
            keys,
            compute,
            lambda p: (len(passages[chunks[p]]), int(chunks[p]), int(queries[p])),
        )

    def _cross_encoder(
        self, model: str, chunk: ChunkConfig, queries: Ints, chunks: Ints
    ) -> Floats:
        scorer = self.vectors.pool.cross_encoder(model)
        passages = self.vectors.texts.passages(chunk)
        texts = [query.text for query in self.vectors.texts.corpus.queries]
        pairs = [
            (texts[q], passages[c]) for q, c in zip(queries.tolist(), chunks.tolist(), strict=True)
        ]
        return self._fetch(
            f"cross-encoder|{scorer.key}",
            [row_key(f"{len(q)}|{q}{p}".encode()) for q, p in pairs],
            lambda positions: scorer.score([pairs[p] for p in positions]),
            lambda p: (len(pairs[p][1]), p),
        )

    def _fetch(
        self,
        namespace: str,
        keys: list[bytes],
        compute: Callable[[list[int]], Floats],
        order: Callable[[int], tuple[int, ...]],
    ) -> Floats:
        if namespace not in self._stores:
            self._stores[namespace] = RowStore(self.vectors.cache.store, "pairs", namespace)
        report = self.vectors.cache.store.report
        rows = self._stores[namespace].fetch(
            keys,
            lambda positions: compute(positions)[:, None],
            block=BLOCK,
            progress=lambda done, total: report.on_progress("rerank", done, total),
            order=order,
        )
        return np.asarray(rows, dtype=np.float64).reshape(-1)

    def _tokens_of_queries(self, vector: VectorConfig, ids: list[np.ndarray]) -> list[Vectors]:
        encoder = self.vectors.pool.encoder(vector.model)
        key = f"{encoder.key}|{vector.query_prefix}"
        if key not in self._query_tokens:
            self._query_tokens[key] = encoder.token_vectors(ids, role="query")
        return self._query_tokens[key]
