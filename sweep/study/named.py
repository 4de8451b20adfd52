"""A trial as commands name it: by its number, or by what it is in the study."""

from typing import TYPE_CHECKING

from sweep.errors import StudyError
from sweep.study.study import Study
from sweep.text_lines import shorten
from sweep.trials import TrialRecord

if TYPE_CHECKING:
    from sweep.winner.figures import Pick

PICKS: "tuple[Pick, ...]" = ("recommended", "best", "baseline")


def names_trial(text: str) -> bool:
    """Return whether a word can name a trial, of whatever study."""
    return text in PICKS or text.removeprefix("#").isdecimal()


def named_trial(study: Study, text: str | None = None) -> TrialRecord:
    """Return the trial that a word names.

    Args:
        study: whose trials they are.
        text: a number, `#12` too; `recommended`, `best` or `baseline`, the last also where it
            violates a constraint; None = the recommended one.

    Raises: SweepError if there is none, or only numbers can tell.
    """
    number = (text or "").removeprefix("#")
    if number.isdecimal():
        return study.trial(int(number))
    if text == "baseline":
        return _baseline(study)
    if len(study.goals) > 1:
        raise StudyError(
            f"study {study.name!r}: a trial must be named by its number where there are several "
            f"objectives, got {text or 'none'}. See `sweep best {study.name}` for those to choose "
            f"from."
        )
    if text is None or text == "recommended":
        return study.answer().trial
    if text == "best":
        return study.answer("best").trial
    raise StudyError(
        f"study {study.name!r}: a trial must be a number, {', '.join(PICKS[:-1])} or {PICKS[-1]}, "
        f"got {shorten(text)}. See `sweep trials {study.name}`."
    )


def require_finished(study: Study, trial: TrialRecord, *, to_be: str) -> None:
    """Refuse a trial that failed.

    Args:
        study: the trial's.
        trial: one of it.
        to_be: what is to become of it, for example `compared`.

    Raises: StudyError.
    """
    if trial.state != "COMPLETE":
        raise StudyError(
            f"study {study.name!r}: only a finished trial can be {to_be}, got #{trial.number}, "
            f"which failed. See `sweep show {study.name} {trial.number}`."
        )


def _baseline(study: Study) -> TrialRecord:
    tried = [trial for trial in study.trials if trial.fingerprint == study.baseline]
    if not tried:
        what = "a run file" if study.baseline_run is not None else "none"
        raise StudyError(
            f"study {study.name!r}: baseline must be one that has been evaluated, got {what}. "
            f"Name a trial by its number, or add `baseline:` to the space file."
        )
    finished = [trial for trial in tried if trial.state == "COMPLETE"]
    return (finished or tried)[-1]
