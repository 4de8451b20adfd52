"""Latency: which queries are timed, and when enough is enough."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sweep.engine import latency
from sweep.engine.latency import measure_latency
from sweep.engine.report import Report
from sweep.engine.store import Store
from sweep.records import RankedLists

KEY = "0" * 64


class Clock:
    """A clock and a made-up retriever: a query takes as many seconds as it has letters."""

    def __init__(self) -> None:
        self.now = 0.0
        self.asked: list[str] = []

    def perf_counter(self) -> float:
        return self.now

    def rank(self, queries: Sequence[str]) -> RankedLists | None:
        (query,) = queries
        self.asked.append(query)
        self.now += len(query)
        return None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(latency, "time", clock)
    return clock


def measured(folder: Path, clock: Clock, queries: Sequence[str]) -> latency.Latency:
    store = Store(folder, Report())
    return measure_latency(KEY, store, lambda: clock, queries)  # type: ignore[arg-type,return-value]


def test_median_and_95th_percentile_in_milliseconds(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "BUDGET_S", 1e6)
    found = measured(tmp_path, clock, ["a" * n for n in (1, 2, 3, 4, 5)])
    assert (found.p50_ms, found.n) == (3000, 5)
    assert found.p95_ms == pytest.approx(4800)
    assert clock.asked == ["a", "aa", *("a" * n for n in (1, 2, 3, 4, 5))]  # warmed up first


def test_stops_when_the_budget_is_used_up(tmp_path: Path, clock: Clock) -> None:
    found = measured(tmp_path, clock, ["a"] * 100)
    assert found.n == latency.FEWEST


def test_sample_is_spread_over_the_queries(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "BUDGET_S", 1e6)
    queries = [f"{number:03}" for number in range(95)]
    assert measured(tmp_path, clock, queries).n == 30
    assert clock.asked[2:] == queries[::3][:30]


def test_stored_latency_is_not_measured_again(tmp_path: Path, clock: Clock) -> None:
    first = measured(tmp_path, clock, ["a", "aa"])
    asked = len(clock.asked)
    assert measured(tmp_path, clock, ["aaaa"]) == first
    assert len(clock.asked) == asked
