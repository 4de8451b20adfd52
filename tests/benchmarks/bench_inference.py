"""The test behind a recommendation: 1,000 configurations x 300 queries x 10,000 sign flips.

python tests/benchmarks/bench_inference.py [configurations] [queries] [flips]

Wanted: below 10 s and 1 GB. Beside it, in one run: the bare matrix product that the flips are.
"""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sweep.winner.recommendation import recommend
from sweep.winner.statistics.inference import tukey_hsd
from sweep.winner.statistics.sign_flips import sign_patterns

FAMILIES = 10
SCALE = 1024.0 if sys.platform != "darwin" else 1.0  # of ru_maxrss, to bytes


def peak_bytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * SCALE


def timed(name: str, work: Callable[[], Any]) -> float:
    before, start = peak_bytes(), time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    after = peak_bytes()
    print(
        f"{name}: {seconds:.2f} s, peak {after / 1e6:,.0f} MB of the process, raised by "
        f"{(after - before) / 1e6:,.0f} MB{result or ''}",
        flush=True,
    )
    return seconds


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    n, q, flips = [*given, *(1000, 300, 10_000)[len(given) :]]
    rng = np.random.default_rng(1)
    family = rng.normal(0.0, 0.15, (FAMILIES, q))[rng.integers(0, FAMILIES, n)]
    own = rng.normal(0.0, 0.07, (n, q)) - np.linspace(0.0, 0.2, n)[:, None]
    scores = np.clip(rng.normal(0.6, 0.3, q) + family + own, 0.0, 1.0)
    costs = [(float(cost),) for cost in rng.permutation(n)]
    print(f"{n:,} configurations x {q:,} queries x {flips:,} sign flips")

    def test() -> str:
        result = tukey_hsd(scores, permutations=flips)
        return f"; {len(result.tied)} tied, critical {result.critical:.4f}"

    def product() -> None:
        signs = sign_patterns(q, flips, 0)
        for start in range(0, len(signs), 1000):
            scores @ signs[start : start + 1000].T.astype(np.float64)

    def choice() -> str:
        found = recommend(scores, costs, permutations=flips)
        return f"; detectable {found.detectable:.4f}"

    whole = timed("tukey_hsd", test)
    bare = timed("the bare product", product)
    timed("recommend (the test with all that is printed)", choice)
    print(f"tukey_hsd takes {whole / bare:.1f} times the bare product")


if __name__ == "__main__":
    main()
