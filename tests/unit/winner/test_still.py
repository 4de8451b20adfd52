"""Still pictures: values lie where their axis says, and what is drawn is what the figure holds."""

import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.winner.plots.board import Board
from sweep.winner.plots.cost import plot_cost
from sweep.winner.plots.leaders import plot_leaders
from sweep.winner.plots.scale import make_scale, round_values
from sweep.winner.plots.still import plain_lines, still_svg
from tests.report_material import trial

SVG = "{http://www.w3.org/2000/svg}"


def drawn(figure: go.Figure | None) -> ElementTree.Element:
    assert figure is not None
    return ElementTree.fromstring(still_svg(figure.to_plotly_json(), title="a <title>"))


def circles(picture: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(c.get("cx", 0)), float(c.get("cy", 0))) for c in picture.iter(f"{SVG}circle")]


def texts(picture: ElementTree.Element) -> list[str]:
    return [t.text or "" for t in picture.iter(f"{SVG}text")]


def test_values_lie_between_the_ends_of_their_axis() -> None:
    scale = make_scale([0, 10], {"range": [0, 10]}, pixels=(100, 300))
    assert [scale.place(value) for value in (0, 5, 10)] == [100, 200, 300]
    log = make_scale([1, 100], {"type": "log", "range": [0, 2]}, pixels=(0, 200))
    assert [log.place(value) for value in (1, 10, 100)] == [0, 100, 200]
    down = make_scale([0, 1], {"range": [0, 1]}, pixels=(300, 100))
    assert down.place(0.25) == 250


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0.5, 0.74, [0.5, 0.55, 0.6, 0.65, 0.7]),
        (930, 1880, [1000, 1200, 1400, 1600, 1800]),
        (-0.1, 0.1, [-0.1, -0.05, 0, 0.05, 0.1]),
    ],
    ids=["unit", "scores", "tokens", "differences"],
)
def test_ticks_are_round(low: float, high: float, expected: Sequence[float]) -> None:
    assert round_values(low, high) == pytest.approx(expected)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_inside(low: float, width: float) -> None:
    ticks = round_values(low, low + width)
    assert len(ticks) <= 7
    slack = 1e-9 * (abs(low) + width)
    assert all(low - slack <= value <= low + width + slack for value in ticks)


@given(st.lists(st.floats(-1e5, 1e5), max_size=5))
def test_every_value_can_be_seen(values: list[float]) -> None:
    scale = make_scale(values, {}, pixels=(10, 110))
    assert all(10 <= scale.place(value) <= 110 for value in values)


def test_points_error_bars_and_names() -> None:
    figure = go.Figure(
        data=[
            {
                "x": [0.2, 0.4, None],
                "y": [0, 1, 2],
                "mode": "markers",
                "name": "<b>two</b> &lt;x&gt;",
                "marker": {"color": "#123456", "size": 8},
                "error_x": {"array": [0.1, 0.0, 0.3], "arrayminus": [0.05, 0.0, 0.3]},
            }
        ],
        layout={
            "xaxis": {"range": [0, 1], "title": {"text": "score"}},
            "yaxis": {
                "range": [-0.5, 2.5],
                "tickvals": [0, 1, 2],
                "ticktext": ["#1 a,<br>b", "#2", "#3"],
            },
        },
    )
    picture = drawn(figure)
    first, second = circles(picture)[:2]  # the third has no value
    assert first[0] < second[0]
    assert first[1] > second[1]  # upwards
    bars = [p.get("d", "") for p in picture.iter(f"{SVG}path") if p.get("stroke") == "#123456"]
    (bar,) = bars
    start, end = map(float, re.findall(r"[MH]([\d.]+)", bar))
    width = (second[0] - first[0]) / 0.2
    assert first[0] - start == pytest.approx(0.05 * width, abs=0.2)
    assert end - first[0] == pytest.approx(0.1 * width, abs=0.2)
    assert {"#1 a,", "b", "#2", "#3", "score", "two <x>"} <= set(texts(picture))
    assert picture.get("aria-label") == "a <title>"


def test_plots_of_a_study_can_be_drawn() -> None:
    trials = [trial(n) for n in range(4)]
    roles = {2: ["recommended", "best"], 0: ["baseline"]}
    board = Board(trials=trials, objectives=["ndcg@10"], maximize=[True], roles=roles)
    leaders = drawn(plot_leaders(board))
    assert len(circles(leaders)) == 4 + 3  # points, and three kinds in the legend
    cost = drawn(plot_cost(board))
    dashes = [p for p in cost.iter(f"{SVG}path") if p.get("stroke-dasharray")]
    assert len(dashes) == 2  # the line of what nothing beats, and its place in the legend
    nowhere = Board(
        trials=[trial(0, constraints={"x <= 1": 1.0})],
        objectives=["ndcg@10"],
        maximize=[True],
        roles={},
    )
    assert "violates a constraint" in texts(drawn(plot_cost(nowhere)))


def test_lines_are_dashed_as_in_the_figure() -> None:
    at, axis = {"x": [0, 1], "y": [0, 1], "mode": "lines"}, {"range": [0, 1]}
    lines = [at | {"line": {"dash": dash, "color": "#123456"}} for dash in ("solid", "dot")]
    picture = drawn(go.Figure(data=lines, layout={"xaxis": axis, "yaxis": axis}))
    found = [p for p in picture.iter(f"{SVG}path") if p.get("stroke") == "#123456"]
    assert [path.get("stroke-dasharray") for path in found] == [None, "2 3"]


def test_several_axes_stand_side_by_side() -> None:
    trials = [trial(n, values=(0.5 + n / 10, 3.0 - n)) for n in range(3)]
    board = Board(trials=trials, objectives=["ndcg@10", "work"], maximize=[True, False], roles={})
    points = circles(drawn(plot_leaders(board)))
    left, right = points[:3], points[3:6]
    assert max(x for x, _ in left) < min(x for x, _ in right)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a<br>b", ["a", "b"]), ("<b>a</b>  1", ["a  1"]), ("&lt;b&gt; &amp;", ["<b> &"])],
    ids=["lines", "bold", "escaped"],
)
def test_markup_of_plotly_is_taken_away(text: Any, expected: list[str]) -> None:
    assert plain_lines(text) == expected
