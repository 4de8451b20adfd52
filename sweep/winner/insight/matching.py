"""Configurations as rows of codes, and which of them differ in one parameter and nothing else.

Values of a parameter are compared within *blocks*: configurations that are equal in every other
parameter that both sides have. What only one side has (a fusion weight, where hybrid meets BM25)
is averaged within the block. So neither a parameter that only some modes have, nor a baseline
outside the grid, nor a trial that failed makes a value look better or worse than it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.configuration import Scalar
from sweep.records import Floats, Ints

MOST_VALUES = 12  # of a number; more are put into bins
BINS = 4  # of equally many configurations, as far as equal values permit
RECURS = 2  # blocks for each of the values that go along: fewer may be a coincidence
FOLLOWS = {"chunk.splitter": "chunk.unit"}  # the second is fixed by the first, but for sentences


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """One value of a parameter, or a bin of values.

    Attributes:
        label: as people read it; `0.1 to 0.3` for a bin.
        at: the number, of a bin the mean of its configurations; None for a text.
        rows: shape (n,), of the configurations that have it.
        seen: shape (P, largest code + 2), whether a code occurs in these rows, by parameter; the
            first column is for absence.
        present: shape (P,), whether a parameter occurs in these rows.
    """

    label: str
    at: float | None
    rows: Ints
    seen: NDArray[np.bool_]
    present: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Match:
    """Two values compared within blocks.

    Attributes:
        weights: shape (N,), of the configurations: positive for the first value (they sum to 1),
            negative for the second (to -1), 0 for what has no counterpart.
        blocks: in how many blocks both occur, >= 1.
        along: parameters that change along with the value and cannot be told apart from it.
    """

    weights: Floats
    blocks: int
    along: tuple[str, ...]


class ParameterTable:
    """Which configuration has which value of which parameter.

    Args:
        params: N flat configurations; a parameter is absent where it does not apply.
    """

    def __init__(self, params: Sequence[Mapping[str, Scalar]]) -> None:
        self._params = params
        known = dict.fromkeys(name for flat in params for name in flat)
        columns = {name: _codes(name, params) for name in known}
        varied = {name: codes for name, codes in columns.items() if len(set(codes)) > 1}
        self.names: tuple[str, ...] = tuple(varied)
        self.codes: Ints = np.array(list(varied.values()), dtype=np.int64).T.reshape(
            len(params), len(varied)
        )
        self._column = {name: place for place, name in enumerate(self.names)}
        self._keys: dict[tuple[int, ...], Ints] = {}

    def levels(self, name: str, *, most: int = MOST_VALUES) -> tuple[Level, ...]:
        """Return the values of a parameter in rising order; many numbers are put into bins."""
        rows = np.flatnonzero(self.codes[:, self._column[name]] >= 0)
        values = [self._params[row][name] for row in rows.tolist()]
        of = dict(zip(rows.tolist(), values, strict=True))
        return tuple(
            self._level(label, own, [of[row] for row in own.tolist()])
            for label, own in _groups(values, rows, most)
        )

    def binned(self, name: str) -> tuple[Level, ...]:
        """Return bins of a number's values, the values themselves of anything else."""
        return self.levels(name, most=BINS)

    def together(self, one: Level, other: Level) -> Level | None:
        """Return the configurations that have both, None if there is none."""
        rows = np.intersect1d(one.rows, other.rows, assume_unique=True)
        return self._level("", rows, ()) if len(rows) else None

    def shared(self, sides: Iterable[Level], compared: Sequence[str]) -> tuple[int, ...]:
        """Return the columns that occur on every side, less those that are compared."""
        common = np.logical_and.reduce([side.present for side in sides])
        for name in compared:
            common[self._column[name]] = False
            if (follower := FOLLOWS.get(name)) in self._column:
                common[self._column[follower]] = False
        return tuple(np.flatnonzero(common).tolist())

    def keys(self, columns: tuple[int, ...]) -> Ints:
        """Return a number for each configuration, equal where all columns are, shape (N,)."""
        if columns not in self._keys:
            numbers = np.zeros(len(self.codes), dtype=np.int64)
            for column in columns:
                codes = self.codes[:, column] + 1
                numbers = numbers * (int(codes.max()) + 1) + codes
                numbers = np.unique(numbers, return_inverse=True)[1]
            self._keys[columns] = numbers
        return self._keys[columns]

    def match(self, name: str, one: Level, other: Level) -> Match | None:
        """Return how two values of a parameter are compared, None where nothing matches.

        A parameter whose values have nothing in common on the two sides leaves no block: a space
        that pairs size 64 with top_k 48 and size 128 with top_k 24. Where it follows from the
        value and all else, and recurs in two blocks or more, it is let go along, and named.
        """
        columns = self.shared((one, other), (name,))
        apart = [c for c in columns if not (one.seen[c] & other.seen[c]).any()]
        rest = tuple(c for c in columns if c not in apart)
        if apart and not all(self._follows(columns, rest, side.rows) for side in (one, other)):
            return None
        keys = self.keys(rest)
        common = np.intersect1d(keys[one.rows], keys[other.rows])
        if not len(common):
            return None
        for side in (one, other) if apart else ():
            rows = side.rows[np.isin(keys[side.rows], common)]
            if RECURS * len(np.unique(self.keys(tuple(apart))[rows])) > len(common):
                return None
        weights = np.zeros(len(keys))
        weights[one.rows] = block_weights(keys[one.rows], common)
        weights[other.rows] = -block_weights(keys[other.rows], common)
        along = tuple(self.names[column] for column in apart)
        return Match(weights=weights, blocks=len(common), along=along)

    def _follows(self, columns: tuple[int, ...], rest: tuple[int, ...], rows: Ints) -> bool:
        """Return whether, in some rows, all columns are known where those of `rest` are."""
        whole, part = self.keys(columns)[rows], self.keys(rest)[rows]
        return len(np.unique(whole)) == len(np.unique(part))

    def _level(self, label: str, rows: Ints, values: Sequence[Scalar]) -> Level:
        numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
        at = float(np.mean(numbers)) if numbers else None
        seen = np.zeros((len(self.names), int(self.codes.max(initial=0)) + 2), dtype=np.bool_)
        for column in range(len(self.names)):
            seen[column, self.codes[rows, column] + 1] = True
        present = np.asarray(seen[:, 1:].any(axis=1))
        return Level(label=label, at=at, rows=rows, seen=seen, present=present)


def block_weights(keys: Ints, common: Ints) -> Floats:
    """Return weights of rows so that their weighted sum is the mean over blocks of block means.

    Args:
        keys: shape (n,), the block of each row.
        common: shape (B,), rising, B >= 1: the blocks that count; each occurs in `keys`.

    Returns:
        Shape (n,); 0 for rows of other blocks, sum 1.
    """
    place = np.minimum(np.searchsorted(common, keys), len(common) - 1)
    inside = common[place] == keys
    sizes = np.bincount(place[inside], minlength=len(common))
    return np.where(inside, 1.0 / (sizes[place] * len(common)), 0.0)


def shown(value: Scalar) -> str:
    """Return a parameter's value as people read it; of a path the last part."""
    if isinstance(value, str):
        return value.rstrip("/").rpartition("/")[2] or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _codes(name: str, params: Sequence[Mapping[str, Scalar]]) -> list[int]:
    """Return a number for each value in order of appearance, -1 where there is none."""
    known: dict[Any, int] = {}
    return [known.setdefault(flat[name], len(known)) if name in flat else -1 for flat in params]


def _groups(values: Sequence[Scalar], rows: Ints, most: int) -> list[tuple[str, Ints]]:
    kinds = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in kinds)
    if numbers and len(kinds) > most:
        return _bins(np.array(values, dtype=np.float64), rows)
    place = {kind: number for number, kind in enumerate(kinds)}
    places = np.array([place[value] for value in values], dtype=np.int64)
    return [(shown(kind), rows[places == number]) for kind, number in place.items()]


def _bins(values: Floats, rows: Ints) -> list[tuple[str, Ints]]:
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1], method="lower"))
    places = np.searchsorted(edges, values, side="left")
    groups = []
    for place in np.unique(places):
        inside = places == place
        low, high = values[inside].min(), values[inside].max()
        text = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        groups.append((text, rows[inside]))
    return groups
