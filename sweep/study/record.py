"""Trials to and from Optuna: the only file that knows how a trial is laid out in the storage.

A trial is written in one go, finished. Its Optuna parameters are those that differ within the
study; a few headline numbers are separate attributes (the dashboard shows them); everything else
is one packed attribute, `record`.
"""

import traceback
from collections.abc import Mapping, Sequence
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
HEADLINES = ("context_tokens", "work", "index_bytes", "latency_p95_ms")
LONGEST_TEXT = 4000  # characters of an error or traceback that are kept

optuna.logging.set_verbosity(optuna.logging.ERROR)


def distributions(axes: Mapping[str, Sequence[Any]]) -> dict[str, BaseDistribution]:
    """Return a distribution for every parameter that takes more than one value in the study."""
    found: dict[str, BaseDistribution] = {}
    for name, values in axes.items():
        if len(values) < 2:
            continue
        if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            found[name] = IntDistribution(min(values), max(values))
        elif all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            found[name] = FloatDistribution(float(min(values)), float(max(values)))
        else:
            found[name] = CategoricalDistribution(tuple(values))
    return found


def to_optuna(record: TrialRecord, space: Mapping[str, BaseDistribution]) -> FrozenTrial:
    """Return the trial as Optuna stores it."""
    flat = record.configuration.flat()
    params = {name: flat[name] for name in flat if name in space}
    attributes: dict[str, Any] = {
        "configuration": record.configuration.label(),
        **{name: record.metrics[name] for name in HEADLINES if name in record.metrics},
        RECORD: {
            "fingerprint": record.fingerprint,
            "configuration": flat,
            "metrics": dict(record.metrics),
            "intervals": {name: list(pair) for name, pair in record.intervals.items()},
            "timings": dict(record.timings),
            "facts": dict(record.facts),
            "files": dict(record.files),
            "error": dict(record.error),
        },
    }
    if record.error:
        attributes["error"] = f"{record.error['type']}: {record.error['message']}"
    return create_trial(
        state=TrialState.COMPLETE if record.state == "COMPLETE" else TrialState.FAIL,
        values=list(record.values) if record.state == "COMPLETE" else None,
        params=params,
        distributions={name: space[name] for name in params},
        user_attrs=attributes,
    )


def from_optuna(trial: FrozenTrial) -> TrialRecord | None:
    """Return the record of a finished trial of ours; None for anything else."""
    packed = trial.user_attrs.get(RECORD)
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
