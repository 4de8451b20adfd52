"""Two trials of a study side by side: what differs in them, and what that does to each query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from sweep.configuration import Scalar
from sweep.errors import MetricError, StudyError
from sweep.study.study import Study
from sweep.study.tables import read_scores
from sweep.trials import TrialRecord

if TYPE_CHECKING:
    from sweep.winner.statistics.inference import Comparison

MOST_QUERIES = 10  # with the largest differences, that are named


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """One metric of both trials on the same queries.

    Attributes:
        metric: its name.
        a, b: means over the queries that the metric is defined for in both.
        paired: b against a (difference b - a, interval, wins, losses, ties, p).
    """

    metric: str
    a: float
    b: float
    paired: "Comparison"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryDifference:
    """One query's scores of the first objective."""

    query_id: str
    a: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialComparison:
    """Two trials of one study.

    Attributes:
        a, b: the trials.
        params: flat parameters that differ, with the value in each (None: it has none).
        metrics: per-query metrics, compared pairwise.
        costs: what is not a mean over queries (work, index_bytes, latency): name -> both values.
        objective: name of the metric that orders `queries`.
        queries: those with the largest differences, largest first.
        n_queries: how many queries the objective was compared on.
    """

    a: TrialRecord
    b: TrialRecord
    params: dict[str, tuple[Scalar | None, Scalar | None]]
    metrics: tuple[MetricComparison, ...]
    costs: dict[str, tuple[float | None, float | None]]
    objective: str
    queries: tuple[QueryDifference, ...]
    n_queries: int

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "a": {"number": self.a.number, "configuration": self.a.configuration.label()},
            "b": {"number": self.b.number, "configuration": self.b.configuration.label()},
            "params": {name: list(pair) for name, pair in self.params.items()},
            "metrics": {
                found.metric: {
                    "a": found.a,
                    "b": found.b,
                    "difference": found.paired.difference,
                    "interval": list(found.paired.interval),
                    "p_value": found.paired.p_value,
                    "wins": found.paired.wins,
                    "losses": found.paired.losses,
                    "ties": found.paired.ties,
                }
                for found in self.metrics
            },
            "costs": {name: list(pair) for name, pair in self.costs.items()},
            "objective": self.objective,
            "queries": [
                {"query_id": q.query_id, "a": q.a, "b": q.b, "difference": q.b - q.a}
                for q in self.queries
            ],
            "n_queries": self.n_queries,
        }


def find_trial(study: Study, text: str) -> TrialRecord:
    """Return the finished trial that a number or a pick (`recommended`, ...) names.

    Raises: StudyError if there is none.
    """
    from sweep.winner.figures import Pick

    if text in get_args(Pick):
        return study.answer(text).trial  # type: ignore[arg-type]
    if not text.isdecimal():
        raise StudyError(
            f"study {study.name!r}: a trial must be a number, recommended, best or baseline, got "
            f"{text!r}. See `sweep trials {study.name}`."
        )
    found = study.trial(int(text))
    if found.state != "COMPLETE":
        raise StudyError(
            f"study {study.name!r}: only finished trials can be compared, got #{found.number}, "
            f"which failed. See `sweep show {study.name} {found.number}`."
        )
    return found


def compare_trials(
    study: Study, a: TrialRecord, b: TrialRecord, *, metrics: Sequence[str] = ()
) -> TrialComparison:
    """Return how two finished trials differ.

    Args:
        study: the study of both.
        a: the one that is compared against.
        b: the other one; differences are b - a.
        metrics: which recorded metrics; none = all of them, objectives first.

    Raises:
        MetricError: for a metric that the study did not record per query.
        StudyError: if a trial's table is gone or damaged.
    """
    from sweep.winner.statistics.inference import planned_comparison

    tables = [read_scores(study.folder.path / trial.files["scores"]) for trial in (a, b)]
    known = [name for name in tables[0].metrics if name in tables[1].metrics]
    objectives = [goal.name for goal in study.goals if goal.name in known]
    names = list(dict.fromkeys(metrics or (*objectives, *known)))
    if unknown := [name for name in names if name not in known]:
        raise MetricError(
            f"--metric: must be one that the study recorded per query, got {unknown[0]!r}. It "
            f"has {', '.join(known)}."
        )
    compared = []
    for name in names:
        first, second, _ = _paired(tables, name)
        if len(first):
            paired = planned_comparison(first, second)
            compared.append(
                MetricComparison(
                    metric=name, a=float(first.mean()), b=float(second.mean()), paired=paired
                )
            )
    objective = objectives[0] if objectives else names[0]
    first, second, ids = _paired(tables, objective)
    return TrialComparison(
        a=a,
        b=b,
        params=_differing(a, b),
        metrics=tuple(compared),
        costs=_costs(a, b, known),
        objective=objective,
        queries=_largest(ids, first, second),
        n_queries=len(ids),
    )


def _paired(tables: Sequence[Any], name: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return both scores of one metric, for the queries where both are defined."""
    first, second = (table.column(name) for table in tables)
    rows = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
    return first[rows], second[rows], [tables[0].query_ids[row] for row in rows.tolist()]


def _differing(a: TrialRecord, b: TrialRecord) -> dict[str, tuple[Scalar | None, Scalar | None]]:
    one, other = a.configuration.flat(), b.configuration.flat()
    names = dict.fromkeys((*one, *other))
    return {n: (one.get(n), other.get(n)) for n in names if one.get(n) != other.get(n)}


def _costs(
    a: TrialRecord, b: TrialRecord, per_query: Sequence[str]
) -> dict[str, tuple[float | None, float | None]]:
    one, other = ({**t.metrics, **_measured(t)} for t in (a, b))
    names = [name for name in dict.fromkeys((*one, *other)) if name not in per_query]
    return {name: (one.get(name), other.get(name)) for name in names}


def _measured(trial: TrialRecord) -> dict[str, float]:
    return {"build_s": trial.timings["build_s"]} if "build_s" in trial.timings else {}


def _largest(
    ids: Sequence[str], first: np.ndarray, second: np.ndarray
) -> tuple[QueryDifference, ...]:
    order = np.argsort(-np.abs(second - first), kind="stable")[:MOST_QUERIES]
    return tuple(
        QueryDifference(query_id=ids[row], a=float(first[row]), b=float(second[row]))
        for row in order.tolist()
        if first[row] != second[row]
    )
