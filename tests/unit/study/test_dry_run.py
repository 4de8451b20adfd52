"""What trials take beside retrieval, and that looking for a study makes none."""

from dataclasses import replace
from pathlib import Path

import pytest

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.engine.measure.report import Report
from sweep.errors import StudyError
from sweep.study.driver.dry_run import DryRun, dry_run
from sweep.study.driver.inputs import RunOptions, read_inputs, start_engine
from sweep.study.driver.queue import axes_of
from sweep.study.driver.run import make_evaluation, run
from sweep.study.driver.split import study_split
from sweep.study.driver.trial_cost import TrialCost, trial_cost
from tests.e2e.command import write_space
from tests.e2e.island import write_island

SPACE = {
    "name": "small",
    "corpus": "corpus",
    "objective": "ndcg@5",
    "space": {"mode": "bm25", "top_k": [1, 5, 9], "chunk": {"splitter": "words", "size": 6}},
}
WORDS = ChunkConfig(splitter="words", size=6, unit="words")
ONE = Configuration(mode="bm25", top_k=1, chunk=WORDS, bm25=Bm25Config())
OPTIONS = RunOptions(threads=1)


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_island(tmp_path / "corpus")
    write_space(tmp_path / "space.yaml", SPACE)


def plan(**options: object) -> DryRun:
    return dry_run("space.yaml", options=replace(OPTIONS, **options))  # type: ignore[arg-type]


def cost(*configurations: Configuration) -> TrialCost:
    inputs = read_inputs("space.yaml", None, OPTIONS, Report())
    engine = start_engine(inputs, OPTIONS, Report())
    split = study_split(inputs.space.split, engine.corpus)
    evaluation = make_evaluation(inputs, engine, split)
    return trial_cost(evaluation, configurations, axes_of(inputs.space))


def test_trials_cost_time_and_room() -> None:
    one, two = cost(ONE), cost(ONE, ONE)
    assert one.score_s > 0
    assert one.write_s > 0
    assert two.table_bytes == 2 * one.table_bytes
    assert two.record_bytes == pytest.approx(2 * one.record_bytes, abs=1)
    assert two.new_storage_bytes == one.new_storage_bytes
    assert cost() == TrialCost()


def test_longer_lists_make_larger_tables() -> None:
    low, high = cost(ONE).table_bytes, cost(replace(ONE, top_k=9)).table_bytes
    assert low < high
    both = cost(ONE, replace(ONE, top_k=5), replace(ONE, top_k=9))
    assert both.table_bytes == pytest.approx(low + (low + high) / 2 + high, rel=0.02)


def test_no_storage_is_made_nor_filled(tmp_path: Path) -> None:
    assert plan().trials.to_run == 3
    assert [path.name for path in (tmp_path / "results").iterdir()] == [".store"]
    (tmp_path / "empty.db").touch()
    assert plan(storage="empty.db").trials.to_run == 3
    assert (tmp_path / "empty.db").stat().st_size == 0


def test_a_new_storage_takes_room_of_its_own() -> None:
    before = plan()
    run("space.yaml", options=OPTIONS)
    other = plan(study="another")
    assert 0 < other.storage_bytes < before.storage_bytes
    assert (other.trials.finished, other.trials.to_run) == (0, 3)
    assert other.store_bytes < before.store_bytes


def test_a_folder_of_another_study_is_refused(tmp_path: Path) -> None:
    run("space.yaml", options=OPTIONS)
    assert plan().trials.to_run == 0
    changed = {**SPACE, "objective": "recall@5"}
    write_space(tmp_path / "space.yaml", changed)
    with pytest.raises(StudyError, match="its folder must be its own"):
        plan(storage="other.db")
    assert not (tmp_path / "other.db").exists()
