"""How fast work goes and how long it will still take; pure, for every way of showing it."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

WINDOW_S = 30.0  # over which a rate is taken: later work may be slower than the first
LATE = 2.0  # times the usual time between two news
UNITS = {"embed": "texts", "rerank": "pairs", "queries": "queries", "trials": "trials"}


@dataclass
class Step:
    """One long piece of work.

    Attributes:
        what: what is told of it; its first word is the stage.
        done, total: in `unit`.
        samples: (clock, done) of the last `WINDOW_S` seconds, and one before.
    """

    what: str
    done: int = 0
    total: int = 0
    samples: deque[tuple[float, int]] = field(default_factory=deque)

    @property
    def stage(self) -> str:
        """Return the stage's name."""
        return self.what.partition(" ")[0]

    @property
    def unit(self) -> str:
        """Return what is counted."""
        return UNITS.get(self.stage, "items")

    @property
    def ended(self) -> bool:
        """Return whether all is done."""
        return self.done >= self.total

    def rate(self, now: float) -> float | None:
        """Return units a second, None where nothing can be said yet.

        It falls when the next news is long in coming: one slow trial among fast ones.
        """
        if len(self.samples) < 2:
            return None
        (start, before), (end, after) = self.samples[0], self.samples[-1]
        if end <= start or after <= before:
            return None
        usual = (end - start) / (len(self.samples) - 1)
        if now - end > LATE * usual:
            end = now
        return (after - before) / (end - start)

    def left_s(self, now: float) -> float | None:
        """Return about how many seconds it will still take."""
        rate = self.rate(now)
        if rate is None:
            return None
        return max(0.0, (self.total - self.done) / rate - (now - self.samples[-1][0]))


class Pace:
    """What is being worked on, and the best trial so far.

    Args:
        objective: name of the metric whose best value is kept; "" where there are no trials.
        maximize: whether higher is better.
        clock: seconds, from anywhere on.
    """

    def __init__(
        self,
        objective: str = "",
        *,
        maximize: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.objective = objective
        self.sign = 1.0 if maximize else -1.0
        self.clock = clock
        self.started = clock()
        self.steps: dict[str, Step] = {}
        self.current: Step | None = None  # the last that has moved; never the trials
        self.stages: list[str] = []  # that are running, the innermost last
        self.best: tuple[float, int] | None = None  # value and trial number
        self.complete = self.failed = 0
        self.shared_s = 0.0  # spent on work that many trials share: it tells nothing of the rest

    def progress(self, what: str, done: int, total: int) -> Step:
        """Take note of how far a piece of work is."""
        step = self.steps.get(what)
        if step is None or done < step.done or total != step.total:
            step = self.steps[what] = Step(what)
        if what != "trials" and step.samples:
            self.shared_s += self.clock() - step.samples[-1][0]
        now = self._now(step)
        step.done, step.total = done, total
        step.samples.append((now, done))
        while len(step.samples) > 2 and step.samples[1][0] < now - WINDOW_S:
            step.samples.popleft()
        if what != "trials":
            self.current = None if step.ended else step
        return step

    def _now(self, step: Step) -> float:
        """Return the time by which a step is measured; for trials it stands during shared work."""
        if step.what != "trials":
            return self.clock()
        working = self.current
        last = self.clock() if working is None else working.samples[-1][0]
        return last - self.shared_s

    def event(self, name: str, fields: dict[str, Any]) -> None:
        """Take note of an event of the engine or the study."""
        if name == "stage_started":
            self.stages.append(fields["stage"])
        elif name == "stage_ended":
            self.stages.pop()
        elif name in ("trial", "kept"):
            self._see(fields)
        elif name == "run_started":  # the second study of a quick look begins anew
            self.best, self.complete, self.failed = None, 0, 0

    def _see(self, fields: dict[str, Any]) -> None:
        if fields.get("state") == "FAIL":
            self.failed += 1
            return
        self.complete += 1
        values = [fields["value"]] if "value" in fields else fields.get("values", [])
        if not values or values[0] is None or fields.get("feasible") is False:
            return
        if self.best is None or self.sign * values[0] > self.sign * self.best[0]:
            self.best = values[0], fields["number"]

    @property
    def elapsed_s(self) -> float:
        """Return the seconds so far."""
        return self.clock() - self.started

    @property
    def best_text(self) -> str:
        """Return the best trial so far, "" where there is none."""
        if self.best is None:
            return ""
        value, number = self.best
        return f"best {self.objective} so far {value:.4f} (#{number})"

    def line(self) -> str:
        """Return everything in one line: trials, best so far, what is being worked on."""
        parts = []
        if trials := self.steps.get("trials"):
            parts.append(self.step_text(trials))
        if self.best is not None:
            parts.append(self.best_text)
        if self.current is not None:
            parts.append(self.step_text(self.current))
        return "; ".join(parts)

    def step_text(self, step: Step) -> str:
        """Return how far a step is, how fast it goes, and how long it will still take."""
        unit = "" if step.unit in (step.what, "items") else f" {step.unit}"
        parts = [f"{step.what} {step.done:,}/{step.total:,}{unit}"]
        if not step.ended:
            parts += [text for text in self.speed(step) if text]
        return ", ".join(parts)

    def speed(self, step: Step) -> tuple[str, str]:
        """Return a step's rate and how long it will still take; "" where nothing is known.

        Trials wait for the work that many of them share, and then go at their own rate.
        """
        now = self._now(step)
        rate, left = step.rate(now), step.left_s(now)
        if rate is None or left is None:
            return "", ""
        if step.what == "trials" and self.current is not None:
            left += self.current.left_s(self.clock()) or 0.0
        return rate_text(rate, step.unit), f"{duration(left)} left"


def rate_text(rate: float, unit: str) -> str:
    """Return a rate: `412 texts/s`, or `2.5 s each` where it is below one a second."""
    if rate < 1:
        return f"{duration(1 / rate)} each"
    return f"{rate:,.0f} {unit}/s" if rate >= 10 else f"{rate:.1f} {unit}/s"


def duration(seconds: float) -> str:
    """Return a time as people say it: `4.2 s`, `50 s`, `2 min 10 s`, `1 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min"
