"""Rates and time left, on a made-up clock."""

import pytest

from sweep.cli.pace import WINDOW_S, Pace, duration, rate_text
from tests.clock import Clock


def test_rate_and_time_left(clock: Clock) -> None:
    pace = Pace(clock=clock)
    step = pace.progress("embed mini", 0, 1000)
    assert (step.rate(clock.now), step.left_s(clock.now)) == (None, None)
    clock.now += 2
    step = pace.progress("embed mini", 400, 1000)
    assert (step.rate(clock.now), step.left_s(clock.now)) == (200, 3)
    clock.now += 1  # between two blocks the time left goes on falling
    assert step.left_s(clock.now) == 2


def test_late_news_lower_the_rate(clock: Clock) -> None:
    """A fast trial says nothing about the slow one that follows."""
    pace = Pace(clock=clock)
    pace.progress("trials", 0, 4)
    clock.now += 1
    step = pace.progress("trials", 1, 4)
    assert (step.rate(clock.now), step.left_s(clock.now)) == (1, 3)
    clock.now += 9
    assert step.rate(clock.now) == pytest.approx(0.1)
    assert step.left_s(clock.now) == pytest.approx(3 * 10 - 9)


def test_trials_wait_for_shared_work_and_then_go_at_their_own_rate(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.progress("trials", 0, 4)
    clock.now += 1
    trials = pace.progress("trials", 1, 4)
    assert pace.speed(trials) == ("1.0 trials/s", "3.0 s left")
    pace.progress("embed mini", 0, 100)
    clock.now += 1
    pace.progress("embed mini", 2, 100)
    assert pace.speed(trials) == ("1.0 trials/s", "52 s left")
    clock.now += 49
    pace.progress("embed mini", 100, 100)
    assert pace.speed(trials) == ("1.0 trials/s", "3.0 s left")
    clock.now += 1
    assert pace.speed(pace.progress("trials", 2, 4)) == ("1.0 trials/s", "2.0 s left")


def test_work_that_was_stored_already_is_not_fast_work(clock: Clock) -> None:
    """A resumed study begins with what is kept."""
    pace = Pace(clock=clock)
    pace.progress("trials", 90, 100)
    clock.now += 10
    assert pace.progress("trials", 92, 100).rate(clock.now) == pytest.approx(0.2)


def test_rate_is_that_of_the_last_half_minute(clock: Clock) -> None:
    pace = Pace(clock=clock)
    for second in range(10):
        pace.progress("rerank", second * 100, 10_000)
        clock.now += 1
    for number in range(10):
        step = pace.progress("rerank", 1000 + number * 10, 10_000)
        clock.now += WINDOW_S / 5
    assert step.rate(clock.now) == pytest.approx(10 / (WINDOW_S / 5))


def test_same_name_begins_anew_for_other_work(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.progress("rerank", 0, 100)
    clock.now += 1
    pace.progress("rerank", 100, 100)
    clock.now += 1
    step = pace.progress("rerank", 0, 60)
    assert step.rate(clock.now) is None
    clock.now += 1
    assert pace.progress("rerank", 30, 60).rate(clock.now) == 30


def test_nothing_done_has_no_rate(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.progress("embed mini", 0, 10)
    clock.now += 5
    assert pace.progress("embed mini", 0, 10).rate(clock.now) is None
    assert pace.progress("queries", 3, 3).ended


@pytest.mark.parametrize(
    ("what", "stage", "unit"),
    [
        ("embed all-MiniLM-L6-v2", "embed", "texts"),
        ("embed queries", "embed", "texts"),
        ("rerank", "rerank", "pairs"),
        ("trials", "trials", "trials"),
        ("something else", "something", "items"),
    ],
)
def test_units(what: str, stage: str, unit: str, clock: Clock) -> None:
    step = Pace(clock=clock).progress(what, 0, 1)
    assert (step.stage, step.unit) == (stage, unit)


def test_current_step_is_the_one_that_moved_last(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.progress("trials", 0, 9)
    assert pace.current is None
    step = pace.progress("rerank", 0, 7)
    pace.progress("trials", 1, 9)
    assert pace.current is step
    pace.progress("rerank", 7, 7)
    assert pace.current is None


def test_best_so_far(clock: Clock) -> None:
    pace = Pace("ndcg@10", clock=clock)
    assert pace.best_text == ""
    pace.event("kept", {"number": 3, "state": "COMPLETE", "value": 0.5})
    pace.event("trial", {"number": 4, "state": "COMPLETE", "value": 0.4})
    pace.event("trial", {"number": 5, "state": "FAIL", "value": None})
    assert pace.best_text == "best ndcg@10 so far 0.5000 (#3)"
    assert (pace.complete, pace.failed) == (2, 1)


def test_best_may_be_the_lowest_and_the_first_of_several(clock: Clock) -> None:
    pace = Pace("context_tokens", maximize=False, clock=clock)
    pace.event("trial", {"number": 0, "state": "COMPLETE", "values": [900.0, 0.3]})
    pace.event("trial", {"number": 1, "state": "COMPLETE", "values": [800.0, 0.1]})
    assert pace.best == (800.0, 1)


def test_running_stages_are_known(clock: Clock) -> None:
    pace = Pace(clock=clock)
    pace.event("stage_started", {"stage": "index"})
    pace.event("stage_started", {"stage": "embed"})
    assert pace.stages == ["index", "embed"]
    pace.event("stage_ended", {"stage": "embed"})
    assert pace.stages == ["index"]


def test_line(clock: Clock) -> None:
    pace = Pace("ndcg@10", clock=clock)
    pace.progress("trials", 0, 40)
    assert pace.line() == "trials 0/40"
    clock.now += 10
    pace.event("trial", {"number": 2, "state": "COMPLETE", "value": 0.71234})
    pace.progress("trials", 10, 40)
    pace.progress("embed mini", 0, 12_000)
    clock.now += 10
    pace.progress("embed mini", 4000, 12_000)
    assert pace.line() == (
        "trials 10/40, 1.0 trials/s, 50 s left; best ndcg@10 so far 0.7123 (#2); "
        "embed mini 4,000/12,000 texts, 400 texts/s, 20 s left"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.04, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (130, "2 min 10 s"),
        (3599.6, "1 h 00 min"),
        (3900, "1 h 05 min"),
        (90_000, "25 h 00 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (1234.5, "1,234 texts/s"),
        (9.87, "9.9 texts/s"),
        (0.4, "2.5 s each"),
        (0.01, "1 min 40 s each"),
    ],
)
def test_rate_text(rate: float, text: str) -> None:
    assert rate_text(rate, "texts") == text


def test_a_second_study_begins_anew(clock: Clock) -> None:
    """A quick look's finals have their own best: that of the search is flattered."""
    pace = Pace("ndcg@10", clock=clock)
    pace.event("run_started", {"study": "a@sample", "trials": 1})
    pace.event("trial", {"number": 0, "state": "COMPLETE", "value": 0.9})
    pace.event("run_ended", {})
    pace.event("run_started", {"study": "a", "trials": 1})
    assert (pace.best, pace.complete) == (None, 0)
    pace.event("trial", {"number": 0, "state": "COMPLETE", "value": 0.7})
    assert (pace.best, pace.complete) == ((0.7, 0), 1)
