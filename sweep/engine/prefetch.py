"""Work that many configurations share, done in one go before the first of them is evaluated.

Embedding the texts of all chunkings together fills the batches, and rerank scores are computed for
the union of all candidate lists. Nothing depends on it: what is not prefetched is computed when a
configuration asks for it.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np

from sweep.configuration import Configuration, RerankConfig
from sweep.engine.engine import Engine
from sweep.engine.output import first_mode
from sweep.records import RankedLists


def prefetch_vectors(engine: Engine, configurations: Iterable[Configuration]) -> None:
    """Embed the chunks of every chunking that the configurations search with one model."""
    searched = [c for c in configurations if first_mode(c) in ("vector", "hybrid")]
    for group in _grouped(searched, _embedder):
        vector = group[0].vector
        assert vector is not None
        chunkings = list(dict.fromkeys(c.chunk for c in group))
        if len(chunkings) > 1:
            engine.vectors.embed_all(chunkings, vector)


def prefetch_pairs(engine: Engine, configurations: Iterable[Configuration]) -> None:
    """Score the union of the candidates of all configurations that share reranker and chunks."""
    reranking = [c for c in configurations if c.rerank is not None]
    for group in _grouped(reranking, lambda c: (c.chunk, c.vector, _scorer(c.rerank))):
        first = group[0]
        if len(group) < 2 or first.rerank is None:
            continue
        lists = (engine.reranked(configuration) for configuration in group)
        items = np.concatenate([found.items for found in lists if found is not None], axis=1)
        union = RankedLists(items=items, scores=np.zeros(items.shape))
        engine.pairs.scores(first.rerank, first.chunk, first.vector, union)


def _embedder(configuration: Configuration) -> tuple[str, str]:
    assert configuration.vector is not None
    return configuration.vector.model, configuration.vector.passage_prefix


def _scorer(config: RerankConfig | None) -> tuple[str, str | None]:
    assert config is not None
    return config.kind, config.model


def _grouped(
    configurations: Sequence[Configuration], key: Callable[[Configuration], Hashable]
) -> list[list[Configuration]]:
    groups: dict[Hashable, list[Configuration]] = {}
    for configuration in configurations:
        groups.setdefault(key(configuration), []).append(configuration)
    return list(groups.values())
