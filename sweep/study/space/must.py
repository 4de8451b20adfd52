"""A critical slice: a bound on a metric over the queries whose metadata fits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.corpus.query_fields import field_values, value_text
from sweep.records import Query
from sweep.study.space.choice_file import MustFile
from sweep.study.space.expression import Constraint


@dataclass(frozen=True, slots=True, kw_only=True)
class Must:
    """What a feasible trial keeps on a part of the queries.

    Attributes:
        where: fields with the values of which one is enough; all fields must fit. Both sorted, so
            that the order in the file makes no other study.
        constraint: the bound on the metric's mean over these queries.
    """

    where: tuple[tuple[str, tuple[str, ...]], ...]
    constraint: Constraint

    @property
    def where_text(self) -> str:
        """Return `kind=code|identifier and language=de`."""
        return " and ".join(f"{field}={'|'.join(values)}" for field, values in self.where)

    def __str__(self) -> str:
        """Return `recall@5 >= 0.9 where kind=identifier`."""
        return f"{self.constraint} where {self.where_text}"

    def matches(self, query: Query) -> bool:
        """Return whether a query belongs to the slice."""
        return all(
            not set(values).isdisjoint(field_values(query.metadata, field) or ())
            for field, values in self.where
        )

    def matching(self, queries: Iterable[Query]) -> frozenset[str]:
        """Return the ids of the queries that belong to the slice."""
        return frozenset(query.id for query in queries if self.matches(query))


def read_must(file: MustFile) -> Must:
    """Return what one entry of the file says."""
    at_least = file.at_least
    bound = at_least if at_least is not None else file.at_most
    assert bound is not None, "MustFile has one of both"
    return Must(
        where=tuple(sorted((field, _texts(value)) for field, value in file.where.items())),
        constraint=Constraint(
            metric=file.metric, op="<=" if at_least is None else ">=", bound=float(bound)
        ),
    )


def _texts(value: Any) -> tuple[str, ...]:
    written = value if isinstance(value, list) else [value]
    return tuple(sorted({value_text(item) for item in written}))


def facts_of(must: Must, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a trial records of a slice (see `sweep.winner.critical.CriticalSlice`)."""
    constraint = must.constraint
    return {
        "must": str(must),
        "metric": constraint.metric,
        "op": constraint.op,
        "bound": constraint.bound,
        "where": must.where_text,
        **figures,
    }
