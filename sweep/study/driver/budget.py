"""How far a run goes: so many trials, so many seconds; and what is left where it stops early."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sweep.engine.measure.report import Report


class OutOfTime(BaseException):
    """The time is used up. No error: nothing that handles failed trials may take it for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A run that ended before its study was finished.

    Attributes:
        why: which option ended it.
        new: trials that this run recorded.
        left: configurations that have no trial yet.
        planned: configurations of the finished study.
    """

    why: Literal["--trials", "--timeout"]
    new: int
    left: int
    planned: int

    def __str__(self) -> str:
        """Return what is left, as one sentence."""
        trials = "trial" if self.new == 1 else "trials"
        left = "configuration is" if self.planned == 1 else "configurations are"
        return (
            f"stopped by {self.why} after {self.new:,} new {trials}; {self.left:,} of "
            f"{self.planned:,} {left} left"
        )

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return asdict(self)


class Deadline:
    """Ends a run between two units of work: between trials, and between parts of long stages.

    Args:
        seconds: from now on; None = never.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """Raise OutOfTime if the time is used up."""
        if self._end is not None and time.monotonic() >= self._end:
            raise OutOfTime

    @contextmanager
    def kept_by(self, report: Report) -> Iterator[None]:
        """Check whenever a stage reports progress, which it does when what is done is stored.

        However short the time, one unit of work is done first: a run that is repeated with too
        short a time comes to an end some day.
        """
        shown, begun = report.on_progress, False

        def progress(what: str, done: int, total: int) -> None:
            nonlocal begun
            shown(what, done, total)
            if begun and (done or what == "trials"):
                self.check()
            begun = True

        report.on_progress = progress
        try:
            yield
        finally:
            report.on_progress = shown


def trials_to_reach(tried: int, more: int, last_run: Mapping[str, int]) -> int:
    """Return how many configurations shall have been tried when a run of `--trials` ends.

    Args:
        tried: how many have been.
        more: the option's number.
        last_run: `more` and `reach` of the study's last run, if it had the option. Where it was
            stopped short of its number, the same number again completes it, so that the same
            command goes on after whatever happened.
    """
    reach = last_run.get("reach", 0)
    if last_run.get("more") == more and tried < reach < tried + more:
        return reach
    return tried + more
