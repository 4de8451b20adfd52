"""Work that many configurations share: what is done in one go, and what a plan counts."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sweep.configuration import ChunkConfig, Configuration, RerankConfig, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages.output import first_mode
from sweep.records import Ints, RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageGroup:
    """Chunkings whose chunks one model embeds, each after the same prefix."""

    vector: VectorConfig
    chunkings: tuple[ChunkConfig, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairGroup:
    """Configurations whose candidates, chunks of one chunking, one reranker scores."""

    rerank: RerankConfig
    chunk: ChunkConfig
    vector: VectorConfig | None
    configurations: tuple[Configuration, ...]


def passage_groups(configurations: Iterable[Configuration]) -> list[PassageGroup]:
    """Return what is embedded for the configurations that search vectors, in their order."""
    searched = [c for c in configurations if first_mode(c) in ("vector", "hybrid")]
    return [
        PassageGroup(
            vector=_vector(group[0]), chunkings=tuple(dict.fromkeys(c.chunk for c in group))
        )
        for group in _grouped(searched, _embedder)
    ]


def pair_groups(configurations: Iterable[Configuration]) -> list[PairGroup]:
    """Return what is reranked, in the order of the configurations."""
    reranking = [c for c in configurations if c.rerank is not None]
    return [
        PairGroup(
            rerank=_rerank(group[0]),
            chunk=group[0].chunk,
            vector=group[0].vector,
            configurations=tuple(group),
        )
        for group in _grouped(reranking, lambda c: (c.chunk, c.vector, _scorer(c)))
    ]


def join_candidates(engine: Engine, configurations: Iterable[Configuration]) -> RankedLists:
    """Return what several configurations rerank: each chunk once per query, unscored."""
    items = np.empty((len(engine.corpus.queries), 0), dtype=np.int64)
    for configuration in configurations:
        found = engine.reranked(configuration)
        if found is not None:
            items = _distinct(np.concatenate([items, found.items], axis=1))
    return RankedLists(items=items, scores=np.where(items >= 0, 0.0, np.nan))


def _distinct(items: Ints) -> Ints:
    """Return each row's chunks once, falling, with the padding (-1) at the end."""
    items = np.sort(items, axis=1)
    items[:, 1:][items[:, 1:] == items[:, :-1]] = -1
    width = int((items >= 0).sum(axis=1).max(initial=0))
    return np.sort(items, axis=1)[:, ::-1][:, :width]


def _embedder(configuration: Configuration) -> tuple[str, str]:
    vector = _vector(configuration)
    return vector.model, vector.passage_prefix


def _scorer(configuration: Configuration) -> tuple[str, str | None]:
    rerank = _rerank(configuration)
    return rerank.kind, rerank.model


def _vector(configuration: Configuration) -> VectorConfig:
    assert configuration.vector is not None
    return configuration.vector


def _rerank(configuration: Configuration) -> RerankConfig:
    assert configuration.rerank is not None
    return configuration.rerank


def _grouped(
    configurations: Sequence[Configuration], key: Callable[[Configuration], Hashable]
) -> list[list[Configuration]]:
    groups: dict[Hashable, list[Configuration]] = {}
    for configuration in configurations:
        groups.setdefault(key(configuration), []).append(configuration)
    return list(groups.values())
