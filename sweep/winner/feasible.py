"""What to say when no trial keeps every constraint."""

from collections.abc import Sequence

from sweep.errors import WinnerError
from sweep.trials import TrialRecord
from sweep.winner.critical import critical_slices
from sweep.winner.quick_look import QuickLook
from sweep.winner.violations import doubtful_text


def no_feasible(
    study: str, trials: Sequence[TrialRecord], *, sample: QuickLook | None = None
) -> WinnerError:
    """Return the error of a study in which no finished trial keeps every constraint.

    Args:
        study: its name.
        trials: its finished trials; at least one, each with its constraints.
        sample: what the study has to do with a quick look.
    """
    told = []
    for text in trials[0].constraints:
        kept = sum(trial.constraints[text] <= 0 for trial in trials)
        closest = min(trials, key=lambda trial: (trial.constraints[text], trial.number))
        value = _measured(closest, text)
        told.append(f"`{text}` is met by {kept} (closest: #{closest.number} with {value:.6g})")
    if len(told) > 1:
        told.append(f"#{_nearest(trials).number} comes nearest to keeping all of them")
    if doubt := doubtful_text([trial.number for trial in trials if trial.is_doubtful]):
        told.append(doubt)
    if sample is not None and not sample.is_search:
        told.append(sample.tried_text)
    return WinnerError(
        f"study {study!r}: must hold a finished trial that meets every constraint, got none of "
        f"{len(trials)}: {'; '.join(told)}. Loosen a constraint under another name, or widen the "
        f"space."
    )


def _measured(trial: TrialRecord, constraint: str) -> float:
    """Return what a constraint, or the condition of a critical slice, compares with its bound."""
    for critical in critical_slices(trial):
        if critical.must == constraint:
            return critical.value
    return trial.numbers.get(constraint.rsplit(" ", 2)[0], float("nan"))


def _nearest(trials: Sequence[TrialRecord]) -> TrialRecord:
    """Return the trial that misses its constraints by least in all, as shares of their bounds."""
    return min(
        trials,
        key=lambda trial: (sum(max(0.0, m) for m in trial.constraints.values()), trial.number),
    )
