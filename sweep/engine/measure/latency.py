"""Query latency: warm, one query at a time, through the same code as in production.

A query runs on one thread. What is timed is a whole search: text in, hits with their texts out.
Each query of a sample runs in several rounds and counts with its fastest; time in which other
processes had the processor is left out (see `Stopwatch`). Shared caches and memory still slow a
query down while others work, so the share of the processors that others used is kept with the
figure, which is marked `busy`, and measured again by a later run that finds the machine quieter.

Measured time is no part of a trial's identity. It is measured once per machine for each distinct
way to retrieve (weights, fusion rule and blend change nothing that could be timed) and kept in
the store.
"""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.measure.load import LoadMeter, Stopwatch, Timing
from sweep.engine.stages.output import FIRST_DEPTH
from sweep.engine.store.keys import stage_key
from sweep.engine.store.store import Store
from sweep.machine import machine_name, processor_name
from sweep.records import Floats

MOST, FEWEST = 30, 4  # queries
MOST_ROUNDS, FEWEST_ROUNDS = 5, 2
BUDGET_S = 0.2  # per figure, unless the fewest queries take longer
LONGEST_S = 4.0  # even then
AGAIN_S = 1.0  # per process, for measuring again what was measured on a busy machine
BUSY_SHARE = 0.2  # of the processors used by others
RESAMPLES = 400
# How far a median lies from that of another run, as a share: always, times what others use of the
# processors (they slow a query down, so the truth lies below), and in ms. See bench_latency.py.
SLIP, SLIP_BELOW, SLIP_ABOVE, SLIP_MS = 0.06, 0.4, 0.25, 0.02

Timed = Callable[[Callable[[], object]], Timing]
Search = Callable[[str], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds a query.

    Attributes:
        p50_ms, p95_ms: median and 95th percentile over `n` queries.
        p50_interval, p95_interval: 95 % bootstrap over the queries, widened by how far rounds
            differ.
        n: queries in the sample.
        rounds: how often each was run.
        others: share of the processors that other processes used meanwhile, in [0, 1].
        waited: share of the time in which other processes had this one's processor.
    """

    p50_ms: float
    p95_ms: float
    p50_interval: tuple[float, float]
    p95_interval: tuple[float, float]
    n: int
    rounds: int
    others: float
    waited: float

    @property
    def busy(self) -> bool:
        """Return whether others may have slowed it down."""
        return self.others > BUSY_SHARE

    @property
    def metrics(self) -> dict[str, float]:
        """Return the figures under their metric names."""
        return {"latency_p50_ms": self.p50_ms, "latency_p95_ms": self.p95_ms}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Return their intervals."""
        return {"latency_p50_ms": self.p50_interval, "latency_p95_ms": self.p95_interval}

    @property
    def conditions(self) -> dict[str, float | bool]:
        """Return under which conditions it was measured."""
        return {
            "queries": self.n,
            "rounds": self.rounds,
            "busy": self.busy,
            "others": round(self.others, 3),
            "waited": round(self.waited, 3),
        }


def latency_key(configuration: Configuration, inputs: Sequence[str]) -> str:
    """Return a key that is equal for configurations that do the same amount of work."""
    same = timed_configuration(configuration)
    machine = (machine_name(), processor_name(), f"processors={os.cpu_count()}")
    return stage_key("latency", asdict(same), (*inputs, *machine))


def timed_configuration(configuration: Configuration) -> Configuration:
    """Return the configuration that is timed for this one and all that take as long."""
    hybrid = configuration.hybrid
    rerank = configuration.rerank
    # Beside a model, the length of the output takes no time; a BM25 query alone is that short.
    free = configuration.vector or rerank
    return replace(
        configuration,
        top_k=10 if free and configuration.top_k <= FIRST_DEPTH else configuration.top_k,
        aggregate="max",
        hybrid=replace(hybrid, fusion="rrf", rrf_k=60, weight=None) if hybrid else None,
        rerank=replace(rerank, blend=1.0) if rerank else None,
    )


class LatencyMeter:
    """Measures latencies, and keeps them in the store.

    Args:
        store: where they are kept.
        load: tells how busy the machine is.
        stopwatch: times calls.
    """

    def __init__(
        self,
        store: Store,
        load: LoadMeter,
        stopwatch: Callable[[], AbstractContextManager[Timed]] = Stopwatch,
    ) -> None:
        self.store = store
        self.load = load
        self.stopwatch = stopwatch
        self._again_s = 0.0

    def latency(
        self, key: str, make: Callable[[], Search], queries: Sequence[str]
    ) -> tuple[Latency, bool]:
        """Return the latency and whether it was measured now, on a sample of the queries.

        One that was measured on a busy machine is measured again when the machine is quieter now;
        what was measured on the quieter machine is kept.

        Args:
            key: from `latency_key`.
            make: gives the search to be timed.
            queries: texts to take the sample from.
        """
        known = _from_json(self.store.read_json("latency", key))
        if known is not None and not self._worth_it(known):
            return known, False
        found, took_s = self._measure(make(), queries)
        if known is not None:
            self._again_s += took_s
            if found.others >= known.others:
                return known, False
        self.store.write_json("latency", key, asdict(found))
        return found, True

    def _worth_it(self, known: Latency) -> bool:
        if not known.busy or self._again_s >= AGAIN_S:
            return False
        return self.load.others() <= max(BUSY_SHARE / 2, known.others / 2)

    def _measure(self, search: Search, queries: Sequence[str]) -> tuple[Latency, float]:
        search(spread_sample(queries, 1)[0])  # loads what is loaded at the first query
        since = self.load.mark()
        with self.stopwatch() as timed:
            timings = measure_rounds(search, queries, timed)
        walls = sum(timing.wall_s for row in timings for timing in row)
        seconds = np.array([[timing.seconds for timing in row] for row in timings])
        waited = 1 - float(seconds.sum()) / walls if walls > 0 else 0.0
        return summarise(seconds, others=self.load.others(since), waited=waited), walls


def spread_sample(queries: Sequence[str], n: int) -> list[str]:
    """Return `n` of the queries, or all if there are fewer, spread evenly over their lengths."""
    by_length = sorted(queries, key=lambda text: (len(text), text))
    n = min(n, len(by_length))
    return [by_length[(2 * place + 1) * len(by_length) // (2 * n)] for place in range(n)]


def measure_rounds(search: Search, queries: Sequence[str], timed: Timed) -> list[list[Timing]]:
    """Time as many of the queries, in as many rounds, as the budget allows.

    Args:
        search: asked one query at a time.
        queries: to take a sample from.
        timed: times one call.

    Returns: one list per round, of equally many queries.
    """
    median = spread_sample(queries, 1)[0]
    one_s = max(1e-6, timed(partial(search, median)).seconds)
    n, rounds = sample_size(one_s, len(queries))
    sample = spread_sample(queries, n)
    return [[timed(partial(search, query)) for query in sample] for _ in range(rounds)]


def sample_size(one_s: float, queries: int) -> tuple[int, int]:
    """Return how many of the queries are timed, and in how many rounds, if one takes `one_s`."""
    fewest, fewest_rounds = FEWEST, FEWEST_ROUNDS
    if one_s * fewest * fewest_rounds > LONGEST_S:
        fewest, fewest_rounds = max(1, _times(LONGEST_S, one_s)), 1
    n = min(queries, MOST, max(fewest, _times(BUDGET_S, 3 * one_s)))
    return n, min(MOST_ROUNDS, max(fewest_rounds, _times(BUDGET_S, n * one_s)))


def _times(budget_s: float, one_s: float) -> int:
    return int(budget_s / one_s + 1e-6)


def summarise(seconds: Floats, *, others: float, waited: float) -> Latency:
    """Return median, 95th percentile and their intervals.

    Each query counts with its fastest round. The interval is a 95 % bootstrap over the queries,
    widened on both sides by the noise of time itself: half of how far the medians of most
    rounds differ, and never less than `SLIP` and its companions say.

    Args:
        seconds: shape (rounds, n).
        others: share of the processors that others used.
        waited: share of the time spent waiting for a processor.
    """
    fastest = seconds.min(axis=0) * 1000
    shares = [0.5, 0.95]
    p50, p95 = (float(value) for value in np.quantile(fastest, shares))
    rng = np.random.default_rng(0)
    drawn = fastest[rng.integers(0, len(fastest), (RESAMPLES, len(fastest)))]
    spread = np.quantile(np.quantile(drawn, shares, axis=1), [0.025, 0.975], axis=1)
    early, late = np.quantile(np.median(seconds, axis=1), [0.1, 0.9])
    differ = float(late - early) / max(float(early), 1e-12) / 2
    below, above = (max(differ, SLIP + slip * others) for slip in (SLIP_BELOW, SLIP_ABOVE))
    low = spread[0] / (1 + below)
    low = np.maximum(low / 2, low - SLIP_MS)
    high = spread[1] * (1 + above) + SLIP_MS
    return Latency(
        p50_ms=p50,
        p95_ms=p95,
        p50_interval=(float(low[0]), float(high[0])),
        p95_interval=(float(low[1]), float(high[1])),
        n=seconds.shape[1],
        rounds=seconds.shape[0],
        others=others,
        waited=waited,
    )


def _from_json(content: dict[str, Any] | None) -> Latency | None:
    if content is None:
        return None
    pairs = {name: tuple(content[name]) for name in ("p50_interval", "p95_interval")}
    return Latency(**{**content, **pairs})
