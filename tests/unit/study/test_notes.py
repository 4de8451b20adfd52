"""Notes before a run: in full once, and again when they change."""

from pathlib import Path

import pytest

from sweep.engine.measure.report import Report
from sweep.study.driver.notes import notes_once, told_before


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ((), ["a", "b"], ["a", "b"]),
        (("a", "b"), ["a", "b"], ["2 notes as before: see `sweep show mine`"]),
        (("a",), ["a"], ["1 note as before: see `sweep show mine`"]),
        (("a", "b"), ["a", "c"], ["a", "c"]),
        (("a", "b"), ["a"], ["a"]),
        (("a",), [], []),
    ],
    ids=["first", "same", "one", "changed", "fewer", "none"],
)
def test_notes_are_told_when_they_are_new(
    before: tuple[str, ...], now: list[str], told: list[str]
) -> None:
    heard: list[str] = []
    report = Report(on_notice=heard.append)
    with notes_once(report, "mine", before):
        for note in now:
            report.notice(note)
    report.notice("later")
    assert heard == [*told, "later"]
    assert report.notices == [*now, "later"]


def test_an_error_comes_with_what_was_noted_before_it() -> None:
    heard: list[str] = []
    report = Report(on_notice=heard.append)

    def fail() -> None:
        with notes_once(report, "mine", ("a",)):
            report.notice("a")
            raise ValueError("x")

    with pytest.raises(ValueError, match="x"):
        fail()
    assert heard == ["a"]


def test_a_study_that_was_never_run_has_no_notes(tmp_path: Path) -> None:
    assert told_before("mine", str(tmp_path / "none.db")) == ()
