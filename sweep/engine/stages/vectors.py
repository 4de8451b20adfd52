"""The stages that need a bi-encoder: passage and query vectors, vector indexes."""

import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.engine.pool import ModelPool
from sweep.engine.stages.document_tokens import DocumentTokens
from sweep.engine.stages.inputs import (
    JoinedInputs,
    PassageInputs,
    SeenTexts,
    inputs_from,
    make_inputs,
)
from sweep.engine.stages.texts import Passages, TextStages
from sweep.engine.store.cache import StageCache
from sweep.engine.store.keys import row_key, stage_key
from sweep.engine.store.rows import RowStore
from sweep.index.embed import Encoder, Role
from sweep.index.exact import prepare_vectors
from sweep.index.passages import passage_text, title_cutter
from sweep.index.vectors import VectorIndex, build_index
from sweep.machine import version_of
from sweep.records import Ints, Vectors
from sweep.tokenizer import is_word_by_word

BLOCK = 512  # passages embedded between two writes to the store


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
        self._seen: defaultdict[str, SeenTexts] = defaultdict(SeenTexts)
        self._tokens: dict[str, DocumentTokens] = {}  # by model
        self._cutters: dict[str, Callable[[str], str]] = {}  # of titles, by model

    def passage_inputs(self, chunk: ChunkConfig, config: VectorConfig) -> PassageInputs:
        """Return what the model sees of every chunk."""
        encoder = self.pool.encoder(config.model)
        return self.cache.get(
            "inputs",
            self._inputs_key(chunk, config),
            compute=lambda: self._make_inputs(chunk, config),
            encode=PassageInputs.to_arrays,
            decode=lambda arrays: inputs_from(arrays, window=encoder.window),
        )

    def passage_vectors(self, chunk: ChunkConfig, config: VectorConfig) -> Vectors:
        """Return the (R, d) vectors of the chunks that have text (`PassageInputs.rows`).

        They are as `prepare_vectors` gives them, and lie in a file where they are many.
        """
        joined = JoinedInputs([self.passage_inputs(chunk, config)])
        with self.cache.store.report.stage("embed") as account:
            embed = self._complete(joined, config.model)
            vectors = self.rows(embed.encoder, "passage").fetch(
                joined.keys,
                embed,
                block=BLOCK,
                convert=partial(
                    prepare_vectors, similarity=config.similarity, dimensions=config.dimensions
                ),
            )
            account.got("embed", "store", count=len(joined.keys) - embed.count)
            key = self._passages_key(chunk, config)
            account.got("embed", "computed", count=embed.count, key=key, size=vectors.nbytes)
        return vectors

    def seen_ends(self, chunk: ChunkConfig, config: VectorConfig, rows: Ints) -> Ints:
        """Return where, in its document, the text of each chunk ends that the model sees.

        Args:
            chunk: how documents are cut.
            config: the model, and what stands before each passage.
            rows: shape (N,), chunks.

        Returns: code points, shape (N,); a chunk's own end unless it is longer than the window.
        """
        chunks, inputs = self.texts.chunks(chunk), self.passage_inputs(chunk, config)
        ends: Ints = chunks.end[rows].copy()
        long = np.flatnonzero(inputs.full[rows] > inputs.window)
        encoder, texts = self.pool.encoder(config.model), self._passages(chunk, config)
        for place in long.tolist():
            row = rows[place]
            whole = config.passage_prefix + texts[row]
            before = len(whole) - int(chunks.end[row] - chunks.start[row])
            ends[place] = chunks.start[row] + max(0, encoder.seen(whole) - before)
        return ends

    def embed_all(self, chunkings: Sequence[ChunkConfig], config: VectorConfig) -> None:
        """Embed the chunks of several chunkings together, so that batches are full."""
        joined = JoinedInputs([self.passage_inputs(chunk, config) for chunk in chunkings])
        with self.cache.store.report.stage("embed") as account:
            embed = self._complete(joined, config.model)
            account.got("embed", "store", count=len(joined.keys) - embed.count)
            account.got("embed", "computed", count=embed.count)

    def _complete(self, joined: JoinedInputs, model: str) -> "_Embedding":
        """Embed what is not stored yet; return what that took."""
        embed = _Embedding(self.pool, self.pool.encoder(model), joined)
        self.rows(embed.encoder, "passage").complete(
            joined.keys,
            embed,
            block=BLOCK,
            progress=lambda done, total: self._progress(f"embed {model}", done, total),
            order=joined.lengths,
            ahead=embed.blocks,
        )
        if embed.count >= BLOCK:
            self._remember_rate(embed.encoder, embed.tokens / embed.seconds)
        return embed

    def query_inputs(self, config: VectorConfig) -> list[NDArray[np.int32]]:
        """Return what the model sees of each query: Q arrays of token ids."""
        encoder = self.pool.encoder(config.model)
        texts = [config.query_prefix + query.text for query in self.texts.corpus.queries]
        key = f"{encoder.key}|{config.query_prefix}"
        return self.cache.hold("query_inputs", key, lambda: encoder.inputs(texts)[0])

    def query_vectors(self, config: VectorConfig) -> Vectors:
        """Return the (Q, d) vectors of the queries, each run alone as in production."""
        encoder = self.pool.encoder(config.model)
        with self.cache.store.report.stage("embed") as account:
            ids = self.query_inputs(config)
            keys = [row_key(row.tobytes()) for row in ids]
            store = self.rows(encoder, "query")
            missing = len(store.missing(keys))
            if missing:
                self.pool.warm(encoder)
            vectors = store.fetch(
                keys,
                lambda positions: encoder.embed([ids[p] for p in positions], role="query"),
                block=BLOCK,
                progress=lambda done, total: self._progress("embed queries", done, total),
            )
            account.got("queries", "store", count=len(ids) - missing)
            account.got("queries", "computed", count=missing)
        return vectors

    def index_key(self, chunk: ChunkConfig, config: VectorConfig) -> str:
        """Return the key of `index(chunk, config)`; a model is known by its files, not by name."""
        names = ("index", "similarity", "ef_search", "nprobe")
        params = {name: getattr(config, name) for name in names}
        if config.dimensions is not None:
            params["dimensions"] = config.dimensions
        return stage_key("index", params, (self._passages_key(chunk, config),))

    def index(self, chunk: ChunkConfig, config: VectorConfig) -> ChunkIndex:
        """Return the index over the chunks' vectors."""
        return self.cache.hold(
            "index", self.index_key(chunk, config), lambda: self._build(chunk, config)
        )

    def embedding_rate(self, model: str, *, threads: int | None = None) -> float:
        """Return the tokens per second at which passages were embedded here, NaN if unknown.

        Args:
            model: the bi-encoder's name.
            threads: that it must have run on; None = any number.
        """
        key = self._rate_key(self.pool.encoder(model))
        known = self.cache.store.read_json("rate", key) or {}
        if threads is not None and known.get("threads") != threads:
            return float("nan")
        rate = known.get("tokens_per_s")
        return float(rate) if isinstance(rate, int | float) else float("nan")

    def _build(self, chunk: ChunkConfig, config: VectorConfig) -> ChunkIndex:
        vectors = self.passage_vectors(chunk, config)
        index = build_index(vectors, config, is_prepared=True)
        if index.notice:
            self.cache.store.report.notice(f"vector.index: {index.notice}")
        return ChunkIndex(index=index, rows=self.passage_inputs(chunk, config).rows)

    def _passages(self, chunk: ChunkConfig, config: VectorConfig) -> Passages:
        """Return the text of every chunk as this model gets it, but for its prefix."""
        if config.model not in self._cutters:
            self._cutters[config.model] = title_cutter(self.pool.encoder(config.model))
        cut = self._cutters[config.model]
        return self.texts.passages(
            chunk, lambda title, text: passage_text(title, text, prefix="", cut_title=cut)
        )

    def _make_inputs(self, chunk: ChunkConfig, config: VectorConfig) -> PassageInputs:
        encoder = self.pool.encoder(config.model)
        return make_inputs(
            encoder,
            self._passages(chunk, config),
            prefix=config.passage_prefix,
            seen=self._seen[encoder.files.fingerprint],
            scratch=self.cache.store.scratch,
            tokens=self._document_tokens(encoder),
        )

    def _document_tokens(self, encoder: Encoder) -> DocumentTokens | None:
        """Return the tokens of the documents, made once; None if inputs cannot be made of them."""
        if not is_word_by_word(encoder.tokenizer):
            return None
        made = self._tokens.get(encoder.files.fingerprint)
        if made is None:
            texts = [document.text for document in self.texts.corpus.documents]
            made = DocumentTokens(encoder, texts, self.cache.store.scratch)
            self._tokens[encoder.files.fingerprint] = made
        return made

    def _inputs_key(self, chunk: ChunkConfig, config: VectorConfig) -> str:
        """Return the key of `passage_inputs`; the weights' precision changes no token."""
        params = {"prefix": config.passage_prefix, "prepend_title": chunk.prepend_title}
        encoder = self.pool.encoder(config.model)
        versions = [version_of(library) for library in ("tokenizers", "transformers")]
        inputs = (self.texts.chunks_key(chunk), encoder.files.fingerprint, *versions)
        return stage_key("inputs", params | {"window": encoder.window}, inputs)

    def _passages_key(self, chunk: ChunkConfig, config: VectorConfig) -> str:
        params = {"prefix": config.passage_prefix, "prepend_title": chunk.prepend_title}
        encoder = self.pool.encoder(config.model)
        return stage_key("vectors", params, (self.texts.chunks_key(chunk), encoder.key))

    def rows(self, encoder: Encoder, role: Role) -> RowStore:
        """Return the stored vectors of a model, by the keys of its inputs."""
        namespace = f"{encoder.key}|{role}"
        if namespace not in self._stores:
            about = {"model": encoder.files.name, "precision": encoder.precision, "of": role}
            self._stores[namespace] = RowStore(self.cache.store, "vectors", namespace, about)
        return self._stores[namespace]

    def _rate_key(self, encoder: Encoder) -> str:
        return stage_key("rate", {}, (encoder.key,))

    def _remember_rate(self, encoder: Encoder, tokens_per_s: float) -> None:
        if self.cache.store.read_json("rate", self._rate_key(encoder)) is None:
            content = {"tokens_per_s": tokens_per_s, "threads": encoder.threads}
            self.cache.store.write_json("rate", self._rate_key(encoder), content)

    def _progress(self, what: str, done: int, total: int) -> None:
        self.cache.store.report.on_progress(what, done, total)


class _Embedding:
    """Embeds passages, and keeps count of what that takes.

    Args:
        pool: loads the weights.
        encoder: the model.
        joined: the passages.

    Attributes:
        count, tokens, seconds: so far.
    """

    def __init__(self, pool: ModelPool, encoder: Encoder, joined: JoinedInputs) -> None:
        self.pool = pool
        self.encoder = encoder
        self.joined = joined
        self.count, self.tokens, self.seconds = 0, 0, 0.0

    def __call__(self, positions: list[int]) -> Vectors:
        """Return the vectors of the inputs at some positions."""
        return next(self.blocks(iter([positions])))

    def blocks(self, parts: Iterator[list[int]]) -> Iterator[Vectors]:
        """Yield the vectors of the inputs at each part's positions."""
        self.pool.warm(self.encoder)
        taken: deque[int] = deque()  # tokens of each block that has begun

        def inputs() -> Iterator[list[NDArray[np.int32]]]:
            for positions in parts:
                ids = [self.joined.ids(position) for position in positions]
                taken.append(sum(map(len, ids)))
                yield ids

        start = time.perf_counter()
        for vectors in self.encoder.embed_blocks(inputs(), role="passage"):
            self.seconds += time.perf_counter() - start
            self.count += len(vectors)
            self.tokens += taken.popleft()
            yield vectors
            start = time.perf_counter()
