"""How far a run goes, and where it stops."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.engine.measure.report import Report
from sweep.errors import SpaceError, StudyError
from sweep.study.driver.budget import Deadline, OutOfTime, Stopped, trials_to_reach
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from sweep.study.study import Study
from tests.e2e.island import write_island
from tests.engine_inputs import engine_on

SPACE = {
    "corpus": "island",
    "objective": "ndcg@5",
    "baseline": {"mode": "bm25", "top_k": 5},
    "space": {
        "mode": "bm25",
        "top_k": 5,
        "chunk": {"splitter": "words", "size": [6, 12, 24]},
        "bm25": {"k1": [0.9, 1.6]},
    },
}


@pytest.mark.parametrize(
    ("tried", "more", "last_run", "expected"),
    [
        (0, 10, {}, 10),
        (10, 10, {"more": 10, "reach": 10}, 20),  # the last run was finished
        (4, 10, {"more": 10, "reach": 10}, 10),  # it was stopped: complete it
        (4, 7, {"more": 10, "reach": 10}, 11),  # another number is another wish
        (12, 10, {"more": 10, "reach": 10}, 22),  # a run without the option came between
        (4, 10, {"more": 10, "reach": 40}, 14),  # never more than the number
    ],
)
def test_trials_to_reach(tried: int, more: int, last_run: dict[str, int], expected: int) -> None:
    assert trials_to_reach(tried, more, last_run) == expected


def test_what_is_left_is_told_in_one_sentence() -> None:
    stopped = Stopped(why="--timeout", new=1, left=18, planned=1028)
    assert str(stopped) == (
        "stopped by --timeout after 1 new trial; 18 of 1,028 configurations are left"
    )


def clock(monkeypatch: pytest.MonkeyPatch, *, ticks: int) -> None:
    """Let a deadline of 1 s pass when it is asked for the time `ticks` times after its start."""
    calls = iter([0.0] * (ticks + 1))
    told = SimpleNamespace(monotonic=lambda: next(calls, 1.0))
    monkeypatch.setattr("sweep.study.driver.budget.time", told)


def test_a_deadline_stops_at_progress_and_leaves_the_report_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock(monkeypatch, ticks=1)
    seen: list[int] = []
    report = Report(on_progress=lambda what, done, total: seen.append(done))
    shown = report.on_progress
    deadline = Deadline(1.0)
    with deadline.kept_by(report):
        report.on_progress("embed", 0, 9)  # nothing is done yet
        report.on_progress("embed", 1, 9)
        with pytest.raises(OutOfTime):
            report.on_progress("embed", 2, 9)
    assert seen == [0, 1, 2]
    assert report.on_progress is shown
    assert not issubclass(OutOfTime, Exception)  # a trial that is stopped has not failed


def test_no_deadline_never_passes() -> None:
    Deadline(None).check()


def test_a_long_embedding_stops_between_segments_and_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.engine.stages.vectors.BLOCK", 4)
    chunk, vector = ChunkConfig(size=None, splitter="document"), VectorConfig()
    clock(monkeypatch, ticks=2)
    engine, deadline = engine_on(tmp_path), Deadline(1.0)
    with pytest.raises(OutOfTime), deadline.kept_by(engine.report):
        engine.vectors.passage_vectors(chunk, vector)
    monkeypatch.undo()
    progress: list[int] = []
    report = Report(on_progress=lambda what, done, total: progress.append(total))
    again = engine_on(tmp_path, report=report)
    again.vectors.passage_vectors(chunk, vector)
    inputs = again.vectors.passage_inputs(chunk, vector)
    unique = len({inputs.ids[row].tobytes() for row in inputs.rows.tolist()})
    assert progress[0] == unique - 3 * 4  # three segments were kept


def study_of(folder: Path, monkeypatch: pytest.MonkeyPatch, **keys: Any) -> Any:
    """Write the corpus and the space; return a function that runs it with options."""
    monkeypatch.chdir(folder)
    write_island(folder / "island")
    path = folder / "space.yaml"
    path.write_text(yaml.safe_dump({**SPACE, **keys}), encoding="utf-8")

    def run_it(report: Report | None = None, **options: Any) -> Study:
        return run(path, options=RunOptions(threads=1, **options), report=report)

    return run_it


def test_a_grid_goes_on_by_so_many_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_it = study_of(tmp_path, monkeypatch)
    study = run_it(trials=3)
    assert study.stopped == Stopped(why="--trials", new=3, left=4, planned=7)
    assert "3 of 7 configurations evaluated: NOT FINISHED" in str(study.answer().counts)
    assert run_it(trials=3).stopped == Stopped(why="--trials", new=3, left=1, planned=7)
    study = run_it(trials=3)
    assert study.stopped is None
    assert len(study.trials) == 7
    assert len(run_it(trials=3).trials) == 7


@pytest.mark.parametrize("kind", ["random", "tpe", "nsga2"])
def test_a_sampler_goes_on_to_the_files_number_or_by_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    space = {**SPACE["space"], "bm25": {"k1": {"low": 0.5, "high": 2.0}}}  # type: ignore[dict-item]
    run_it = study_of(tmp_path, monkeypatch, sampler={"kind": kind, "trials": 5}, space=space)
    study = run_it(trials=2)
    assert study.stopped == Stopped(why="--trials", new=3, left=3, planned=6)  # with the baseline
    assert run_it().stopped is None
    study = run_it()
    assert len(study.trials) == 6
    assert study.stopped is None
    study = run_it(trials=2)
    assert study.stopped is None
    assert len(study.trials) == 8
    assert len({trial.fingerprint for trial in study.trials}) == 8


def test_however_short_the_time_a_run_gets_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_it = study_of(tmp_path, monkeypatch)
    study = run_it(timeout=1e-9)
    assert study.stopped == Stopped(why="--timeout", new=1, left=6, planned=7)
    assert len(study.trials) == 1
    assert len(run_it(timeout=1e-9).trials) == 2
    assert run_it().stopped is None


def test_a_sampler_needs_a_number_of_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_it = study_of(tmp_path, monkeypatch, sampler={"kind": "tpe"})
    with pytest.raises(SpaceError, match=r"sampler\.trials: must say how many .* got nothing"):
        run_it()
    assert not (tmp_path / "results").exists()
    assert len(run_it(trials=3).trials) == 4


def test_the_seed_belongs_to_a_samplers_study_not_to_a_grids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = Report()
    study_of(tmp_path, monkeypatch)(report, seed=8, trials=1)
    study_of(tmp_path, monkeypatch)(seed=9)
    assert "--seed is not used: a grid runs everything" in report.notices
    run_it = study_of(tmp_path, monkeypatch, sampler={"kind": "tpe", "trials": 2}, name="other")
    run_it(seed=8)
    with pytest.raises(StudyError, match=r"sampler differs \(seed: was 8, is 7\)"):
        run_it()
    written = study_of(tmp_path, monkeypatch, sampler={"kind": "tpe", "seed": 8}, name="other")
    assert len(written(trials=1).trials) == 4
    with pytest.raises(StudyError, match=r"sampler differs \(kind: was tpe, is random\)"):
        study_of(tmp_path, monkeypatch, sampler={"kind": "random", "seed": 8}, name="other")(
            trials=1
        )
