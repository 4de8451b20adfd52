"""Two sides -> what differs in them, and what that does to each query."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sweep.configuration import Scalar
from sweep.errors import MetricError
from sweep.metrics import parse_metric
from sweep.records import Floats
from sweep.study.comparison.joining import Joined, join
from sweep.study.comparison.sides import Side
from sweep.study.quick_look import quick_look_of
from sweep.text_lines import shorten

if TYPE_CHECKING:  # the winner's statistics load scipy
    from sweep.winner.statistics.inference import Comparison

MOST_MOVERS = 10  # queries that are named, in each direction

Pair = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """One metric of both sides on the same queries.

    Attributes:
        metric: its name.
        a, b: means over the queries that the metric is defined for in both.
        paired: b against a (difference b - a, interval, wins, losses, ties, p).
    """

    metric: str
    a: float
    b: float
    paired: "Comparison"

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "a": self.a,
            "b": self.b,
            "difference": self.paired.difference,
            "interval": list(self.paired.interval),
            "p_value": self.paired.p_value,
            "wins": self.paired.wins,
            "losses": self.paired.losses,
            "ties": self.paired.ties,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryRecord:
    """One query: its scores of the metrics that were asked for, in both sides.

    Attributes:
        query_id, text: the text is empty where the corpus has moved or changed.
        scores: (a, b) by metric; the first one is that of `SideBySide.objective`.
    """

    query_id: str
    text: str
    scores: dict[str, tuple[float, float]]

    @property
    def difference(self) -> float:
        """Return b - a of the first metric."""
        a, b = next(iter(self.scores.values()))
        return b - a


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SideBySide:
    """Two sides compared.

    Attributes:
        a, b: the sides; differences are b - a.
        joined: the queries that both are scored on.
        params: flat parameters that differ, with the value in each (None: it has none); empty
            beside a run file, which tells none.
        metrics: per-query metrics, compared pairwise.
        costs: both values by name, None where it is not known, as of a run file.
        uncompared: other metrics that are known of one side only.
        objective: name of the metric that orders `queries`.
        queries: those that it is defined for in both, the largest differences first.
    """

    a: Side
    b: Side
    joined: Joined
    params: dict[str, tuple[Scalar | None, Scalar | None]]
    metrics: tuple[MetricComparison, ...]
    costs: dict[str, Pair]
    uncompared: tuple[str, ...]
    objective: str
    queries: tuple[QueryRecord, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what makes the two hard to compare."""
        studies = {side.study.name: side.study for side in (self.a, self.b)}
        looks = {name: quick_look_of(study) for name, study in studies.items()}
        scopes = [f"{name}: {look.headline}" for name, look in looks.items() if look is not None]
        return (*scopes, *self.joined.warnings, *self.a.notices, *self.b.notices)

    @property
    def gained(self) -> tuple[QueryRecord, ...]:
        """Return the queries on which b scores higher by most, first the largest difference."""
        return tuple(q for q in self.queries if q.difference > 0)[:MOST_MOVERS]

    @property
    def lost(self) -> tuple[QueryRecord, ...]:
        """Return the queries on which b scores lower by most, first the largest difference."""
        return tuple(q for q in self.queries if q.difference < 0)[:MOST_MOVERS]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form, with every query."""
        return {
            "a": self.a.to_json(),
            "b": self.b.to_json(),
            "warnings": list(self.warnings),
            "params": {name: list(pair) for name, pair in self.params.items()},
            "metrics": {found.metric: found.to_json() for found in self.metrics},
            "costs": {name: list(pair) for name, pair in self.costs.items()},
            "uncompared": list(self.uncompared),
            "objective": self.objective,
            "n_queries": len(self.queries),
            "left_out": dict(self.joined.left_out),
            "gained": [query.query_id for query in self.gained],
            "lost": [query.query_id for query in self.lost],
            "queries": [_query_json(query) for query in self.queries],
        }


def compare_sides(a: Side, b: Side, *, metrics: Sequence[str] = ()) -> SideBySide:
    """Return how two sides differ.

    Args:
        a: what is compared against.
        b: the other one; differences are b - a.
        metrics: which recorded metrics, the first orders the queries; none = all of them, first
            the objectives of a's study.

    Raises:
        MetricError: for a metric that was not recorded per query in both.
        StudyError: if the two have no query in common.
    """
    joined = join(a, b)
    known = [name for name in a.table.metrics if name in b.table.metrics]
    objectives = [goal.name for goal in a.study.goals if goal.name in known]
    names = list(dict.fromkeys(metrics or (*objectives, *known)))
    if unknown := [name for name in names if name not in known]:
        raise MetricError(
            f"--metric: must be one that is recorded per query in both, got "
            f"{shorten(unknown[0])}. They "
            f"have {', '.join(known)}."
        )
    compared = (_compare(name, *_pair(a, b, joined, name)) for name in names)
    return SideBySide(
        a=a,
        b=b,
        joined=joined,
        params=_differing(a, b),
        metrics=tuple(found for found in compared if found is not None),
        costs=_costs(a, b, known),
        uncompared=tuple(
            name
            for name in dict.fromkeys((*a.table.metrics, *b.table.metrics))
            if name not in known and not _is_cost(name)
        ),
        objective=names[0],
        queries=_records(a, b, joined, metrics or names[:1]),
    )


def _pair(a: Side, b: Side, joined: Joined, name: str) -> tuple[Floats, Floats]:
    """Return both scores of one metric on the joined queries, shape (n,); NaN where undefined."""
    return a.table.column(name)[joined.a], b.table.column(name)[joined.b]


def _compare(name: str, a: Floats, b: Floats) -> MetricComparison | None:
    from sweep.winner.statistics.inference import planned_comparison

    both = np.isfinite(a) & np.isfinite(b)
    if not both.any():
        return None
    a, b = a[both], b[both]
    return MetricComparison(
        metric=name, a=float(a.mean()), b=float(b.mean()), paired=planned_comparison(a, b)
    )


def _records(a: Side, b: Side, joined: Joined, names: Sequence[str]) -> tuple[QueryRecord, ...]:
    pairs = {name: np.stack(_pair(a, b, joined, name)) for name in names}
    first, second = pairs[names[0]]
    differences = np.abs(second - first)
    order = np.argsort(-differences, kind="stable")
    return tuple(
        QueryRecord(
            query_id=joined.query_ids[row],
            text=joined.texts.get(joined.query_ids[row], ""),
            scores={
                name: (float(pair[0, row]), float(pair[1, row])) for name, pair in pairs.items()
            },
        )
        for row in order.tolist()
        if np.isfinite(differences[row])
    )


def _query_json(query: QueryRecord) -> dict[str, Any]:
    (a, b), *others = query.scores.values()
    found: dict[str, Any] = {
        "query_id": query.query_id,
        "query": query.text,
        "a": a,
        "b": b,
        "difference": query.difference,
    }
    if others:
        found["scores"] = {name: list(pair) for name, pair in query.scores.items()}
    return found


def _differing(a: Side, b: Side) -> dict[str, tuple[Scalar | None, Scalar | None]]:
    if a.trial is None or b.trial is None:
        return {}
    one, other = a.trial.configuration.flat(), b.trial.configuration.flat()
    names = dict.fromkeys((*one, *other))
    return {n: (one.get(n), other.get(n)) for n in names if one.get(n) != other.get(n)}


def _costs(a: Side, b: Side, compared: Sequence[str]) -> dict[str, Pair]:
    one, other = _numbers(a), _numbers(b)
    names = [n for n in dict.fromkeys((*one, *other)) if _is_cost(n) and n not in compared]
    return {name: (one.get(name), other.get(name)) for name in names}


def _is_cost(name: str) -> bool:
    return parse_metric(name).family == "cost"


def _numbers(side: Side) -> dict[str, float]:
    """Return a trial's means and costs; nothing is known of what a run file costs."""
    if side.trial is None:
        return {}
    timings = side.trial.timings
    measured = {"build_s": timings["build_s"]} if "build_s" in timings else {}
    return {**side.trial.metrics, **measured}
