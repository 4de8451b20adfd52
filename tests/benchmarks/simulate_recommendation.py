"""What does the recommended configuration truly lose? Simulated sweeps whose truth is known.

python tests/benchmarks/simulate_recommendation.py [sweeps]      (default 500; half a minute)

Quality rises with cost by .10 over 97 configurations, in equal steps; scores look like nDCG: a
query's difficulty, what a family of configurations makes of it, what a configuration adds.
"""

import sys
import time

import numpy as np

from sweep.records import Floats
from sweep.winner.recommendation import recommend
from sweep.winner.statistics.cross_validation import honest_scores
from sweep.winner.statistics.scores import highest_mean

CONFIGURATIONS, RISE = 97, 0.10
FLIPS = 500
# Standard deviation per query of what a family and a configuration add, and how families lie:
# neighbours in cost (a ladder of sizes), or spread over all costs (modes).
NOISES = {
    "neighbours alike, .10 and .05": (0.10, 0.05, True),
    "families over all costs, .10 and .05": (0.10, 0.05, False),
    "families over all costs, .15 and .10": (0.15, 0.10, False),
    "no families, .15": (0.0, 0.15, False),
}


def draw(rng: np.random.Generator, noise: tuple[float, float, bool], n_queries: int) -> Floats:
    """Return (N, Q) scores; configuration i costs i and is truly i / 96 x .10 better than 0."""
    shared, own, neighbours = noise
    index = np.arange(CONFIGURATIONS)
    family = index // 10 if neighbours else rng.permutation(index) % 10
    scores = rng.normal(0.6, 0.3, n_queries) + rng.normal(0.0, shared, (10, n_queries))[family]
    scores += rng.normal(0.0, own, (CONFIGURATIONS, n_queries))
    return scores + RISE * index[:, None] / (CONFIGURATIONS - 1)


def main() -> None:
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    started = time.perf_counter()
    costs = [(float(i),) for i in range(CONFIGURATIONS)]
    truth = RISE * np.arange(CONFIGURATIONS) / (CONFIGURATIONS - 1)
    print(f"{sweeps} sweeps; mean true loss of the recommended [at most .02], of the plain best")
    for name, noise in NOISES.items():
        for n_queries in (34, 84, 300):
            rng = np.random.default_rng(5)
            rows = []
            for seed in range(sweeps):
                scores = draw(rng, noise, n_queries)
                found = recommend(scores, costs, permutations=FLIPS, seed=seed)
                loss = RISE - truth[found.recommended]
                rows.append(
                    (
                        loss,
                        RISE - truth[found.best],
                        loss <= found.loss_bound,
                        found.loss_bound,
                        found.recommended / (CONFIGURATIONS - 1),
                        len(found.tied),
                    )
                )
            lost, best, held, bound, cost, tied = np.mean(rows, axis=0)
            print(
                f"  {name}, {n_queries} queries: recommended {lost:.4f}, best {best:.4f}; bound "
                f"{bound:.3f} holds in {held:.1%}; cost {cost:.0%} of the dearest, tied {tied:.0f}"
            )
    print("winner's curse: search score minus truth of the chosen, search and cross-validated")
    curse(np.random.default_rng(6), truth, sweeps // 5)
    print(f"{time.perf_counter() - started:.0f} s")


def curse(rng: np.random.Generator, truth: Floats, sweeps: int) -> None:
    """Print how far the best's search score and the honest figure lie from the best's truth."""
    for name, noise in NOISES.items():
        rows = []
        for seed in range(sweeps):
            scores = draw(rng, noise, 40)
            best = highest_mean(scores)
            # Against the mean over configurations, so that the draw of queries drops out.
            scores -= scores.mean(axis=0) - truth.mean()
            honest = honest_scores(scores, seed=seed)
            rows.append((scores[best].mean() - truth[best], honest.mean - truth[best]))
        search, cross = np.mean(rows, axis=0)
        print(f"  {name}, 40 queries: {search:+.4f}, {cross:+.4f}")


if __name__ == "__main__":
    main()
