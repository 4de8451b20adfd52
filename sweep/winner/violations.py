"""Which constraint how many configurations miss, and where a measured latency leaves that open."""

from collections.abc import Sequence
from dataclasses import dataclass

from sweep.trials import TrialRecord

FEW = 8  # numbers that a sentence still names


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One constraint, and how many finished trials do not keep it.

    Attributes:
        constraint: as the study writes it.
        trials: how many miss it; a trial may miss several.
        doubtful: of them, by a measured latency that may have decided by chance.
    """

    constraint: str
    trials: int
    doubtful: int

    def __str__(self) -> str:
        """Return `latency_p95_ms <= 20: 31, of them 3 doubtful`."""
        text = f"{self.constraint}: {self.trials}"
        if not self.doubtful:
            return text
        of_them = "all of them" if self.doubtful == self.trials else f"of them {self.doubtful}"
        return f"{text}, {of_them} doubtful"


def violations_of(trials: Sequence[TrialRecord]) -> tuple[Violation, ...]:
    """Return the constraints that some finished trial misses, the most missed one first."""
    missing: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        for constraint in trial.violated:
            missing.setdefault(constraint, []).append(trial)
    found = [
        Violation(
            constraint=constraint,
            trials=len(those),
            doubtful=sum(constraint in trial.doubts for trial in those),
        )
        for constraint, those in missing.items()
    ]
    return tuple(sorted(found, key=lambda violation: -violation.trials))


def doubtful_text(numbers: Sequence[int]) -> str:
    """Return which trials miss nothing but latency bounds, and those in doubt; empty for none."""
    if not numbers:
        return ""
    named = ", ".join(f"#{number}" for number in numbers[:FEW])
    if len(numbers) > FEW:
        named += f" and {len(numbers) - FEW} more"
    verb = "misses" if len(numbers) == 1 else "miss"
    return (
        f"{named} {verb} only a latency, measured while the machine was busy or with the bound "
        f"inside its interval: a quiet machine may find otherwise"
    )


def kept_text(trial: TrialRecord) -> str:
    """Return which bounds a trial keeps in doubt; empty for none."""
    doubts = [text for text in trial.doubts if text not in trial.violated]
    return f"{', '.join(doubts)} is kept, but its interval holds the bound" if doubts else ""
