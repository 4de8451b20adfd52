"""What each parameter does to a metric, over all configurations that have the parameter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from sweep.configuration import Scalar
from sweep.records import Floats, Ints

MOST_VALUES = 6  # of a number; more are put into bins
BINS = 4  # of equally many configurations, as far as equal values permit
Group = tuple[str, Ints]  # a value, or a bin of values, and the rows of those that have it


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One value of one parameter, compared with all values that were tried of it.

    Attributes:
        name: of the parameter.
        value: as people read it; `0.1 to 0.3` for a bin.
        configurations: how many have it.
        mean: their mean score.
        difference: `mean` minus the mean of all configurations that have the parameter.
        interval: 95 % t interval of the difference over queries; NaN for fewer than two queries.
    """

    name: str
    value: str
    configurations: int
    mean: float
    difference: float
    interval: tuple[float, float]


def parameter_effects(
    params: Sequence[Mapping[str, Scalar]], scores: Floats
) -> dict[str, tuple[Effect, ...]]:
    """Return the effects of every parameter that takes several values.

    They are means over whatever else was varied along, and so as fair as that was balanced: in a
    grid it is, among the configurations that have the parameter. What an adaptive sampler tried is
    denser where it expected good scores.

    Args:
        params: N flat configurations; a parameter may be absent where it does not apply.
        scores: shape (N, Q), finite; Q may be 1 where there is no score per query.

    Returns:
        By parameter, the one that makes the largest difference first; values in rising order.
    """
    names = list(dict.fromkeys(name for flat in params for name in flat))
    found = {}
    for name in names:
        groups = _groups(name, params)
        if len(groups) > 1:
            found[name] = _effects(name, groups, scores)
    return dict(sorted(found.items(), key=lambda item: -_spread(item[1])))


def _groups(name: str, params: Sequence[Mapping[str, Scalar]]) -> list[Group]:
    rows = [row for row, flat in enumerate(params) if name in flat]
    values = [params[row][name] for row in rows]
    kinds = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in kinds)
    if numbers and len(kinds) > MOST_VALUES:
        return _bins(np.array(values, dtype=np.float64), np.array(rows, dtype=np.int64))
    return [
        (shown(kind), np.array([r for r, v in zip(rows, values, strict=True) if v == kind]))
        for kind in kinds
    ]


def _bins(values: Floats, rows: Ints) -> list[Group]:
    edges = np.unique(np.quantile(values, np.linspace(0, 1, BINS + 1)[1:-1], method="lower"))
    places = np.searchsorted(edges, values, side="left")
    groups = []
    for place in np.unique(places):
        inside = places == place
        low, high = values[inside].min(), values[inside].max()
        text = f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"
        groups.append((text, rows[inside]))
    return groups


def _effects(name: str, groups: Sequence[Group], scores: Floats) -> tuple[Effect, ...]:
    everyone = scores[np.concatenate([rows for _, rows in groups])].mean(axis=0)
    found = []
    for value, rows in groups:
        own = scores[rows].mean(axis=0)
        found.append(
            Effect(
                name=name,
                value=value,
                configurations=len(rows),
                mean=float(own.mean()),
                difference=float((own - everyone).mean()),
                interval=_t_interval(own - everyone),
            )
        )
    return tuple(found)


def _t_interval(values: Floats) -> tuple[float, float]:
    count = len(values)
    if count < 2:
        return float("nan"), float("nan")
    half = float(values.std(ddof=1)) / count**0.5 * float(stdtrit(count - 1, 0.975))
    mean = float(values.mean())
    return mean - half, mean + half


def _spread(effects: Sequence[Effect]) -> float:
    differences = [effect.difference for effect in effects]
    return max(differences) - min(differences)


def shown(value: Scalar) -> str:
    """Return a parameter's value as people read it; of a path the last part."""
    if isinstance(value, str):
        return value.rstrip("/").rpartition("/")[2] or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)
