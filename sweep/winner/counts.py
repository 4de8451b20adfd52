"""How many configurations of a study ended how."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sweep.text_lines import counted
from sweep.trials import TrialRecord
from sweep.winner.violations import Violation, violations_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many configurations ended how.

    Attributes:
        complete, failed, infeasible, planned: configurations.
        violations: which constraints are missed, and by how many.
        doubtful: numbers of the trials that miss nothing but a latency, and that in doubt.
        finish: the command that goes on with a study that is not finished, as a sentence has it.
    """

    complete: int
    failed: int
    infeasible: int
    planned: int
    violations: tuple[Violation, ...] = ()
    doubtful: tuple[int, ...] = ()
    finish: str = "the same `sweep run` command"

    @property
    def left(self) -> int:
        """Return how many planned configurations have not been tried."""
        return self.planned - self.complete - self.failed

    def __str__(self) -> str:
        """Return `47 configurations evaluated, 1 failed`; an unfinished study says so."""
        text = f"{counted(self.complete, 'configuration')} evaluated"
        if self.left > 0:
            text = (
                f"{self.complete:,} of {counted(self.planned, 'configuration')} evaluated: NOT "
                f"FINISHED, the choice may change; {self.finish} goes on"
            )
        if self.failed:
            text += f", {self.failed:,} failed"
        if self.infeasible:
            verb = "violates" if self.infeasible == 1 else "violate"
            text += f", {self.infeasible:,} {verb} a constraint"
            if self.violations:
                text += f" ({'; '.join(map(str, self.violations))})"
        return text

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {name: count for name, count in asdict(self).items() if name != "finish"}


def count_trials(
    trials: Sequence[TrialRecord], *, infeasible: int, planned: int, finish: str
) -> Counts:
    """Return the counts of a study.

    Args:
        trials: all of them; a configuration that failed and was tried again has several.
        infeasible: finished ones that violate a constraint.
        planned: configurations of the finished study.
        finish: the command that goes on with it.
    """
    complete = [trial for trial in trials if trial.state == "COMPLETE"]
    failed = {t.fingerprint for t in trials} - {t.fingerprint for t in complete}
    return Counts(
        complete=len(complete),
        failed=len(failed),
        infeasible=infeasible,
        planned=planned,
        violations=violations_of(complete),
        doubtful=tuple(trial.number for trial in complete if trial.is_doubtful),
        finish=finish,
    )
