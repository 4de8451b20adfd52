"""Several objectives: the trials that no other beats in all of them at once."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import WinnerError
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline
from sweep.winner.bundle import bundle_folder
from sweep.winner.counts import Counts
from sweep.winner.critical import critical_slices, must_text
from sweep.winner.message import study_lines
from sweep.winner.quick_look import QuickLook


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What a study of several objectives says: no winner, but what is left to choose from.

    Attributes:
        study: its name.
        objectives: metric names.
        maximize: per objective, whether higher is better.
        trials: the Pareto front, best first by the first objective, then the second and so on.
        compared: how many feasible trials there are.
        against: what is in production today, if the study has a baseline.
        counts: how many configurations ended how.
        sample: what the study has to do with a quick look, if anything.
    """

    study: str
    objectives: tuple[str, ...]
    maximize: tuple[bool, ...]
    trials: tuple[TrialRecord, ...]
    compared: int
    against: Baseline | None
    counts: Counts
    sample: QuickLook | None = None

    @property
    def baseline(self) -> TrialRecord | None:
        """Return the baseline's trial, if it is a configuration and has a finished one."""
        return None if self.against is None else self.against.trial

    def to_json(self) -> dict[str, Any]:
        """Return the shape of `best --json` for several objectives."""
        return {
            "study": self.study,
            "objectives": [
                {"metric": name, "direction": "maximize" if up else "minimize"}
                for name, up in zip(self.objectives, self.maximize, strict=True)
            ],
            "front": [trial.to_json() for trial in self.trials],
            "baseline": self.against.to_json() if self.against else None,
            "sample": self.sample.to_json() if self.sample else None,
            "trials": self.counts.to_json(),
        }

    @property
    def names(self) -> str:
        """Return the objectives as a sentence names them."""
        return " and ".join([", ".join(self.objectives[:-1]), self.objectives[-1]])

    def text(self) -> str:
        """Return what stands below the table of the front."""
        lines = [
            f"FRONT {len(self.trials)} of {self.compared} feasible configurations are beaten by "
            f"no other in {self.names} at once"
        ]
        if self.against is not None:
            lines.append(f"      {self._baseline_text(self.against)}")
        return "\n".join(
            [
                *lines,
                *self._must_lines(),
                *([] if self.sample is None else self.sample.lines()),
                *study_lines(self.study, self.counts),
                f"NEXT  sweep report {shlex.quote(self.study)} | {self._next()}",
            ]
        )

    def _next(self) -> str:
        if self.sample is not None and self.sample.is_search:
            return self.sample.next_text
        name, folder = map(shlex.quote, (self.study, bundle_folder(self.study)))
        return (
            f"several objectives have no single winner: choose one of the front, then sweep "
            f"export {name} --trial N --out {folder}"
        )

    def _must_lines(self) -> list[str]:
        """Return what each trial of the front scores on the critical slices, if there are any."""
        return [
            f"MUST  #{trial.number}  {must_text(critical)}"
            for trial in self.trials
            for critical in critical_slices(trial)
        ]

    def _baseline_text(self, base: Baseline) -> str:
        if base.missing:
            return f"{base.name} {base.missing}: there is nothing to compare with"
        known = {n: v for n, v in zip(self.objectives, base.values, strict=True) if v is not None}
        if unknown := [name for name in self.objectives if name not in known]:
            told = ", ".join(f"{name} {value:.4g}" for name, value in known.items())
            return f"{base.full_name} has {told}; its {', '.join(unknown)} is not known"
        values = list(known.values())
        better = [
            f"#{trial.number}"
            for trial in self.trials
            if dominates(trial.values, values, self.maximize)
        ]
        if better:
            return f"{base.full_name} is beaten by {', '.join(better)}"
        if base.trial in self.trials:
            return f"{base.name} is one of them: none beats it"
        return f"{base.full_name} is beaten by none of them"


def make_front(
    study: str,
    objectives: Sequence[str],
    maximize: Sequence[bool],
    trials: Sequence[TrialRecord],
    *,
    baseline: Baseline | None,
    counts: Counts,
    sample: QuickLook | None = None,
) -> Front:
    """Return the front of a study.

    Args:
        study: its name.
        objectives: metric names.
        maximize: per objective, whether higher is better.
        trials: its feasible trials.
        baseline: what is in production today.
        counts: how many configurations ended how.
        sample: what the study has to do with a quick look.

    Raises: WinnerError if there is no feasible trial.
    """
    if not trials:
        raise WinnerError(
            f"study {study!r}: must hold a feasible trial, got none. See its trials."
        )
    rows = pareto_rows([trial.values for trial in trials], maximize)
    signs = [-1.0 if up else 1.0 for up in maximize]
    found = sorted(
        (trials[row] for row in rows),
        key=lambda t: (*(s * v for s, v in zip(signs, t.values, strict=True)), t.number),
    )
    return Front(
        study=study,
        objectives=tuple(objectives),
        maximize=tuple(maximize),
        trials=tuple(found),
        compared=len(trials),
        against=baseline,
        counts=counts,
        sample=sample,
    )


def pareto_rows(values: Sequence[Sequence[float]], maximize: Sequence[bool]) -> list[int]:
    """Return the rows that no other dominates; equal rows stay together.

    Args:
        values: shape (N, M), finite; N >= 1 trials, M objectives.
        maximize: M.
    """
    costs = np.array(values, dtype=np.float64) * np.where(list(maximize), -1.0, 1.0)
    beaten = [
        bool(((costs <= own).all(axis=1) & (costs < own).any(axis=1)).any()) for own in costs
    ]
    return [row for row, is_beaten in enumerate(beaten) if not is_beaten]


def dominates(a: Sequence[float], b: Sequence[float], maximize: Sequence[bool]) -> bool:
    """Return whether `a` is nowhere worse than `b` and somewhere better."""
    return pareto_rows([a, b], maximize) == [0]
