"""Is the inference of stage 7 as sure as it says? Simulated sweeps whose truth is known.

python tests/benchmarks/simulate_inference.py [sweeps]      (default 500; 3 minutes of CPU)

Scores look like nDCG: a query's difficulty, what a family of configurations (a mode, a model)
makes of the query, what a configuration adds; cut to [0, 1] where the truth stays known by
symmetry.
"""

import sys
import time

import numpy as np
from scipy import stats

from sweep.records import Floats
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.cross_validation import honest_scores
from sweep.winner.statistics.inference import detectable_difference, tukey_hsd
from sweep.winner.statistics.paired_tests import holm

CONFIGURATIONS, QUERIES, FAMILIES = 100, 50, 5
FLIPS = 1000
PAIRS = 5  # of configurations of one sweep whose intervals are looked at


def draw(
    rng: np.random.Generator, gains: Floats, n_queries: int, *, cut: bool, kind: str = "families"
) -> Floats:
    """Return (N, Q) scores; all configurations are alike but for `gains`, their true gain."""
    n = len(gains)
    difficulty = rng.normal(0.6, 0.3, n_queries)
    if kind == "noisy few":
        deviation = np.where(np.arange(n) < n // 20, 0.4, 0.05)
        noise = deviation[:, None] * rng.normal(size=(n, n_queries))
    else:
        family = rng.integers(0, FAMILIES, n)
        noise = rng.normal(0.0, 0.15, (FAMILIES, n_queries))[family]
        noise += rng.normal(0.0, 0.07, (n, n_queries))
    scores = difficulty + noise
    return (np.clip(scores, 0.0, 1.0) if cut else scores) + gains[:, None]


def permutation_critical(rng: np.random.Generator, scores: Floats, draws: int = 300) -> float:
    """Return the critical difference of Carterette's permutations within a query."""
    ranges = [np.ptp(rng.permuted(scores, axis=0).mean(axis=1)) for _ in range(draws)]
    return float(np.quantile(ranges, 0.95))


def naive_any(scores: Floats) -> bool:
    """Return whether paired t tests of each against the best, with Holm, call any worse."""
    best = scores.mean(axis=1).argmax()
    others = np.delete(scores, best, axis=0)
    return bool((holm(stats.ttest_rel(scores[best], others, axis=1).pvalue) <= 0.05).any())


def equal_configurations(sweeps: int, kind: str, n_queries: int) -> None:
    """Print how often any of 100 equal configurations is called worse."""
    rng = np.random.default_rng(1)
    called = np.zeros(3)
    for seed in range(sweeps):
        # Cutting would move the mean of noisier configurations: they would not be equal.
        cut = kind == "families"
        scores = draw(rng, np.zeros(CONFIGURATIONS), n_queries, cut=cut, kind=kind)
        result = tukey_hsd(scores, permutations=FLIPS, seed=seed)
        called += (
            len(result.tied) < CONFIGURATIONS,
            result.loss.max() > permutation_critical(rng, scores),
            naive_any(scores),
        )
    signs, permuted, naive = called / sweeps
    print(
        f"  equal, {kind}, {n_queries} queries: any called worse {signs:.1%} (sign flips), "
        f"{permuted:.1%} (permutations), {naive:.1%} (each against the best, Holm)"
    )


def unequal_configurations(sweeps: int, name: str, gains: Floats, n_queries: int) -> None:
    """Print false and true calls and the bound, step-down beside the single step."""
    truly_worse = gains.max() - gains > 1e-12
    for step_down in (True, False):
        rng = np.random.default_rng(2)
        false_call, held = 0, 0
        true_call, critical, bound = [], [], []
        for seed in range(sweeps):
            scores = draw(rng, gains, n_queries, cut=False)
            result = tukey_hsd(scores, permutations=FLIPS, seed=seed, step_down=step_down)
            worse = np.ones(len(gains), dtype=bool)
            worse[result.tied] = False
            false_call += bool(worse[~truly_worse].any())
            true_call.append(worse[truly_worse].mean() if truly_worse.any() else 0.0)
            held += bool((gains.max() - gains <= result.loss_bound + 1e-12).all())
            critical.append(result.critical)
            bound.append(result.loss_bound[result.best])
        print(
            f"  {name}, {n_queries} queries, {'step-down' if step_down else 'one step '}: a truly "
            f"best one called worse {false_call / sweeps:.1%}, truly worse ones called worse "
            f"{sum(true_call) / sweeps:.1%}, all bounds hold {held / sweeps:.1%}, "
            f"critical {np.mean(critical):.3f}, bound of the best {np.mean(bound):.3f}"
        )


def power(sweeps: int) -> None:
    """Print how often the others are called worse than one truly better: by .05, or detectably."""
    rng = np.random.default_rng(3)
    for n_queries in (50, 100, 200, 400):
        gains = np.zeros(CONFIGURATIONS)
        said = [
            detectable_difference(tukey_hsd(draw(rng, gains, n_queries, cut=False)))
            for _ in range(10)
        ]
        share = []
        for gain in (0.05, float(np.mean(said))):
            gains[0] = gain
            found = [
                tukey_hsd(draw(rng, gains, n_queries, cut=False), permutations=FLIPS, seed=seed)
                for seed in range(sweeps // 5)
            ]
            share.append(np.mean([1 - (len(r.tied) - 1) / (CONFIGURATIONS - 1) for r in found]))
        print(
            f"  {n_queries} queries: one better by .05: {share[0]:.1%} of the others seen; "
            f"by {np.mean(said):.3f}, said to be detectable [80 % or more]: {share[1]:.1%}"
        )


def intervals(sweeps: int) -> None:
    """Print the coverage of 95 % intervals: a score, a difference, the honest figure."""
    rng = np.random.default_rng(4)
    equal = np.zeros(CONFIGURATIONS)
    truth = float(draw(rng, np.zeros(5), 400_000, cut=True).mean())
    for n_queries in (QUERIES, 100):
        covered = np.zeros(3)
        bias = np.zeros(2)
        for seed in range(sweeps):
            scores = draw(rng, equal, n_queries, cut=True)
            honest = honest_scores(scores, seed=seed)
            covered[2] += honest.interval[0] <= truth <= honest.interval[1]
            for pair in range(PAIRS):  # 1,000 alone would leave .7 % of chance
                one, other = scores[pair], scores[-1 - pair]
                low, high = bootstrap_interval(one, seed=seed)
                covered[0] += (low <= truth <= high) / PAIRS
                # As `planned_comparison` has it, without the time of its test.
                low, high = bootstrap_interval(other - one, expanded=True, seed=seed)
                covered[1] += (low <= 0.0 <= high) / PAIRS
            bias += (scores.mean(axis=1).max() - truth, honest.mean - truth)
        score, difference, cross = covered / sweeps
        print(
            f"  {n_queries} queries: a score {score:.1%}, a difference {difference:.1%}, "
            f"cross-validated {cross:.1%}; bias of the best's own score {bias[0] / sweeps:+.4f}, "
            f"of the cross-validated {bias[1] / sweeps:+.4f}"
        )


def main() -> None:
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    started = time.perf_counter()
    print(f"{sweeps} sweeps, {CONFIGURATIONS} configurations; wanted in brackets")
    print("family-wise level [at most 6 %]")
    equal_configurations(sweeps, "families", QUERIES)
    equal_configurations(sweeps, "noisy few", QUERIES)
    equal_configurations(sweeps, "families", 20)
    print("unequal configurations: false calls [at most 6 %], simultaneous bounds [at least 94 %]")
    half, third = np.zeros(CONFIGURATIONS), np.zeros(CONFIGURATIONS)
    half[50:] = -0.04
    third[67:] = -np.linspace(0.1, 0.3, 33)
    cases = {
        "all equal": np.zeros(CONFIGURATIONS),
        "half worse by .04": half,
        "a third worse by .1 to .3": third,
        "from 0 to .10": -np.linspace(0.0, 0.10, CONFIGURATIONS),
        "one better by .10": np.append(0.10, np.zeros(CONFIGURATIONS - 1)),
        "five better by .10": np.append(np.full(5, 0.10), np.zeros(CONFIGURATIONS - 5)),
        "two alone, .05 apart": np.array([0.0, -0.05]),
        "three alone, .03 apart": np.array([0.0, -0.03, -0.06]),
    }
    for name, gains in cases.items():
        unequal_configurations(sweeps, name, gains, QUERIES)
    print("power")
    power(sweeps)
    print("coverage of 95 % intervals [93 to 97 %]")
    intervals(2 * sweeps)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
