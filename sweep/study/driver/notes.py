"""Notes that a run tells before its first trial: in full once, and again when they change."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sweep.engine.measure.report import Report
from sweep.errors import StorageError
from sweep.study.storage.storage import open_storage
from sweep.study.study import abouts_of

NOTES = "notes"  # what a study remembers them under


def told_before(study: str, storage: str) -> tuple[str, ...]:
    """Return the notes of the last run of a study; none if it has not been run yet."""
    try:
        about = abouts_of(open_storage(storage)).get(study, {})
    except StorageError:  # there is none yet, or what is wrong with it is told when it is needed
        return ()
    return tuple(about.get(NOTES, ()))


@contextmanager
def notes_once(report: Report, study: str, before: Sequence[str]) -> Iterator[None]:
    """Tell the notes of the block in one line if they are those that were told before.

    Args:
        report: told.
        study: its name.
        before: the notes of its last run; if there are none, each note is told at once.
    """
    if not before:
        yield
        return
    tell, held = report.on_notice, list[str]()
    report.on_notice = held.append
    told = held
    try:
        yield
        if held == list(before):
            count = "1 note" if len(held) == 1 else f"{len(held)} notes"
            told = [f"{count} as before: see `sweep show {study}`"]
    finally:  # an error comes with all that was noted before it
        report.on_notice = tell
        for note in told:
            tell(note)
