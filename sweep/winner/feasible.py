"""What to say when no trial keeps every constraint."""

from collections.abc import Sequence

from sweep.errors import WinnerError
from sweep.trials import TrialRecord


def no_feasible(study: str, trials: Sequence[TrialRecord]) -> WinnerError:
    """Return the error of a study in which no finished trial keeps every constraint.

    Args:
        study: its name.
        trials: its finished trials; at least one, each with its constraints.
    """
    told = []
    for text in trials[0].constraints:
        kept = sum(trial.constraints[text] <= 0 for trial in trials)
        closest = min(trials, key=lambda trial: (trial.constraints[text], trial.number))
        value = closest.numbers.get(text.rsplit(" ", 2)[0], float("nan"))
        told.append(f"`{text}` is met by {kept} (closest: #{closest.number} with {value:.6g})")
    return WinnerError(
        f"study {study!r}: must hold a finished trial that meets every constraint, got none of "
        f"{len(trials)}: {'; '.join(told)}. Loosen a constraint under another name, or widen the "
        f"space."
    )
