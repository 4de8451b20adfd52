"""Trials to and from Optuna: the only file that knows how a trial is laid out in the storage.

A trial is written in one go, finished. Its Optuna parameters are those that differ within the
study. The attributes of a user are for people: what they sort trials by in the dashboard, rounded.
Everything is in one packed attribute of the system, `record`, which no page shows.
"""

import traceback
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState, create_trial

from sweep.configuration import Configuration, Scalar, from_flat
from sweep.trials import TrialRecord

RECORD = "record"
# What Optuna's samplers and its dashboard take constraints from: Optuna 5 reads this list beside
# its newer named attributes, optuna-dashboard 0.20 knows only the list.
CONSTRAINTS = "constraints"
# Name that people read -> the number it shows, in this unit, so many digits. Few: each one takes
# close to a millisecond to write, and a trial's page shows six at a glance.
HEADLINES = {
    "recall@10": ("recall@10", 1.0, 4),
    "span_recall": ("span_recall", 1.0, 4),
    "judged@10": ("judged@10", 1.0, 4),
    "context_tokens": ("context_tokens", 1.0, 4),
    "latency_p95_ms": ("latency_p95_ms", 1.0, 3),
    "index_MB": ("index_bytes", 1e6, 3),
}
FEW = 6  # values of a number that may be shown as choices
LONGEST_TEXT = 4000  # characters of an error or traceback that are kept

optuna.logging.set_verbosity(optuna.logging.ERROR)


def distributions(
    axes: Mapping[str, Sequence[Any]], *, listed: bool = False
) -> dict[str, BaseDistribution]:
    """Return a distribution for every parameter that takes more than one value in the study.

    Args:
        axes: values by parameter; of a range both ends.
        listed: there is no range: the values are all that occur.
    """
    found: dict[str, BaseDistribution] = {}
    for name, values in axes.items():
        if len(values) < 2:
            continue
        if listed and 0 in values and len(values) <= FEW:
            # The dashboard's contours and ranks leave a number out where it is 0, not a choice.
            found[name] = CategoricalDistribution(tuple(values))
        elif all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            found[name] = IntDistribution(min(values), max(values))
        elif all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            found[name] = FloatDistribution(float(min(values)), float(max(values)))
        else:
            found[name] = CategoricalDistribution(tuple(values))
    return found


def to_optuna(record: TrialRecord, space: Mapping[str, BaseDistribution]) -> FrozenTrial:
    """Return the trial as Optuna stores it; it has just ended."""
    flat = record.configuration.flat()
    params = {name: flat[name] for name in flat if name in space}
    system: dict[str, Any] = {
        RECORD: {
            "fingerprint": record.fingerprint,
            "configuration": flat,
            "metrics": dict(record.metrics),
            "intervals": {name: list(pair) for name, pair in record.intervals.items()},
            "timings": dict(record.timings),
            "facts": dict(record.facts),
            "files": dict(record.files),
            "error": dict(record.error),
            "constraints": dict(record.constraints),
            "draw": dict(record.draw),
        },
    }
    if record.constraints:
        system[CONSTRAINTS] = list(record.constraints.values())
    trial = create_trial(
        state=TrialState.COMPLETE if record.state == "COMPLETE" else TrialState.FAIL,
        values=list(record.values) if record.state == "COMPLETE" else None,
        params=params,
        distributions={name: space[name] for name in params},
        user_attrs=_headlines(record),
        system_attrs=system,
    )
    if trial.datetime_complete is not None:
        spent = timedelta(seconds=record.timings.get("evaluate_s", 0.0))
        trial.datetime_start = trial.datetime_complete - spent
    return trial


def _headlines(record: TrialRecord) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    if record.error:
        shown["error"] = f"{record.error['type']}: {record.error['message']}"
    if record.violated:
        shown["violates"] = record.violations
    numbers = record.numbers
    for name, (source, unit, digits) in HEADLINES.items():
        if source in numbers:
            shown[name] = float(f"{numbers[source] / unit:.{digits}g}")
    return shown


def from_optuna(trial: FrozenTrial) -> TrialRecord | None:
    """Return the record of a finished trial of ours; None for anything else."""
    packed = trial.system_attrs.get(RECORD)
    if packed is None or trial.state not in (TrialState.COMPLETE, TrialState.FAIL):
        return None
    flat: dict[str, Scalar] = packed["configuration"]
    return TrialRecord(
        number=trial.number,
        state="COMPLETE" if trial.state == TrialState.COMPLETE else "FAIL",
        configuration=from_flat(flat),
        values=tuple(trial.values or ()),
        metrics=packed["metrics"],
        intervals={name: (low, high) for name, (low, high) in packed["intervals"].items()},
        timings=packed["timings"],
        facts=packed["facts"],
        files=packed["files"],
        error=packed["error"],
        constraints=packed["constraints"],
        draw=packed["draw"],
    )


def failure(number: int, configuration: Configuration, error: Exception) -> TrialRecord:
    """Return the record of a configuration that could not be evaluated."""
    trace = "".join(traceback.format_exception(error))
    return TrialRecord(
        number=number,
        state="FAIL",
        configuration=configuration,
        error={
            "type": type(error).__name__,
            "message": _cut(str(error)),
            "traceback": _cut(trace),
        },
    )


def _cut(text: str) -> str:
    if len(text) <= LONGEST_TEXT:
        return text
    half = LONGEST_TEXT // 2
    return f"{text[:half]} [... {len(text) - LONGEST_TEXT} characters cut ...] {text[-half:]}"
