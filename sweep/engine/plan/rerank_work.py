"""What rerankers have to score for some configurations: counted, nothing is scored.

The candidates of a configuration are known where its vector list is stored, or it needs none. Of
the others only a bound is known, from how deep their lists are.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.configuration import Configuration, RerankConfig
from sweep.engine.engine import Engine
from sweep.engine.plan.batches import Batches, add_batches
from sweep.engine.plan.pair_batches import Sample, pair_batches
from sweep.engine.plan.shared_work import PairGroup
from sweep.engine.stages.output import first_mode
from sweep.engine.store.segments import KEY
from sweep.records import Ints

UNION_RISE, UNION_FALL = 0.75, 0.6  # see `_likely`


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankWork:
    """What one reranker has to score.

    Attributes:
        kind: `maxsim` or `cross-encoder`.
        model: name of the bi-encoder or the cross-encoder.
        candidate_sets: distinct lists of candidates to be scored.
        candidate_sets_stored: those of which every score is stored.
        pairs: query-chunk pairs without a stored score, over all candidates that are known.
        unknown: at most so many more, of candidates that are not known yet.
        expected: pairs to expect; `pairs` where all candidates are known.
        batches: to expect; of passages for late interaction, of pairs for a cross-encoder.
        samples: per bucket length an input (late interaction) or a pair of texts (cross-encoder).
    """

    kind: str
    model: str
    candidate_sets: int
    candidate_sets_stored: int
    pairs: int
    unknown: int
    expected: float
    batches: Batches
    samples: Mapping[int, Sample]

    @property
    def most(self) -> int:
        """Return how many pairs have to be scored at most."""
        return self.pairs + self.unknown

    def to_json(self) -> dict[str, Any]:
        """Return the counts, JSON-ready."""
        return {
            "kind": self.kind,
            "model": self.model,
            "pairs": self.most,
            "bound": "at most" if self.unknown else "exact",
            "expected_pairs": round(self.expected),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _GroupWork:
    """The same of one group; `new` are the row keys of its `pairs`."""

    sets: int
    stored: int
    new: np.ndarray
    unknown: int
    expected: float
    batches: Batches
    samples: Mapping[int, Sample]


@dataclass(slots=True)
class _Seen:
    """Keys of the pairs, and of the passages, of the groups before."""

    pairs: np.ndarray
    passages: np.ndarray


def rerank_work(engine: Engine, groups: Iterable[PairGroup]) -> tuple[RerankWork, ...]:
    """Return what has to be scored, per reranker."""
    by_scorer: dict[str, list[PairGroup]] = {}
    for group in groups:
        rows = engine.pairs.rows(group.rerank, group.vector)
        by_scorer.setdefault(str(rows.folder), []).append(group)
    return tuple(_work_of(engine, several) for several in by_scorer.values())


def _work_of(engine: Engine, groups: Sequence[PairGroup]) -> RerankWork:
    seen = _Seen(np.empty(0, dtype=KEY), np.empty(0, dtype=KEY))
    parts = [_group_work(engine, group, seen) for group in groups]
    samples: dict[int, Sample] = {}
    for part in parts:
        samples = {**part.samples, **samples}
    rerank, vector = groups[0].rerank, groups[0].vector
    return RerankWork(
        kind=rerank.kind,
        model=rerank.model or (vector.model if vector else ""),
        candidate_sets=sum(part.sets for part in parts),
        candidate_sets_stored=sum(part.stored for part in parts),
        pairs=sum(len(part.new) for part in parts),
        unknown=sum(part.unknown for part in parts),
        expected=sum(part.expected for part in parts),
        batches=add_batches(part.batches for part in parts),
        samples=samples,
    )


def _group_work(engine: Engine, group: PairGroup, seen: _Seen) -> _GroupWork:
    """Return the work of a group; pairs that are `seen` are another one's. Adds its own."""
    counter = pair_batches(engine, group)
    distinct = _distinct(group.configurations)
    known = [c for c in distinct if _is_known(engine, c)]
    unknown = [c for c in distinct if c not in known]
    pairs = [_pairs_of(engine, c) for c in known]
    keys = [
        np.array(engine.pairs.keys(group.rerank, group.chunk, group.vector, *part), dtype=KEY)
        for part in pairs
    ]
    every = np.concatenate([np.empty(0, dtype=KEY), *keys])
    queries, chunks = np.concatenate([np.empty((2, 0), dtype=np.int64), *pairs], axis=1)
    missing = engine.pairs.rows(group.rerank, group.vector).missing(every)
    new = np.array(missing, dtype=np.int64)
    new = new[~np.isin(every[new], seen.pairs)]
    asked = len(engine.corpus.queries)
    more = 0.0
    passages = np.unique(counter.passages)
    if unknown:
        fresh = ~np.isin(passages, seen.passages)
        share = float(fresh.sum()) / max(1, counter.chunks)
        more = share * max(0.0, _likely(distinct, counter.chunks) * asked - len(np.unique(every)))
    seen.pairs = np.concatenate([seen.pairs, every[new]])
    seen.passages = np.concatenate([seen.passages, passages])
    return _GroupWork(
        sets=len(distinct),
        stored=sum(not np.isin(part, every[missing]).any() for part in keys),
        new=every[new],
        unknown=_most(unknown, counter.chunks) * asked,
        expected=len(new) + more,
        batches=add_batches([counter.of(queries[new], chunks[new]), counter.expected(more)]),
        samples=counter.samples(),
    )


def _is_known(engine: Engine, configuration: Configuration) -> bool:
    """Return whether the candidates can be looked up without a vector that is not stored."""
    if first_mode(configuration) == "bm25":
        return True
    assert configuration.vector is not None
    hybrid = configuration.hybrid
    depth = hybrid.depth if hybrid is not None else _depth(configuration)
    key = engine.lists.vector_key(configuration.chunk, configuration.vector, depth)
    return engine.store.read("vector_list", key) is not None  # a damaged one is no list


def _pairs_of(engine: Engine, configuration: Configuration) -> tuple[Ints, Ints]:
    """Return the candidates as query positions (N,) and chunk rows (N,)."""
    lists = engine.reranked(configuration)
    assert lists is not None
    queries, columns = np.nonzero(lists.items >= 0)
    return queries, lists.items[queries, columns]


def _most(configurations: Iterable[Configuration], chunks: int) -> int:
    """Return how many candidates a query has at most in the lists of all these configurations.

    Fused lists, however they are fused, hold only what one vector and one BM25 list hold.
    """
    sources: dict[Configuration, tuple[int, float]] = {}
    for stage, depth in _stage_depths(configurations).items():
        hybrid, limit, source = stage.hybrid, math.inf, stage
        if hybrid is not None:
            limit = 2 * hybrid.depth
            source = replace(stage, hybrid=replace(hybrid, fusion="rrf", rrf_k=60, weight=None))
        sources[source] = (sources.get(source, (0, 0.0))[0] + depth, limit)
    return int(min(chunks, sum(min(total, limit) for total, limit in sources.values())))


def _likely(configurations: Iterable[Configuration], chunks: int) -> float:
    """Return how many candidates a query has in the lists of all these configurations, about.

    One list has its depth. On Cranfield and ADI the candidates of two fusions are 1.2 times as
    many, of four 1.45, of BM25 and four fusions 1.6, of these and the vector list 1.75, at depths
    from 10 to 50 and at all chunk sizes alike.
    """
    depths = _stage_depths(configurations).values()
    others = sum(depths) / max(depths) - 1
    return float(min(chunks, max(depths) * (1 + UNION_RISE * (1 - UNION_FALL**others))))


def _stage_depths(configurations: Iterable[Configuration]) -> dict[Configuration, int]:
    """Return how deep each first stage is reranked; its shallower lists are beginnings of that."""
    depths: dict[Configuration, int] = {}
    for configuration in configurations:
        assert configuration.rerank is not None
        stage = _same(configuration, rerank=replace(configuration.rerank, depth=1, blend=1.0))
        depths[stage] = max(depths.get(stage, 0), configuration.rerank.depth)
    return depths


def _distinct(configurations: Iterable[Configuration]) -> list[Configuration]:
    """Return one configuration per list of candidates."""
    found: dict[Configuration, Configuration] = {}
    for configuration in configurations:
        assert configuration.rerank is not None
        same = _same(configuration, rerank=replace(configuration.rerank, blend=1.0))
        found.setdefault(same, configuration)
    return list(found.values())


def _same(configuration: Configuration, *, rerank: RerankConfig) -> Configuration:
    """Return the configuration without what does not change its candidates."""
    return replace(configuration, top_k=1, top_k_unit="chunks", aggregate="max", rerank=rerank)


def _depth(configuration: Configuration) -> int:
    assert configuration.rerank is not None
    return configuration.rerank.depth
