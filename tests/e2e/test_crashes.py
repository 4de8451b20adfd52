"""Whatever happens while a sweep runs, its study is whole, and the same command ends it."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna
import pytest

from sweep.study.storage.patient import PATIENCE_S
from sweep.study.storage.storage import open_storage
from tests.e2e.command import (
    ROOT,
    USER_INPUT,
    Finished,
    comparable,
    rankings,
    recorded,
    run_python,
    trials_of,
    write_space,
)
from tests.e2e.eventful import Events
from tests.e2e.grid import GRID, RUN, TRIALS, assert_told, assert_whole, begin
from tests.e2e.in_process import call, call_json, call_well
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.slow

LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
"""


def test_kills_at_random_moments_lose_and_double_nothing() -> None:
    """The same on SQLite and PostgreSQL; `tests/benchmarks/kill_resume.py` does it by hundreds."""
    arguments = ("--small", "--kills", 4, "--storage", "sqlite", "postgres")
    done = run_python("-m", "tests.benchmarks.kill_resume", *arguments, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    for line in map(json.loads, done.stdout.splitlines()):
        assert line["kills"] == 4
        assert line["studies"] >= 1


def test_bugcase_95_eight_runs_at_once_on_a_new_database(
    tmp_path: Path, postgres: PostgresServer, undisturbed: Path
) -> None:
    """One of eight that begin at the same instant runs the study, and seven are told so."""
    url = postgres.new_url()
    storages = ("results/sweep.db", url)
    done = run_python("-m", "tests.e2e.race", begin(tmp_path), *storages, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    for line in map(json.loads, done.stdout.splitlines()):
        assert line["codes"] == {"0": 1, str(USER_INPUT): 7}, line["text"]
        assert line["text"].count("one process at a time may run it, got process ") == 7
        assert "is locked" not in line["text"]
        assert "Traceback" not in line["text"]
    assert_whole(tmp_path, undisturbed)
    trials = call_json("trials", "--storage", url, cwd=tmp_path)
    assert comparable(trials) == comparable(trials_of(undisturbed, "grid"))


def test_a_second_run_from_another_folder_on_one_sqlite_file(
    tmp_path: Path, events: Events
) -> None:
    seen: list[Finished] = []
    there = begin(tmp_path / "there")
    database = tmp_path / "shared.db"
    (there / "link.db").symlink_to(database)
    for number, name in ((2, "../shared.db"), (3, "link.db")):
        events[number] = lambda name=name: seen.append(call(*RUN, "--storage", name, cwd=there))
    call_well(*RUN, "--storage", database, cwd=begin(tmp_path / "here"))
    for second in seen:
        assert_told(second, f"process {os.getpid()} on {os.uname().nodename}, running since 2")
    assert len(seen) == 2
    assert recorded(database) == {"COMPLETE": TRIALS}
    done = call_well(*RUN, "--storage", "link.db", cwd=there)
    assert f"{TRIALS} finished trials have no tables in results/grid" in done.stderr


def test_a_process_killed_while_it_began_a_study_leaves_nothing_in_the_way(
    tmp_path: Path, undisturbed: Path
) -> None:
    """It had claimed the folder and made the study, and written what it was begun with nowhere."""
    begin(tmp_path, objective="recall@5")
    call_well(*RUN, "--trials", 1, cwd=tmp_path)
    storage = open_storage(str(tmp_path / "results" / "sweep.db"))
    optuna.delete_study(study_name="grid", storage=storage)
    optuna.create_study(study_name="grid", storage=storage, direction="minimize")
    shutil.rmtree(tmp_path / "results" / "grid" / "trials")
    (tmp_path / "results" / "grid" / ".part-half").write_bytes(b"half")
    call_well(*RUN, cwd=begin(tmp_path))
    assert_whole(tmp_path, undisturbed)
    assert not list((tmp_path / "results" / "grid").rglob(".part-*"))
    storage = open_storage(str(tmp_path / "results" / "sweep.db"))
    study = optuna.load_study(study_name="grid", storage=storage)
    assert (study.direction.name, study.metric_names) == ("MAXIMIZE", ["ndcg@5"])


def test_tables_that_were_lost_are_made_again(undisturbed: Path, tmp_path: Path) -> None:
    shutil.copytree(undisturbed, tmp_path / "copy")
    tables = sorted((tmp_path / "copy" / "results" / "grid" / "trials").rglob("*.parquet"))
    for path in tables[:3]:
        path.unlink()
    refused = call("best", cwd=tmp_path / "copy")
    assert_told(refused, "then run the study again: it makes what is missing")
    done = call_well(*RUN, cwd=tmp_path / "copy")
    assert "2 finished trials have no tables in results/grid: they are made again" in done.stderr
    assert_whole(tmp_path / "copy", undisturbed)


def test_a_database_removed_under_a_run_is_told(
    tmp_path: Path, events: Events, undisturbed: Path
) -> None:
    def remove() -> None:
        for path in (tmp_path / "results").glob("sweep.db*"):
            path.unlink()

    events[3] = remove
    done = call(*RUN, cwd=begin(tmp_path))
    assert_told(done, "must stay where it is while a study runs", "Begin again")
    assert "is kept" not in done.stderr
    call_well(*RUN, cwd=tmp_path)
    assert_whole(tmp_path, undisturbed)


def test_a_study_deleted_under_a_run_is_told(
    tmp_path: Path, events: Events, undisturbed: Path
) -> None:
    """As with the dashboard's button; `sweep delete` refuses."""

    def delete() -> None:
        assert_told(call("delete", "grid", "--yes", cwd=tmp_path), "one process at a time")
        storage = open_storage(str(tmp_path / "results" / "sweep.db"))
        optuna.delete_study(study_name="grid", storage=storage)

    events[3] = delete
    assert_told(call(*RUN, cwd=begin(tmp_path)), "got it deleted. Begin again")
    call_well(*RUN, cwd=tmp_path)
    assert_whole(tmp_path, undisturbed)


@contextmanager
def locked(database: Path) -> Iterator[subprocess.Popen[str]]:
    """Let another process hold the database's lock until it is told to end."""
    with subprocess.Popen(
        [sys.executable, "-c", LOCK, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        yield process
        process.communicate("end\n")


@pytest.fixture
def quick_to_find_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweep.study.storage.storage.BUSY_S", 0.05)


@pytest.mark.usefixtures("quick_to_find_locks")
def test_a_database_locked_for_a_while_is_waited_for(
    tmp_path: Path, events: Events, undisturbed: Path
) -> None:
    holders = []

    def lock() -> None:
        context = locked(tmp_path / "results" / "sweep.db")
        context.__enter__()
        holders.append(context)
        threading.Timer(0.4, lambda: context.__exit__(None, None, None)).start()

    events[2] = lock
    done = call_well(*RUN, cwd=begin(tmp_path))
    assert "note: the storage does not answer (database is locked)" in done.stderr
    assert "note: the storage answers again" in done.stderr
    assert_whole(tmp_path, undisturbed)


@pytest.mark.usefixtures("quick_to_find_locks")
def test_a_database_that_stays_locked_is_told_with_who_holds_it(
    tmp_path: Path,
    events: Events,
    undisturbed: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PATIENCE_S, "busy", 0.2)
    begin(tmp_path)
    contexts = []

    def lock() -> None:
        contexts.append(locked(tmp_path / "results" / "sweep.db"))
        contexts.append(contexts[0].__enter__())

    events[3] = lock
    before = time.monotonic()
    done = call(*RUN, cwd=tmp_path)
    assert time.monotonic() - before < 60
    assert_told(done, "must be free to be written", f"End process {contexts[1].pid} (python")
    assert "What is finished is kept.\nGo on with: sweep run grid.yaml" in done.stderr
    assert call_well("trials", cwd=tmp_path)  # reading is always possible
    contexts[0].__exit__(None, None, None)
    events.clear()
    call_well(*RUN, cwd=tmp_path)
    assert_whole(tmp_path, undisturbed)


def test_a_study_that_has_run_in_another_storage_keeps_its_folder(
    undisturbed: Path, tmp_path: Path
) -> None:
    """One folder, two storages: a study begun elsewhere with other things is not mixed in."""
    shutil.copytree(undisturbed, tmp_path / "copy")
    begin(tmp_path / "elsewhere", objective="recall@5")
    database = tmp_path / "other.db"
    call_well(*RUN, "--storage", database, cwd=tmp_path / "elsewhere")
    write_space(tmp_path / "copy" / "grid.yaml", {**GRID, "objective": "recall@5"})
    before = rankings(tmp_path / "copy" / "results", "grid")
    done = call(*RUN, "--storage", database, cwd=tmp_path / "copy")
    assert_told(done, "its folder must be its own, got results/grid")
    assert rankings(tmp_path / "copy" / "results", "grid") == before
