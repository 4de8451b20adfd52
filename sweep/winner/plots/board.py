"""What the plots of a study are of, and how all of them look.

Colours and lines are such that they can be read on a light and on a dark page: the page decides
which it is. Figures hold plain lists: what is stored is their JSON.
"""

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline

if TYPE_CHECKING:  # a board is a record: who only describes it does without Plotly
    import plotly.graph_objects as go

INK, GRID = "#7a7a7a", "rgba(128,128,128,0.25)"
MODES = {"bm25": "#8c6bb1", "vector": "#1f9e89", "hybrid": "#3b82c4", "rerank": "#c2557a"}
ROLES = {"recommended": "#2a962a", "best": "#b97a00", "baseline": "#d9463f", "front": "#2a962a"}
MOST_LABELS = 400  # trials; of more, points tell their number only


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What the plots are of.

    Attributes:
        trials: the finished trials.
        objectives: metric names.
        maximize: per objective, whether higher is better.
        roles: what is to be said of a trial, by its number; see `ROLES`.
        tied: numbers of the trials that are not separable from the best; empty if unknown.
        baseline: what is in production today; one that is no trial is drawn as a line.
    """

    trials: Sequence[TrialRecord]
    objectives: Sequence[str]
    maximize: Sequence[bool]
    roles: Mapping[int, Sequence[str]]
    tied: frozenset[int] = frozenset()
    baseline: Baseline | None = None

    @property
    def line(self) -> Baseline | None:
        """Return the baseline if it is no trial, but a run file."""
        return self.baseline if self.baseline is not None and self.baseline.run else None

    def role(self, trial: TrialRecord) -> str | None:
        """Return the first role of a trial that has a colour."""
        roles = self.roles.get(trial.number, ())
        return next((role for role in ROLES if role in roles), None)

    def in_order(self) -> list[TrialRecord]:
        """Return the trials, the best by the first objective first."""
        sign = -1.0 if self.maximize[0] else 1.0
        return sorted(self.trials, key=lambda t: (sign * t.values[0], t.number))

    def leaders(self, most: int) -> list[TrialRecord]:
        """Return the trials that have a role, and the best of the others up to so many in all.

        The best first. What violates a constraint is among them only if every trial does.
        """
        order = self.in_order()
        order = [trial for trial in order if not trial.violated] or order
        marked = [trial for trial in order if self.role(trial)]
        rest = [trial for trial in order if trial not in marked][: max(0, most - len(marked))]
        return [trial for trial in order if trial in marked or trial in rest]


def make_figure(title: str, layout: Mapping[str, Any]) -> "go.Figure":
    """Return an empty figure in the common style.

    Args:
        title: what one sees, in a few words.
        layout: what is particular to it.
    """
    import plotly.graph_objects as go

    axis = {
        "gridcolor": GRID,
        "zeroline": False,
        "linecolor": GRID,
        "automargin": True,
        "title": {"standoff": 8},
    }
    common = {
        "template": "none",
        "title": {"text": title, "font": {"size": 16}, "x": 0.01, "xanchor": "left"},
        "font": {"color": INK, "size": 12},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 60, "r": 20, "t": 60, "b": 50},
        "legend": {"orientation": "h", "y": -0.2, "yanchor": "top", "font": {"size": 11}},
        "hoverlabel": {"align": "left"},
        "xaxis": axis,
        "yaxis": axis,
    }
    return go.Figure(layout=common).update_layout(layout)


def hover_texts(board: Board, trials: Sequence[TrialRecord]) -> list[str]:
    """Return what is told of points: number, role, configuration."""
    if len(board.trials) > MOST_LABELS:
        return [f"#{trial.number}" for trial in trials]
    return [
        f"#{trial.number} {', '.join(board.roles.get(trial.number, ()))}<br>"
        f"{escaped(trial.configuration.label())}"
        for trial in trials
    ]


def names_by_width(wide: Sequence[str], narrow: Sequence[str]) -> dict[str, Any]:
    """Return what a page that knows its width may set: the names of rows, long or short."""
    return {"wide": {"yaxis.ticktext": list(wide)}, "narrow": {"yaxis.ticktext": list(narrow)}}


def escaped(text: str) -> str:
    """Return a text that Plotly shows as it is: it takes tags in texts for markup, links too."""
    return html.escape(text, quote=False)


def error_bars(
    values: Sequence[float], intervals: Sequence[tuple[float, float] | None]
) -> dict[str, Any]:
    """Return Plotly's form of intervals: how far each reaches to both sides; none is 0."""
    pairs = [
        (0.0, 0.0) if bounds is None else (bounds[1] - value, value - bounds[0])
        for value, bounds in zip(values, intervals, strict=True)
    ]
    return {
        "type": "data",
        "symmetric": False,
        "array": [_length(up) for up, _ in pairs],
        "arrayminus": [_length(down) for _, down in pairs],
        "thickness": 1.5,
        "width": 3,
    }


def short(value: float | None) -> float | None:
    """Return five significant digits: a plot shows no more, and is stored as text."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.5g}")


def _length(value: float) -> float:
    return max(0.0, short(value) or 0.0)
