"""Keeping a store within its bound while a run writes to it: the least recently used goes first.

What the run itself has read or written is never removed: to lose work is worse than to exceed the
bound, so a run that needs more says so and goes on.
"""

from pathlib import Path

from sweep.engine.measure.report import Report
from sweep.engine.store.files import list_files, oldest_beyond, remove
from sweep.engine.store.sizes import format_size

LOOK_EVERY = 0.05  # of the bound: so much is written before the folder is looked through again


class Bound:
    """Watches over the bytes of one store.

    Args:
        root: the store's folder.
        limit: bytes.
        report: told when the run alone needs more.
    """

    def __init__(self, root: Path, limit: int, report: Report) -> None:
        self.root = root
        self.limit = limit
        self.report = report
        self.used: set[Path] = set()
        self._room: float | None = None  # bytes that can be written before the next look

    def wrote(self, size: int) -> None:
        """Account for a file that was written; make room if there is too little."""
        if self._room is not None:
            self._room -= size
        if self._room is None or self._room < 0:
            self.enforce()

    def enforce(self) -> None:
        """Remove the least recently used outputs beyond the bound, but none of this run."""
        files = list_files(self.root)
        total = sum(file.size for file in files)
        slack = LOOK_EVERY * self.limit
        if total > self.limit:
            gone = remove(oldest_beyond(files, self.limit - slack, keep=self.used))
            total -= sum(file.size for file in gone)
        if total > self.limit:
            self.report.notice(
                f"store: this run alone needs more than the {format_size(self.limit)} that "
                f"--store-max allows; it goes on, and removes nothing that it uses"
            )
        self._room = max(self.limit - total, slack)
