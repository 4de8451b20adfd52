"""Many rows through several evaluators: results per row and metric, and what they add up to.

A row that an evaluator cannot score is a failed row of that criterion: it has an error with a
code, takes part in no mean, and counts as not passed in every pass rate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sweep.errors import SweepError
from sweep.evaluators.criteria import NESTED, TYPE, Criterion
from sweep.evaluators.rows import Row, RowError, as_row_error

_UNDEFINED = "undefined: no judged document has a label above the lowest of the range"
_STATES = ("failed", "passed", "errored", "skipped")  # what decides about a row, in this order


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One metric of one row.

    Attributes:
        metric: as the evaluator names it.
        score: NaN where the metric is undefined.
        passed: by the evaluator's verdict.
        threshold: what it was compared with.
        properties: the flat result inside 1.18's nested one.
    """

    metric: str
    score: float
    passed: bool
    threshold: float
    properties: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one criterion made of one row: measurements, or an error."""

    criterion: Criterion
    measurements: tuple[Measurement, ...] = ()
    error: RowError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """All outcomes of a file.

    Attributes:
        rows: R rows.
        criteria: C criteria.
        outcomes: R tuples of C outcomes, in the order of both.
    """

    rows: tuple[Row, ...]
    criteria: tuple[Criterion, ...]
    outcomes: tuple[tuple[Outcome, ...], ...] = field(repr=False)

    @property
    def scored_rows(self) -> int:
        """Return how many rows every criterion could score."""
        return sum(all(one.error is None for one in row) for row in self.outcomes)

    @property
    def any_scored(self) -> bool:
        """Say whether anything could be scored at all."""
        return any(one.error is None for row in self.outcomes for one in row)


def evaluate_rows(rows: Sequence[Row], criteria: Sequence[Criterion]) -> Batch:
    """Score every row by every criterion; never stops at a row."""
    outcomes = tuple(tuple(_evaluate(row, one) for one in criteria) for row in rows)
    return Batch(rows=tuple(rows), criteria=tuple(criteria), outcomes=outcomes)


def report_batch(batch: Batch) -> dict[str, Any]:
    """Return what `sweep evaluate` prints as JSON.

    Keys: `metrics` (means over the rows that were scored, NaN left out), `pass_rates` (passed rows
    / all rows), `counts` (`rows`, `scored`, `failed`, `nan` per metric), `result_counts` and
    `per_testing_criteria_results` (rows), `output_items` (one per row, its `results` one per
    criterion and metric), `errors`.
    """
    metrics: dict[str, float] = {}
    pass_rates: dict[str, float] = {}
    undefined: dict[str, int] = {}
    for index, criterion in enumerate(batch.criteria):
        outcomes = [row[index] for row in batch.outcomes]
        for place, metric in enumerate(criterion.metrics):
            found = [one.measurements[place] for one in outcomes if one.error is None]
            scores = [one.score for one in found if not math.isnan(one.score)]
            name = f"{criterion.name}.{metric}"
            metrics[name] = math.fsum(scores) / len(scores) if scores else math.nan
            pass_rates[name] = sum(one.passed for one in found) / len(outcomes)
            if len(scores) < len(found):
                undefined[name] = len(found) - len(scores)
        if criterion.nested:
            metrics |= _sdk_aggregates(criterion, outcomes, mean=metrics[name])
    scored = batch.scored_rows
    return {
        "metrics": metrics,
        "pass_rates": pass_rates,
        "counts": {
            "rows": len(batch.rows),
            "scored": scored,
            "failed": len(batch.rows) - scored,
            "nan": undefined,
        },
        **_result_counts(batch),
        "output_items": _output_items(batch),
        "errors": list_errors(batch),
    }


def list_errors(batch: Batch) -> list[dict[str, Any]]:
    """Return one record per row and criterion that failed; one per row that cannot be read."""
    records: list[dict[str, Any]] = []
    for row, outcomes in zip(batch.rows, batch.outcomes, strict=True):
        if row.error is not None:
            records.append(error_record(row, row.error))
            continue
        records += [
            {**error_record(row, one.error), "name": one.criterion.name}
            for one in outcomes
            if one.error is not None
        ]
    return records


def error_record(row: Row, error: RowError) -> dict[str, Any]:
    """Return a failed row's `row` (number, from 1), `code` and `message`."""
    return {"row": row.number, "code": error.code, "message": str(error)}


def _evaluate(row: Row, criterion: Criterion) -> Outcome:
    if row.error is not None:
        return Outcome(criterion=criterion, error=row.error)
    try:
        result = criterion.score(**criterion.arguments(row.values))
    except SweepError as error:
        return Outcome(criterion=criterion, error=as_row_error(error, where=row.where))
    measurements = tuple(
        Measurement(
            metric=metric,
            score=result[metric],
            passed=result[f"{metric}_passed"],
            threshold=result[f"{metric}_threshold"],
            properties=result.get(NESTED),
        )
        for metric in criterion.metrics
    )
    return Outcome(criterion=criterion, measurements=measurements)


def _sdk_aggregates(
    criterion: Criterion, outcomes: Sequence[Outcome], *, mean: float
) -> dict[str, float]:
    """Return what the SDK 1.18 adds up of nested results, its oddities included.

    The share of passed rows is there only if no row failed; `binary_aggregate` is the share of all
    rows, rounded to two decimals.
    """
    prefix = f"{criterion.name}.{criterion.evaluator}"
    passed = [one.measurements[0].passed for one in outcomes if one.error is None]
    aggregates = {f"{prefix}_score": mean}
    if len(passed) == len(outcomes):
        aggregates[f"{prefix}_passed"] = sum(passed) / len(passed)
    aggregates[f"{criterion.name}.binary_aggregate"] = round(sum(passed) / len(outcomes), 2)
    return aggregates


def _output_items(batch: Batch) -> list[dict[str, Any]]:
    return [
        {
            "id": str(row.number),
            "datasource_item_id": row.number - 1,
            "status": "completed",
            "results": [item for one in outcomes for item in _items(one)],
        }
        for row, outcomes in zip(batch.rows, batch.outcomes, strict=True)
    ]


def _items(outcome: Outcome) -> list[dict[str, Any]]:
    """Return one item per metric in the service's shape; those of a failed row hold nulls."""
    head = {"type": TYPE, "name": outcome.criterion.name}
    if outcome.error is not None:
        nothing = dict.fromkeys(("score", "label", "passed", "reason", "threshold"))
        sample = {"error": {"code": outcome.error.code, "message": str(outcome.error)}}
        return [
            {**head, "metric": metric, **nothing, "status": "error", "sample": sample}
            for metric in outcome.criterion.metrics
        ]
    return [
        {
            **head,
            "metric": one.metric,
            "score": None if math.isnan(one.score) else one.score,
            "label": "pass" if one.passed else "fail",
            "passed": one.passed,
            "reason": _UNDEFINED if math.isnan(one.score) else None,
            "threshold": one.threshold,
            **({} if one.properties is None else {"properties": one.properties}),
        }
        for one in outcome.measurements
    ]


def _result_counts(batch: Batch) -> dict[str, Any]:
    """Return how many rows failed, passed or could not be scored, in all and per criterion."""
    names = [criterion.name for criterion in batch.criteria]
    states = [[_states(one) for one in row] for row in batch.outcomes]
    whole = [_decide(set().union(*row)) for row in states]
    columns = [[_decide(row[index]) for row in states] for index in range(len(names))]
    order = ("passed", "failed", "errored", "skipped")
    return {
        "result_counts": {"total": len(whole), **{state: whole.count(state) for state in order}},
        "per_testing_criteria_results": [
            {"testing_criteria": name, **{state: column.count(state) for state in order}}
            for name, column in zip(names, columns, strict=True)
        ],
    }


def _states(outcome: Outcome) -> set[str]:
    if outcome.error is not None:
        return {"errored"}
    return {"passed" if one.passed else "failed" for one in outcome.measurements}


def _decide(states: set[str]) -> str:
    """Return what a row counts as: failed if any item failed, else passed if any passed."""
    return next(state for state in _STATES if state in states)
