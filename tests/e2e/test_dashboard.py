"""The dashboard on a recorded study, and databases that must be left as they are."""

import hashlib
import json
import os
import re
import signal
import sqlite3
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import (
    INTERRUPTED,
    PATIENCE_S,
    USER_INPUT,
    recorded,
    run_python,
    start,
    sweep,
    write_space,
)
from tests.e2e.island import CONFIGURATIONS, Island, write_island

pytestmark = pytest.mark.slow

OLDER = """
import optuna, sqlite3
study = optuna.create_study(storage="sqlite:///old.db", study_name="demo", direction="maximize")
study.optimize(lambda trial: trial.suggest_categorical("k", [1, 3]), n_trials=2)
with sqlite3.connect("old.db") as connection:
    connection.execute("update version_info set schema_version=999, library_version='99.0'")
    connection.execute("update alembic_version set version_num='v99.0.0.a'")
"""


def read_address(process: Any) -> str:
    """Return the page's address, as the command says it."""
    for line in process.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+/", line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return found[0]
    raise AssertionError(f"no address; exit code {process.wait()}")


def get(address: str) -> tuple[int, bytes]:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read()
        except urllib.error.URLError:  # it says the address before it listens
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.parametrize(
    "arguments", [(), ("--storage", "sweep.db"), ("--storage", "sqlite:///sweep.db")]
)
def test_bugcase_105_the_page_lists_the_study(island: Island, arguments: tuple[str, ...]) -> None:
    """The default, a bare file name, a URL."""
    cwd = island.folder / "results" if arguments else island.folder
    with start("dashboard", "--port", 0, *arguments, cwd=cwd) as process:
        try:
            address = read_address(process)
            status, _ = get(address + "dashboard")
            assert status == 200
            status, body = get(address + "api/studies")
            assert status == 200
            (study,) = json.loads(body)["study_summaries"]
            assert study["study_name"] == "island"
        finally:
            os.kill(process.pid, signal.SIGINT)
            process.wait(timeout=PATIENCE_S)
    assert process.returncode == INTERRUPTED
    assert recorded(island.folder / "results" / "sweep.db") == {"COMPLETE": CONFIGURATIONS}


@pytest.mark.parametrize(
    "name",
    ["nowhere.db", "no folder/x.db", "sqlite:///nowhere.db", "C:\\x\\y.db", "öde plätze.db"],
)
def test_bugcase_105_a_path_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    done = sweep("dashboard", "--storage", name, cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert name.removeprefix("sqlite:///").split("\\")[-1] in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_told(island: Island) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = sweep("dashboard", "--port", port, cwd=island.folder)
    assert done.returncode == USER_INPUT
    assert str(port) in done.stderr


def test_bugcase_100_a_database_of_another_optuna_is_left_as_it_is(tmp_path: Path) -> None:
    assert run_python("-c", OLDER, cwd=tmp_path).returncode == 0
    write_island(tmp_path / "island")
    space = {"corpus": "island", "objective": "ndcg@5", "space": {"mode": "bm25"}}
    write_space(tmp_path / "space.yaml", space)
    old = tmp_path / "old.db"
    before = hashlib.sha256(old.read_bytes()).hexdigest()
    for command in (("best",), ("trials",), ("studies",), ("run", "space.yaml"), ("dashboard",)):
        done = sweep(*command, "--storage", "old.db", cwd=tmp_path)
        assert done.returncode == USER_INPUT
        for words in ("old.db", "99.0", "Copy the file"):
            assert words in done.stderr
        assert "Traceback" not in done.stderr
    assert hashlib.sha256(old.read_bytes()).hexdigest() == before
    assert {path.name for path in tmp_path.iterdir()} == {"old.db", "island", "space.yaml"}


def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "notes.db") as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    before = (tmp_path / "notes.db").read_bytes()
    done = sweep("best", "--storage", "notes.db", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "notes.db" in done.stderr
    assert (tmp_path / "notes.db").read_bytes() == before
