"""Quality against what it costs, or against another objective, with what nothing beats in both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from sweep.trials import TrialRecord
from sweep.winner.plots.board import (
    INK,
    MODES,
    ROLES,
    Board,
    escaped,
    hover_texts,
    make_figure,
    short,
)

COSTS = {
    "context_tokens": "context tokens a query",
    "latency_p95_ms": "p95 latency, ms",
    "index_bytes": "index size, bytes",
    "work": "work a query",
}
SYMBOLS = {"recommended": "star", "best": "circle-open", "baseline": "diamond", "front": "star"}
LOG_FROM = 20  # what spans such a factor gets a logarithmic axis


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """One choice of the horizontal axis: coordinates of every trace, the line of the front first.

    Attributes:
        title: of the axis.
        x, y: per trace, its points.
        log: whether the axis is logarithmic.
    """

    title: str
    x: list[list[float | None]]
    y: list[list[float | None]]
    log: bool

    def axis(self) -> dict[str, Any]:
        return {
            "xaxis.title.text": self.title,
            "xaxis.type": "log" if self.log else "linear",
            "xaxis.autorange": True,
        }


def plot_cost(board: Board) -> go.Figure | None:
    """Return the first objective against a cost that varies; a menu offers the other costs.

    None without a finished trial, or without anything to put on the horizontal axis.
    """
    groups = _groups(board)
    views = [_view(board, groups, name) for name in axis_names(board)]
    if not views:
        return None
    title = f"{board.objectives[0]} and what it costs"
    figure = make_figure(title, {"yaxis": {"title": {"text": board.objectives[0]}}})
    line = {"color": INK, "width": 1, "dash": "dot"}
    figure.add_trace(
        go.Scatter(mode="lines", line=line, name="beaten by none in both", hoverinfo="skip")
    )
    for _, trace in groups:
        figure.add_trace(trace)
    for trace, x, y in zip(figure.data, views[0].x, views[0].y, strict=True):
        trace.update(x=x, y=y)
    figure.update_layout(views[0].axis())
    _mark_run(figure, board)
    if len(views) > 1:
        figure.update_layout(updatemenus=[_menu(views)])
    return figure


def _mark_run(figure: go.Figure, board: Board) -> None:
    """Draw a baseline that is a run file as a line: what it costs is not known."""
    run = board.line
    if run is None or run.values[0] is None:
        return
    color = ROLES["baseline"]
    figure.add_hline(
        y=short(run.values[0]),
        line={"color": color, "width": 1.5, "dash": "dash"},
        annotation_text=f"baseline: {escaped(run.name)}, cost unknown",
        annotation_position="bottom right",
        annotation_font={"color": color, "size": 11},
    )


def _menu(views: Sequence[_View]) -> dict[str, Any]:
    buttons = [
        {
            "label": view.title,
            "method": "update",
            "args": [{"x": view.x, "y": view.y}, view.axis()],
        }
        for view in views
    ]
    return {"buttons": buttons, "x": 1, "xanchor": "right", "y": 1.16, "font": {"size": 11}}


def _groups(board: Board) -> list[tuple[list[TrialRecord], go.Scatter]]:
    """Return the trials of each trace, and the trace without its points."""
    found = []
    for mode, color in MODES.items():
        kept = [t for t in board.trials if t.configuration.mode == mode and not t.violated]
        found.append((kept, mode, {"size": 7, "color": color, "opacity": 0.75}))
    violating = [t for t in board.trials if t.violated]
    style = {"size": 7, "color": INK, "symbol": "x-thin-open", "opacity": 0.8}
    found.append((violating, "violates a constraint", style))
    for role, color in ROLES.items():
        marked = [t for t in board.trials if role in board.roles.get(t.number, ())]
        size = 17 if role == "best" else 13
        line = {"width": 2 if role == "best" else 1, "color": color if role == "best" else "white"}
        found.append(
            (marked, role, {"size": size, "color": color, "symbol": SYMBOLS[role], "line": line})
        )
    return [
        (
            trials,
            go.Scatter(
                mode="markers",
                name=name,
                marker=marker,
                hovertext=hover_texts(board, trials),
                hovertemplate="%{hovertext}<br>%{y:.4g} at %{x:.5g}<extra></extra>",
            ),
        )
        for trials, name, marker in found
        if trials
    ]


def axis_names(board: Board) -> list[str]:
    """Return what can be on the horizontal axis: other objectives, then costs that vary."""
    costs = [name for name in COSTS if name not in board.objectives]
    known = [n for n in costs if any(_value(board, t, n) is not None for t in board.trials)]
    varying = [name for name in known if len({_value(board, t, name) for t in board.trials}) > 1]
    return [*board.objectives[1:], *(varying or known[:1])] if board.trials else []


def _value(board: Board, trial: TrialRecord, name: str) -> float | None:
    if name in board.objectives:
        return short(trial.values[list(board.objectives).index(name)])
    return short(trial.metrics.get(name))


def _view(
    board: Board, groups: Sequence[tuple[Sequence[TrialRecord], go.Scatter]], name: str
) -> _View:
    maximize = name in board.objectives and board.maximize[list(board.objectives).index(name)]
    front = undominated(board, name, maximize=maximize)
    lists = [front, *(trials for trials, _ in groups)]
    known = [v for t in board.trials if (v := _value(board, t, name)) is not None]
    return _View(
        title=COSTS.get(name, name),
        x=[[_value(board, trial, name) for trial in trials] for trials in lists],
        y=[[short(trial.values[0]) for trial in trials] for trials in lists],
        log=min(known, default=0.0) > 0 and max(known) > LOG_FROM * min(known),
    )


def undominated(board: Board, name: str, *, maximize: bool = False) -> list[TrialRecord]:
    """Return the feasible trials that none beats in both, from left to right; of equals one.

    Args:
        board: the trials.
        name: of a cost or an objective, beside the first objective.
        maximize: whether higher is better in `name`.
    """
    up, right = (1.0 if better else -1.0 for better in (board.maximize[0], maximize))
    known = [
        (right * value, up * trial.values[0], trial)
        for trial in board.trials
        if not trial.violated and (value := _value(board, trial, name)) is not None
    ]
    known.sort(key=lambda point: (-point[0], -point[1], point[2].number))
    front: list[TrialRecord] = []
    best = -math.inf
    for _, quality, trial in known:  # the cheapest first: each must be better than all before
        if quality > best:
            front.append(trial)
            best = quality
    return front if right < 0 else front[::-1]
