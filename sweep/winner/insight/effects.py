"""What each parameter does to a metric: its values compared in matched configurations.

The intervals are t intervals over queries, not bootstrap ones: an effect is a mean over blocks and
then over queries, so that close to nothing of its skew is left; they need no seed, and a grid of a
thousand configurations has a hundred of them. Each holds for itself, not all at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from sweep.configuration import Scalar
from sweep.records import Floats, Ints
from sweep.winner.insight.matching import FOLLOWS, Level, Match, ParameterTable

_ROUNDING = 1e-12  # of the largest score: finer differences are noise of the arithmetic
_FEWEST = 2  # configurations of a value whose plain mean is shown
_SPARSE = 0.1  # share of the configurations: what less of them meet by chance says little of all
Pairs = dict[tuple[int, int], Match]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueEffect:
    """One value of a parameter against all values that it is compared with.

    Attributes:
        value: as people read it; `0.1 to 0.3` for a bin.
        at: the number, of a bin the mean of its configurations; None for a text.
        configurations: how many with this value took part.
        mean: what the value scores where all values meet in the same blocks: the mean over the
            values, and the difference.
        difference: to the mean over the parameter's values.
        interval: 95 % t interval of the difference over queries; NaN for fewer than two queries.
    """

    value: str
    at: float | None
    configurations: int
    mean: float
    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class MainEffect:
    """What a parameter does, over values that can be compared with each other.

    Attributes:
        parameter: its dotted name.
        matched: whether values are compared in configurations that are equal in all else that both
            have. If not, these are plain means: other parameters differ along with the value.
        values: in rising order, at least two.
        blocks: of two values that meet, in how many blocks they do, at least; 0 if not matched.
        along: parameters that change along with the value and cannot be told apart from it.
        left_out: configurations that have the parameter and no counterpart.
    """

    parameter: str
    matched: bool
    values: tuple[ValueEffect, ...]
    blocks: int
    along: tuple[str, ...]
    left_out: int

    @property
    def size(self) -> float:
        """Return the difference between the highest and the lowest value."""
        differences = [value.difference for value in self.values]
        return max(differences) - min(differences)


def main_effects(
    params: Sequence[Mapping[str, Scalar]], scores: Floats, *, names: Sequence[str] | None = None
) -> tuple[MainEffect, ...]:
    """Return what every parameter does that takes several values.

    Each pair of values is compared in the blocks where both occur: differences of block means,
    averaged over blocks, query by query. The values' effects are the least-squares solution of all
    pairs, weighted by their numbers of blocks (in a complete grid: the mean of the value minus
    that of all). Values that no chain of pairs joins are effects of their own, so that a parameter
    may be listed twice. Where nothing matches, or next to nothing (values that were drawn at
    random), these are plain means, and marked.

    Args:
        params: N flat configurations; a parameter is absent where it does not apply.
        scores: shape (N, Q), finite; Q may be 1 where there is no score per query.
        names: the parameters that are asked for; None = all.

    Returns:
        Matched ones first; of those, the parameter that makes the largest difference.
    """
    table = ParameterTable(params)
    found: list[MainEffect] = []
    for name in table.names:
        if names is not None and name not in names:
            continue
        matched = _matched_effects(table, name, scores)
        plain = [] if matched and not _sparse(matched) else _plain_effect(table, name, scores)
        found += plain or matched
    return tuple(sorted(found, key=lambda effect: (not effect.matched, -effect.size)))


def t_interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % t interval of a mean over queries, (NaN, NaN) for fewer than two.

    Args:
        values: shape (Q,), finite.
    """
    count = len(values)
    if count < 2:
        return float("nan"), float("nan")
    half = float(values.std(ddof=1)) / count**0.5 * float(stdtrit(count - 1, 0.975))
    mean = float(values.mean())
    return mean - half, mean + half


def weighted_sums(weights: Floats, scores: Floats) -> Floats:
    """Return the weighted sums of rows, shape (V, Q), in a fixed order of addition.

    What differs from 0 by the rounding of the arithmetic alone is 0.

    Args:
        weights: shape (V, N).
        scores: shape (N, Q).
    """
    rows = np.flatnonzero(weights.any(axis=0))
    # einsum adds in one fixed order; a BLAS product may not on another number of threads.
    sums: Floats = np.einsum("vn,nq->vq", weights[:, rows], scores[rows])
    limit = _ROUNDING * float(np.abs(scores).max(initial=0.0))
    return np.where(np.abs(sums) <= limit, 0.0, sums)


def _sparse(matched: Sequence[MainEffect]) -> bool:
    """Return whether nearly all configurations have no counterpart, as where values are drawn."""
    took_part = sum(value.configurations for effect in matched for value in effect.values)
    return took_part < _SPARSE * (took_part + matched[0].left_out)


def _matched_effects(table: ParameterTable, name: str, scores: Floats) -> list[MainEffect]:
    levels = table.levels(name)
    pairs: Pairs = {}
    for i, one in enumerate(levels):
        for j in range(i):
            if (match := table.match(name, one, levels[j])) is not None:
                pairs[i, j] = match
    found: list[MainEffect] = []
    joined: set[int] = set()
    took_part = np.zeros(len(scores), dtype=np.bool_)
    # Pairs that differ in nothing else first; with others along only what those leave alone.
    for along in sorted(dict.fromkeys(match.along for match in pairs.values()), key=len):
        own = {
            pair: match
            for pair, match in pairs.items()
            if match.along == along and not joined.issuperset(pair)
        }
        for match in own.values():
            took_part |= match.weights != 0
        for group in _joined(len(levels), own):
            joined |= set(group)
            found.append(_effect(name, group, levels, own, scores))
    left_out = sum(len(level.rows) for level in levels) - int(took_part.sum())
    return [replace(effect, left_out=left_out) for effect in found]


def _joined(count: int, pairs: Pairs) -> list[list[int]]:
    """Return the groups of at least two values that pairs join, each in rising order."""
    group = list(range(count))
    for i, j in pairs:
        old, new = group[i], group[j]
        group = [new if g == old else g for g in group]
    found = [[i for i in range(count) if group[i] == g] for g in dict.fromkeys(group)]
    return [members for members in found if len(members) > 1]


def _effect(
    name: str, group: Sequence[int], levels: Sequence[Level], pairs: Pairs, scores: Floats
) -> MainEffect:
    own = {pair: match for pair, match in pairs.items() if pair[0] in group}
    took_part = np.any([match.weights != 0 for match in own.values()], axis=0)
    rows = [levels[i].rows[took_part[levels[i].rows]] for i in group]
    centre = float(np.mean([scores[r].mean() for r in rows]))
    effects = weighted_sums(_least_squares(group, own, len(scores)), scores)
    first = next(iter(own.values()))
    return MainEffect(
        parameter=name,
        matched=True,
        values=tuple(
            _value(levels[i], len(r), centre, differences)
            for i, r, differences in zip(group, rows, effects, strict=True)
        ),
        blocks=min(match.blocks for match in own.values()),
        along=first.along,
        left_out=0,
    )


def _least_squares(group: Sequence[int], pairs: Pairs, n_configurations: int) -> Floats:
    """Return the weights of configurations in each value's effect, shape (V, N); effects sum to 0.

    The normal equations of all pairs, sum_j b_ij (e_i - e_j) = sum_j b_ij d_ij, with b blocks.
    """
    place = {member: row for row, member in enumerate(group)}
    laplacian = np.zeros((len(group), len(group)))
    right = np.zeros((len(group), n_configurations))
    for (i, j), match in pairs.items():
        one, other = place[i], place[j]
        laplacian[[one, other], [one, other]] += match.blocks
        laplacian[[one, other], [other, one]] -= match.blocks
        right[one] += match.blocks * match.weights
        right[other] -= match.blocks * match.weights
    # The mean over values, which no difference tells, is set to 0 by adding to every entry.
    inverse = np.linalg.inv(laplacian + laplacian.max() / len(group))
    weights: Floats = np.einsum("vw,wn->vn", inverse, right)
    return weights


def _plain_effect(table: ParameterTable, name: str, scores: Floats) -> list[MainEffect]:
    if name in FOLLOWS.values():
        return []  # it says what the parameter says that it follows
    levels = [level for level in table.binned(name) if len(level.rows) >= _FEWEST]
    if len(levels) < 2:
        return []
    everyone: Ints = np.concatenate([level.rows for level in levels])
    mean = scores[everyone].mean(axis=0)
    values = [
        _value(level, len(level.rows), float(mean.mean()), differences)
        for level in levels
        for differences in [scores[level.rows].mean(axis=0) - mean]
    ]
    return [
        MainEffect(
            parameter=name,
            matched=False,
            values=tuple(values),
            blocks=0,
            along=(),
            left_out=int((table.codes[:, table.names.index(name)] >= 0).sum()) - len(everyone),
        )
    ]


def _value(level: Level, count: int, centre: float, differences: Floats) -> ValueEffect:
    difference = float(differences.mean())
    return ValueEffect(
        value=level.label,
        at=level.at,
        configurations=count,
        mean=centre + difference,
        difference=difference,
        interval=t_interval(differences),
    )
