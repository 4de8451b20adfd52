"""Rerank scores: one number per (model, query, passage), computed once for a whole sweep."""

from collections.abc import Callable

import numpy as np

from sweep.configuration import ChunkConfig, RerankConfig, VectorConfig
from sweep.engine.measure.account import StageRun
from sweep.engine.stages.vectors import VectorStages
from sweep.engine.store.keys import row_key
from sweep.engine.store.rows import RowStore
from sweep.engine.store.segments import key_rows
from sweep.index.embed import Encoder
from sweep.machine import version_of
from sweep.rankings.rerank import CrossEncoderScorer, maxsim_scores
from sweep.records import Floats, Ints, RankedLists, Vectors

BLOCK = 1024  # pairs scored between two writes
Compute = Callable[[list[int]], Floats]  # gets positions of pairs, returns their scores


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
        with self.vectors.cache.store.report.stage("rerank") as account:
            if config.kind == "maxsim":
                assert vector is not None
                order, compute = self._maxsim(chunk, vector, queries, chunks)
                keys = self.keys(config, chunk, vector, queries, chunks)
            else:
                assert config.model is not None
                pairs = self._texts(chunk, queries, chunks)
                order, compute = self._cross_encoder(config.model, pairs)
                keys = _text_keys(pairs)
            values = self._fetch(account, self.rows(config, vector), keys, compute, order)
        scores = np.full(candidates.items.shape, np.nan)
        scores[queries, columns] = values
        return scores

    def keys(
        self,
        config: RerankConfig,
        chunk: ChunkConfig,
        vector: VectorConfig | None,
        queries: Ints,
        chunks: Ints,
    ) -> list[bytes]:
        """Return the row keys of N pairs, given by query positions (N,) and chunk rows (N,).

        Pairs of equal texts have one score, whichever chunking they belong to.
        """
        if config.kind == "maxsim":
            assert vector is not None
            inputs = self.vectors.passage_inputs(chunk, vector)
            asked = [row_key(ids.tobytes()) for ids in self.vectors.query_inputs(vector)]
            found = key_rows(inputs.keys[chunks])
            return [
                row_key(asked[query] + key.tobytes())
                for query, key in zip(queries.tolist(), found, strict=True)
            ]
        return _text_keys(self._texts(chunk, queries, chunks))

    def rows(self, config: RerankConfig, vector: VectorConfig | None) -> RowStore:
        """Return the stored scores of a reranker, by `keys`."""
        model: Encoder | CrossEncoderScorer
        if config.kind == "maxsim":
            assert vector is not None
            model = self.vectors.pool.encoder(vector.model)
            namespace = f"maxsim|{model.key}|numpy={version_of('numpy')}"
        else:
            assert config.model is not None
            model = self.vectors.pool.cross_encoder(config.model)
            namespace = f"cross-encoder|{model.key}"
        if namespace not in self._stores:
            about = {"model": model.files.name, "precision": model.precision, "of": config.kind}
            store = self.vectors.cache.store
            self._stores[namespace] = RowStore(store, "pairs", namespace, about)
        return self._stores[namespace]

    def _maxsim(
        self, chunk: ChunkConfig, vector: VectorConfig, queries: Ints, chunks: Ints
    ) -> tuple[Ints, Compute]:
        """Return the order in which pairs are scored, and what scores them."""
        encoder = self.vectors.pool.encoder(vector.model)
        inputs = self.vectors.passage_inputs(chunk, vector)

        def compute(positions: list[int]) -> Floats:
            self.vectors.pool.warm(encoder)
            tokens = self._tokens_of_queries(vector)
            unique, place = np.unique(chunks[positions], return_inverse=True)
            asked = queries[positions]
            scores = np.empty(len(positions), dtype=np.float64)
            ids = [inputs.ids[row] for row in unique]
            # Each passage once, whichever queries ask for it; a batch of them in memory at a time.
            for number, passage in encoder.stream_token_vectors(ids, role="passage"):
                same = np.flatnonzero(place == number)
                pairs = [(tokens[query], passage) for query in asked[same].tolist()]
                scores[same] = maxsim_scores(pairs)
            return scores

        return _ranks(inputs.lengths[chunks], chunks, queries), compute

    def _cross_encoder(self, model: str, pairs: list[tuple[str, str]]) -> tuple[Ints, Compute]:
        """Return the order in which pairs are scored, and what scores them."""
        scorer = self.vectors.pool.cross_encoder(model)

        def compute(positions: list[int]) -> Floats:
            self.vectors.pool.warm(scorer)
            return scorer.score([pairs[p] for p in positions])

        return np.array([len(passage) for _, passage in pairs], dtype=np.int64), compute

    def _texts(self, chunk: ChunkConfig, queries: Ints, chunks: Ints) -> list[tuple[str, str]]:
        """Return the texts of N pairs."""
        unique, place = np.unique(chunks, return_inverse=True)
        passages = self.vectors.texts.passages(chunk)
        found = [passages[row] for row in unique]
        texts = [query.text for query in self.vectors.texts.corpus.queries]
        return [
            (texts[q], found[i]) for q, i in zip(queries.tolist(), place.tolist(), strict=True)
        ]

    def _fetch(
        self,
        account: StageRun,
        store: RowStore,
        keys: list[bytes],
        compute: Compute,
        order: Ints,
    ) -> Floats:
        report = self.vectors.cache.store.report
        computed = 0

        def counted(positions: list[int]) -> Floats:
            nonlocal computed
            computed += len(positions)
            return compute(positions)[:, None]

        rows = store.fetch(
            keys,
            counted,
            block=BLOCK,
            progress=lambda done, total: report.on_progress("rerank", done, total),
            order=order,
        )
        account.got("pairs", "store", count=len(keys) - computed)
        account.got("pairs", "computed", count=computed)
        return np.asarray(rows, dtype=np.float64).reshape(-1)

    def _tokens_of_queries(self, vector: VectorConfig) -> list[Vectors]:
        encoder = self.vectors.pool.encoder(vector.model)
        key = f"{encoder.key}|{vector.query_prefix}"
        if key not in self._query_tokens:
            ids = self.vectors.query_inputs(vector)
            self._query_tokens[key] = encoder.token_vectors(ids, role="query")
        return self._query_tokens[key]


def _ranks(*columns: Ints) -> Ints:
    """Return the rank of each row (n,) when rows are sorted by their columns, the first first."""
    order = np.lexsort(columns[::-1])
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(order))
    return ranks


def _text_keys(pairs: list[tuple[str, str]]) -> list[bytes]:
    """Return the row keys of pairs of texts."""
    return [row_key(f"{len(query)}|{query}{passage}".encode()) for query, passage in pairs]
