"""Quality by how much of a configuration's output is used, one line per trial."""

from collections.abc import Sequence

import plotly.graph_objects as go

from sweep.winner.insight.curves import Curve
from sweep.winner.plots.board import error_bars, make_figure, short

COLORS = ("#2a962a", "#3b82c4", "#b97a00", "#c2557a", "#8c6bb1", "#1f9e89")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "solid")
TITLES = {"top_k": "top_k", "tokens": "tokens of context"}


def plot_curves(curves: Sequence[Curve]) -> go.Figure | None:
    """Return the curves of one metric by one kind of cut; None if none has two points.

    Args:
        curves: of different trials, the most important first; as many as there are colours.
    """
    shown = [curve for curve in curves if len(curve.points) > 1][: len(COLORS)]
    if not shown:
        return None
    first = shown[0]
    axis = TITLES[first.by]
    figure = make_figure(
        f"{first.metric} by {axis}",
        {"xaxis": {"title": {"text": axis}}, "yaxis": {"title": {"text": first.metric}}},
    )
    for curve, color, dash in zip(shown, COLORS, DASHES, strict=False):
        means = [point.mean for point in curve.points]
        figure.add_trace(
            go.Scatter(
                x=[point.at for point in curve.points],
                y=[short(mean) for mean in means],
                error_y=error_bars(means, [point.interval for point in curve.points]),
                mode="lines+markers",
                line={"color": color, "dash": dash, "width": 1.5},
                marker={"size": 6, "color": color},
                name=f"#{curve.trial}",
                hovertemplate=f"#{curve.trial}<br>%{{y:.4g}} at %{{x}}<extra></extra>",
            )
        )
    return figure
