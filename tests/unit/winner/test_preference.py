"""What quality is given away for: costs in order, measured ones by intervals, budgets, groups."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, make_answer
from sweep.winner.counts import Counts
from sweep.winner.figures import Scored, honest_figure
from sweep.winner.message import answer_text
from sweep.winner.preference import COSTS, Preference, check_costs
from sweep.winner.recommendation import cheapest, recommend

ZERO = np.zeros(9)
QUERIES = 40
COUNTS = Counts(complete=3, failed=0, infeasible=0, planned=3)


def pick(*intervals: tuple[float, float]) -> int:
    bounds = np.array(intervals)[:, None, :]
    return cheapest(bounds, ZERO[: len(bounds)], np.arange(len(bounds)))


def test_a_time_is_cheaper_only_where_intervals_do_not_meet() -> None:
    assert pick((10, 14), (4, 6)) == 1
    assert pick((10, 14), (4, 10)) == 0  # they meet: equal, and the first row decides
    assert pick((10, 14), (4, 9.99)) == 1
    assert pick((5, 5), (4, 4)) == 1  # exact costs are intervals of no length
    # 0 meets 1 and 1 meets 2, but 2 is below 0: all that reach down to the lowest end (8) stay.
    assert pick((9, 12), (7, 10), (5, 8)) == 1


def test_costs_are_compared_one_after_another_then_loss_then_row() -> None:
    bounds = np.array([[(1, 3), (9, 9)], [(2, 4), (5, 5)], [(2, 4), (5, 5)], [(4, 5), (0, 0)]])
    losses = np.array([0.0, 0.002, 0.001, 0.0])
    assert cheapest(bounds, losses, np.array([10, 11, 12, 13])) == 12
    assert cheapest(bounds[:2], np.zeros(2), np.array([1, 0])) == 0
    assert cheapest(np.empty((3, 0, 2)), np.array([0.2, 0.1, 0.1]), np.arange(3)) == 1
    unmeasured = np.array([[(math.inf, math.inf)], [(2, 4)]])
    assert cheapest(unmeasured, ZERO[:2], np.arange(2)) == 1


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)),
        min_size=1,
        max_size=5,
    )
)
def test_the_order_of_configurations_does_not_matter(drawn: list[tuple[int, ...]]) -> None:
    n = len(drawn)
    bounds = np.array([[(low, low + width), (exact, exact)] for low, width, exact, _ in drawn])
    losses = np.array([float(loss) for *_, loss in drawn])
    found = {
        cheapest(bounds[list(order)], losses[list(order)], np.array(order))
        for order in itertools.permutations(range(n))
    }
    assert len(found) == 1
    only = cheapest(bounds[:, 1:], losses, np.arange(n))
    assert only == min(range(n), key=lambda i: (drawn[i][2], losses[i], i))


def test_a_nan_at_either_end_is_refused() -> None:
    with pytest.raises(WinnerError, match="costs must be numbers, got NaN"):
        recommend(np.array([[0.1, 0.2]]), [((1.0, math.nan),)])


def trial(number: int, *, interval: tuple[float, float], **metrics: float) -> TrialRecord:
    configuration = Configuration(
        mode="bm25", chunk=ChunkConfig(size=10 + number), bm25=Bm25Config()
    )
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=configuration,
        values=(0.5,),
        metrics={"ndcg@10": 0.5, **metrics},
        intervals={"ndcg@10": (0.4, 0.6), "latency_p95_ms": interval},
    )


TRIALS = (
    trial(0, interval=(8, 9), context_tokens=900, work=9, index_bytes=1, latency_p95_ms=8.5),
    trial(1, interval=(2, 8), context_tokens=400, work=8, index_bytes=3, latency_p95_ms=5),
    trial(2, interval=(1, 3), context_tokens=600, work=7, index_bytes=2, latency_p95_ms=2),
)
SCORES = np.random.default_rng(7).random((1, QUERIES)) + np.array([[0.0], [-0.004], [-0.008]])
SCORES += 1e-6 * np.random.default_rng(8).random((3, QUERIES))  # nobody is better everywhere
SCORES[:, ::2] += np.array([[0.0], [0.05], [0.05]])
SCORES[:, 1::2] -= np.array([[0.0], [0.05], [0.05]])


def scored(**keys: Any) -> Scored:
    return Scored(trials=TRIALS, scores=SCORES, maximize=True, scale=1.0, confirm={}, **keys)


@pytest.mark.parametrize(
    ("preference", "number"),
    [
        (Preference(), 1),  # the fewest context tokens
        (Preference(costs=("work",)), 2),
        (Preference(costs=("index_bytes", "work")), 0),
        (Preference(costs=("latency_p95_ms",)), 1),  # 1 and 2 meet; 1 loses less
        (Preference(costs=("latency_p95_ms", "index_bytes")), 2),
        (Preference(costs=()), 0),
        (Preference(max_loss=0.005, costs=("work",)), 1),
        (Preference(max_loss=0.0, costs=("work",)), 0),
    ],
)
def test_a_preference_decides_among_the_tied(preference: Preference, number: int) -> None:
    found = scored(preference=preference)
    assert found.recommendation().tied.tolist() == [0, 1, 2]
    assert found.recommendation().recommended == found.chosen() == number


def test_within_a_budget_the_context_that_fits_is_what_costs() -> None:
    fits = {0: 200.0, 1: 300.0, 2: 250.0}
    trials = tuple(
        replace(t, metrics={**t.metrics, "context_tokens@300tok": fits[t.number]}) for t in TRIALS
    )
    found = Scored(trials=trials, scores=SCORES, maximize=True, scale=1.0, confirm={}, budget=300)
    assert found.chosen() == 0
    assert scored(budget=300).chosen() == 1  # an older study has not recorded it


def answer(**keys: Any) -> Answer:
    look = keys.pop("look", False)
    return make_answer(
        "mine",
        "ndcg@10",
        scored(**keys),
        pick="recommended",
        counts=COUNTS,
        look=look,
    )


def test_a_look_is_called_one_and_exports_what_it_shows() -> None:
    preference = Preference(max_loss=0.02, costs=("work",))
    text = answer_text(answer(preference=preference, look=True))
    assert "#2 is the cheapest that loses at most .020 to it" in text
    assert "a look: costs in the order work; not the study's own choice" in text
    assert "sweep export mine --trial 2 --out winner/mine" in text
    own = answer(preference=preference)
    assert "sweep export mine --out winner/mine" in answer_text(own)
    assert "a look" not in answer_text(own)
    assert own.to_json()["recommend"] == {"max_loss": 0.02, "costs": ["work"], "look": False}


def test_queries_of_one_group_are_never_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    """Queries 2 n and 2 n + 1 are twins; what chooses never holds one of them alone."""
    chosen_on: list[set[int]] = []

    def spy(scores: Floats) -> int:
        chosen_on.append({round(value) for value in scores[0].tolist()})
        return 0

    monkeypatch.setattr("sweep.winner.figures.highest_mean", spy)
    numbered = Scored(
        trials=TRIALS[:1],
        scores=np.arange(float(QUERIES))[None, :],
        maximize=True,
        scale=1.0,
        confirm={},
        groups=tuple(f"twins {n // 2}" for n in range(QUERIES)),
    )
    figure = honest_figure(numbered, 0, "best")
    assert figure is not None
    assert all({n ^ 1 for n in queries} == queries for queries in chosen_on)
    assert {len(queries) for queries in chosen_on} == {32}
    chosen_on.clear()
    alone = honest_figure(replace(numbered, groups=None), 0, "best")
    assert any({n ^ 1 for n in queries} != queries for queries in chosen_on)
    assert alone is not None
    named = honest_figure(numbered, 0, "baseline")  # twins are one piece of evidence there, too
    lone = honest_figure(replace(numbered, groups=None), 0, "baseline")
    assert named is not None
    assert lone is not None
    assert named.interval[1] - named.interval[0] > 1.2 * (lone.interval[1] - lone.interval[0])


def test_costs_are_checked_by_name() -> None:
    assert check_costs(["work", "context_tokens"], where="--costs") == ("work", "context_tokens")
    with pytest.raises(WinnerError, match=r"--costs: must be among .*Did you mean latency_p50_ms"):
        check_costs(["latency_p50"], where="--costs")
    with pytest.raises(WinnerError, match="must name a cost once, got work twice"):
        check_costs(["work", "work"], where="--costs")
    assert check_costs(COSTS, where="x") == Preference().costs
