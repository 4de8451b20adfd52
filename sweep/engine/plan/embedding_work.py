"""What bi-encoders have to embed for some configurations: counted, nothing is embedded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from sweep.configuration import VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.plan.batches import Batches, count_batches, usual_rows
from sweep.engine.plan.shared_work import PassageGroup
from sweep.engine.stages.inputs import JoinedInputs
from sweep.engine.stages.vectors import BLOCK
from sweep.engine.store.keys import row_key
from sweep.index.embed import Encoder, batch_size, bucket_lengths


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderWork:
    """What one bi-encoder has to embed.

    Attributes:
        model: its name.
        chunk_sets: chunkings (with a prefix, with or without titles) whose chunks are needed.
        chunk_sets_stored: those of which every vector is stored.
        chunks: texts in all chunk sets.
        unique: distinct model inputs (truncated token ids) among them.
        texts: those of them without a stored vector.
        tokens: of `texts`, special tokens included.
        queries: distinct query inputs without a stored vector, of lists that are not stored.
        batches: of `texts`.
        samples: one input of `texts` per bucket length, to try the model on.
    """

    model: str
    chunk_sets: int
    chunk_sets_stored: int
    chunks: int
    unique: int
    texts: int
    tokens: int
    queries: int
    batches: Batches
    samples: Mapping[int, np.ndarray]

    @property
    def saved(self) -> float:
        """Return the share of texts that need no vector of their own, being equal to others."""
        return 1 - self.unique / max(1, self.chunks)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, JSON-ready."""
        return {
            "model": self.model,
            "chunk_texts": self.chunks,
            "unique_texts": self.unique,
            "saved_share": self.saved,
            "texts": self.texts,
            "tokens": self.tokens,
            "queries": self.queries,
        }


def embedding_work(
    engine: Engine, groups: Iterable[PassageGroup], searching: Iterable[VectorConfig]
) -> tuple[EncoderWork, ...]:
    """Return what has to be embedded, per bi-encoder.

    Args:
        engine: over the corpus.
        groups: chunk sets that are searched.
        searching: the configurations of vector lists that are not stored.
    """
    by_encoder: dict[str, list[PassageGroup]] = {}
    for group in groups:
        key = engine.pool.encoder(group.vector.model).key
        by_encoder.setdefault(key, []).append(group)
    asking: dict[str, list[VectorConfig]] = {}
    for config in searching:
        asking.setdefault(engine.pool.encoder(config.model).key, []).append(config)
    return tuple(
        _work_of(engine, groups, asking.get(key, [])) for key, groups in by_encoder.items()
    )


def _work_of(
    engine: Engine, groups: Sequence[PassageGroup], asking: Iterable[VectorConfig]
) -> EncoderWork:
    model = groups[0].vector.model
    encoder = engine.pool.encoder(model)
    parts = [
        engine.vectors.passage_inputs(chunk, group.vector)
        for group in groups
        for chunk in group.chunkings
    ]
    joined = JoinedInputs(parts)
    missing = np.array(engine.vectors.rows(encoder, "passage").missing(joined.keys), np.int64)
    missing = missing[np.argsort(joined.lengths[missing], kind="stable")]
    lacking = joined.keys[missing]
    buckets = bucket_lengths(joined.lengths[missing], encoder.window, role="passage")
    samples = usual_rows(buckets, joined.lengths[missing])
    return EncoderWork(
        model=model,
        chunk_sets=len(parts),
        chunk_sets_stored=sum(not np.isin(part.keys[part.rows], lacking).any() for part in parts),
        chunks=len(joined.keys),
        unique=len(np.unique(joined.keys)),
        texts=len(missing),
        tokens=int(joined.lengths[missing].sum()),
        queries=_missing_queries(engine, encoder, asking),
        batches=count_batches(buckets, partial(batch_size, role="passage"), block=BLOCK),
        samples={length: joined.ids(int(missing[row])) for length, row in samples.items()},
    )


def _missing_queries(engine: Engine, encoder: Encoder, asking: Iterable[VectorConfig]) -> int:
    prefixed = {config.query_prefix: config for config in asking}
    inputs = (ids for c in prefixed.values() for ids in engine.vectors.query_inputs(c))
    keys = [row_key(ids.tobytes()) for ids in inputs]
    return len(engine.vectors.rows(encoder, "query").missing(keys))
