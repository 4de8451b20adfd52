"""A PostgreSQL server that restarts, goes away or breaks connections while a sweep runs."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from sweep.study.storage.lock import running
from sweep.study.storage.patient import PATIENCE_S
from sweep.study.storage.storage import open_storage
from tests.e2e.command import USER_INPUT, comparable
from tests.e2e.eventful import Eventful, Events
from tests.e2e.grid import RUN, TRIALS, begin
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.proxy import LossyProxy
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer
) -> list[dict[str, Any]]:
    folder, url = begin(tmp_path_factory.mktemp("calm")), postgres.new_url()
    call_well(*RUN, "--storage", url, cwd=folder)
    trials: list[dict[str, Any]] = call_json("trials", "--storage", url, cwd=folder)
    return trials


def assert_whole(folder: Path, url: str, undisturbed: list[dict[str, Any]]) -> None:
    trials = call_json("trials", "--storage", url, cwd=folder)
    assert sorted(trial["number"] for trial in trials) == list(range(TRIALS))
    assert all(trial["state"] == "COMPLETE" for trial in trials)
    assert comparable(trials) == comparable(undisturbed)


def test_a_run_outlasts_restarts_of_its_server(
    tmp_path: Path,
    postgres: PostgresServer,
    events: Events,
    undisturbed: list[dict[str, Any]],
) -> None:
    """Restarted, crashed and restarted, away for a while: the trial at work is written later."""

    def go_away() -> None:
        postgres.stop("immediate")
        threading.Timer(1.0, postgres.start).start()

    events |= {1: postgres.restart, 3: lambda: postgres.restart("immediate"), 4: go_away}
    url = postgres.new_url()
    done = call_well(*RUN, "--storage", url, cwd=begin(tmp_path))
    assert "note: the storage does not answer (" in done.stderr
    assert "note: the storage answers again" in done.stderr
    assert Eventful.count == TRIALS
    assert_whole(tmp_path, url, undisturbed)


@pytest.mark.parametrize("lose", [1, 4])
def test_a_commit_whose_answer_is_lost_is_not_repeated(
    tmp_path: Path, postgres: PostgresServer, undisturbed: list[dict[str, Any]], lose: int
) -> None:
    url = postgres.new_url()
    proxy = LossyProxy(postgres.port, lose=lose)
    try:
        through = url.replace(f":{postgres.port}/", f":{proxy.port}/") + "&sslmode=disable"
        call_well(*RUN, "--storage", through, cwd=begin(tmp_path))
    finally:
        proxy.close()
    assert proxy.commits == TRIALS, "each trial was inserted once"
    assert_whole(tmp_path, url, undisturbed)


def test_a_server_that_stays_away_ends_the_run_and_loses_nothing(
    tmp_path: Path,
    postgres: PostgresServer,
    events: Events,
    undisturbed: list[dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(PATIENCE_S, "away", 0.3)
    events[3] = postgres.stop
    url = postgres.new_url()
    done = call(*RUN, "--storage", url, cwd=begin(tmp_path))
    postgres.start()
    assert done.returncode == USER_INPUT
    assert "Traceback" not in done.stderr
    assert "error: storage: its server must answer" in done.stderr
    assert "What is finished is kept.\nGo on with: sweep run grid.yaml" in done.stderr
    assert len(call_json("trials", "--storage", url, cwd=tmp_path)) == 2
    events.clear()
    call_well(*RUN, "--storage", url, cwd=tmp_path)
    assert_whole(tmp_path, url, undisturbed)


def test_a_second_run_in_another_folder_is_told_who_runs_it(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.new_url()
    storage = open_storage(url, create=True)
    with running(tmp_path / "first" / ".lock", "grid", storage):
        second = call(*RUN, "--storage", url, cwd=begin(tmp_path / "second"))
        other = call(*RUN, "--study", "other", "--storage", url, cwd=tmp_path / "second")
    assert second.returncode == USER_INPUT
    assert f"process {os.getpid()} on {os.uname().nodename}, running since 2" in second.stderr
    assert "start another study with --study NAME" in second.stderr
    assert other.returncode == 0
    call_well(*RUN, "--storage", url, cwd=tmp_path / "second")


def take_over(postgres: PostgresServer, url: str, folder: Path, *, finish: bool) -> Any:
    """Return an event: the server restarts, and another process takes the study first."""
    kept = []

    def event() -> None:
        postgres.restart()
        storage = open_storage(url)
        lock = running(folder / ".lock", "grid", storage)
        lock.__enter__()
        study_id = storage.get_study_id_from_name("grid")
        about = storage.get_study_user_attrs(study_id)["sweep"]
        storage.set_study_user_attr(study_id, "sweep", about | {"turn": about["turn"] + 1})
        if finish:
            lock.__exit__(None, None, None)
        kept.append((storage, lock))

    return event, kept


@pytest.mark.parametrize("finish", [False, True], ids=["still runs", "has run"])
def test_a_lock_that_was_lost_to_another_process_ends_the_run(
    tmp_path: Path,
    postgres: PostgresServer,
    events: Events,
    finish: bool,
) -> None:
    """Between the restart of the server and the next write another process has begun."""
    url = postgres.new_url()
    events[3], kept = take_over(postgres, url, tmp_path / "other", finish=finish)
    done = call(*RUN, "--storage", url, cwd=begin(tmp_path))
    assert done.returncode == USER_INPUT
    assert "Traceback" not in done.stderr
    assert "since the server broke the connection. Run it again" in done.stderr
    assert len(call_json("trials", "--storage", url, cwd=tmp_path)) == 2
    for storage, lock in kept:
        if not finish:
            lock.__exit__(None, None, None)
        storage.engine.dispose()
