"""Which constraint cost how many configurations, and where a measured latency leaves it open."""

from dataclasses import replace

import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.trials import TrialRecord
from sweep.winner.counts import Counts
from sweep.winner.feasible import no_feasible
from sweep.winner.message import answer_text, study_lines
from sweep.winner.note import answer_note
from sweep.winner.violations import Violation, doubtful_text, kept_text, violations_of
from tests.report_material import make_toy_answer
from tests.report_material import trial as toy

FAST, SHORT = "latency_p95_ms <= 20", "context_tokens <= 500"


def trial(number: int, p95: float, tokens: float = 400, *, busy: bool = False) -> TrialRecord:
    """Return a trial whose latency is known to a tenth on both sides."""
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=Configuration(mode="bm25", chunk=ChunkConfig(), bm25=Bm25Config()),
        values=(0.5,),
        metrics={"latency_p95_ms": p95, "context_tokens": tokens},
        intervals={"latency_p95_ms": (0.9 * p95, 1.1 * p95), "context_tokens": (0, 999)},
        facts={"latency": {"busy": busy}},
        constraints={FAST: (p95 - 20) / 20, SHORT: (tokens - 500) / 500},
    )


TRIALS = (
    trial(0, 40.0),  # misses it for sure
    trial(1, 40.0, busy=True),  # a quiet machine may be faster
    trial(2, 21.0),  # [18.9, 23.1] holds 20
    trial(3, 40.0, 600, busy=True),  # misses another one anyway
    trial(4, 19.0),  # kept, but [17.1, 20.9] holds 20
    trial(5, 10.0, busy=True),  # kept: a quiet machine is no slower
    trial(7, 41.0, busy=True),  # misses it by more than others can have slowed it down
    trial(6, 10.0, 600),  # an interval over queries is no doubt about a count
)


def test_each_constraint_is_counted_with_its_doubts() -> None:
    assert [sorted(t.doubts) for t in TRIALS] == [[], [FAST], [FAST], [FAST], [FAST], [], [], []]
    assert [t.number for t in TRIALS if t.is_doubtful] == [1, 2]
    assert violations_of(TRIALS) == (
        Violation(constraint=FAST, trials=5, doubtful=3),
        Violation(constraint=SHORT, trials=2, doubtful=0),
    )
    assert TRIALS[3].violations == f"{FAST} (doubtful), {SHORT}"
    assert TRIALS[1].to_json()["doubts"] == {FAST: "measured while the machine was busy"}
    assert str(Violation(constraint=SHORT, trials=2, doubtful=2)).endswith(
        "2, all of them doubtful"
    )
    assert kept_text(TRIALS[4]) == f"{FAST} is kept, but its interval holds the bound"
    assert kept_text(TRIALS[2]) == kept_text(TRIALS[5]) == ""


def test_a_lower_bound_is_not_missed_for_a_busy_machine() -> None:
    slow = replace(trial(0, 10.0, busy=True), constraints={"latency_p95_ms >= 20": 0.5})
    assert slow.doubts == {}


def test_every_message_names_them() -> None:
    counts = Counts(
        complete=7,
        failed=0,
        infeasible=5,
        planned=7,
        violations=violations_of(TRIALS),
        doubtful=(1, 2),
    )
    first, second = study_lines("mine", counts)
    assert first == (
        f"STUDY mine: 7 configurations evaluated, 5 violate a constraint ({FAST}: 5, of them 3 "
        f"doubtful; {SHORT}: 2)"
    )
    assert second.startswith("      doubtful: #1, #2 miss only a latency, measured while")
    found = make_toy_answer([toy(n) for n in range(4)], counts=counts)
    for text in (answer_text(found), answer_note(found, roles={}, storage=None)):
        assert f"{first}\n{second}" in text
    told = found.to_json()["trials"]
    assert told["violations"][1] == {"constraint": SHORT, "trials": 2, "doubtful": 0}
    assert list(told["doubtful"]) == [1, 2]
    assert doubtful_text(range(10)).startswith("#0, #1, #2, #3, #4, #5, #6, #7 and 2 more miss")


def test_without_a_feasible_trial_the_doubts_are_told_too() -> None:
    assert "; #1, #2 miss only a latency" in str(no_feasible("mine", TRIALS[:4]))
    assert "only a latency" not in str(no_feasible("mine", TRIALS[:1]))


@pytest.mark.parametrize("busy", [True, False], ids=["busy", "quiet"])
def test_the_headline_of_the_dashboard_says_when_it_was_measured(busy: bool) -> None:
    facts = {"latency": {"busy": busy, "queries": 30, "rounds": 5, "others": 0.5}}
    found = make_toy_answer([toy(n, facts=facts) for n in range(4)])
    headline = answer_note(found, roles={}, storage=None).split("\n\n")[1]
    assert ("p95 0.12 ms, measured while it was busy" in headline.replace("\u00a0", " ")) is busy


def test_an_approximate_index_stands_with_its_recall() -> None:
    facts = {"index_recall": {"recall": 0.973, "depth": 100}, "precisions": {"toy": "bf16"}}
    found = make_toy_answer([toy(n, facts=facts) for n in range(4)])
    text = answer_text(found)
    assert "index 2.3 MB (recall@100 .973 of exact search), p95" in text
    assert (
        f"STUDY mine: 4 configurations evaluated; #{found.trial.number} runs toy in bf16" in text
    )
    assert found.trial.numbers["index_recall"] == 0.973
