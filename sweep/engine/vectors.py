"""The stages that need a bi-encoder: passage and query vectors, vector indexes."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.engine.cache import StageCache
from sweep.engine.keys import row_key, stage_key
from sweep.engine.pool import ModelPool
from sweep.engine.rows import RowStore
from sweep.engine.texts import TextStages
from sweep.index.embed import Encoder, passage_text, title_cutter
from sweep.index.vectors import VectorIndex, build_index
from sweep.records import Ints, Vectors

BLOCK = 512  # passages embedded between two writes to the store


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageInputs:
    """What a model sees of every chunk.

    Attributes:
        ids: C arrays of token ids.
        full: shape (C,), length before truncation, special tokens included.
        rows: the chunks that have any text; only these are indexed.
        window: the model's limit, special tokens included.
    """

    ids: list[np.ndarray]
    full: Ints
    rows: Ints
    window: int

    @property
    def truncated(self) -> int:
        """Return how many chunks are longer than the window."""
        return int((self.full > self.window).sum())

    @property
    def lost(self) -> float:
        """Return the share of tokens beyond the window."""
        return float(np.maximum(self.full - self.window, 0).sum() / max(1, self.full.sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkIndex:
    """A vector index and the chunk row of each of its vectors."""

    index: VectorIndex
    rows: Ints


class VectorStages:
    """Vectors of chunks and queries, each model input embedded once, whatever it belongs to."""

    def __init__(self, texts: TextStages, cache: StageCache, pool: ModelPool) -> None:
        self.texts = texts
        self.cache = cache
        self.pool = pool
        self._stores: dict[str, RowStore] = {}

    def passage_inputs(self, chunk: ChunkConfig, config: VectorConfig) -> PassageInputs:
        """Return what the model sees of every chunk."""
        key = self._passages_key(chunk, config)
        return self.cache.hold("inputs", key, lambda: self._make_inputs(chunk, config))

    def passage_vectors(self, chunk: ChunkConfig, config: VectorConfig) -> Vectors:
        """Return the (R, d) vectors of the chunks that have text (`PassageInputs.rows`)."""
        inputs = self.passage_inputs(chunk, config)
        return self._embed([inputs.ids[row] for row in inputs.rows.tolist()], config.model)

    def embed_all(self, chunkings: Sequence[ChunkConfig], config: VectorConfig) -> None:
        """Embed the chunks of several chunkings together, so that batches are full."""
        found = (self.passage_inputs(chunk, config) for chunk in chunkings)
        ids = [inputs.ids[row] for inputs in found for row in inputs.rows.tolist()]
        self._embed(ids, config.model)

    def _embed(self, ids: list[np.ndarray], model: str) -> Vectors:
        encoder = self.pool.encoder(model)
        start = time.perf_counter()
        keys = [row_key(row.tobytes()) for row in ids]
        store = self._rows(f"{encoder.key}|passage")
        missing = store.missing(keys)
        vectors = store.fetch(
            keys,
            lambda positions: encoder.embed([ids[p] for p in positions], role="passage"),
            block=BLOCK,
            progress=lambda done, total: self._progress(f"embed {model}", done, total),
            order=lambda position: (len(ids[position]), position),
        )
        seconds = time.perf_counter() - start
        if len(missing) >= BLOCK:
            self._remember_rate(encoder, sum(len(ids[p]) for p in missing) / seconds)
        self.cache.store.report.spent("embed", seconds, reused=not missing)
        return vectors

    def query_vectors(self, config: VectorConfig) -> Vectors:
        """Return the (Q, d) vectors of the queries, each run alone as in production."""
        encoder = self.pool.encoder(config.model)
        texts = [config.query_prefix + query.text for query in self.texts.corpus.queries]
        ids, _ = encoder.inputs(texts)
        return self._rows(f"{encoder.key}|query").fetch(
            [row_key(row.tobytes()) for row in ids],
            lambda positions: encoder.embed([ids[p] for p in positions], role="query"),
            block=BLOCK,
            progress=lambda done, total: self._progress("embed queries", done, total),
        )

    def index_key(self, chunk: ChunkConfig, config: VectorConfig) -> str:
        """Return the key of `index(chunk, config)`."""
        return stage_key("index", asdict(config), (self._passages_key(chunk, config),))

    def index(self, chunk: ChunkConfig, config: VectorConfig) -> ChunkIndex:
        """Return the index over the chunks' vectors."""
        return self.cache.hold(
            "index", self.index_key(chunk, config), lambda: self._build(chunk, config)
        )

    def embedding_rate(self, model: str) -> float:
        """Return the tokens per second at which passages were embedded here, NaN if unknown."""
        key = self._rate_key(self.pool.encoder(model))
        known = self.cache.store.read_json("rate", key) or {}
        rate = known.get("tokens_per_s")
        return float(rate) if isinstance(rate, int | float) else float("nan")

    def _build(self, chunk: ChunkConfig, config: VectorConfig) -> ChunkIndex:
        vectors = self.passage_vectors(chunk, config)
        index = build_index(vectors, config)
        if index.notice:
            self.cache.store.report.notice(f"vector.index: {index.notice}")
        return ChunkIndex(index=index, rows=self.passage_inputs(chunk, config).rows)

    def _make_inputs(self, chunk: ChunkConfig, config: VectorConfig) -> PassageInputs:
        encoder = self.pool.encoder(config.model)
        cut = title_cutter(encoder)
        texts = self.texts.passages(
            chunk, lambda title, text: passage_text(title, text, prefix="", cut_title=cut)
        )
        ids, full = encoder.inputs([config.passage_prefix + text for text in texts])
        rows = np.flatnonzero([bool(text.strip()) for text in texts])
        return PassageInputs(ids=ids, full=full, rows=rows, window=encoder.window)

    def _passages_key(self, chunk: ChunkConfig, config: VectorConfig) -> str:
        params = {"prefix": config.passage_prefix, "prepend_title": chunk.prepend_title}
        encoder = self.pool.encoder(config.model)
        return stage_key("vectors", params, (self.texts.chunks_key(chunk), encoder.key))

    def _rows(self, namespace: str) -> RowStore:
        if namespace not in self._stores:
            self._stores[namespace] = RowStore(self.cache.store, "vectors", namespace)
        return self._stores[namespace]

    def _rate_key(self, encoder: Encoder) -> str:
        return stage_key("rate", {}, (encoder.key,))

    def _remember_rate(self, encoder: Encoder, tokens_per_s: float) -> None:
        if self.cache.store.read_json("rate", self._rate_key(encoder)) is None:
            self.cache.store.write_json(
                "rate", self._rate_key(encoder), {"tokens_per_s": tokens_per_s}
            )

    def _progress(self, what: str, done: int, total: int) -> None:
        self.cache.store.report.on_progress(what, done, total)
