"""What each value of each parameter does to the objective, all else equal, and that of top_k."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import plotly.graph_objects as go

from sweep.winner.insight.effects import MainEffect, ValueEffect
from sweep.winner.plots.board import (
    GRID,
    INK,
    MODES,
    error_bars,
    escaped,
    make_figure,
    short,
)

MOST_ROWS = 20
MOST_VALUES = 6  # of one parameter; of more some are left out, never the best or the worst
BETTER, WORSE, OPEN = "better", "worse", "no difference shown"
COLORS = {BETTER: "#2a962a", WORSE: "#d9463f", OPEN: "#8a8a8a"}
PLAIN = "not matched"  # plain means: other parameters differ too
Row = tuple[MainEffect, ValueEffect]


def plot_effects(
    effects: Sequence[MainEffect], objective: str, *, maximize: bool
) -> go.Figure | None:
    """Return the differences that values of parameters make, the largest on top.

    Args:
        effects: those to be read first come first; see `winner.insight.effects`. Those that have
            no room are left out, the last ones.
        objective: the metric's name.
        maximize: whether higher is better.

    Returns: the figure; None if nothing was varied.
    """
    groups: list[MainEffect] = []
    for effect in map(_thinned, effects):
        if sum(len(g.values) for g in groups) + len(effect.values) <= MOST_ROWS:
            groups.append(effect)
    rows = [(effect, value) for effect in reversed(groups) for value in reversed(effect.values)]
    if not rows:
        return None
    axis = {"title": {"text": f"{objective}: difference to the mean over the parameter's values"}}
    figure = make_figure(
        f"What each parameter does to {objective}{_all_else(groups)}",
        {"xaxis": axis, "yaxis": {"tickvals": list(range(len(rows))), "ticktext": _names(rows)}},
    )
    for matched in (True, False):
        for meaning, color in COLORS.items():
            own = [
                place
                for place, (effect, value) in enumerate(rows)
                if effect.matched == matched and meaning_of(value, maximize=maximize) == meaning
            ]
            if own:
                name = meaning if matched else f"{meaning}, {PLAIN}"
                marker = {"color": color, "symbol": "circle" if matched else "circle-open"}
                figure.add_trace(_points(rows, own).update(name=name, marker=marker))
    for place, ((one, _), (other, _)) in enumerate(zip(rows, rows[1:], strict=False)):
        if one is not other:
            figure.add_hline(y=place + 0.5, line={"color": GRID, "width": 1})
    return figure.add_vline(x=0, line={"color": INK, "width": 1})


def plot_top_k(effects: Mapping[str, MainEffect], objective: str) -> go.Figure | None:
    """Return what top_k does in each mode, all else equal; None if it was not varied.

    Args:
        effects: of top_k, by mode. The bars are intervals of the difference to the mean over the
            values of top_k: what they compare is the points of one line.
        objective: the metric's name.
    """
    tops = {value.at: value.value for effect in effects.values() for value in effect.values}
    if len(tops) < 2:
        return None
    figure = make_figure(
        f"{objective} by top_k{_all_else(effects.values())}",
        {"xaxis": {"title": {"text": "top_k"}}, "yaxis": {"title": {"text": objective}}},
    )
    if all(label.isdigit() for label in tops.values()):  # no bins
        figure.update_xaxes(tickvals=list(tops))
    for mode, color in MODES.items():
        if mode not in effects:
            continue
        values, matched = effects[mode].values, effects[mode].matched
        differences = [value.difference for value in values]
        figure.add_trace(
            go.Scatter(
                x=[value.at for value in values],
                y=[short(value.mean) for value in values],
                error_y=error_bars(differences, [value.interval for value in values]),
                mode="lines+markers",
                line={"dash": "solid" if matched else "dot"},
                marker={"size": 8, "color": color},
                name=mode if matched else f"{mode}, {PLAIN}",
                hovertext=[_hover(effects[mode], value) for value in values],
                hovertemplate="%{hovertext}<extra></extra>",
            )
        )
    return figure


def _thinned(effect: MainEffect) -> MainEffect:
    """Return an effect with a few of its values: both ends, the best, the worst, some between."""
    count = len(effect.values)
    if count <= MOST_VALUES:
        return effect
    kept = {round(step * (count - 1) / (MOST_VALUES - 1)) for step in range(MOST_VALUES)}
    order = sorted(range(count), key=lambda place: effect.values[place].difference)
    kept |= {order[0], order[-1]}
    return replace(effect, values=tuple(effect.values[place] for place in sorted(kept)))


def _names(rows: Sequence[Row]) -> list[str]:
    """Return the names of the rows, from below: a parameter is named once, at its top value."""
    above = [*(effect for effect, _ in rows[1:]), None]
    return [
        escaped(value.value)
        if effect is upper
        else f"<b>{effect.parameter}</b>{_with(effect)}  {escaped(value.value)}"
        for (effect, value), upper in zip(rows, above, strict=True)
    ]


def _all_else(effects: Iterable[MainEffect]) -> str:
    return ", all else equal" if all(effect.matched for effect in effects) else ""


def _with(effect: MainEffect) -> str:
    return f" (with {', '.join(effect.along)})" if effect.along else ""


def _points(rows: Sequence[Row], own: Sequence[int]) -> go.Scatter:
    values = [rows[place][1] for place in own]
    return go.Scatter(
        x=[short(value.difference) for value in values],
        y=list(own),
        error_x=error_bars([v.difference for v in values], [v.interval for v in values]),
        mode="markers",
        marker={"size": 9},
        hovertext=[_hover(*rows[place]) for place in own],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _hover(effect: MainEffect, value: ValueEffect) -> str:
    how = f"in {effect.blocks} blocks or more"
    if not effect.matched:
        how = f"{PLAIN}: other parameters differ too"
    low, high = value.interval
    interval = f" [{low:+.4f}, {high:+.4f}]" if low <= high else ""  # not NaN
    return (
        f"{effect.parameter} = {escaped(value.value)}<br>{value.difference:+.4f}{interval}<br>"
        f"mean {value.mean:.4f}, {value.configurations} configurations {how}"
    )


def meaning_of(value: ValueEffect, *, maximize: bool) -> str:
    """Return whether a difference is shown: its interval does not hold 0."""
    low, high = value.interval
    if not (low > 0 or high < 0):
        return OPEN
    return BETTER if (low > 0) == maximize else WORSE
