"""Every command finds a trial by the same words."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from sweep.errors import StudyError
from sweep.study.named import named_trial, names_trial, require_finished
from sweep.study.study import Study
from sweep.trials import TrialRecord


def trial(number: int, fingerprint: str, *, state: str = "COMPLETE") -> TrialRecord:
    found = SimpleNamespace(number=number, fingerprint=fingerprint, state=state)
    return cast(TrialRecord, found)


TRIALS = (
    trial(0, "b", state="FAIL"),
    trial(1, "a"),
    trial(2, "b"),
    trial(3, "c", state="FAIL"),
)


def study(*, goals: int = 1, baseline: str | None = "b", run: Any = None) -> Study:
    """Return a study whose answers are trials 1 and 2."""
    found = SimpleNamespace(
        name="mine",
        goals=range(goals),
        trials=TRIALS,
        baseline=baseline,
        baseline_run=run,
        trial=lambda number: TRIALS[number],
        answer=lambda pick="recommended": SimpleNamespace(
            trial=TRIALS[{"recommended": 1, "best": 2}[pick]]
        ),
    )
    return cast(Study, found)


@pytest.mark.parametrize(
    ("text", "number"),
    [(None, 1), ("recommended", 1), ("best", 2), ("3", 3), ("#3", 3), ("baseline", 2)],
)
def test_words(text: str | None, number: int) -> None:
    assert named_trial(study(), text).number == number
    assert text is None or names_trial(text)


def test_of_several_objectives_only_numbers_and_the_baseline_tell() -> None:
    assert named_trial(study(goals=2), "baseline").number == 2
    assert named_trial(study(goals=2), "#0").number == 0
    for text in (None, "best"):
        with pytest.raises(StudyError, match="must be named by its number where there are"):
            named_trial(study(goals=2), text)


@pytest.mark.parametrize(
    ("text", "made", "says"),
    [
        ("worst", study(), "must be a number, recommended, best or baseline, got 'worst'"),
        ("baseline", study(baseline=None), "must be one that has been evaluated, got none. Name"),
        ("baseline", study(baseline=None, run={}), "evaluated, got a run file. Name"),
    ],
    ids=["another word", "no baseline", "a run file"],
)
def test_what_names_no_trial(text: str, made: Study, says: str) -> None:
    with pytest.raises(StudyError, match=says):
        named_trial(made, text)
    assert not names_trial("worst")


def test_a_baseline_that_only_failed_is_found_and_refused() -> None:
    found = named_trial(study(baseline="c"), "baseline")
    with pytest.raises(StudyError, match="only a finished trial can be exported, got #3, which"):
        require_finished(study(), found, to_be="exported")
