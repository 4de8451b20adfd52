"""The record of one trial, as every stage after the study sees it; no Optuna object in sight."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sweep.configuration import Configuration

State = Literal["COMPLETE", "FAIL"]
LATENCY = "latency_"  # how the names of measured latencies begin
SLOWED = 2.0  # times: others slow a query down by less (about 1.5 in bench_latency.py)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One evaluated (or failed) configuration.

    Attributes:
        number: the trial's number in its study.
        values: one per objective; empty for a failed trial.
        metrics: mean over the search queries, by metric name; `latency_*` are measured times.
        intervals: 95 % bootstrap interval over queries, by metric name.
        timings: seconds spent on this trial (`evaluate_s`) and about what its index takes to build
            (`build_s`), `peak_memory_bytes` of the process by then, and `stages`: seconds, source
            and bytes of each; `shared`, likewise, is work for many trials done before this one.
        facts: what else is worth knowing (truncated chunks, chunks, queries scored ...).
        files: names of its files inside the study's folder, by kind.
        constraints: by how much each is missed, as a share of its bound; <= 0 where it is kept.
        draw: for a sampler's trials, `batch` and `place` among its draws, and `params` as it
            suggested them.
        error: type, message and traceback of a failed trial.
    """

    number: int
    state: State
    configuration: Configuration
    values: tuple[float, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    timings: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, str] = field(default_factory=dict)
    constraints: Mapping[str, float] = field(default_factory=dict)
    draw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fingerprint(self) -> str:
        """Return what identifies the configuration."""
        return self.configuration.fingerprint()

    @property
    def violated(self) -> tuple[str, ...]:
        """Return the constraints that are not kept."""
        return tuple(text for text, missed in self.constraints.items() if missed > 0)

    @property
    def doubts(self) -> dict[str, str]:
        """Return why a bound on a measured latency may have decided by chance, by constraint.

        One that was missed while the machine was busy, by no more than other programs can have
        slowed a query down, may be kept on a quiet one. Where the figure's interval holds the
        bound, another measurement may find otherwise.
        """
        busy = bool(self.facts.get("latency", {}).get("busy"))
        found = {}
        for text, missed in self.constraints.items():
            metric, _, bound = text.rpartition(" ")
            name, _, op = metric.rpartition(" ")
            if not name.startswith(LATENCY) or " " in name:
                continue
            low, high = self.intervals.get(name, (math.inf, -math.inf))
            if 0 < missed <= SLOWED - 1 and busy and op == "<=":
                found[text] = "measured while the machine was busy"
            elif low <= float(bound) <= high:
                found[text] = "its interval holds the bound"
        return found

    @property
    def is_doubtful(self) -> bool:
        """Return whether it violates nothing but bounds that may have decided by chance."""
        return bool(self.violated) and not set(self.violated) - set(self.doubts)

    @property
    def violations(self) -> str:
        """Return the constraints that are not kept, as people read them."""
        doubts = self.doubts
        marked = (f"{text} (doubtful)" if text in doubts else text for text in self.violated)
        return ", ".join(marked)

    @property
    def index_recall(self) -> tuple[float, int] | None:
        """Return what its approximate index finds of the best so many; None for an exact one."""
        known = self.facts.get("index_recall")
        return None if known is None else (float(known["recall"]), int(known["depth"]))

    @property
    def numbers(self) -> dict[str, float]:
        """Return metrics and timings in one flat form; seconds of a stage are `stage.NAME_s`."""
        stages = self.timings.get("stages", {})
        found = self.index_recall
        return {
            **({} if found is None else {"index_recall": found[0]}),
            **{name: v for name, v in self.timings.items() if isinstance(v, int | float)},
            **{f"stage.{name}_s": use["seconds"] for name, use in stages.items()},
            **self.metrics,
        }

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
        if self.constraints:
            result["feasible"] = not self.violated
            result["constraints"] = dict(self.constraints)
            result["doubts"] = self.doubts
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
