"""What is in production today, as an answer compares with it: a trial, or a run file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sweep.records import Floats
from sweep.trials import TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The baseline of a study. It was named before looking, so its own scores are honest.

    Attributes:
        trial: its finished trial, also one that violates a constraint; None for a run file, and
            where there is none yet.
        run: name of the run file; None for a configuration.
        facts: what is known of a run, JSON-ready: `name`, `sha256`, `metrics`, `intervals`,
            `counts`.
        values: mean per objective on the queries that choose; None for what a run has not.
        violated: the constraints that it is known not to keep.
        search: shape (Q,), scores of the first objective on the queries that choose, in the order
            of `Scored.scores`; None where it has none, or several objectives share the say.
        confirm: its scores on the confirm set, where it was confirmed.
        missing: why it has no scores, in words that follow its name; empty where it has.
    """

    trial: TrialRecord | None = None
    run: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    values: Sequence[float | None] = ()
    violated: Sequence[str] = ()
    search: Floats | None = None
    confirm: Floats | None = None
    missing: str = ""

    @property
    def name(self) -> str:
        """Return how a sentence names it: `the baseline #4`, or a run's file name."""
        if self.run is not None:
            return self.run
        return "the baseline" if self.trial is None else f"the baseline #{self.trial.number}"

    @property
    def full_name(self) -> str:
        """Return the name, with the constraints that it does not keep."""
        if not self.violated:
            return self.name
        return f"{self.name} (which violates {', '.join(self.violated)})"

    @property
    def intervals(self) -> Mapping[str, Sequence[float]]:
        """Return the 95 % interval over the queries that choose, by metric name."""
        if self.trial is not None:
            return self.trial.intervals
        found: Mapping[str, Sequence[float]] = self.facts.get("intervals", {})
        return found

    def to_json(self) -> dict[str, Any] | None:
        """Return the trial's JSON, or what is known of the run; None where there is neither."""
        if self.run is not None:
            return {"run": self.run, **self.facts}
        return self.trial.to_json() if self.trial is not None else None
