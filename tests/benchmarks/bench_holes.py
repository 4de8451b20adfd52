"""What bounds over all labellings cost at the end of a run, beside scoring the same lists once.

python tests/benchmarks/bench_holes.py
"""

import time

import numpy as np

from sweep.metrics import (
    at_of,
    find_holes,
    judgements_from_qrels,
    label_effects,
    parse_metric,
    score_lists,
)
from sweep.records import Ints, RankedLists

DEPTH, DOCUMENTS, JUDGED, CANDIDATES = 10, 3000, 8, 40
SIZES = ((96, 225), (1000, 300))  # configurations, queries
BLOCK = 100  # configurations compared in one go


def ranked(rng: np.random.Generator, configurations: int, queries: int) -> tuple[Ints, Ints]:
    """Return document lists that overlap, and each query's judged documents."""
    noise = rng.random((queries, DOCUMENTS)).argpartition(CANDIDATES, axis=1)[:, :CANDIDATES]
    order = rng.random((configurations, queries, CANDIDATES)).argsort(axis=2)[:, :, :DEPTH]
    everywhere = np.broadcast_to(noise, (configurations, *noise.shape))
    return np.take_along_axis(everywhere, order, axis=2), noise[:, :JUDGED]


def main() -> None:
    rng, metric = np.random.default_rng(7), parse_metric("ndcg@10")
    for configurations, queries in SIZES:
        items, judged = ranked(rng, configurations, queries)
        qrels = {
            f"q{row}": {int(d): int(rng.integers(0, 4)) for d in some}
            for row, some in enumerate(judged)
        }
        judgements = judgements_from_qrels(qrels, list(range(DOCUMENTS)))
        start = time.perf_counter()
        lists = [RankedLists(items=one, scores=np.zeros(one.shape)) for one in items]
        scores = np.stack([score_lists([metric], judgements, one).values[:, 0] for one in lists])
        scored = time.perf_counter() - start

        start = time.perf_counter()
        holes = find_holes(judgements, items)
        at = at_of(metric, relevance=1, labels=(0, 3))
        effects = label_effects(metric, holes, scores, at=at, top=3)
        for first in range(0, configurations, BLOCK):
            some = np.arange(first, min(first + BLOCK, configurations))
            effects.largest_difference(some, np.zeros(1, dtype=np.int64))
            effects.steps(some, np.zeros(1, dtype=np.int64))
        bounded = time.perf_counter() - start
        print(f"{configurations} configurations x {queries} queries, {len(holes):,} holes")
        print(f"scoring  {scored:.2f} s")
        print(f"bounds   {bounded:.2f} s, {bounded / scored:.1f} times as long")


if __name__ == "__main__":
    main()
