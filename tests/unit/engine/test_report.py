"""Where time went: stages inside stages, trials, shared work, events."""

from typing import Any

import numpy as np
import pytest

from sweep.engine.measure import report as module
from sweep.engine.measure.account import STAGES, Account, StageUse, size_of, stage_of
from sweep.engine.measure.report import Report
from sweep.records import Chunks


class Process:
    """A made-up clock and memory."""

    def __init__(self) -> None:
        self.now, self.peak = 100.0, 1000

    def perf_counter(self) -> float:
        return self.now

    def work(self, seconds: float, peak: int = 0) -> None:
        self.now += seconds
        self.peak = max(self.peak, peak)


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Process:
    process = Process()
    monkeypatch.setattr(module, "time", process)
    monkeypatch.setattr(module, "peak_memory", lambda: process.peak)
    return process


def listening() -> tuple[Report, list[tuple[str, dict[str, Any]]]]:
    told: list[tuple[str, dict[str, Any]]] = []
    return Report(on_event=lambda name, fields: told.append((name, fields))), told


def test_every_notice_is_told_once() -> None:
    told: list[str] = []
    report = Report(on_notice=told.append)
    for text in ("one", "two", "one"):
        report.notice(text)
    assert told == report.notices == ["one", "two"]


def test_a_stage_inside_another_has_its_own_time(process: Process) -> None:
    report = Report()
    with report.stage("chunk"):
        process.work(1)
        with report.stage("tokenise"):
            process.work(5)
        process.work(2)
    seconds = {name: use.seconds for name, use in report.account.stages.items()}
    assert seconds == {"tokenise": 5, "chunk": 3}


def test_stage_inside_itself_counts_once(process: Process) -> None:
    report = Report()
    with report.stage("costs"):
        process.work(1)
        with report.stage("costs"):
            process.work(2)
    assert report.account.stages["costs"].seconds == 3


def test_memory_is_charged_to_the_stage_that_raised_the_peak(process: Process) -> None:
    report = Report()
    with report.stage("index"):
        with report.stage("embed"):
            process.work(1, peak=5000)
        process.work(1, peak=5500)
    with report.stage("lists"):
        process.work(1, peak=5400)
    rises = {name: use.peak_rise_bytes for name, use in report.account.stages.items()}
    assert rises == {"embed": 4000, "index": 500, "lists": 0}


def test_failed_stage_is_accounted_for(process: Process) -> None:
    report, told = listening()

    def fail() -> None:
        with report.stage("embed"):
            process.work(4)
            raise ZeroDivisionError

    with report.trial(3) as account, pytest.raises(ZeroDivisionError):
        fail()
    assert account.stages["embed"].seconds == 4
    assert [name for name, _ in told] == ["stage_started", "stage_ended"]
    with report.stage("index"):
        process.work(1)
    assert report.account.stages["index"].seconds == 1  # nothing is left open


def test_trials_have_accounts_of_their_own(process: Process) -> None:
    report = Report()
    for number, seconds in enumerate((2, 3)):
        with report.trial(number) as account, report.stage("lists"):
            process.work(seconds)
        assert account.stages["lists"].seconds == seconds
    assert report.account.stages["lists"].seconds == 5


def test_shared_work_is_told_of_once(process: Process) -> None:
    report, told = listening()
    assert report.take_shared() is None
    with report.sharing(), report.stage("embed") as stage:
        stage.got("embed", "computed", count=7)
        process.work(9)
    with report.trial(0) as account:
        shared = report.take_shared()
    assert shared is not None
    assert (shared.stages["embed"].seconds, account.stages) == (9, {})
    assert report.take_shared() is None
    assert {fields["trial"] for _, fields in told} == {"shared"}
    with report.sharing():
        pass
    assert report.take_shared() is None  # nothing was done


def test_outputs_are_counted_and_weighed_once(process: Process) -> None:
    report = Report()
    with report.trial(0) as account:
        with report.stage("lists") as stage:
            stage.got("bm25_list", "store", key="a", size=100)
            stage.got("vector_list", "computed", key="a", size=30)
        report.held("lists", "bm25_list", key="a", size=100)
        report.held("lists", "bm25_list", key="b", size=1)
    use = account.stages["lists"]
    assert use.outputs == {"store": 1, "computed": 1, "memory": 2}
    assert (use.source, use.bytes) == ("computed", 131)
    assert (report.computed, report.reused) == ({"vector_list": 1}, {"bm25_list": 1})


def test_nothing_of_something_is_not_counted(process: Process) -> None:
    report = Report()
    with report.stage("embed") as stage:
        stage.got("embed", "computed", count=0)
        stage.got("embed", "store", count=4)
    assert report.account.stages["embed"].source == "store"
    assert (report.computed, report.reused) == ({}, {"embed": 4})


def test_events_of_a_stage(process: Process) -> None:
    report, told = listening()
    with report.trial(12):
        with report.stage("terms") as stage:
            stage.got("terms", "computed", key="a", size=80)
            process.work(1.5, peak=1200)
        with report.stage("write"):  # too small to tell of
            process.work(0.01)
    assert told == [
        ("stage_started", {"stage": "terms", "trial": 12}),
        (
            "stage_ended",
            {
                "stage": "terms",
                "trial": 12,
                "seconds": 1.5,
                "source": "computed",
                "outputs": {"computed": 1},
                "bytes": 80,
                "peak_rise_bytes": 200,
            },
        ),
    ]


@pytest.mark.parametrize(
    ("error", "state"),
    [(None, "done"), (ValueError, "failed"), (KeyboardInterrupt, "interrupted")],
)
def test_run_ends_with_its_totals(
    process: Process, error: type[BaseException] | None, state: str
) -> None:
    report, told = listening()

    def work() -> None:
        with report.run("mine", planned=5), report.stage("score"):
            process.work(2)
            if error is not None:
                raise error

    if error is None:
        work()
    else:
        with pytest.raises(error):
            work()
    assert told[0] == ("run_started", {"study": "mine", "trials": 5})
    name, fields = told[-1]
    assert (name, fields["study"], fields["state"], fields["seconds"]) == (
        "run_ended",
        "mine",
        state,
        2,
    )
    assert fields["stages"]["score"]["seconds"] == 2
    assert fields["peak_memory_bytes"] == 1000


def test_stages_are_printed_in_the_order_of_the_flow() -> None:
    account = Account()
    for name in ("write", "embed", "tokenise", "unheard of"):
        account.add(name, StageUse(seconds=1.0), {})
    assert list(account.to_json()) == ["tokenise", "embed", "write", "unheard of"]


def test_outputs_of_the_store_belong_to_stages() -> None:
    names = ("offsets", "inputs", "chunks", "terms", "index", "bm25_list", "vector_list", "costs")
    assert {stage_of(name) for name in names} <= set(STAGES)


def test_size_of_a_stage_output() -> None:
    array = np.zeros(4, dtype=np.int64)
    assert size_of(Chunks(document=array, start=array, end=array, tokens=array)) == 128
    assert size_of([array, (array, array)]) == 96
    assert size_of(["text"]) == size_of([]) == size_of(7) == 0
