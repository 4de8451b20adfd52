"""How busy the machine is with other work, and how much memory this process has needed."""

import contextlib
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

WINDOW_S = 0.2  # processors are accounted for in ticks of 10 ms; shorter windows tell little


def peak_memory() -> int:
    """Return the peak resident memory of this process so far, in bytes.

    Linux: `VmHWM` of /proc/self/status (`ru_maxrss` would hold what the parent had before exec);
    elsewhere on Unix: `ru_maxrss` of getrusage; Windows: the peak working set. 0 if unknown.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0
    if sys.platform == "win32":
        import psutil

        return int(psutil.Process().memory_info().peak_wset)
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Seconds so far: on the clock, on processors by everybody, and by this process."""

    clock_s: float
    busy_s: float
    own_s: float


def usage() -> Usage:
    """Return what processors have done so far."""
    import psutil

    times = psutil.cpu_times()
    names = ("user", "nice", "system", "irq", "softirq", "steal")
    return Usage(
        clock_s=time.monotonic(),
        busy_s=sum(getattr(times, name, 0.0) for name in names),
        own_s=sum(os.times()[:4]),
    )


class LoadMeter:
    """Tells which share of the machine's processors other processes have used lately.

    Args:
        read: gives the current usage.
        processors: how many there are.
    """

    def __init__(
        self, read: Callable[[], Usage] = usage, processors: int = os.cpu_count() or 1
    ) -> None:
        self._read = read
        self._processors = processors
        self._marks: deque[Usage] = deque([read()], maxlen=64)

    def mark(self) -> float:
        """Return the time now, for `others`."""
        now = self._read()
        if now.clock_s - self._marks[-1].clock_s >= WINDOW_S / 4:
            self._marks.append(now)
        return now.clock_s

    def others(self, since: float | None = None) -> float:
        """Return the share of all processors that others have used, in [0, 1].

        Args:
            since: a time that `mark` gave; None = lately. The window begins before it where it
                would be too short to tell.
        """
        now = self._read()
        latest = now.clock_s - WINDOW_S
        begin = latest if since is None else min(since, latest)
        first = next((m for m in reversed(self._marks) if m.clock_s <= begin), self._marks[0])
        clock = now.clock_s - first.clock_s
        if clock <= 0:
            return 0.0
        others = (now.busy_s - first.busy_s) - (now.own_s - first.own_s)
        return min(1.0, max(0.0, others / (clock * self._processors)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Seconds of one call.

    Attributes:
        wall_s: on the clock.
        seconds: the same without the time in which the thread was ready to go on and other
            processes had the processor.
    """

    wall_s: float
    seconds: float


class Stopwatch:
    """Times calls of this thread, and leaves out what others took of it where Linux tells.

    The kernel keeps, per thread, how long it has waited for a processor (second field of
    `schedstat`). A wait for a disk, a lock or another thread stays in. Elsewhere `seconds` is
    `wall_s`.
    """

    def __init__(self) -> None:
        self._waits: int | None = None

    def __enter__(self) -> Self:
        """Open the kernel's file of this thread."""
        with contextlib.suppress(OSError):
            self._waits = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        return self

    def __exit__(self, *exception: object) -> None:
        """Close it."""
        if self._waits is not None:
            os.close(self._waits)
            self._waits = None

    def __call__(self, call: Callable[[], object]) -> Timing:
        """Time one call."""
        waited = self._waited_s()
        busy, start = time.thread_time(), time.perf_counter()
        call()
        wall, busy = time.perf_counter() - start, time.thread_time() - busy
        waited = self._waited_s() - waited
        return Timing(wall_s=wall, seconds=min(wall, max(busy, wall - waited)))

    def _waited_s(self) -> float:
        if self._waits is None:
            return 0.0
        fields = os.pread(self._waits, 128, 0).split()
        return int(fields[1]) / 1e9 if len(fields) > 1 else 0.0
