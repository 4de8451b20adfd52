"""Many configurations on a warm store: 1,000 and 2,000 (BM25 k1 / b x fusion weights).

python tests/benchmarks/bench_many.py [corpus folder]

Prints what Optuna's bookkeeping takes per trial, the ratio of the total times (2.0 is linear), and
the peak memory of both.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from sweep.study.study import Study

COUNTS = (1000, 2000)
GRIDS = {1000: (10, 10, 10), 2000: (10, 10, 20)}  # values of k1, b, weight
RUN = """
import json, resource, sys, time
import optuna
add, spent = optuna.study.Study.add_trial, []
def timed(self, trial):
    start = time.perf_counter(), time.process_time()
    add(self, trial)
    spent.append((time.perf_counter() - start[0], time.process_time() - start[1]))
optuna.study.Study.add_trial = timed
from pathlib import Path
import sweep
from sweep.study.driver.inputs import RunOptions
sweep.run(Path(sys.argv[1]), options=RunOptions(study=sys.argv[2], threads=1, yes=True))
wall, cpu = (sum(part) / len(spent) * 1000 for part in zip(*spent))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"trials": len(spent), "wall_ms": wall, "cpu_ms": cpu, "peak_mb": peak}))
"""


def main() -> None:
    default = Path(__file__).parents[2] / "corpora" / "handbook"
    corpus = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_space(folder / "warm.yaml", corpus, (1, 1, 1))
        run(folder, "warm")
        found = []
        for count in COUNTS:
            write_space(folder / f"n{count}.yaml", corpus, GRIDS[count])
            found.append(run(folder, f"n{count}"))
        answers = [answer_seconds(folder, f"n{count}") for count in COUNTS]
    for one, answer in zip(found, answers, strict=True):
        print(
            f"{one['trials']:,} configurations: {one['seconds']:.1f} s "
            f"({one['seconds'] / one['trials'] * 1000:.1f} ms each), Optuna {one['wall_ms']:.1f} "
            f"ms a trial ({one['cpu_ms']:.1f} ms CPU), peak {one['peak_mb']:.0f} MB, "
            f"answer {answer:.1f} s"
        )
    print(f"ratio of the totals: {found[1]['seconds'] / found[0]['seconds']:.2f}")


def write_space(path: Path, corpus: Path, counts: tuple[int, int, int]) -> None:
    k1, b, weight = counts
    space = {
        "name": path.stem,
        "corpus": str(corpus),
        "objective": "ndcg@10",
        "split": False,
        "space": {
            "mode": "hybrid",
            "top_k": 10,
            "chunk": {"splitter": "tokens", "size": 192},
            "bm25": {"k1": _values(0.6, 2.0, k1), "b": _values(0.1, 1.0, b)},
            "hybrid": {"fusion": "weighted", "weight": _values(0.1, 0.9, weight)},
        },
    }
    path.write_text(yaml.safe_dump(space), encoding="utf-8")


def _values(low: float, high: float, count: int) -> list[float]:
    return [round(float(value), 4) for value in np.linspace(low, high, count)]


def run(folder: Path, study: str) -> dict[str, Any]:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", RUN, f"{study}.yaml", study],
        cwd=folder, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found | {"seconds": time.perf_counter() - start}


def answer_seconds(folder: Path, study: str) -> float:
    """Return what the closing message takes: reading the tables, and the inference."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        start = time.perf_counter()
        Study(study).answer()
        return time.perf_counter() - start
    finally:
        os.chdir(before)


if __name__ == "__main__":
    main()
