"""Critical slices: queries on which a configuration must keep a bound, whatever its average."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sweep.trials import TrialRecord
from sweep.winner.rounding import compact, without_zero

FACT = "must"  # where a trial's facts hold them


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalSlice:
    """One `must` of a study, and what one trial scores on its queries.

    Attributes:
        must: the condition, as it stands among the trial's constraints.
        metric, op, bound, where: its parts.
        value: the metric's mean over the slice's search queries.
        interval: 95 % bootstrap interval of it over these queries.
        queries: how many they are.
        overall: the metric's mean over all search queries.
        confirm: the mean over the slice's queries of the confirm set; None where there is none.
        confirm_queries: how many those are.
    """

    must: str
    metric: str
    op: Literal["<=", ">="]
    bound: float
    where: str
    value: float
    interval: tuple[float, float]
    queries: int
    overall: float
    confirm: float | None = None
    confirm_queries: int = 0

    @property
    def kept(self) -> bool:
        """Return whether the bound is kept."""
        return self.value <= self.bound if self.op == "<=" else self.value >= self.bound

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {**asdict(self), "interval": list(self.interval), "kept": self.kept}


def critical_slices(
    trial: TrialRecord, *, confirm: Mapping[str, tuple[float, int]] | None = None
) -> tuple[CriticalSlice, ...]:
    """Return what a trial scores on the study's critical slices, in the study's order.

    Args:
        trial: a finished trial.
        confirm: mean and number of queries of the confirm set, by condition.
    """
    found = []
    for entry in trial.facts.get(FACT, ()):
        value, queries = (confirm or {}).get(entry["must"], (None, 0))
        found.append(
            CriticalSlice(
                **{**entry, "interval": tuple(entry["interval"])},
                overall=trial.metrics[entry["metric"]],
                confirm=value,
                confirm_queries=queries,
            )
        )
    return tuple(found)


def must_text(critical: CriticalSlice) -> str:
    """Return a critical slice's condition, and what a configuration scores there.

    `recall@5 >= .9 where kind=identifier: .933 [.820, 1.000] (14 queries; .871 on all)`
    """
    low, high = critical.interval
    told = f"{compact(critical.value)} [{compact(low)}, {compact(high)}]"
    told += f" ({critical.queries} queries; {compact(critical.overall)} on all)"
    if critical.confirm is not None:
        confirmed = f"{compact(critical.confirm)} ({critical.confirm_queries} queries)"
        told += f"; confirm set {confirmed}"
    bound = without_zero(f"{critical.bound:g}")
    condition = f"{critical.metric} {critical.op} {bound} where {critical.where}"
    return f"{condition}: {told}{'' if critical.kept else ', VIOLATED'}"
