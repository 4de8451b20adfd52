"""The record of one trial, as every stage after the study sees it; no Optuna object in sight."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sweep.configuration import Configuration

State = Literal["COMPLETE", "FAIL"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One evaluated (or failed) configuration.

    Attributes:
        number: the trial's number in its study.
        values: one per objective; empty for a failed trial.
        metrics: mean over the search queries, by metric name; `latency_*` are measured times.
        intervals: 95 % bootstrap interval over queries, by metric name.
        timings: seconds spent on this trial and about what its index takes to build.
        facts: what else is worth knowing (truncated chunks, chunks, queries scored ...).
        files: names of its files inside the study's folder, by kind.
        error: type, message and traceback of a failed trial.
    """

    number: int
    state: State
    configuration: Configuration
    values: tuple[float, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Return what identifies the configuration."""
        return self.configuration.fingerprint()

    def to_json(self) -> dict[str, Any]:
        """Return the shape that `trials --json` prints: parameters, state, value(s), metrics."""
        result: dict[str, Any] = {
            "number": self.number,
            "state": self.state,
            "params": self.configuration.flat(),
        }
        if len(self.values) == 1:
            result["value"] = self.values[0]
        elif self.values:
            result["values"] = list(self.values)
        else:
            result["value"] = None
        result |= {
            "metrics": dict(self.metrics),
            "intervals": {name: list(pair) for name, pair in self.intervals.items()},
            "timings": dict(self.timings),
            "facts": dict(self.facts),
        }
        if self.error:
            result["error"] = dict(self.error)
        return result


def json_ready(content: Any) -> Any:
    """Return content as JSON can hold it: NaN and infinity become None, tuples lists."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {str(key): json_ready(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [json_ready(value) for value in content]
    return content
