"""How busy the machine is, how long a call takes, how much memory was needed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sweep.engine.measure.load import LoadMeter, Stopwatch, Usage, peak_memory, usage


class Ticks:
    """Usage that the test sets."""

    def __init__(self) -> None:
        self.clock = self.busy = self.own = 0.0

    def add(self, clock: float, *, busy: float, own: float = 0.0) -> None:
        self.clock += clock
        self.busy += busy
        self.own += own

    def __call__(self) -> Usage:
        return Usage(clock_s=self.clock, busy_s=self.busy, own_s=self.own)


def test_own_work_is_not_others() -> None:
    ticks = Ticks()
    meter = LoadMeter(ticks, 4)
    ticks.add(1.0, busy=2.5, own=1.5)
    assert meter.others() == pytest.approx(0.25)


def test_share_stays_between_0_and_1() -> None:
    """Ticks of 10 ms are coarse: own time can be ahead of what the machine has counted."""
    ticks = Ticks()
    meter = LoadMeter(ticks, 1)
    ticks.add(1.0, busy=0.99, own=1.0)
    assert meter.others() == 0
    ticks.add(1.0, busy=3.0)
    assert meter.others() == 1


def test_window_begins_at_the_mark() -> None:
    ticks = Ticks()
    meter = LoadMeter(ticks, 1)
    ticks.add(5.0, busy=5.0)  # somebody else's start
    since = meter.mark()
    ticks.add(1.0, busy=0.0)
    assert meter.others(since) == 0
    assert meter.others(0.0) == pytest.approx(5 / 6)


def test_short_window_begins_before_the_mark() -> None:
    """Within a few ms no tick can be counted."""
    ticks = Ticks()
    meter = LoadMeter(ticks, 1)
    ticks.add(1.0, busy=0.5)
    since = meter.mark()
    ticks.add(0.01, busy=0.0)
    assert meter.others(since) == pytest.approx(0.5 / 1.01)


def test_without_any_time_nothing_is_said() -> None:
    assert LoadMeter(Ticks(), 1).others() == 0


def test_usage_of_this_machine_only_grows() -> None:
    first = usage()
    sum(range(300_000))
    second = usage()
    assert second.clock_s > first.clock_s
    assert second.busy_s >= first.busy_s
    assert second.own_s >= first.own_s > 0


def test_stopwatch_counts_a_wait_for_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    stopwatch = Stopwatch()
    monkeypatch.setattr(stopwatch, "_waited_s", lambda: 0.0)
    timing = stopwatch(lambda: time.sleep(0.02))
    assert timing.seconds == timing.wall_s >= 0.02


def test_stopwatch_leaves_out_a_wait_for_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never more than there was beside the work itself."""
    stopwatch = Stopwatch()
    waits = iter([0.0, 0.012, 0.0, 100.0])
    monkeypatch.setattr(stopwatch, "_waited_s", lambda: next(waits))
    timing = stopwatch(lambda: time.sleep(0.02))
    assert timing.wall_s - timing.seconds == pytest.approx(0.012)
    assert stopwatch(lambda: sum(range(100_000))).seconds > 0


@pytest.mark.skipif(not Path("/proc/thread-self/schedstat").exists(), reason="needs Linux")
def test_kernel_tells_how_long_a_thread_has_waited() -> None:
    """Two threads on one processor: about half of the time each waits for the other."""
    code = """if True:
        import os, subprocess, sys
        from sweep.engine.measure.load import Stopwatch
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        with Stopwatch() as timed:
            timing = timed(lambda: [sum(range(1_000_000)) for _ in range(20)])
        other.kill()
        other.wait()
        print(timing.seconds / timing.wall_s)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0.05 < float(done.stdout) < 0.95


def test_peak_memory_keeps_what_was_needed_once() -> None:
    before = peak_memory()
    block = bytearray(os.urandom(1) * 60_000_000)
    with_block = peak_memory()
    del block
    assert with_block >= before > 1_000_000
    assert peak_memory() >= with_block - 5_000_000


def test_peak_memory_of_a_child_is_its_own() -> None:
    """Not that of its parent before exec, as getrusage has it on Linux."""
    block = bytearray(os.urandom(1) * 150_000_000)
    code = "from sweep.engine.measure.load import peak_memory; print(peak_memory())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < len(block)
