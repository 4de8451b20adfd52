"""What the engine tells while it works; the command line shows it, tests and scripts ignore it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Report:
    """Receives progress and notices; every notice is told once.

    Attributes:
        on_notice: called with each new notice.
        on_progress: called with (what, done, total) while a long stage works.
        on_event: called with (name, fields) when a stage, trial or run has ended.
        notices: all notices so far, in order.
        seconds: seconds spent per stage name in this process.
        reused: how many outputs came from the store, per stage name.
        computed: how many outputs were computed, per stage name.
    """

    on_notice: Callable[[str], None] = lambda text: None
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None
    on_event: Callable[[str, dict[str, Any]], None] = lambda name, fields: None
    notices: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    reused: dict[str, int] = field(default_factory=dict)
    computed: dict[str, int] = field(default_factory=dict)

    def notice(self, text: str) -> None:
        """Tell something the user should know, once."""
        if text not in self.notices:
            self.notices.append(text)
            self.on_notice(text)

    def spent(self, stage: str, seconds: float, *, reused: bool) -> None:
        """Account for one stage output."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
        counter = self.reused if reused else self.computed
        counter[stage] = counter.get(stage, 0) + 1
