"""What samplers find on a made-up objective with conditional parameters, and what drawing costs.

    python -m tests.benchmarks.simulate_samplers [trials] [seeds]

Prints the best value after so many trials, mean over seeds (the optimum is 0), and for how many
seeds tpe and nsga2 end above random; then the processor time of one draw. About a minute for 100
trials and 8 seeds.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from sweep.configuration import Configuration
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord
from tests.unit.study.sampled import by_chance, run_sampler
from tests.unit.study.space_files import make_space

SPACE = {
    "mode": ["bm25", "vector", "hybrid", "rerank"],
    "top_k": [5, 10, 20],
    "chunk": {
        "splitter": ["tokens", "sentences"],
        "size": {"low": 32, "high": 512},
        "overlap": {"low": 0, "high": 0.5},
    },
    "bm25": {"k1": {"low": 0.5, "high": 3}, "b": {"low": 0, "high": 1}},
    "hybrid": {
        "fusion": ["rrf", "weighted"],
        "rrf_k": [10, 30, 60, 100],
        "weight": {"low": 0, "high": 1},
    },
    "rerank": {
        "candidates": ["bm25", "vector", "hybrid"],
        "depth": [10, 20, 50, 100],
        "blend": {"low": 0, "high": 1},
    },
}
SAMPLERS = ("random", "tpe", "nsga2")


def value(c: Configuration) -> float:
    """Fall off from hybrid candidates, weighted .65, reranked; with a little noise that stays."""
    size, overlap = c.chunk.size or 0, c.chunk.overlap
    lost = 0.08 * abs(np.log2(size / 160)) + 0.15 * abs(overlap - 0.2)
    lost += {"bm25": 0.1, "vector": 0.07, "hybrid": 0.02, "rerank": 0.0}[c.mode]
    lost += {5: 0.012, 10: 0.002, 20: 0.0}[c.top_k]
    if c.bm25 is not None:
        lost += 0.03 * abs(c.bm25.k1 - 1.4) + 0.08 * abs(c.bm25.b - 0.6)
    if c.hybrid is None:
        lost += 0.05
    elif c.hybrid.weight is None:
        lost += 0.03 + 0.01 * abs(np.log2((c.hybrid.rrf_k or 1) / 30))
    else:
        lost += 0.2 * (c.hybrid.weight - 0.65) ** 2
    if c.rerank is not None:
        lost += 0.15 * (c.rerank.blend - 0.7) ** 2 + 0.01 * np.log2(100 / c.rerank.depth)
    return float(-lost - 0.01 * by_chance(c))


def space_of(folder: Path, kind: str, seed: int) -> SearchSpace:
    return make_space(folder, SPACE, sampler={"kind": kind, "seed": seed})


def best_so_far(folder: Path, kind: str, seed: int, trials: int) -> np.ndarray:
    found: list[TrialRecord] = []
    run_sampler(space_of(folder, kind, seed), found, reach=trials, value=value)
    return np.maximum.accumulate([trial.values[0] for trial in found])


def main() -> None:
    trials, seeds = (int(a) for a in (*sys.argv[1:], *("100", "8")[len(sys.argv) - 1 :]))
    marks = sorted({m for m in (10, 30, 60, 100, 200, trials) if m <= trials})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        curves: dict[str, np.ndarray] = {}
        for kind in SAMPLERS:
            start = time.process_time()
            rows = [best_so_far(folder, kind, seed, trials) for seed in range(seeds)]
            curves[kind] = np.array(rows)
            cost = (time.process_time() - start) / seeds / trials * 1000
            means = "  ".join(f"{m}: {curves[kind][:, m - 1].mean():+.4f}" for m in marks)
            above = int((curves[kind][:, -1] > curves["random"][:, -1]).sum())
            print(f"{kind:7}{means}   above random {above}/{seeds}   {cost:5.1f} ms a trial")


if __name__ == "__main__":
    main()
