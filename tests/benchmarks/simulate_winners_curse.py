"""The winner's curse on real scores: what the best's own score promises, and the honest figure.

python -m tests.benchmarks.simulate_winners_curse [draws] [folder] [corpus]

(default 500 draws; results/curse; the shared cranfield corpus; a few minutes, the sweep included)

Sweeps the corpus once over 96 configurations with all its queries (the study stays in the folder,
and the next call reads it). Then 40 queries are drawn again and again: the choice is made on them,
the truth is the chosen configuration's mean on all other queries. Three figures minus that truth:
the score on the queries that chose, and the honest figure of `sweep best`, for the best and for
the recommended. Each is also shown less what the draw of queries does to all configurations alike
(whose mean is zero over draws), which leaves less noise. The honest figure is wanted within .005
of zero.
"""

import contextlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml

from sweep.records import Floats
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from sweep.study.study import Study
from sweep.winner.figures import Pick, Scored, honest_figure
from tests.shared_data import SHARED

OBJECTIVE, QUERIES, WANTED = "ndcg@10", 40, 0.005
SPACE = {
    "name": "curse",
    "objective": OBJECTIVE,
    "split": "off",
    "space": [
        {
            "mode": ["bm25", "vector", "hybrid"],
            "top_k": 20,
            "chunk": {"splitter": "tokens", "size": [64, 128, 192, 254], "overlap": [0, 0.25]},
            "bm25": {"analyzer": ["auto", "english"]},
            "hybrid": {"fusion": ["rrf", "weighted"], "weight": [0.3, 0.7]},
        },
        {
            "mode": "bm25",
            "top_k": 20,
            "chunk": {"splitter": "document"},
            "bm25": {"analyzer": ["auto", "english"], "k1": [0.9, 1.2], "b": [0.4, 0.75]},
        },
        {
            "mode": "bm25",
            "top_k": 20,
            "chunk": {"splitter": "tokens", "size": 128},
            "bm25": {
                "analyzer": ["auto", "english"],
                "k1": [0.6, 0.9, 1.6, 2.0],
                "b": [0.5, 0.75],
            },
        },
    ],
}
CONFIGURATIONS = 96


def study_in(folder: Path, corpus: Path) -> Study:
    """Return the study, run to its end."""
    folder.mkdir(parents=True, exist_ok=True)
    space = folder / "curse.yaml"
    content = SPACE | {"corpus": str(corpus.resolve())}
    space.write_text(yaml.safe_dump(content), encoding="utf-8")
    return run(space, options=RunOptions(threads=1, yes=True))


def subset(scored: Scored, columns: Sequence[int] | Floats) -> Scored:
    return Scored(
        trials=scored.trials,
        scores=scored.scores[:, columns],
        maximize=scored.maximize,
        scale=scored.scale,
        confirm={},
    )


def promises(scored: Scored, drawn: Floats, others: Floats) -> list[float]:
    """Return the search score of the best and the honest figures, each minus the truth."""
    some = subset(scored, drawn)
    found = some.recommendation()
    truth = scored.scores[:, others].mean(axis=1)
    figures = [float(some.scores[found.best].mean() - truth[found.best])]
    picks: list[tuple[Pick, int]] = [("best", found.best), ("recommended", found.recommended)]
    for pick, row in picks:
        honest = honest_figure(some, row, pick)
        assert honest is not None
        figures.append(honest.mean - float(truth[row]))
    return figures


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    folder = Path(sys.argv[2] if len(sys.argv) > 2 else "results/curse")
    corpus = Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else SHARED / "corpora" / "cranfield"
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(folder):
        scored = study_in(Path(), corpus).scored()
    configurations, queries = scored.scores.shape
    assert configurations == CONFIGURATIONS, configurations
    print(f"{configurations} configurations, {queries} queries of {corpus.name}, {OBJECTIVE}")
    started, rng = time.perf_counter(), np.random.default_rng(11)
    rows, shared = [], []
    for _ in range(draws):
        order = rng.permutation(queries)
        drawn, others = order[:QUERIES], order[QUERIES:]
        rows.append(promises(scored, drawn, others))
        shared.append(scored.scores[:, drawn].mean() - scored.scores[:, others].mean())
    found, common = np.array(rows), np.array(shared)[:, None]
    print(f"{draws} draws of {QUERIES} queries; figure minus the score on all other queries")
    print(f"{'figure':38} {'mean':>8} {'s.e.':>7}   less the draw {'mean':>8} {'s.e.':>7}")
    names = ("the best's score on the 40 that chose", "honest figure of the best",
             "honest figure of the recommended")  # fmt: skip
    for name, plain, paired in zip(names, found.T, (found - common).T, strict=True):
        cells = [f"{v.mean():+8.4f} {v.std(ddof=1) / draws**0.5:7.4f}" for v in (plain, paired)]
        print(f"{name:38} {cells[0]}                 {cells[1]}")
    worst = float(np.abs((found - common)[:, 1:].mean(axis=0)).max())
    print(
        f"honest figures within {worst:.4f} of zero [wanted: {WANTED}]: "
        f"{'yes' if worst <= WANTED else 'NO'}   {time.perf_counter() - started:.0f} s"
    )


if __name__ == "__main__":
    main()
