"""The batches in which rerankers score pairs: of passages, or of pairs of texts."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from sweep.engine.engine import Engine
from sweep.engine.measure.costs import SPECIAL, pair_tokens
from sweep.engine.plan.batches import Batches, add_batches, count_batches, spread, usual_rows
from sweep.engine.plan.shared_work import PairGroup
from sweep.engine.stages.inputs import PassageInputs
from sweep.engine.stages.pairs import BLOCK
from sweep.engine.store.keys import row_key
from sweep.engine.store.segments import KEY
from sweep.index import embed
from sweep.rankings import rerank
from sweep.records import Ints

MOST_DRAWN = 20_000  # pairs whose lengths stand for those of candidates that are not known

Sample = Any  # token ids, or a pair of texts


class PairBatches(Protocol):
    """Counts batches of the pairs of one chunking, and gives examples of what is in them."""

    @property
    def chunks(self) -> int:
        """Return the number of chunks."""

    @property
    def passages(self) -> np.ndarray:
        """Return a key per chunk, (C,), equal for chunks of which pairs have one score."""

    def of(self, queries: Ints, chunks: Ints) -> Batches:
        """Return the batches of N pairs: query positions (N,) and chunk rows (N,)."""

    def expected(self, pairs: float) -> Batches:
        """Return the batches of so many pairs of which no more is known."""

    def samples(self) -> Mapping[int, Sample]:
        """Return per bucket length an input, or a pair of texts."""


def pair_batches(engine: Engine, group: PairGroup) -> PairBatches:
    """Return what counts the batches of a group."""
    return _late(engine, group) if group.rerank.kind == "maxsim" else _cross(engine, group)


class _Late:
    """Late interaction: of the passages of each block of pairs, each once."""

    def __init__(self, inputs: PassageInputs) -> None:
        self.inputs = inputs
        self.buckets = embed.bucket_lengths(inputs.lengths, inputs.window, role="passage")
        self.chunks = len(inputs.ids)
        self.passages: np.ndarray = inputs.keys

    def of(self, queries: Ints, chunks: Ints) -> Batches:
        order = np.lexsort((chunks, self.inputs.lengths[chunks]))
        blocks = np.arange(len(order)) // BLOCK
        once = np.unique(np.stack([blocks, chunks[order]]), axis=1)
        return add_batches(
            count_batches(self.buckets[once[1][once[0] == block]], _late_size, block=BLOCK)
            for block in np.unique(once[0])
        )

    def expected(self, pairs: float) -> Batches:
        if not pairs or not self.chunks:
            return {}
        passages = self.chunks * -math.expm1(-pairs / self.chunks)  # as if drawn evenly
        block = max(1, round(BLOCK * passages / pairs))
        return count_batches(spread(passages, self.buckets), _late_size, block=block)

    def samples(self) -> Mapping[int, Sample]:
        rows = usual_rows(self.buckets, self.inputs.lengths)
        return {length: self.inputs.ids[row] for length, row in rows.items()}


class _Cross:
    """A cross-encoder: pairs of texts, each of its own length.

    Args:
        queries: the texts.
        texts: of the passages.
        tokens: of every query (Q,) and passage (C,), special ones left out.
        window: the longest pair, in tokens.
    """

    def __init__(
        self, queries: Sequence[str], texts: Sequence[str], tokens: tuple[Ints, Ints], window: int
    ) -> None:
        self.queries = queries
        self.texts = texts
        self.asked, self.found = tokens
        self.window = window
        self.chunks = len(texts)

    @property
    def passages(self) -> np.ndarray:
        return np.array([row_key(text.encode()) for text in self.texts], dtype=KEY)

    def of(self, queries: Ints, chunks: Ints) -> Batches:
        order = np.argsort(self.found[chunks], kind="stable")
        buckets = self._buckets(queries[order], chunks[order])
        return count_batches(buckets, rerank.batch_size, block=BLOCK)

    def expected(self, pairs: float) -> Batches:
        if not pairs or not self.chunks:
            return {}
        queries, chunks = self._drawn(min(MOST_DRAWN, math.ceil(pairs)))
        share = pairs / len(queries)
        return {length: share * count for length, count in self.of(queries, chunks).items()}

    def samples(self) -> Mapping[int, Sample]:
        if not self.queries or not self.chunks:
            return {}
        queries, chunks = self._drawn(MOST_DRAWN)
        lengths, rows = np.unique(self._buckets(queries, chunks), return_index=True)
        found = zip(lengths.tolist(), queries[rows].tolist(), chunks[rows].tolist(), strict=True)
        return {length: (self.queries[q], self.texts[c]) for length, q, c in found}

    def _drawn(self, count: int) -> tuple[Ints, Ints]:
        rng = np.random.default_rng(0)
        return rng.integers(0, len(self.queries), count), rng.integers(0, self.chunks, count)

    def _buckets(self, queries: Ints, chunks: Ints) -> Ints:
        tokens = self.asked[queries] + self.found[chunks] + SPECIAL
        return rerank.bucket_lengths(tokens, self.window)


def _late(engine: Engine, group: PairGroup) -> _Late:
    assert group.vector is not None
    return _Late(engine.vectors.passage_inputs(group.chunk, group.vector))


def _cross(engine: Engine, group: PairGroup) -> _Cross:
    assert group.rerank.model is not None
    files = engine.pool.cross_encoder(group.rerank.model).files
    return _Cross(
        [query.text for query in engine.corpus.queries],
        engine.texts.passages(group.chunk),
        pair_tokens(group.chunk, files, engine.lists),
        embed.input_window(files),
    )


def _late_size(length: int) -> int:
    return embed.batch_size(length, role="passage")
