"""What a run shows: events, lines in a pipe, a live view."""

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from sweep.cli import progress
from sweep.cli.pace import Pace
from sweep.cli.progress import (
    EVENT_EVERY_S,
    LINE_EVERY_S,
    json_report,
    live_report,
    live_view,
    plain_report,
    shown_report,
)
from sweep.engine.measure.account import STAGES
from sweep.engine.measure.report import Report
from tests.clock import Clock

SHOW, HIDE = "\x1b[?25h", "\x1b[?25l"


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace("ndcg@10", clock=clock)


def trial(number: int, value: float | None) -> dict[str, Any]:
    state = "COMPLETE" if value is not None else "FAIL"
    return {"number": number, "state": state, "value": value, "params": {}, "metrics": {"a": 1}}


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


def test_progress_event_has_rate_and_time_left(
    pace: Pace, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json_report(pace)
    report.on_progress("embed mini", 0, 1000)
    clock.now += 2
    report.on_progress("embed mini", 512, 1000)
    assert told(capsys) == [
        {
            "event": "progress",
            "stage": "embed",
            "what": "embed mini",
            "done": done,
            "total": 1000,
            "unit": "texts",
            "rate": rate,
            "left_s": left,
        }
        for done, rate, left in ((0, None, None), (512, 256.0, 1.9))
    ]


def test_progress_events_are_few_and_the_last_is_told(
    pace: Pace, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json_report(pace)
    for done in range(41):
        report.on_progress("rerank", done, 40)
        clock.now += EVENT_EVERY_S / 16
    done = [event["done"] for event in told(capsys)]
    assert done == [0, 16, 32, 40]


def test_events_are_passed_on(pace: Pace, capsys: pytest.CaptureFixture[str]) -> None:
    report = json_report(pace)
    report.notice("look here")
    with report.run("mine", planned=2), report.trial(0):
        with report.stage("chunk") as stage:
            stage.got("chunks", "computed", key="a", size=8)
        report.on_event("trial", trial(0, 0.5))
        report.on_event("trial", trial(1, None))
    events = told(capsys)
    assert [event["event"] for event in events] == [
        "notice",
        "run_started",
        "stage_started",
        "stage_ended",
        "trial",
        "trial",
        "run_ended",
    ]
    assert events[0]["text"] == "look here"
    assert (events[2]["stage"], events[2]["trial"]) == ("chunk", 0)
    assert (events[3]["source"], events[3]["bytes"]) == ("computed", 8)
    assert events[4] == {
        "event": "trial",
        "number": 0,
        "state": "COMPLETE",
        "params": {},
        "value": 0.5,
    }
    assert (events[-1]["complete"], events[-1]["failed"], events[-1]["state"]) == (1, 1, "done")


def test_lines_in_a_pipe_are_few(
    pace: Pace, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    report = plain_report(pace)
    for done in range(40):
        report.on_progress("trials", done, 40)
        clock.now += LINE_EVERY_S / 16
    report.on_event("trial", trial(7, 0.6))
    report.on_progress("trials", 40, 40)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "trials 0/40"
    assert lines[1] == "trials 16/40, 1.6 trials/s, 15 s left"
    assert len(lines) == 4
    assert lines[-1] == "trials 40/40; best ndcg@10 so far 0.6000 (#7)"


def test_a_step_that_ends_late_without_trials_is_a_line_too(
    pace: Pace, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of `sweep store verify`, which has files and no trials."""
    report = plain_report(pace)
    report.on_progress("files", 0, 5)
    clock.now += LINE_EVERY_S + 2
    report.on_progress("files", 5, 5)
    assert capsys.readouterr().err.splitlines()[-1] == "files 5/5"


def test_notices_are_lines(pace: Pace, capsys: pytest.CaptureFixture[str]) -> None:
    plain_report(pace).notice("[bold]look[/bold] here")
    assert capsys.readouterr().err == "note: [bold]look[/bold] here\n"


def drawn(pace: Pace, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(live_view(pace))
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_live_view_has_everything(pace: Pace, clock: Clock) -> None:
    pace.progress("trials", 0, 40)
    clock.now += 80
    pace.progress("trials", 10, 40)
    pace.progress("embed all-MiniLM-L6-v2", 0, 12_000)
    clock.now += 80
    pace.progress("embed all-MiniLM-L6-v2", 4000, 12_000)
    pace.event("trial", trial(2, 0.71234))
    lines = drawn(pace).splitlines()
    assert len(lines) == 3
    for text in ("trials", "10/40", "8.0 s each", "6 min 40 s left"):
        assert text in lines[0]
    for text in ("embed all-MiniLM-L6-v2", "4,000/12,000", "50 texts/s", "2 min 40 s left"):
        assert text in lines[1]
    assert lines[2].rstrip() == "best ndcg@10 so far 0.7123 (#2), 2 min 40 s so far"


def test_live_view_names_a_stage_that_counts_nothing(pace: Pace) -> None:
    pace.progress("trials", 0, 40)
    pace.event("stage_started", {"stage": "index"})
    pace.event("stage_started", {"stage": "load"})
    assert "loading model weights" in drawn(pace)
    pace.event("stage_ended", {"stage": "load"})
    assert "building an index" in drawn(pace)
    pace.event("stage_ended", {"stage": "index"})
    assert "building" not in drawn(pace)


def test_stages_that_people_read_of_are_stages() -> None:
    assert set(progress.DOING) <= set(STAGES)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_live_view_fits_the_terminal(pace: Pace, clock: Clock, width: int) -> None:
    pace.progress("trials", 0, 2000)
    pace.progress("embed " + "a-long-model-name/" * 4, 0, 1_200_000)
    clock.now += 7
    pace.progress("trials", 1000, 2000)
    pace.progress("embed " + "a-long-model-name/" * 4, 70_000, 1_200_000)
    pace.event("trial", trial(1999, 0.7))
    lines = drawn(pace, width).splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= width


def terminal() -> Console:
    return Console(
        file=io.StringIO(), width=80, height=24, force_terminal=True, legacy_windows=False
    )


def show(console: Console, pace: Pace, work: Callable[[Report], None]) -> str:
    with live_report(pace, console) as report:
        work(report)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_live_view_gives_the_cursor_back(pace: Pace) -> None:
    def work(report: Report) -> None:
        report.on_progress("trials", 1, 2)
        report.notice("[red]look here[/red]")

    written = show(terminal(), pace, work)
    assert written.count(HIDE) == written.count(SHOW) == 1
    assert written.index(HIDE) < written.index("[red]look here[/red]") < written.index(SHOW)


def test_live_view_gives_the_cursor_back_after_ctrl_c(pace: Pace) -> None:
    console = terminal()

    def work(report: Report) -> None:
        report.on_progress("trials", 1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        show(console, pace, work)
    assert console.file.getvalue().count(SHOW) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("as_json", [False, True])
def test_what_a_stopped_run_says(as_json: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """Among JSON events there is no line for people."""

    def work() -> None:
        with shown_report(as_json=as_json, objective="rr") as report:
            report.on_event("trial", trial(0, 0.25))
            capsys.readouterr()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    expected = "" if as_json else "\nstopped with 1 trials finished, best rr so far 0.2500 (#0)\n"
    assert capsys.readouterr().err == expected


def test_terminal_that_cannot_move_its_cursor_gets_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(
        progress,
        "_console",
        lambda: Console(stderr=True, force_terminal=True, _environ={"TERM": "dumb"}),
    )
    with shown_report(as_json=False) as report:
        report.on_progress("trials", 2, 2)
    assert capsys.readouterr().err == "trials 2/2\n"
