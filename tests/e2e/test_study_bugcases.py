"""The collected bug cases about studies and their storage, through the command with our keys."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import DONE, recorded, run_python, trials_of, write_space
from tests.e2e.grid import assert_told
from tests.e2e.in_process import call, call_json, call_well
from tests.postgres_server import PostgresServer
from tests.shared_data import bugcase

pytestmark = pytest.mark.slow

RUN = ("run", "case.yaml", "--threads", 1)
AFTER_A_SEARCH = """
import multiprocessing, sys
from pathlib import Path
import sweep
from sweep.study.driver.inputs import RunOptions

def study(name):
    options = RunOptions(threads=2, study=name, store=Path(f"store of {name}"))
    return sweep.run("case.yaml", options=options).trials

def work(name):
    states = [trial.state for trial in study(name)]
    sys.exit(0 if states == ["COMPLETE"] * 4 else 1)

study("parent")
context = multiprocessing.get_context("fork")
workers = [context.Process(target=work, args=(f"worker {number}",)) for number in range(2)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join(120)
codes = [worker.exitcode for worker in workers]
for worker in workers:
    worker.kill()
assert codes == [0, 0], codes
"""


def case(number: str, folder: Path, **content: Any) -> None:
    """Copy a case's corpus and write its space."""
    shutil.copytree(bugcase(number), folder / "corpus", copy_function=shutil.copyfile)
    (folder / "corpus").chmod(0o755)
    write_space(folder / "case.yaml", {"name": "case", "corpus": "corpus", **content})


def words(mode: str, size: list[int]) -> dict[str, Any]:
    return {"mode": mode, "top_k": [1, 3], "chunk": {"splitter": "words", "size": size}}


def test_bugcase_84_added_choices_are_refused_before_any_trial(tmp_path: Path) -> None:
    case("84", tmp_path, objective="ndcg@1", space=words("bm25", [2, 4]))
    call_well(*RUN, cwd=tmp_path)
    changed = {"objective": "ndcg@1", "space": words("bm25", [2, 4, 6])}
    write_space(tmp_path / "case.yaml", {"name": "case", "corpus": "corpus", **changed})
    assert_told(call(*RUN, cwd=tmp_path), "chunk.size: was [2, 4], is [2, 4, 6]", "--study case-2")
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": 4}
    call_well(*RUN, "--study", "case-2", cwd=tmp_path)
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": 4 + 6}


def test_bugcase_89_another_metric_or_direction_is_refused_by_name(tmp_path: Path) -> None:
    case("89", tmp_path, objective="ndcg@3", space=words("bm25", [2, 4]))
    call_well(*RUN, cwd=tmp_path)
    objective = {"metric": "holes_ratio", "direction": "minimize"}
    changed = {"objective": objective, "space": words("bm25", [2, 4])}
    write_space(tmp_path / "case.yaml", {"name": "case", "corpus": "corpus", **changed})
    told = ("ndcg@3", "maximize", "holes_ratio", "minimize", "--study case-2")
    assert_told(call(*RUN, cwd=tmp_path), *told)
    assert call_json("show", cwd=tmp_path)["objectives"] == ["ndcg@3 (maximize)"]


def test_bugcase_101_workers_started_after_a_search_do_not_hang(tmp_path: Path) -> None:
    """Forked ones, which embed and search on two threads as their parent did.

    Spawned ones begin as any other process does.
    """
    case("101", tmp_path, objective="ndcg@1", space=words("vector", [2, 4]))
    (tmp_path / "workers.py").write_text(AFTER_A_SEARCH, encoding="utf-8")
    done = run_python("workers.py", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    studies = {study["name"]: study["trials"] for study in call_json("studies", cwd=tmp_path)}
    assert studies == {"parent": 4, "worker 0": 4, "worker 1": 4}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_bugcase_104_many_queries_and_long_errors(
    tmp_path: Path, postgres: PostgresServer, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of 5,000 queries are files; an error of 100 kB is kept in part, marked as cut."""
    source = bugcase("104")
    (tmp_path / "corpus").mkdir()
    subprocess.run([sys.executable, source / "gen.py"], cwd=tmp_path / "corpus", check=True)
    content = {
        "name": "case", "corpus": "corpus", "objective": "ndcg@10",
        "space": {"mode": "bm25", "top_k": [1, 10], "chunk": {"splitter": "document"}},
    }  # fmt: skip
    write_space(tmp_path / "case.yaml", content)
    storage = "case.db" if kind == "sqlite" else postgres.new_url()
    arguments = ("--storage", storage)
    with monkeypatch.context() as patch:
        patch.setattr("sweep.study.driver.evaluate.write_tables", fail_at_length)
        done = call(*RUN, *arguments, "--max-failures", 1, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    trials = call_json("trials", *arguments, cwd=tmp_path)
    assert [trial["state"] for trial in trials] == ["FAIL", "FAIL"]
    for trial in trials:
        error = trial["error"]
        assert error["type"] == "ValueError"
        assert error["message"].startswith("begins é xxx")
        assert error["message"].endswith("xxx é ends")
        assert "characters cut" in error["message"]
        assert len(error["message"]) < 5000
    assert len(done.stderr) < 20_000
    call_well(*RUN, *arguments, cwd=tmp_path)
    expected = json.loads((source / "expected.json").read_text(encoding="utf-8"))["expect"]
    finished = [
        trial
        for trial in call_json("trials", *arguments, cwd=tmp_path)
        if trial["state"] == "COMPLETE"
    ]
    assert [trial["value"] for trial in finished] == [expected["ndcg@10"]] * 2
    assert stored_bytes(tmp_path, postgres, storage) < 60_000


def fail_at_length(*arguments: Any) -> None:
    raise ValueError(f"begins é {'x' * 100_000} é ends")


def stored_bytes(folder: Path, postgres: PostgresServer, storage: str) -> int:
    """Return how many characters the attributes of all trials take: they are read on resume."""
    total = 0
    for table in ("trial_user_attributes", "trial_system_attributes"):
        query = f"SELECT coalesce(sum(length(value_json)), 0) FROM {table}"
        if "://" in storage:
            schema = storage.rpartition("%3D")[2]
            rows: Any = postgres.execute(query.replace(table, f"{schema}.{table}"))
        else:
            with closing(sqlite3.connect(folder / storage)) as connection:
                rows = connection.execute(query).fetchall()
        total += int(rows[0][0])
    return total


def test_bugcase_93_no_trial_is_ever_running(tmp_path: Path) -> None:
    """A trial is written finished, so that a killed process leaves none behind."""
    case("93", tmp_path, objective="ndcg@1", space=words("bm25", [2, 4]))
    call_well(*RUN, "--trials", 2, cwd=tmp_path)
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": 2}
    first = trials_of(tmp_path, "case")
    call_well(*RUN, cwd=tmp_path)
    assert recorded(tmp_path / "results" / "sweep.db") == {"COMPLETE": 4}
    assert trials_of(tmp_path, "case")[:2] == first
