"""Queries divided into slices: by the values of a field, or by bins of a number."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.text_lines import shorten

FEWEST = 5  # queries of a slice of which anything can be said
MOST_VALUES = 50  # slices that a person can look at
MOST_NUMBERS = 8  # of a numeric field; more are put into bins
BINS = 4  # of equally many queries, as far as equal values permit
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Division:
    """Slices of the queries.

    Attributes:
        by: what divides them.
        members: which queries are in a slice, shape (Q,), by the slice's name, in order.
    """

    by: str
    members: Mapping[str, Flags]

    @property
    def is_partition(self) -> bool:
        """Return whether every query is in exactly one slice."""
        return bool((np.sum(list(self.members.values()), axis=0) == 1).all())

    @property
    def is_told(self) -> bool:
        """Return whether some slice is large enough to say anything of it."""
        return any(inside.sum() >= FEWEST for inside in self.members.values())


def divide_by_value(by: str, values: Sequence[Sequence[str]], *, last: str) -> Division:
    """Return a slice per value, the largest first.

    Args:
        by: name of the field.
        values: of each query, shape (Q,); a query may have several.
        last: the value that comes last: that of queries without the field.

    Raises: WinnerError where the values divide nothing, or so finely that no slice says anything.
    """
    counts = Counter(value for own in values for value in own)
    _check_several(by, counts, len(values))
    _check_common(by, counts, len(values))
    order = sorted(counts, key=lambda value: (value == last, -counts[value], value))
    return Division(
        by=by,
        members={value: np.array([value in own for own in values]) for value in order},
    )


def divide_by_number(
    by: str, numbers: Floats, *, none: str, unit: str = "", bins: int | None = None
) -> Division:
    """Return a slice per number, or per bin of numbers where there are many.

    Args:
        by: name of the field.
        numbers: shape (Q,); NaN for a query without one.
        none: name of the slice of such queries.
        unit: put behind the numbers in a slice's name.
        bins: into how many of about equally many queries; None = a slice for each number, or four
            bins where there are more than 8.

    Raises: WinnerError where all queries have one number.
    """
    known = numbers[~np.isnan(numbers)]
    distinct = np.unique(known)
    members: dict[str, Flags] = {}
    if bins is None and len(distinct) <= MOST_NUMBERS:
        members = {_shown(value) + unit: numbers == value for value in distinct.tolist()}
    else:
        inner = np.linspace(0, 1, (bins or BINS) + 1)[1:-1]
        edges = np.unique(np.quantile(known, inner, method="lower"))
        places = np.searchsorted(edges, numbers, side="left")
        for place in np.unique(places[~np.isnan(numbers)]).tolist():
            inside = (places == place) & ~np.isnan(numbers)
            members[_range(numbers[inside]) + unit] = inside
    if np.isnan(numbers).any():
        members[none] = np.isnan(numbers)
    _check_several(by, {name: int(inside.sum()) for name, inside in members.items()}, len(numbers))
    return Division(by=by, members=members)


def _range(numbers: Floats) -> str:
    low, high = _shown(float(numbers.min())), _shown(float(numbers.max()))
    return low if low == high else f"{low} to {high}"


def _shown(number: float) -> str:
    """Return a number in full: two of them must not share a name."""
    return str(int(number)) if number.is_integer() else repr(number)


def _check_several(by: str, counts: Mapping[str, int], queries: int) -> None:
    if len(counts) < 2:
        raise WinnerError(
            f"slices by {by}: there must be two values, got {shorten(_first(counts))} for all "
            f"{queries} queries. Choose another field."
        )


def _check_common(by: str, counts: Mapping[str, int], queries: int) -> None:
    as_ids = 2 * len(counts) > queries and max(counts.values()) < FEWEST
    if as_ids or len(counts) > MOST_VALUES:
        raise WinnerError(
            f"slices by {by}: values must be few and common, got {len(counts)} different ones in "
            f"{queries} queries ({shorten(_first(counts))} ...). Choose another field."
        )


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "nothing")
