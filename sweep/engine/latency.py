"""Query latency: warm, one query at a time, through the same code as in production.

Measured time is no part of a trial's identity. It is measured once per machine for each distinct
way to retrieve (weights, fusion rule, blend and top_k change nothing that could be timed) and kept
in the store.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.keys import stage_key
from sweep.engine.retriever import Retriever
from sweep.engine.store import Store
from sweep.machine import machine_name

WARM_UP, MOST, FEWEST = 2, 30, 6
BUDGET_S = 2.0  # after FEWEST queries, stop when this is used up


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Milliseconds a query: median and 95th percentile over `n` queries."""

    p50_ms: float
    p95_ms: float
    n: int


def latency_key(configuration: Configuration, inputs: Sequence[str], threads: int) -> str:
    """Return a key that is equal for configurations that do the same amount of work."""
    hybrid = configuration.hybrid
    rerank = configuration.rerank
    same = replace(
        configuration,
        top_k=10,
        aggregate="max",
        hybrid=replace(hybrid, fusion="rrf", rrf_k=60, weight=None) if hybrid else None,
        rerank=replace(rerank, blend=1.0) if rerank else None,
    )
    return stage_key("latency", asdict(same), (*inputs, machine_name(), f"threads={threads}"))


def measure_latency(
    key: str, store: Store, make: Callable[[], Retriever], queries: Sequence[str]
) -> Latency:
    """Return the stored latency, or measure it on a spread-out sample of the queries."""
    known = store.read_json("latency", key)
    if known is not None:
        return Latency(**known)  # type: ignore[arg-type]
    retriever = make()
    step = max(1, len(queries) // MOST)
    sample = list(queries[::step][:MOST])
    for query in sample[:WARM_UP]:
        retriever.rank([query])
    seconds: list[float] = []
    for query in sample:
        start = time.perf_counter()
        retriever.rank([query])
        seconds.append(time.perf_counter() - start)
        if len(seconds) >= FEWEST and sum(seconds) > BUDGET_S:
            break
    p50, p95 = (float(v) for v in np.quantile(np.array(seconds) * 1000, [0.5, 0.95]))
    latency = Latency(p50_ms=p50, p95_ms=p95, n=len(seconds))
    store.write_json("latency", key, asdict(latency))
    return latency
