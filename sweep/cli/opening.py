"""How commands open a study: what its scores say less than they seem to is told first."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sweep.study.study import Study


def open_study(name: str | None, storage: str | None) -> "Study":
    """Return a study; of a quick look, stderr says what its scores are.

    Raises: StudyError if there is no such study.
    """
    from sweep.cli.output import message
    from sweep.study.quick_look import quick_look_of
    from sweep.study.study import Study

    opened = Study(name, storage)
    if (found := quick_look_of(opened)) is not None:
        message(f"note: {opened.name}: {found.headline}")
    return opened


def means_trial(word: str | None, storage: str | None) -> bool:
    """Return whether a word in the place of a study names a trial: no study has that name."""
    from sweep.study.folder import default_storage
    from sweep.study.named import names_trial
    from sweep.study.storage.storage import open_storage
    from sweep.study.study import abouts_of

    if word is None or not names_trial(word):
        return False
    return word not in abouts_of(open_storage(storage or default_storage()))
