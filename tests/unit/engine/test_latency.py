"""Latency: which queries are timed, how often, with which interval, and when it is done again."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from sweep.engine.measure import latency
from sweep.engine.measure.latency import LatencyMeter, measure_rounds, spread_sample, summarise
from sweep.engine.measure.load import LoadMeter, Timing, Usage
from sweep.engine.measure.report import Report
from sweep.engine.store.store import Store

KEY = "0" * 64
PROCESSORS = 2


class Machine:
    """A made-up machine: a query takes as many milliseconds as it has letters.

    `share` of both processors is used by others, who slow nothing down and make nobody wait.
    """

    def __init__(self, share: float = 0.0) -> None:
        self.share = share
        self.now = self.others = self.own = 0.0
        self.asked: list[str] = []

    def pass_time(self, seconds: float, *, own: float = 0.0) -> None:
        self.now += seconds
        self.own += own
        self.others += seconds * PROCESSORS * self.share

    def search(self, query: str) -> None:
        self.asked.append(query)
        self.pass_time(len(query) / 1000, own=len(query) / 1000)

    def usage(self) -> Usage:
        return Usage(clock_s=self.now, busy_s=self.own + self.others, own_s=self.own)

    @contextmanager
    def stopwatch(self) -> Iterator[Callable[[Callable[[], object]], Timing]]:
        def timed(call: Callable[[], object]) -> Timing:
            start = self.now
            call()
            return Timing(wall_s=self.now - start, seconds=self.now - start)

        yield timed


def meter(folder: Path, machine: Machine) -> LatencyMeter:
    load = LoadMeter(machine.usage, PROCESSORS)
    machine.pass_time(1.0)  # other work of the run
    return LatencyMeter(Store(folder, Report()), load, machine.stopwatch)


def measured(
    folder: Path, machine: Machine, queries: Sequence[str]
) -> tuple[latency.Latency, bool]:
    return meter(folder, machine).latency(KEY, lambda: machine.search, queries)


def test_median_and_95th_percentile_in_milliseconds(tmp_path: Path) -> None:
    found, fresh = measured(tmp_path, Machine(), ["a" * n for n in (1, 2, 3, 4, 5)])
    assert fresh
    assert (found.n, found.rounds) == (5, 5)  # the budget would allow 13
    assert found.p50_ms == pytest.approx(3)
    assert found.p95_ms == pytest.approx(4.8)
    assert found.p50_interval[0] < 3 < found.p50_interval[1]
    assert (found.busy, found.others, found.waited) == (False, 0, 0)


def test_first_query_is_not_counted(tmp_path: Path) -> None:
    """It loads what is loaded late; a second one says how many can be afforded."""
    machine = Machine()
    found, _ = measured(tmp_path, machine, ["a", "aa"])
    assert len(machine.asked) == 2 + found.n * found.rounds


def test_a_query_counts_with_its_fastest_round() -> None:
    seconds = np.array([[0.004, 0.002], [0.001, 0.006], [0.003, 0.003]])
    found = summarise(seconds, others=0.0, waited=0.0)
    assert (found.p50_ms, found.n, found.rounds) == (pytest.approx(1.5), 2, 3)


@pytest.mark.parametrize(
    ("letters", "n", "rounds"),
    [
        (1, 30, 5),  # the most of both
        (10, 6, 3),  # a third of the budget each
        (200, 4, 2),  # the fewest of both
        (2000, 2, 1),  # not even those
        (9000, 1, 1),
    ],
)
def test_budget(letters: int, n: int, rounds: int) -> None:
    machine = Machine()
    with machine.stopwatch() as timed:
        timings = measure_rounds(machine.search, ["a" * letters] * 40, timed)
    assert (len(timings), {len(row) for row in timings}) == (rounds, {n})


def test_sample_spreads_over_lengths() -> None:
    queries = ["a" * n for n in range(1, 101)]
    assert [len(query) for query in spread_sample(queries, 4)] == [13, 38, 63, 88]
    assert spread_sample(queries[::-1], 4) == spread_sample(queries, 4)
    assert [len(query) for query in spread_sample(queries, 1)] == [51]
    assert spread_sample(["bb", "a"], 30) == ["a", "bb"]


def test_interval_grows_with_noise_between_rounds() -> None:
    steady = np.full((3, 9), 0.01)
    shaken = steady * np.array([[1.0], [1.0], [1.5]])
    one, other = (summarise(s, others=0.0, waited=0.0) for s in (steady, shaken))
    assert other.p50_ms == one.p50_ms == pytest.approx(10)
    # 80 % of rounds differ by .4, half of it either way; and .02 ms
    assert other.p50_interval == pytest.approx((10 / 1.2 - 0.02, 10 * 1.2 + 0.02))
    assert 9 < one.p50_interval[0] < 10 < one.p50_interval[1] < 11


def test_interval_grows_with_the_load_downwards_above_all() -> None:
    """Others can only slow a query down, so that the truth lies below."""
    quiet, busy = (summarise(np.full((3, 9), 0.01), others=o, waited=0.0) for o in (0.0, 0.6))
    low, high = ([quiet.p50_interval[i], busy.p50_interval[i]] for i in (0, 1))
    assert low[1] < low[0]
    assert high[1] > high[0]
    assert low[0] - low[1] > high[1] - high[0]


def test_stored_latency_is_not_measured_again(tmp_path: Path) -> None:
    machine = Machine()
    first, _ = measured(tmp_path, machine, ["a", "aa"])
    asked = len(machine.asked)
    assert measured(tmp_path, machine, ["aaaa"]) == (first, False)
    assert len(machine.asked) == asked


def test_busy_one_is_measured_again_on_a_quieter_machine(tmp_path: Path) -> None:
    busy, _ = measured(tmp_path, Machine(share=0.5), ["aaaa"])
    assert busy.busy
    assert busy.others == pytest.approx(0.5)
    quiet, fresh = measured(tmp_path, Machine(), ["aaa"])
    assert (quiet.busy, quiet.p50_ms, fresh) == (False, pytest.approx(3), True)
    assert measured(tmp_path, Machine(share=0.5), ["aaaaa"]) == (quiet, False)


def test_busy_one_is_kept_while_the_machine_is_as_busy(tmp_path: Path) -> None:
    busy, _ = measured(tmp_path, Machine(share=0.5), ["aaaa"])
    machine = Machine(share=0.45)
    assert measured(tmp_path, machine, ["aaa"]) == (busy, False)
    assert machine.asked == []


def test_better_one_is_kept_when_others_come_back(tmp_path: Path) -> None:
    busy, _ = measured(tmp_path, Machine(share=0.5), ["aaaa"])
    machine = Machine()
    measuring = meter(tmp_path, machine)
    machine.share = 0.9  # as soon as it is measured
    assert measuring.latency(KEY, lambda: machine.search, ["a" * 200]) == (busy, False)
    assert machine.asked


def test_measuring_again_has_a_budget(tmp_path: Path) -> None:
    keys = [f"{number:064}" for number in range(6)]
    noisy = Machine(share=0.5)
    measuring = meter(tmp_path, noisy)
    for key in keys:
        measuring.latency(key, lambda: noisy.search, ["a" * 100])
    machine = Machine()
    measuring = meter(tmp_path, machine)
    fresh = [measuring.latency(key, lambda: machine.search, ["a" * 100])[1] for key in keys]
    assert fresh == [True] * 5 + [False]  # 200 ms each, one second in all


def test_what_is_stored_is_json_without_surprises(tmp_path: Path) -> None:
    found, _ = measured(tmp_path, Machine(), ["a"])
    stored = Store(tmp_path, Report()).read_json("latency", KEY)
    assert stored is not None
    assert json.loads(json.dumps(stored))["n"] == found.n == 1
    assert set(found.metrics) == set(found.intervals) == {"latency_p50_ms", "latency_p95_ms"}
    assert found.conditions == {
        "queries": 1,
        "rounds": latency.MOST_ROUNDS,
        "busy": False,
        "others": 0,
        "waited": 0,
    }
