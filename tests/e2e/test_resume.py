"""A run that was stopped goes on where it was, whatever stopped it."""

import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.corpus_files import write_corpus
from tests.e2e.command import (
    FAILED,
    INTERRUPTED,
    TERMINATED,
    USER_INPUT,
    comparable,
    rankings,
    read_json,
    recorded,
    start,
    succeed,
    sweep,
    trials_of,
    wait_for_trials,
    write_space,
)
from tests.e2e.island import write_island

pytestmark = pytest.mark.slow

GRID = {
    "name": "grid",
    "corpus": "island",
    "objective": "ndcg@5",
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "document"}},
    "space": {
        "mode": "bm25",
        "top_k": 5,
        "chunk": {"splitter": "words", "size": [6, 12, 24]},
        "bm25": {"k1": [0.9, 1.2, 1.6], "b": [0.3, 0.6, 0.9]},
    },
}
TRIALS = 28
SHORT_OF_MEMORY = """
import pyarrow.parquet
write, calls = pyarrow.parquet.write_table, []
def write_table(table, *arguments, **options):
    calls.append(1)
    if len(calls) == 3:  # two tables a trial
        raise MemoryError("out of memory")
    return write(table, *arguments, **options)
pyarrow.parquet.write_table = write_table
"""
RUN = ("run", "grid.yaml", "--threads", 1)
SLOW_DISK = """
import os, time
fsync = os.fsync
def slow(handle):
    time.sleep(0.1)
    fsync(handle)
os.fsync = slow
"""


def begin(folder: Path, **changes: Any) -> Path:
    """Write the corpus and the space of a study."""
    write_island(folder / "island")
    write_space(folder / "grid.yaml", {**GRID, **changes})
    return folder


@pytest.fixture(scope="module")
def slow_disk(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which every file takes its time, so that runs can be caught."""
    folder = tmp_path_factory.mktemp("slow disk")
    (folder / "sitecustomize.py").write_text(SLOW_DISK, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


@dataclass(frozen=True, slots=True)
class Unbroken:
    """A run that nothing stopped; tests only read it."""

    folder: Path
    best: dict[str, Any]  # what `run --json` printed


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Unbroken:
    folder = begin(tmp_path_factory.mktemp("unbroken"))
    return Unbroken(folder, read_json(*RUN, cwd=folder))


def assert_same_end(folder: Path, best: dict[str, Any], unbroken: Unbroken) -> None:
    """The study holds each configuration once, with the unbroken run's results."""
    first = unbroken.folder
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": TRIALS}
    assert comparable(trials_of(folder, "grid")) == comparable(trials_of(first, "grid"))
    assert rankings(folder / "results", "grid") == rankings(first / "results", "grid")
    for key in ("params", "confirm", "loss_bound", "difference_to_baseline"):
        assert best[key] == unbroken.best[key]


def test_the_same_command_again_evaluates_nothing(unbroken: Unbroken, tmp_path: Path) -> None:
    folder = shutil.copytree(unbroken.folder, tmp_path / "copy")
    before = trials_of(folder, "grid")
    shutil.rmtree(folder / "results" / ".store")
    done = succeed(*RUN, cwd=folder)
    assert f"{TRIALS} configurations evaluated" in done.stdout
    assert trials_of(folder, "grid") == before
    store = folder / "results" / ".store"
    stages = {path.relative_to(store).parts[0] for path in store.rglob("*.safetensors")}
    assert stages <= {"examination", "lost_queries"}  # what is told before every run


def test_bugcase_93_a_killed_run_goes_on_and_ends_like_an_unbroken_one(
    unbroken: Unbroken, slow_disk: dict[str, str], tmp_path: Path
) -> None:
    storage = begin(tmp_path) / "results" / "sweep.db"
    kept: list[dict[str, Any]] = []
    for finished in (2, 6):  # killed twice
        with start(*RUN, cwd=tmp_path, env=slow_disk) as process:
            wait_for_trials(storage, finished, process)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        assert set(recorded(storage)) == {"COMPLETE"}
        now = trials_of(tmp_path, "grid")
        assert now[: len(kept)] == kept
        assert finished <= len(now) < TRIALS
        kept = now
    best = read_json(*RUN, cwd=tmp_path)
    assert trials_of(tmp_path, "grid")[: len(kept)] == kept
    assert_same_end(tmp_path, best, unbroken)
    assert not list((tmp_path / "results").glob(".sweep.db-*"))


def stop(folder: Path, env: dict[str, str], *signals: signal.Signals) -> tuple[int, str]:
    """Begin a run, signal it after two trials; return its exit code and what it said."""
    storage = begin(folder) / "results" / "sweep.db"
    with start(*RUN, cwd=folder, env=env) as process:
        wait_for_trials(storage, 2, process)
        for number in signals:
            os.kill(process.pid, number)
        signalled = recorded(storage)["COMPLETE"]
        _, errors = process.communicate()
    assert "Traceback" not in errors
    finished = recorded(storage)
    assert set(finished) == {"COMPLETE"}
    assert 2 <= finished["COMPLETE"] < TRIALS
    assert finished["COMPLETE"] <= signalled + 1, "it goes on after the trial in hand"
    return process.returncode, errors


def test_bugcase_97_an_interrupted_run_keeps_what_is_finished(
    unbroken: Unbroken, slow_disk: dict[str, str], tmp_path: Path
) -> None:
    code, errors = stop(tmp_path, slow_disk, signal.SIGINT)
    assert code == INTERRUPTED
    assert "trials finished, best ndcg@5 so far 0." in errors
    assert "the same command goes on" in errors
    assert_same_end(tmp_path, read_json(*RUN, cwd=tmp_path), unbroken)


def test_bugcase_97_a_terminated_run_says_the_same(
    slow_disk: dict[str, str], tmp_path: Path
) -> None:
    code, errors = stop(tmp_path, slow_disk, signal.SIGTERM)
    assert code == TERMINATED
    assert "the same command goes on" in errors


def test_bugcase_97_a_second_interrupt_ends_a_run_at_once(
    slow_disk: dict[str, str], tmp_path: Path
) -> None:
    code, _ = stop(tmp_path, slow_disk, signal.SIGINT, signal.SIGINT)
    assert code in (INTERRUPTED, -signal.SIGINT)  # a shell shows both as 130


def test_a_second_run_of_a_study_is_told_who_runs_it(
    slow_disk: dict[str, str], tmp_path: Path
) -> None:
    storage = begin(tmp_path) / "results" / "sweep.db"
    with start(*RUN, cwd=tmp_path, env=slow_disk) as process:
        wait_for_trials(storage, 1, process)
        os.kill(process.pid, signal.SIGSTOP)  # it cannot be over before the others are
        second = sweep(*RUN, cwd=tmp_path)
        beside = read_json("trials", cwd=tmp_path)  # reading is always possible
        os.kill(process.pid, signal.SIGINT)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate()
    assert second.returncode == USER_INPUT
    assert f"process {process.pid} on {os.uname().nodename}" in second.stderr
    assert "Traceback" not in second.stderr
    assert second.stdout == ""
    assert process.returncode == INTERRUPTED
    assert len(beside) >= 1


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"space": {**GRID["space"], "bm25": {"k1": [0.9, 1.2, 1.6], "b": [0.3, 0.6, 0.9, 1.0]}}},
         ("bm25.b", "0.9", "1.0")),
        ({"objective": "recall@5"}, ("objectives", "ndcg@5", "recall@5")),
        ({"objective": {"metric": "ndcg@5", "direction": "minimize"}}, ("maximize", "minimize")),
        ({"constraints": ["context_tokens <= 50"]}, ("constraints", "context_tokens <= 50")),
        ({"corpus": "mainland"}, ("corpus",)),
        ({"split": {"confirm": 0.3}}, ("split", "0.3")),
    ],
    ids=["bugcase_84 choices", "bugcase_89 metric", "bugcase_89 direction", "constraint", "corpus",
         "split"],
)  # fmt: skip
def test_a_study_goes_on_with_what_it_began_with(
    unbroken: Unbroken, tmp_path: Path, changes: dict[str, Any], says: tuple[str, ...]
) -> None:
    folder = shutil.copytree(unbroken.folder, tmp_path / "copy")
    write_corpus(
        folder / "mainland",
        corpus=[{"_id": "a", "text": "one road"}],
        queries=[{"_id": "q", "text": "road"}],
        qrels="query-id\tcorpus-id\tscore\nq\ta\t1\n",
    )
    write_space(folder / "grid.yaml", {**GRID, **changes})
    refused = sweep(*RUN, cwd=folder)
    assert refused.returncode == USER_INPUT
    for words in says:
        assert words in refused.stderr
    assert "--study" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert recorded(folder / "results" / "sweep.db") == {"COMPLETE": TRIALS}


def test_another_name_begins_another_study(unbroken: Unbroken, tmp_path: Path) -> None:
    folder = shutil.copytree(unbroken.folder, tmp_path / "copy")
    write_space(
        folder / "grid.yaml", {**GRID, "objective": "recall@5", "exclude": ["bm25.b < 0.9"]}
    )
    succeed(*RUN, "--study", "other", cwd=folder)
    studies = {study["name"]: study["trials"] for study in read_json("studies", cwd=folder)}
    assert studies == {"grid": TRIALS, "other": 10}
    assert read_json("best", cwd=folder)["study"] == "other"
    assert read_json("best", "grid", cwd=folder)["study"] == "grid"


@pytest.fixture
def short_of_memory(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which the second configuration of words runs out of memory."""
    folder = tmp_path / "short of memory"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SHORT_OF_MEMORY, encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


def test_bugcase_82_a_failed_trial_is_run_again(
    short_of_memory: dict[str, str], tmp_path: Path
) -> None:
    space = {"mode": "bm25", "chunk": {"splitter": "words", "size": [6, 9, 12, 15, 18]}}
    begin(tmp_path, space=space, baseline=None)
    first = succeed(*RUN, cwd=tmp_path, env=short_of_memory)
    assert "4 configurations evaluated, 1 failed" in first.stdout
    assert "note: trial 1 failed: out of memory" in first.stderr
    (failed,) = [t for t in trials_of(tmp_path, "grid") if t["state"] == "FAIL"]
    assert failed["value"] is None
    assert failed["metrics"] == {}
    assert failed["error"]["type"] == "MemoryError"
    assert "Traceback" in failed["error"]["traceback"]
    assert "out of memory" in succeed("show", failed["number"], cwd=tmp_path).stdout
    refused = sweep("export", "--out", "out", "--trial", failed["number"], cwd=tmp_path)
    assert refused.returncode == USER_INPUT
    assert "which failed" in refused.stderr

    again = succeed(*RUN, cwd=tmp_path)
    assert "5 configurations evaluated\n" in again.stdout
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": 5, "FAIL": 1}
    trials = trials_of(tmp_path, "grid")
    finished = {t["params"]["chunk.size"] for t in trials if t["state"] == "COMPLETE"}
    assert finished == {6, 9, 12, 15, 18}


def test_too_many_failures_stop_a_run(short_of_memory: dict[str, str], tmp_path: Path) -> None:
    begin(tmp_path)
    arguments = (*RUN, "--max-failures", 0)
    done = sweep(*arguments, cwd=tmp_path, env=short_of_memory)
    assert done.returncode == FAILED
    assert f"stopped: 1 of {TRIALS} trials failed, more than 0%" in done.stderr
    assert "Traceback" not in done.stderr
    finished = recorded(tmp_path / "results" / "sweep.db")
    assert finished["FAIL"] == 1
    succeed(*arguments, cwd=tmp_path)
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": TRIALS, "FAIL": 1}
