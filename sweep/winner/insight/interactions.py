"""Where what one parameter does depends on the value of another: differences of differences.

Many are looked at, so that some look large by chance alone. All intervals hold at once: their
width is the 95 % quantile of the largest |t| over every difference of differences that was looked
at (not one per pair of parameters), when each query's deviations get a common random sign. This
one-step max-T adjustment allows for how they depend on each other, which Bonferroni's does not.
Source: Westfall and Young 1993, Resampling-Based Multiple Testing, section 2.8.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sweep.configuration import Scalar
from sweep.records import Floats
from sweep.winner.insight.effects import t_interval, weighted_sums
from sweep.winner.insight.matching import Level, ParameterTable, block_weights
from sweep.winner.preference import WORTH
from sweep.winner.statistics.scores import whole_numbers
from sweep.winner.statistics.sign_flips import Signs, sign_patterns, upper_quantiles

MOST_VALUES = 6  # of a number; more are put into bins
MOST_FOUND = 5
_BLOCK_CELLS = 1_000_000  # flipped sums held at once: 8 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """One parameter's difference at two values of another.

    Attributes:
        parameter: what is changed.
        change: its values, from and to.
        moderator: the other parameter.
        at: two of its values; the change does more good at the first.
        effects: what the change does at each of them.
        intervals: of the effects; 95 % t intervals over queries, each for itself.
        difference: the first effect minus the second.
        interval: of the difference; with confidence .95 all that were looked at hold at once.
        blocks: in how many blocks all four combinations occur.
    """

    parameter: str
    change: tuple[str, str]
    moderator: str
    at: tuple[str, str]
    effects: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float]]
    difference: float
    interval: tuple[float, float]
    blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interactions:
    """The interactions that are shown, and among how many.

    Attributes:
        found: one per pair of parameters at most, the largest first.
        pairs: of parameters that have blocks of two by two values.
        contrasts: differences of differences that were looked at in all of them.
        queries: Q.
    """

    found: tuple[Interaction, ...]
    pairs: int
    contrasts: int
    queries: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Contrast:
    """Four cells in common blocks; `cells[i][j]`: value i of the first, j of the second, (Q,)."""

    names: tuple[str, str]
    values: tuple[tuple[str, str], tuple[str, str]]
    cells: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]
    blocks: int

    def differences(self) -> Floats:
        """Return, per query, what the second's change does at the second value minus the first."""
        (a, b), (c, d) = self.cells
        return (d - c) - (b - a)


def find_interactions(
    params: Sequence[Mapping[str, Scalar]],
    scores: Floats,
    *,
    scale: float = 1.0,
    maximize: bool = True,
    alpha: float = 0.05,
    permutations: int = 4_000,
    seed: int = 0,
) -> Interactions:
    """Return the few interactions that these queries show and that matter.

    Of each pair of parameters the largest difference of differences whose interval excludes 0 and
    which is at least .01 of the scale. The four cells are compared in blocks of configurations
    that are equal in every other parameter that all four have.

    Args:
        params: N flat configurations.
        scores: shape (N, Q), finite.
        scale: length of the metric's range, > 0.
        maximize: whether higher is better.
        alpha: level of all intervals together.
        permutations: random sign patterns; below 13 queries all patterns are taken.
        seed: of the sign patterns.
    """
    contrasts = list(_contrasts(ParameterTable(params), scores))
    queries = scores.shape[1] if scores.ndim == 2 else 0
    pairs = len({contrast.names for contrast in contrasts})
    if not contrasts or queries < 2:
        return Interactions(found=(), pairs=pairs, contrasts=len(contrasts), queries=queries)
    limit = 1e-12 * float(np.abs(scores).max())
    differences = np.array([contrast.differences() for contrast in contrasts])
    differences[np.abs(differences) <= limit] = 0.0
    half = _half_widths(differences, sign_patterns(queries, permutations, seed), alpha)
    means = differences.mean(axis=1)
    shown = (np.abs(means) > half) & (np.abs(means) >= WORTH * scale)
    best: dict[tuple[str, str], int] = {}
    for row in sorted(np.flatnonzero(shown).tolist(), key=lambda row: -abs(means[row])):
        best.setdefault(contrasts[row].names, row)
    sign = 1.0 if maximize else -1.0
    return Interactions(
        found=tuple(
            _interaction(contrasts[row], float(half[row]), sign)
            for row in list(best.values())[:MOST_FOUND]
        ),
        pairs=pairs,
        contrasts=len(contrasts),
        queries=queries,
    )


def _contrasts(table: ParameterTable, scores: Floats) -> Iterator[_Contrast]:
    levels = {name: table.levels(name, most=MOST_VALUES) for name in table.names}
    along = {name: _along(table, name, levels[name]) for name in table.names}
    for one, other in combinations(table.names, 2):
        cells = _Cells(table, scores, (levels[one], levels[other]))
        for pair in along[one]:
            for second in along[other]:
                linked = {*along[one][pair], *along[other][second]}
                if linked & {one, other}:
                    continue
                found = cells.compare(pair, second, (one, other, *linked))
                if found is not None:
                    values, blocks = found
                    yield _Contrast(
                        names=(one, other),
                        values=(
                            (levels[one][pair[0]].label, levels[one][pair[1]].label),
                            (levels[other][second[0]].label, levels[other][second[1]].label),
                        ),
                        cells=values,
                        blocks=blocks,
                    )


def _along(
    table: ParameterTable, name: str, levels: Sequence[Level]
) -> dict[tuple[int, int], tuple[str, ...]]:
    """Return the pairs of values that can be compared, with what changes along with them."""
    return {
        (i, j): match.along
        for i, j in combinations(range(len(levels)), 2)
        if (match := table.match(name, levels[i], levels[j])) is not None
    }


class _Cells:
    """The cells of two parameters' values; means over the same blocks are made once."""

    def __init__(
        self,
        table: ParameterTable,
        scores: Floats,
        levels: tuple[Sequence[Level], Sequence[Level]],
    ) -> None:
        self._table, self._scores = table, scores
        self._levels = {
            (i, j): table.together(one, other)
            for i, one in enumerate(levels[0])
            for j, other in enumerate(levels[1])
        }
        self._present: dict[tuple[object, ...], np.ndarray] = {}
        self._means: dict[tuple[object, ...], Floats] = {}

    def compare(
        self, first: tuple[int, int], second: tuple[int, int], compared: Sequence[str]
    ) -> tuple[tuple[tuple[Floats, Floats], tuple[Floats, Floats]], int] | None:
        """Return the four cells' means over common blocks and their number, None without any."""
        places = [(i, j) for i in first for j in second]
        cells = [cell for place in places if (cell := self._levels[place]) is not None]
        if len(cells) < len(places):
            return None
        columns = self._table.shared(cells, compared)
        common = np.logical_and.reduce([self._blocks(place, columns) for place in places])
        if not common.any():
            return None
        a, b, c, d = (self._mean(place, columns, common) for place in places)
        return ((a, b), (c, d)), int(common.sum())

    def _blocks(self, place: tuple[int, int], columns: tuple[int, ...]) -> np.ndarray:
        """Return which blocks a cell occurs in, shape (number of blocks,)."""
        if (place, columns) not in self._present:
            keys, cell = self._table.keys(columns), self._levels[place]
            assert cell is not None, place
            present = np.zeros(int(keys.max()) + 1, dtype=np.bool_)
            present[keys[cell.rows]] = True
            self._present[place, columns] = present
        return self._present[place, columns]

    def _mean(
        self, place: tuple[int, int], columns: tuple[int, ...], common: np.ndarray
    ) -> Floats:
        known = (place, columns, common.tobytes())
        if known not in self._means:
            cell = self._levels[place]
            assert cell is not None, place
            keys = self._table.keys(columns)[cell.rows]
            weights = block_weights(keys, np.flatnonzero(common))
            self._means[known] = weighted_sums(weights[None, :], self._scores[cell.rows])[0]
        return self._means[known]


def _half_widths(differences: Floats, signs: Signs, alpha: float) -> Floats:
    """Return half the width of each interval, shape (C,); infinite where Q is too small for one.

    Flipped are the deviations from each row's own mean: rows need not be 0 to be noise. For a
    pattern of signs s, T = sum s d / sqrt(sum d^2) gives t = T sqrt((Q - 1) / (Q - T^2)).
    """
    queries = differences.shape[1]
    numbers, _ = whole_numbers(differences)  # exact sums, whatever the number of threads
    deviations = np.rint(numbers - numbers.mean(axis=1, keepdims=True))
    length = np.sqrt((deviations**2).sum(axis=1))
    noisy = length > 0
    largest = np.zeros(len(signs))
    block = max(1, _BLOCK_CELLS // max(1, int(noisy.sum())))
    for start in range(0, len(signs) if noisy.any() else 0, block):
        flipped = deviations[noisy] @ signs[start : start + block].T.astype(np.float64)
        largest[start : start + block] = np.abs(flipped / length[noisy, None]).max(axis=0)
    room = np.maximum(queries - largest**2, 1e-9)
    largest = largest * np.sqrt((queries - 1) / room)
    critical = float(upper_quantiles(largest[None, :], alpha)[0])
    error = np.where(noisy, differences.std(axis=1, ddof=1), 0.0) / math.sqrt(queries)
    if not math.isfinite(critical):
        return np.full(len(differences), math.inf)
    half: Floats = critical * error
    return half


def _interaction(contrast: _Contrast, half: float, sign: float) -> Interaction:
    """Return it as people read it: the change that does good, and first where it does more.

    The parameter that comes first in a configuration is the moderator: mode, then top_k, chunks ..
    """
    (low, high), change = contrast.values
    effects = [to - old for old, to in contrast.cells]
    stronger = max((float(effect.mean()) for effect in effects), key=abs)
    if sign * stronger < 0:  # the other way round it helps
        effects, change = [-effect for effect in effects], (change[1], change[0])
    at = (low, high)
    if sign * effects[0].mean() < sign * effects[1].mean():
        effects, at = effects[::-1], at[::-1]
    first, second = (float(effect.mean()) for effect in effects)
    difference = first - second
    return Interaction(
        parameter=contrast.names[1],
        change=change,
        moderator=contrast.names[0],
        at=at,
        effects=(first, second),
        intervals=(t_interval(effects[0]), t_interval(effects[1])),
        difference=difference,
        interval=(difference - half, difference + half),
        blocks=contrast.blocks,
    )
