"""Plots of a study: which trials are joined, marked and shown, in figures that can be drawn."""

import json
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.trials import TrialRecord
from sweep.winner.insight.effects import MainEffect, ValueEffect
from sweep.winner.plots.board import MOST_LABELS, Board
from sweep.winner.plots.cost import plot_cost
from sweep.winner.plots.effects import PLAIN, plot_effects, plot_top_k
from sweep.winner.plots.leaders import MOST_ROWS, plot_leaders


def trial(
    number: int, values: Sequence[float], *, top_k: int = 10, missed: float = 0.0, **metrics: float
) -> TrialRecord:
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=Configuration(
            mode="bm25", top_k=top_k, chunk=ChunkConfig(size=10 + number), bm25=Bm25Config()
        ),
        values=tuple(values),
        metrics=metrics,
        intervals={"ndcg@10": (values[0] - 0.1, values[0] + 0.2)},
        constraints={"context_tokens <= 5": missed},
    )


def board(trials: Sequence[TrialRecord], **keys: Any) -> Board:
    given: dict[str, Any] = {"objectives": ["ndcg@10"], "maximize": [True], "roles": {}, **keys}
    return Board(trials=trials, **given)


def traces(figure: go.Figure | None) -> dict[str, Any]:
    """Return the traces by name, from the JSON that is stored."""
    assert figure is not None
    text = figure.to_json()
    assert "bdata" not in text  # packed arrays are for newer pages than the dashboard's
    assert "NaN" not in text
    return {trace["name"]: trace for trace in json.loads(text)["data"]}


FRONT = [
    trial(0, [0.5], context_tokens=100.0),
    trial(1, [0.6], context_tokens=200.0),
    trial(2, [0.55], context_tokens=250.0),  # beaten by 1
    trial(3, [0.9], context_tokens=300.0, missed=0.5),
    trial(4, [0.7], context_tokens=400.0),
    trial(5, [0.7], context_tokens=500.0),  # beaten by 4
]


def test_the_line_joins_what_nothing_feasible_beats_from_left_to_right() -> None:
    found = traces(plot_cost(board(FRONT, roles={4: ["recommended", "best"]})))
    line = found["beaten by none in both"]
    assert (line["x"], line["y"]) == ([100.0, 200.0, 400.0], [0.5, 0.6, 0.7])
    assert found["bm25"]["x"] == [100.0, 200.0, 250.0, 400.0, 500.0]
    assert found["violates a constraint"]["x"] == [300.0]
    assert found["recommended"]["x"] == found["best"]["x"] == [400.0]
    assert "recommended, best" in found["bm25"]["hovertext"][3]


def test_lower_is_better_where_it_is_and_objectives_come_before_costs() -> None:
    trials = [
        trial(0, [5.0, 0.1], context_tokens=1.0),
        trial(1, [4.0, 0.2], context_tokens=2.0),
        trial(2, [6.0, 0.05], context_tokens=3.0),
        trial(3, [3.0, 0.15], context_tokens=4.0),
    ]
    figure = plot_cost(board(trials, objectives=["work", "rr"], maximize=[False, True]))
    line = traces(figure)["beaten by none in both"]
    assert (line["x"], line["y"]) == ([0.15, 0.2], [3.0, 4.0])
    assert figure is not None
    (menu,) = figure.layout.updatemenus
    assert [button.label for button in menu.buttons] == ["rr", "context tokens a query"]


def test_each_choice_of_the_menu_has_points_for_every_trace() -> None:
    trials = [
        trial(0, [0.5], context_tokens=1.0, latency_p95_ms=0.1, index_bytes=7.0),
        trial(1, [0.6], context_tokens=2.0, latency_p95_ms=300.0, index_bytes=7.0),
        trial(2, [0.7], context_tokens=3.0, index_bytes=7.0),
    ]
    figure = plot_cost(board(trials, roles={0: ["baseline"]}))
    assert figure is not None
    (menu,) = figure.layout.updatemenus
    tokens, latency = menu.buttons  # every index has one size: nothing to see
    assert [len(tokens.args[0]["x"]), len(latency.args[0]["y"])] == [3, 3]
    assert latency.args[0]["x"] == [[0.1, 300.0], [0.1, 300.0, None], [0.1]]
    assert (tokens.args[1]["xaxis.type"], latency.args[1]["xaxis.type"]) == ("linear", "log")


def test_leaders_are_in_order_and_the_baseline_is_with_them() -> None:
    trials = [trial(n, [0.9 - n / 100]) for n in range(30)]
    roles = {0: ["best"], 2: ["recommended"], 29: ["baseline"]}
    figure = plot_leaders(board(trials, roles=roles, tied=frozenset({0, 1, 2})))
    found = traces(figure)
    assert figure is not None
    names = figure.layout.yaxis.ticktext
    assert len(names) == MOST_ROWS
    assert [names[-1], names[0]] == ["#0 tokens 10/0", "#29 tokens 39/0"]  # all are bm25, top 10
    assert found["best"]["y"] == [MOST_ROWS - 1]
    assert found["recommended"]["y"] == [MOST_ROWS - 3]
    assert found["tied with the best"]["y"] == [MOST_ROWS - 2]
    assert found["baseline"]["error_x"]["array"] == [pytest.approx(0.2)]
    assert found["baseline"]["error_x"]["arrayminus"] == [pytest.approx(0.1)]


def test_several_objectives_stand_side_by_side() -> None:
    trials = [trial(n, [0.5 + n / 10, 3.0, 4.0, 5.0]) for n in range(3)]
    names = ["ndcg@10", "a", "b", "c"]
    figure = plot_leaders(board(trials, objectives=names, maximize=[True] * 4))
    assert figure is not None
    assert {trace.xaxis for trace in figure.data} == {"x", "x2", "x3"}
    ends = [(a.domain[0], a.domain[1]) for a in figure.select_xaxes()]
    assert all(first[1] < second[0] for first, second in zip(ends, ends[1:], strict=False))


def test_where_nothing_is_feasible_all_are_shown() -> None:
    trials = [trial(n, [0.5], missed=1.0, context_tokens=float(n)) for n in range(3)]
    assert len(traces(plot_leaders(board(trials)))["other"]["y"]) == 3
    found = traces(plot_cost(board(trials)))
    assert found["beaten by none in both"]["x"] == []
    assert len(found["violates a constraint"]["x"]) == 3


def test_nothing_to_see_is_no_plot() -> None:
    assert plot_cost(board([])) is None
    assert plot_leaders(board([])) is None
    assert plot_top_k({}, "ndcg@10") is None
    assert plot_effects([], "ndcg@10", maximize=True) is None
    assert plot_cost(board([trial(0, [0.5])])) is None  # no cost was recorded
    alone = traces(plot_cost(board([trial(0, [0.5], context_tokens=7.0)])))
    assert alone["bm25"]["x"] == [7.0]


def value(text: str, low: float, high: float) -> ValueEffect:
    middle = (low + high) / 2
    return ValueEffect(
        value=text,
        at=float(text) if text.isdigit() else None,
        configurations=2,
        mean=0.5 + middle,
        difference=middle,
        interval=(low, high),
    )


def effect(name: str, values: Sequence[ValueEffect], **changes: Any) -> MainEffect:
    given = {"matched": True, "blocks": 3, "along": (), "left_out": 0, **changes}
    return MainEffect(parameter=name, values=tuple(values), **given)


def test_effects_say_whether_a_difference_is_shown() -> None:
    nothing = float("nan")
    effects = [
        effect("mode", [value("bm25", -0.2, -0.1), value("vector", 0.1, 0.2)]),
        effect("size", [value("10", -0.1, 0.2), value("20", nothing, nothing)], along=("top_k",)),
        effect("w", [value("1", 0.1, 0.2), value("2", -0.2, -0.1)], matched=False, blocks=0),
    ]
    figure = plot_effects(effects, "work", maximize=False)
    found = traces(figure)
    assert figure is not None
    assert list(figure.layout.yaxis.ticktext) == [
        "2",
        "<b>w</b>  1",
        "20",
        "<b>size</b> (with top_k)  10",
        "vector",
        "<b>mode</b>  bm25",
    ]
    assert found["better"]["y"] == [5]  # less work
    assert found["worse"]["y"] == [4]
    assert found["no difference shown"]["y"] == [2, 3]
    assert found["no difference shown"]["error_x"]["array"][0] == 0.0
    assert figure.layout.title.text == "What each parameter does to work"
    plain = found[f"better, {PLAIN}"]
    assert (plain["y"], plain["marker"]["symbol"]) == ([0], "circle-open")
    assert "in 3 blocks or more" in found["better"]["hovertext"][0]


def test_of_many_values_the_ends_the_best_and_the_worst_are_shown() -> None:
    curve = [value(str(n), n - 0.1, n + 0.1) for n in (1, 2, 9, 3, 4, 5, -9, 6, 7, 8, 0)]
    figure = plot_effects([effect("w", curve)], "rr", maximize=True)
    assert figure is not None
    names = [name.rpartition(" ")[2] for name in figure.layout.yaxis.ticktext]
    assert len(names) <= 8
    assert {"0", "1", "9", "-9"} <= set(names)
    assert figure.layout.title.text == "What each parameter does to rr, all else equal"
    many = [effect(f"p{n}", curve[:6]) for n in range(5)]
    figure = plot_effects(many, "rr", maximize=True)
    assert figure is not None
    assert len(figure.layout.yaxis.ticktext) == 18  # of 20: no room for a fourth


def test_top_k_has_a_line_for_each_mode() -> None:
    tops = [value(f"{k}", 0.1 * k - 0.05, 0.1 * k + 0.05) for k in (3, 10)]
    effects = {
        "bm25": effect("top_k", tops),
        "vector": effect("top_k", tops[::-1], matched=False),
    }
    found = traces(plot_top_k(effects, "rr"))
    assert (found["bm25"]["x"], found["bm25"]["y"]) == ([3, 10], [0.8, 1.5])
    assert found["bm25"]["error_y"]["array"] == pytest.approx([0.05, 0.05])
    assert found[f"vector, {PLAIN}"]["line"]["dash"] == "dot"


def test_thousands_of_points_stay_small() -> None:
    trials = [
        trial(n, [0.5 + n / 9e3], context_tokens=100 + n / 7) for n in range(5 * MOST_LABELS)
    ]
    figure = plot_cost(board(trials))
    assert figure is not None
    assert len(figure.to_json()) < 60 * len(trials)
