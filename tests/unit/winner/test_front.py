"""Several objectives: the Pareto front, against numbers worked by hand and against Optuna."""

from collections.abc import Sequence

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import create_trial

from sweep.configuration import Bm25Config, Configuration
from sweep.errors import WinnerError
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.feasible import no_feasible
from sweep.winner.front import Front, dominates, make_front, pareto_rows

UP_DOWN = (True, False)  # ndcg@10 and context_tokens
COUNTS = Counts(complete=4, failed=0, infeasible=0, planned=4)


def trial(number: int, *values: float, **kept: float) -> TrialRecord:
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=Configuration(mode="bm25", top_k=number + 1, bm25=Bm25Config()),
        values=values,
        metrics={"context_tokens": values[-1]},
        constraints={text.replace("_le_", " <= "): missed for text, missed in kept.items()},
    )


def front_of(trials: Sequence[TrialRecord], baseline: TrialRecord | None = None) -> Front:
    return make_front(
        "a",
        ["ndcg@10", "context_tokens"],
        UP_DOWN,
        trials,
        baseline=Baseline(trial=baseline, values=baseline.values) if baseline else None,
        counts=COUNTS,
    )


def test_the_front_by_hand() -> None:
    values = [(0.7, 900.0), (0.6, 400.0), (0.6, 500.0), (0.8, 900.0), (0.6, 400.0)]
    assert pareto_rows(values, UP_DOWN) == [1, 3, 4]  # equal ones stay together
    assert pareto_rows(values, (True, True)) == [3]
    assert pareto_rows(values[:1], UP_DOWN) == [0]


def test_dominates_needs_to_be_better_somewhere() -> None:
    assert dominates((0.7, 400.0), (0.6, 400.0), UP_DOWN)
    assert not dominates((0.6, 400.0), (0.6, 400.0), UP_DOWN)
    assert not dominates((0.7, 500.0), (0.6, 400.0), UP_DOWN)


@given(
    st.integers(1, 3).flatmap(
        lambda m: st.tuples(
            st.lists(st.tuples(*[st.integers(0, 3).map(float)] * m), min_size=1, max_size=12),
            st.tuples(*[st.booleans()] * m),
        )
    )
)
def test_the_front_is_optunas(case: tuple[list[tuple[float, ...]], tuple[bool, ...]]) -> None:
    values, maximize = case
    study = optuna.create_study(directions=["maximize" if up else "minimize" for up in maximize])
    study.add_trials([create_trial(values=list(row)) for row in values])
    assert pareto_rows(values, maximize) == sorted(t.number for t in study.best_trials)


def test_the_front_is_told_best_first_with_the_baseline() -> None:
    trials = [trial(0, 0.6, 500.0), trial(1, 0.6, 400.0), trial(2, 0.8, 900.0)]
    front = front_of(trials, baseline=trials[0])
    assert [t.number for t in front.trials] == [2, 1]
    text = front.text()
    assert "FRONT 2 of 3 feasible configurations" in text
    assert "the baseline #0 is beaten by #1" in text
    assert "sweep export a --trial N" in text
    assert "the baseline #2 is one of them" in front_of(trials, baseline=trials[2]).text()
    assert "baseline" not in front_of(trials).text()
    shown = front.to_json()
    assert shown["objectives"] == [
        {"metric": "ndcg@10", "direction": "maximize"},
        {"metric": "context_tokens", "direction": "minimize"},
    ]
    assert [t["values"] for t in shown["front"]] == [[0.8, 900.0], [0.6, 400.0]]
    assert shown["baseline"]["number"] == 0


def test_no_feasible_trial_is_told_with_how_close_it_came() -> None:
    trials = [
        trial(3, 0.5, 96.25, context_tokens_le_50=0.925),
        trial(4, 0.6, 120.0, context_tokens_le_50=1.4),
    ]
    with pytest.raises(WinnerError, match="must hold a feasible trial"):
        front_of([])
    assert str(no_feasible("a", trials)) == (
        "study 'a': must hold a finished trial that meets every constraint, got none of 2: "
        "`context_tokens <= 50` is met by 0 (closest: #3 with 96.25). Loosen a constraint under "
        "another name, or widen the space."
    )


def test_a_baseline_that_is_no_candidate_is_told_too() -> None:
    trials = [trial(0, 0.6, 500.0), trial(1, 0.8, 900.0)]

    def told(baseline: Baseline) -> str:
        front = make_front("a", ["ndcg@10", "work"], UP_DOWN, trials, baseline=baseline,
                           counts=COUNTS)  # fmt: skip
        return front.text()

    run = Baseline(run="prod.trec", facts={"name": "prod.trec"}, values=(0.7, None))
    assert "prod.trec has ndcg@10 0.7; its work is not known" in told(run)
    outside = trial(7, 0.9, 10.0, context_tokens_le_5=1.0)
    barred = Baseline(trial=outside, values=outside.values, violated=outside.violated)
    name = "the baseline #7 (which violates context_tokens <= 5)"
    assert f"{name} is beaten by none of them" in told(barred)
    assert "the baseline failed, trial #3: there is nothing" in told(
        Baseline(missing="failed, trial #3")
    )
