"""What the engine tells while it works, and where its time went.

The command line shows it, trials record it; tests and scripts may ignore it.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

from sweep.engine.measure.account import SMALL, Account, StageRun
from sweep.engine.measure.load import peak_memory


@dataclass
class Report:
    """Receives progress and notices; every notice is told once.

    Events are `run_started`, `kept`, `stage_started`, `stage_ended`, `trial` and `run_ended`;
    docs/events.md documents their fields.

    Attributes:
        on_notice: called with each new notice.
        on_progress: called with (what, done, total) while a long stage works.
        on_event: called with (name, fields).
        notices: all notices so far, in order.
        account: every stage of this process.
        reused: how many outputs came from the store, by the store's name for them.
        computed: how many outputs were computed, likewise.
    """

    on_notice: Callable[[str], None] = lambda text: None
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None
    on_event: Callable[[str, dict[str, Any]], None] = lambda name, fields: None
    notices: list[str] = field(default_factory=list)
    account: Account = field(default_factory=Account)
    reused: dict[str, int] = field(default_factory=dict)
    computed: dict[str, int] = field(default_factory=dict)
    _running: list[StageRun] = field(default_factory=list)
    _current: Account | None = None
    _owner: int | str | None = None
    _shared: Account | None = None

    def notice(self, text: str) -> None:
        """Tell something the user should know, once."""
        if text not in self.notices:
            self.notices.append(text)
            self.on_notice(text)

    @contextmanager
    def stage(self, name: str) -> Iterator[StageRun]:
        """Account for a stage; seconds of stages inside the block are theirs, not its.

        Args:
            name: one of `sweep.engine.measure.account.STAGES`; of those in `SMALL` no event tells.
        """
        run = StageRun()
        told = name not in SMALL
        if told:
            self.on_event("stage_started", {"stage": name, "trial": self._owner})
        peak, start = peak_memory(), time.perf_counter()
        self._running.append(run)
        try:
            yield run
        finally:
            self._running.pop()
            whole, rise = time.perf_counter() - start, peak_memory() - peak
            run.use.seconds = max(0.0, whole - run.inside_s)
            run.use.peak_rise_bytes = max(0, rise - run.inside_rise)
            if self._running:
                self._running[-1].inside_s += whole
                self._running[-1].inside_rise += rise
            self._add(name, run)
            if told:
                ended = {"stage": name, "trial": self._owner, **run.use.to_json()}
                self.on_event("stage_ended", ended | {"bytes": sum(run.sizes.values())})

    def held(self, stage: str, name: str, *, key: str, size: int) -> None:
        """Account for an output that was at hand in memory; no event tells of it."""
        run = StageRun()
        run.got(name, "memory", key=key, size=size)
        self._add(stage, run)

    def trial(self, number: int) -> AbstractContextManager[Account]:
        """Give the account of one trial while the block runs."""
        return self._collecting(number)

    @contextmanager
    def sharing(self) -> Iterator[None]:
        """Account for what many trials share; `take_shared` gives it to the next trial."""
        with self._collecting("shared") as account:
            yield
        self._shared = account

    def take_shared(self) -> Account | None:
        """Return the shared work that no trial has told of yet, once."""
        shared, self._shared = self._shared, None
        return shared if shared is not None and shared.stages else None

    @contextmanager
    def run(self, study: str, planned: int) -> Iterator[None]:
        """Tell that a run has started, and how it ended, with its totals.

        Args:
            study: its name.
            planned: configurations in all, finished ones included.
        """
        start = time.perf_counter()
        self.on_event("run_started", {"study": study, "trials": planned})
        state = "interrupted"  # Ctrl-C, a signal, the time used up
        try:
            yield
            state = "done"
        except Exception:
            state = "failed"
            raise
        finally:
            self.on_event(
                "run_ended",
                {
                    "study": study,
                    "state": state,
                    "seconds": round(time.perf_counter() - start, 6),
                    "stages": self.account.to_json(),
                    "peak_memory_bytes": peak_memory(),
                },
            )

    @contextmanager
    def _collecting(self, owner: int | str) -> Iterator[Account]:
        before = self._current, self._owner
        account = Account()
        self._current, self._owner = account, owner
        try:
            yield account
        finally:
            self._current, self._owner = before

    def _add(self, stage: str, run: StageRun) -> None:
        for account in (self.account, self._current):
            if account is not None:
                account.add(stage, run.use, run.sizes)
        for name, source, count in run.counts:
            if source != "memory":
                counter = self.reused if source == "store" else self.computed
                counter[name] = counter.get(name, 0) + count
