"""The leading trials with the intervals of their scores."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from sweep.trials import TrialRecord
from sweep.winner.plots.board import (
    ROLES,
    Board,
    error_bars,
    escaped,
    hover_texts,
    make_figure,
    names_by_width,
    short,
)

TIED, OTHER = "tied with the best", "other"
COLORS = {**ROLES, TIED: "#5b8fb0", OTHER: "#8a8a8a"}
MOST_ROWS = 10
MOST_COLUMNS = 3  # objectives
LINE = 46  # characters of a line, of two at most, that name a configuration


def plot_leaders(board: Board) -> go.Figure | None:
    """Return the leading trials, the best on top, with 95 % intervals; the baseline with them.

    Trials that violate a constraint are shown only where no other is finished. None without a
    finished trial.
    """
    shown = board.leaders(MOST_ROWS)[:MOST_ROWS][::-1]  # the axis begins below
    if not shown:
        return None
    figure = make_figure(
        "The leaders with their 95 % intervals",
        {
            "yaxis": {
                "tickvals": list(range(len(shown))),
                "ticktext": _names(shown),
                "tickfont": {"size": 10},
                "range": [-0.6, len(shown) - 0.4],
            },
            "meta": names_by_width(_names(shown), [f"#{trial.number}" for trial in shown]),
        },
    )
    columns = board.objectives[:MOST_COLUMNS]
    for column, objective in enumerate(columns):
        axis = "x" if column == 0 else f"x{column + 1}"
        for kind, color in COLORS.items():
            rows = [row for row, trial in enumerate(shown) if _kind(board, trial) == kind]
            if rows:
                trace = _points(board, shown, rows, column)
                trace.update(name=kind, legendgroup=kind, showlegend=column == 0, xaxis=axis)
                figure.add_trace(trace.update(marker={"color": color, "size": 9}))
        place = f"xaxis{axis[1:]}"
        figure.update_layout({place: _axis(objective, column, len(columns), figure)})
        _mark_run(figure, board, column, axis)
    return figure


def _mark_run(figure: go.Figure, board: Board, column: int, axis: str) -> None:
    """Draw a baseline that is a run file: a line at its mean, and the band of its interval."""
    run = board.line
    value = None if run is None else run.values[column]
    if run is None or value is None:
        return
    common = {"xref": axis, "yref": "paper", "y0": 0, "y1": 1, "layer": "below"}
    color = ROLES["baseline"]
    low, high = run.intervals.get(board.objectives[column], (value, value))
    band = {"x0": short(low), "x1": short(high), "fillcolor": color, "opacity": 0.12}
    figure.add_shape(type="rect", line_width=0, **common, **band)
    line = {"color": color, "width": 1.5, "dash": "dash"}
    figure.add_shape(type="line", x0=short(value), x1=short(value), line=line, **common)
    figure.add_annotation(
        x=short(value),
        xref=axis,
        y=1,
        yref="paper",
        yanchor="bottom",
        showarrow=False,
        text=f"baseline: {escaped(run.name)} {value:.4g}",
        font={"color": color, "size": 11},
    )


def _kind(board: Board, trial: TrialRecord) -> str:
    return board.role(trial) or (TIED if trial.number in board.tied else OTHER)


def _points(
    board: Board, shown: Sequence[TrialRecord], rows: Sequence[int], column: int
) -> go.Scatter:
    trials = [shown[row] for row in rows]
    objective = board.objectives[column]
    values = [trial.values[column] for trial in trials]
    return go.Scatter(
        x=[short(value) for value in values],
        y=list(rows),
        error_x=error_bars(values, [trial.intervals.get(objective) for trial in trials]),
        mode="markers",
        hovertext=hover_texts(board, trials),
        hovertemplate="%{hovertext}<br>%{x:.4g}<extra></extra>",
    )


def _axis(objective: str, column: int, columns: int, figure: go.Figure) -> dict[str, Any]:
    """Return the axis of one objective; they stand side by side."""
    own = figure.layout.xaxis.to_plotly_json()
    gap = 0.04 if columns > 1 else 0.0
    domain = [column / columns + gap / 2, (column + 1) / columns - gap / 2]
    return {**own, "title": {"text": objective, "standoff": 8}, "domain": domain, "nticks": 6}


def _names(trials: Sequence[TrialRecord]) -> list[str]:
    """Return number and configuration, without what all have in common, in two lines at most."""
    parts = [trial.configuration.label().split(", ") for trial in trials]
    common = set(parts[0]).intersection(*parts[1:]) if len(parts) > 1 else set()
    return [
        f"#{trial.number} " + _wrapped([part for part in own if part not in common])
        for trial, own in zip(trials, parts, strict=True)
    ]


def _wrapped(parts: Sequence[str]) -> str:
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}, {part}" if lines[-1] else part
        if len(joined) <= LINE:
            lines[-1] = joined
        else:
            lines.append(part)
    lines = [line if len(line) <= LINE else f"{line[:LINE]}..." for line in lines if line]
    return ",<br>".join(map(escaped, lines[:2])) + (", ..." if len(lines) > 2 else "")
