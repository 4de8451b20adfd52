"""Queries divided by the fields of their metadata, and by their form."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sweep.corpus.query_fields import (
    NONE,
    field_values,
    holds_identifier,
    metadata_fields,
    word_count,
)
from sweep.errors import StudyError, WinnerError
from sweep.records import Floats, Query
from sweep.text_lines import nearest, shorten
from sweep.winner.insight.division import (
    FEWEST,
    Division,
    divide_by_number,
    divide_by_value,
)

WORDS, IDENTIFIER = "query:words", "query:identifier"  # what every corpus has
TERCILES = 3


def divisions_of(
    queries: Sequence[Query], by: Sequence[str] = ()
) -> tuple[list[Division], dict[str, str]]:
    """Return the divisions of some queries, and why the other fields make none.

    Args:
        queries: Q of them.
        by: fields of their metadata, `query:words` or `query:identifier`; none = all that make
            slices of which anything can be said.

    Raises: SweepError for a field that was asked for and does not exist or makes no slices.
    """
    known = (*metadata_fields(queries), WORDS, IDENTIFIER)
    for field in by:
        if field not in known:
            hint = nearest(field, known, otherwise="Choose among them.", cutoff=0.5)
            raise StudyError(
                f"--by: must be one of {', '.join(known)}, got {shorten(field)}. {hint}"
            )
    found, refused = [], {}
    for field in by or known:
        try:
            division = _division(field, queries)
        except WinnerError as error:
            if by:
                raise
            refused[field] = str(error)
            continue
        if by or division.is_told:
            found.append(division)
        else:
            refused[field] = (
                f"slices by {field}: some must have {FEWEST} queries or more, got smaller ones "
                f"only. --by {field} shows them."
            )
    return found, refused


def _division(field: str, queries: Sequence[Query]) -> Division:
    own = [query.metadata.get(field) for query in queries]
    if any(value is not None for value in own):
        numbers = list(_numbers(own))
        if None not in numbers:
            return divide_by_number(field, np.array(numbers, dtype=np.float64), none=NONE)
        values = [field_values(query.metadata, field) for query in queries]
        if None in values:
            raise WinnerError(
                f"slices by {field}: values must be plain ones or lists of them, got mappings or "
                f"lists of lists. Choose another field."
            )
        return divide_by_value(field, [value for value in values if value], last=NONE)
    if field in metadata_fields(queries):
        raise WinnerError(
            f"slices by {field}: some query must have a value, got null for all {len(own)}. "
            f"Choose another field."
        )
    if field == WORDS:
        counts: Floats = np.array([word_count(q.text) for q in queries], dtype=np.float64)
        return divide_by_number(field, counts, none=NONE, unit=" words", bins=TERCILES)
    holding = [("yes" if holds_identifier(query.text) else "no",) for query in queries]
    return divide_by_value(field, holding, last="no")


def _numbers(values: Sequence[Any]) -> Iterator[float | None]:
    """Yield each value as a number, NaN where there is none, None where it is something else."""
    for value in values:
        if value is None:
            yield float("nan")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield float(value)
        else:
            yield None
