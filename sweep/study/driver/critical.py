"""Critical slices of a study: which queries they are, and what a trial scores on them."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from sweep.corpus.query_fields import NONE, field_values, metadata_fields
from sweep.engine.stages.scoring import Scorer
from sweep.errors import SpaceError, StudyError
from sweep.metrics import bootstrap_interval, parse_metric
from sweep.records import Corpus, Floats, Query, ScoreTable
from sweep.study.driver.split import study_split
from sweep.study.metrics import musts_of
from sweep.study.space.must import Must, facts_of
from sweep.study.space.search_space import SearchSpace

FEW = 5  # queries below which one of them moves a mean by more than .2
MOST_NAMED = 12  # values that a message lists


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalQueries:
    """A condition, and the ids of all queries of the corpus that it is about."""

    must: Must
    ids: frozenset[str]

    def values(self, scorer: Scorer, table: ScoreTable) -> Floats:
        """Return the metric on those of the table's queries that are in the slice, shape (n,).

        A query that the metric is not defined for is left out, as from every mean.
        """
        metric = parse_metric(self.must.constraint.metric)
        inside = np.array([query in self.ids for query in table.query_ids], dtype=np.bool_)
        values: Floats = table.column(str(metric))[inside & scorer.defined(metric)]
        return values


def critical_queries(space: SearchSpace, corpus: Corpus) -> tuple[CriticalQueries, ...]:
    """Return the critical slices of a study."""
    return tuple(
        CriticalQueries(must=must, ids=must.matching(corpus.queries)) for must in musts_of(space)
    )


def critical_facts(
    slices: Sequence[CriticalQueries], scorer: Scorer, table: ScoreTable
) -> list[dict[str, Any]]:
    """Return what a trial records of each critical slice, on the queries that the table holds.

    Raises: StudyError if a mean is no finite number.
    """
    found = []
    for critical in slices:
        values = critical.values(scorer, table)
        mean = float(values.mean()) if len(values) else math.nan
        if not math.isfinite(mean):
            raise StudyError(
                f"must {critical.must}: {critical.must.constraint.metric} must be a finite "
                f"number, got {mean} over {len(values)} queries. Use another metric, or leave it "
                f"out."
            )
        low, high = bootstrap_interval(values[:, None])[0].tolist()
        figures = {"value": mean, "interval": [low, high], "queries": len(values)}
        found.append(facts_of(critical.must, figures))
    return found


def check_critical(space: SearchSpace, corpus: Corpus) -> list[str]:
    """Refuse a slice without a judged query to search with; return what should be known.

    Raises: SpaceError that names the nearest field or value.
    """
    if not space.must:
        return []
    split = study_split(space.split, corpus)
    search = frozenset(split.search)
    judged = [q for q in corpus.queries if q.id in search or q.id in split.confirm]
    with_spans = {span.query_id for span in corpus.spans}
    notices: list[str] = []
    for place, critical in enumerate(critical_queries(space, corpus)):
        where = f"{space.path.name}: must[{place}].where"
        notices += _unknown_values(where, critical.must, judged)
        found = critical.ids & search
        if parse_metric(critical.must.constraint.metric).family == "span":
            found &= with_spans
        if not found:
            raise SpaceError(_nothing(where, critical, judged, confirm=split.confirm))
        if len(found) < FEW:
            notices.append(
                f"{where}: {len(found)} queries are few: one of them moves the mean by up to "
                f"{1 / len(found):.2f} of its scale"
            )
    return notices


def _unknown_values(where: str, must: Must, judged: Sequence[Query]) -> Iterator[str]:
    """Yield a notice for each value of a list that no judged query has.

    Raises: SpaceError for a field, or a field's only values, that no judged query has.
    """
    fields = metadata_fields(judged)
    for field, values in must.where:
        if field not in fields:
            raise SpaceError(
                f"{where}: must name a field of the judged queries' metadata, got {field!r}. "
                f"{_hint(field, fields) or 'They have none: add it in queries.jsonl.'}"
            )
        known = _values(field, judged)
        unknown = [value for value in values if value not in known]
        hints = [_hint(value, known) for value in unknown]
        if len(unknown) == len(values):
            raise SpaceError(
                f"{where}: {field} must have a value of a judged query, got {unknown[0]!r}. "
                f"{hints[0]}"
            )
        for value, hint in zip(unknown, hints, strict=True):
            yield f"{where}: no judged query has {field} {value!r}. {hint}"


def _values(field: str, queries: Sequence[Query]) -> tuple[str, ...]:
    found = (field_values(query.metadata, field) or () for query in queries)
    return tuple(dict.fromkeys(value for values in found for value in values))


def _nothing(
    where: str, critical: CriticalQueries, judged: Sequence[Query], *, confirm: Sequence[str]
) -> str:
    counts = ", ".join(
        f"{field}={'|'.join(values)} fits "
        f"{sum(not set(values).isdisjoint(field_values(q.metadata, field) or ()) for q in judged)}"
        for field, values in critical.must.where
    )
    kept = len(critical.ids.intersection(confirm))
    metric = critical.must.constraint.metric
    return (
        f"{where}: must fit a judged query that {metric} is defined for and that searches, got "
        f"none of {len(judged)} judged ({counts}; {kept} of the slice are kept to confirm with). "
        f"Loosen it, or judge such a query."
    )


def _hint(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]!r}?"
    listed = [value for value in known if value != NONE][:MOST_NAMED]
    more = ", ..." if len(known) > MOST_NAMED else ""
    return f"There are {', '.join(map(repr, listed))}{more}." if listed else ""
