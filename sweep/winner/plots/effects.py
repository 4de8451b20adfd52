"""What each value of each parameter does to the objective, and the curve over top_k."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import plotly.graph_objects as go

from sweep.trials import TrialRecord
from sweep.winner.insight.effects import Effect
from sweep.winner.plots.board import (
    GRID,
    INK,
    MODES,
    Board,
    error_bars,
    escaped,
    hover_texts,
    make_figure,
    short,
)

MOST_ROWS = 20
BETTER, WORSE, OPEN = "better", "worse", "no difference shown"
COLORS = {BETTER: "#2a962a", WORSE: "#d9463f", OPEN: "#8a8a8a"}


def plot_effects(
    effects: Mapping[str, Sequence[Effect]], objective: str, *, maximize: bool
) -> go.Figure | None:
    """Return the differences that values of parameters make, the largest on top.

    Args:
        effects: by parameter, those that make the largest difference first; see
            `winner.insight.effects`. Parameters that have no room are left out, the last ones.
        objective: the metric's name.
        maximize: whether higher is better.

    Returns: the figure; None if nothing was varied.
    """
    rows: list[Effect] = []
    for group in effects.values():
        if len(rows) + len(group) <= MOST_ROWS:
            rows += group
    if not rows:
        return None
    rows.reverse()
    axis = {"title": {"text": f"{objective}: difference to the mean over the parameter's values"}}
    figure = make_figure(
        f"What each parameter does to {objective}",
        {"xaxis": axis, "yaxis": {"tickvals": list(range(len(rows))), "ticktext": _names(rows)}},
    )
    for meaning, color in COLORS.items():
        own = [row for row, e in enumerate(rows) if meaning_of(e, maximize=maximize) == meaning]
        if own:
            figure.add_trace(_points(rows, own).update(name=meaning, marker={"color": color}))
    for place, (one, other) in enumerate(pairwise(rows)):
        if one.name != other.name:
            figure.add_hline(y=place + 0.5, line={"color": GRID, "width": 1})
    return figure.add_vline(x=0, line={"color": INK, "width": 1})


def plot_top_k(board: Board) -> go.Figure | None:
    """Return the best trial of each mode at each top_k; None if top_k was not varied."""
    best: dict[tuple[str, int], TrialRecord] = {}
    for trial in board.in_order():
        best.setdefault((trial.configuration.mode, trial.configuration.top_k), trial)
    values_of_k = sorted({top_k for _, top_k in best})
    if len(values_of_k) < 2:
        return None
    objective = board.objectives[0]
    figure = make_figure(
        f"{objective} by top_k, the best of each mode",
        {
            "xaxis": {"title": {"text": "top_k"}, "tickvals": values_of_k},
            "yaxis": {"title": {"text": objective}},
        },
    )
    for mode, color in MODES.items():
        trials = sorted(
            (trial for (own, _), trial in best.items() if own == mode),
            key=lambda trial: trial.configuration.top_k,
        )
        values = [trial.values[0] for trial in trials]
        if trials:
            figure.add_trace(
                go.Scatter(
                    x=[trial.configuration.top_k for trial in trials],
                    y=[short(value) for value in values],
                    error_y=error_bars(values, [t.intervals.get(objective) for t in trials]),
                    mode="lines+markers",
                    marker={"size": 8, "color": color},
                    name=mode,
                    hovertext=hover_texts(board, trials),
                    hovertemplate="%{hovertext}<br>%{y:.4g}<extra></extra>",
                )
            )
    return figure


def _names(rows: Sequence[Effect]) -> list[str]:
    """Return the names of the rows, from below: a parameter is named once, at its top value."""
    above = [*(effect.name for effect in rows[1:]), ""]
    return [
        escaped(effect.value)
        if effect.name == name
        else f"<b>{effect.name}</b>  {escaped(effect.value)}"
        for effect, name in zip(rows, above, strict=True)
    ]


def _interval(effect: Effect) -> tuple[float, float] | None:
    return effect.interval if effect.interval[0] <= effect.interval[1] else None  # not NaN


def _points(rows: Sequence[Effect], own: Sequence[int]) -> go.Scatter:
    effects = [rows[row] for row in own]
    return go.Scatter(
        x=[short(effect.difference) for effect in effects],
        y=list(own),
        error_x=error_bars([e.difference for e in effects], [_interval(e) for e in effects]),
        mode="markers",
        marker={"size": 9},
        hovertext=[
            f"{e.name} = {escaped(e.value)}<br>"
            f"mean {e.mean:.4f} of {e.configurations} configurations"
            for e in effects
        ],
        hovertemplate="%{hovertext}<br>%{x:+.4f}<extra></extra>",
    )


def meaning_of(effect: Effect, *, maximize: bool) -> str:
    """Return whether a difference is shown: its interval does not hold 0."""
    low, high = effect.interval
    if not (low > 0 or high < 0):
        return OPEN
    return BETTER if (low > 0) == maximize else WORSE
