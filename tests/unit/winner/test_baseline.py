"""What an answer says of what is in production: a gain, none, a loss, or why nothing is known."""

from dataclasses import replace

import numpy as np
import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, make_answer
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.figures import Pick, Scored
from sweep.winner.message import answer_text, baseline_lines
from sweep.winner.statistics.inference import planned_comparison

QUERIES = 60
DIFFICULTY = np.random.default_rng(3).uniform(0.2, 0.6, QUERIES)
COUNTS = Counts(complete=2, failed=0, infeasible=0, planned=2)
NOISE = np.random.default_rng(4).normal(0.0, 0.05, (3, QUERIES))
RUN = Baseline(run="prod.trec", facts={"name": "prod.trec"}, values=(0.4,))


def trials(scores: Floats) -> tuple[TrialRecord, ...]:
    return tuple(
        TrialRecord(
            number=number + 5,
            state="COMPLETE",
            configuration=Configuration(mode="bm25", top_k=number + 1, bm25=Bm25Config()),
            values=(float(row.mean()),),
            metrics={"context_tokens": 100.0 * (number + 1)},
            intervals={"ndcg@10": (0.0, 1.0)},
        )
        for number, row in enumerate(scores)
    )


def answer_of(
    scores: Floats, baseline: Baseline, *, maximize: bool = True, pick: Pick = "recommended",
    confirm: dict[int, Floats] | None = None, adaptive: str | None = None,
) -> Answer:  # fmt: skip
    scored = Scored(
        trials=trials(scores),
        scores=scores,
        maximize=maximize,
        scale=1.0,
        confirm=confirm or {},
        adaptive=adaptive,
        baseline=baseline,
    )
    return make_answer("mine", "ndcg@10", scored, pick=pick, counts=COUNTS)


def two(gain: float) -> Floats:
    """Return the scores of two configurations, the second better by `gain`."""
    return DIFFICULTY + NOISE[:2] + np.array([[0.0], [gain]])


def test_a_gain_over_a_run_is_the_difference_of_selected_and_run() -> None:
    found = answer_of(two(0.3), replace(RUN, search=DIFFICULTY + NOISE[2]))
    assert found.difference is not None
    # The second wins in every fold, so that nothing is lost to the choice.
    expected = float((two(0.3)[1] - DIFFICULTY - NOISE[2]).mean())
    assert found.difference.mean == pytest.approx(expected, abs=1e-12)
    assert found.gain == "gain"
    assert found.to_json()["beats_baseline"] is True
    (line,) = baseline_lines(found)
    assert line.startswith(f"against prod.trec  +{expected:.3f} [".replace("+0.", "+."))
    assert found.to_json()["baseline"] == {"run": "prod.trec", "name": "prod.trec"}
    assert f"      {line}" in answer_text(found).splitlines()


def test_where_few_queries_differ_the_paired_test_decides() -> None:
    """Five of seven gain and none loses: no resampling reaches 0, yet p is 2 / 32 = .0625.

    With a sixth it is 2 / 64 = .03125: then a gain is shown.
    """
    base = np.full(7, 0.2)
    five = base + np.array([0.0, 0.0, 0.5, 0.6, 0.3, 0.2, 0.125])
    six = five + np.array([0.1, 0, 0, 0, 0, 0, 0])
    for scores, p_value, gain in ((five, 0.0625, "none"), (six, 0.03125, "gain")):
        confirm = {5: base, 6: scores}
        found = answer_of(two(0.3), replace(RUN, search=DIFFICULTY, confirm=base), confirm=confirm)
        assert found.trial.number == 6
        assert found.difference is not None
        assert found.difference.excludes_zero
        assert found.difference.p_value == pytest.approx(p_value)
        assert found.gain == gain
        assert found.to_json()["beats_baseline"] is (gain == "gain")
    text = answer_text(answer_of(
        two(0.3), replace(RUN, search=DIFFICULTY, confirm=base), confirm={5: base, 6: five}
    ))  # fmt: skip
    assert "(paired test: p = .062)" in text
    assert "no gain over it is shown" in text


def test_no_gain_and_a_loss_are_said() -> None:
    none = answer_of(two(0.02), replace(RUN, search=two(0.02)[1] + NOISE[2]))
    assert none.gain == "none"
    assert baseline_lines(none)[1:] == [
        "no gain over it is shown: nothing here is shown to beat what you have"
    ]
    loss = answer_of(two(0.02), replace(RUN, search=DIFFICULTY + 0.4))
    assert loss.gain == "loss"
    assert baseline_lines(loss)[1].startswith("it is worse than that: nothing here is shown")
    assert loss.to_json()["beats_baseline"] is False


def test_where_lower_is_better_less_is_a_gain() -> None:
    scores = two(-0.3)
    found = answer_of(scores, replace(RUN, search=DIFFICULTY + 0.1), maximize=False)
    assert found.difference is not None
    assert found.difference.mean < 0
    assert found.gain == "gain"
    assert len(baseline_lines(found)) == 1


def test_a_best_that_gains_where_the_recommended_does_not_is_named() -> None:
    # The cheaper one loses .007 to the best, up and down by .04: tied, and near what there is.
    swing = np.where(np.arange(QUERIES) % 2, 0.04, -0.04)
    scores = np.stack([DIFFICULTY - 0.007 + swing, DIFFICULTY])
    found = answer_of(scores, replace(RUN, search=DIFFICULTY - 0.005))
    assert found.trial.number == 5
    assert found.gain != "gain"
    assert found.best_gains
    assert "the best, #6, shows one: +.00" in baseline_lines(found)[1]


def test_on_the_confirm_set_it_is_the_planned_comparison() -> None:
    held = {5: DIFFICULTY[:20], 6: DIFFICULTY[:20] + 0.2}
    base = DIFFICULTY[:20] + NOISE[2, :20]
    found = answer_of(two(0.3), replace(RUN, search=DIFFICULTY, confirm=base), confirm=held)
    wanted = planned_comparison(base, held[6])
    assert found.difference is not None
    assert found.difference.how == "confirm set"
    assert (found.difference.mean, found.difference.interval) == (
        wanted.difference,
        wanted.interval,
    )


def test_the_baseline_itself_keeps_what_there_is() -> None:
    scores = two(-0.3)
    first = trials(scores)[0]
    base = Baseline(trial=first, values=first.values, search=scores[0])
    found = answer_of(scores, base)
    assert found.is_baseline
    assert baseline_lines(found) == [
        "this is the baseline, and nothing is shown to beat it: keep what you have"
    ]
    assert found.to_json()["beats_baseline"] is False
    assert baseline_lines(answer_of(scores, base, pick="baseline")) == []
    assert len(baseline_lines(answer_of(scores, base, pick="best"))) == 1


def test_a_baseline_that_violates_a_constraint_is_still_compared_with() -> None:
    outside = replace(trials(two(0.0))[0], number=9, constraints={"context_tokens <= 10": 1.0})
    base = Baseline(trial=outside, values=(0.4,), violated=outside.violated, search=DIFFICULTY)
    found = answer_of(two(0.3), base)
    assert found.difference is not None
    assert baseline_lines(found)[0].startswith(
        "against the baseline #9 (which violates context_tokens <= 10)  +."
    )
    with pytest.raises(WinnerError, match=r"feasible baseline, got the baseline #9 \(which viol"):
        answer_of(two(0.3), base, pick="baseline")


def test_a_baseline_without_scores_says_why() -> None:
    missing = Baseline(missing="failed, trial #3 (`sweep show mine 3` says why)")
    found = answer_of(two(0.3), missing)
    assert found.difference is None
    assert baseline_lines(found) == [
        "the baseline failed, trial #3 (`sweep show mine 3` says why): there is nothing to "
        "compare with"
    ]
    assert found.to_json()["baseline"] is None
    assert found.to_json()["beats_baseline"] is None
    with pytest.raises(WinnerError, match="got the baseline, which failed"):
        answer_of(two(0.3), missing, pick="baseline")


def test_a_run_cannot_be_picked() -> None:
    with pytest.raises(WinnerError, match=r"got the run file prod\.trec in 'mine': its ranked"):
        answer_of(two(0.3), replace(RUN, search=DIFFICULTY), pick="baseline")


def test_an_adaptive_sampler_without_a_confirm_set_has_no_honest_difference() -> None:
    found = answer_of(two(0.3), replace(RUN, search=DIFFICULTY), adaptive="tpe")
    assert found.difference is None
    (line,) = baseline_lines(found)
    assert line.startswith("against prod.trec  +")
    assert "which is no honest difference either" in line
