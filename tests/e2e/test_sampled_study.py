"""Samplers through the command: killed anywhere, resumed, they try what one run tries."""

import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from tests.e2e.command import (
    USER_INPUT,
    comparable,
    rankings,
    recorded,
    start,
    trials_of,
    wait_for_trials,
    write_space,
)
from tests.e2e.in_process import call
from tests.e2e.island import write_island
from tests.shared_data import bugcase

pytestmark = pytest.mark.slow

SAMPLED = {
    "name": "sampled",
    "corpus": "island",
    "objective": "ndcg@5",
    "constraints": ["context_tokens <= 120"],
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "document"}},
    "space": {
        "mode": "bm25",
        "top_k": [3, 5],
        "chunk": {"splitter": ["words", "sentences"], "size": {"low": 4, "high": 40}},
        "bm25": {"variant": ["lucene", "okapi"], "b": {"low": 0, "high": 1}},
    },
}
TRIALS = 16
SAMPLERS = ("random", "tpe", "nsga2")
RUN = ("run", "sampled.yaml", "--threads", 1)
SLOW_DISK = """
import os, time
fsync = os.fsync
def slow(handle):
    time.sleep(0.05)
    fsync(handle)
os.fsync = slow
"""


def begin(folder: Path, kind: str, **changes: Any) -> Path:
    """Write the corpus and the space of a study; return its database."""
    write_island(folder / "island")
    sampler = {"kind": kind, "seed": 7, "trials": TRIALS}
    write_space(folder / "sampled.yaml", {**SAMPLED, "sampler": sampler, **changes})
    return folder / "results" / "sweep.db"


def go_on(folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[dict[str, Any]]:
    """Run the study in this process; return its trials by number."""
    monkeypatch.chdir(folder)
    run("sampled.yaml", options=RunOptions(threads=1, **options))
    return trials_of(folder, "sampled")


def in_order(trials: list[dict[str, Any]]) -> list[tuple[Any, Any, Any]]:
    return [(t["params"], t["value"], t["constraints"]) for t in trials]


@pytest.mark.parametrize("kind", SAMPLERS)
def test_killed_and_terminated_a_sampler_ends_like_an_unbroken_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    storage = begin(tmp_path / "broken", kind)
    begin(tmp_path / "unbroken", kind)
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "sitecustomize.py").write_text(SLOW_DISK, encoding="utf-8")
    env = {"PYTHONPATH": str(tmp_path / "slow")}
    for finished, how in ((4, signal.SIGKILL), (12, signal.SIGTERM)):
        with start(*RUN, cwd=tmp_path / "broken", env=env) as process:
            wait_for_trials(storage, finished, process)
            os.kill(process.pid, how)
            signalled = recorded(storage)["COMPLETE"]
            process.communicate()
        states = recorded(storage)
        assert set(states) == {"COMPLETE"}
        assert finished <= states["COMPLETE"] <= signalled + 1
    broken = go_on(tmp_path / "broken", monkeypatch)
    unbroken = go_on(tmp_path / "unbroken", monkeypatch)
    assert recorded(storage) == {"COMPLETE": TRIALS + 1}  # the baseline with them
    assert in_order(broken) == in_order(unbroken)
    assert comparable(broken) == comparable(unbroken)
    results = (tmp_path / "broken" / "results", tmp_path / "unbroken" / "results")
    assert rankings(results[0], "sampled") == rankings(results[1], "sampled")


@pytest.mark.parametrize("kind", ["tpe", "nsga2"])
def test_four_runs_of_five_are_one_of_twenty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for name in ("four", "one"):
        begin(tmp_path / name, kind, sampler={"kind": kind, "seed": 7})
    for _ in range(4):
        four = go_on(tmp_path / "four", monkeypatch, trials=5)
    assert len(four) == 21
    assert in_order(four) == in_order(go_on(tmp_path / "one", monkeypatch, trials=20))


def case(number: str, folder: Path, content: dict[str, Any]) -> Path:
    """Copy a case's corpus and write a space for it; return the database."""
    folder.mkdir(exist_ok=True)
    shutil.copytree(bugcase(number), folder / "island", copy_function=shutil.copyfile)
    (folder / "island").chmod(0o755)
    write_space(folder / "sampled.yaml", {"name": "sampled", "corpus": "island", **content})
    return folder / "results" / "sweep.db"


def words(size: Any, top_k: Any) -> dict[str, Any]:
    return {"mode": "bm25", "top_k": top_k, "chunk": {"splitter": "words", "size": size}}


def test_bugcase_80_runs_started_together_repeat_and_miss_nothing(tmp_path: Path) -> None:
    grid = {"objective": "ndcg@1", "space": words([2, 4], [1, 3])}
    storage = case("80", tmp_path, grid)
    together = [start(*RUN, cwd=tmp_path) for _ in range(4)]
    ends = [(process.communicate(), process.returncode) for process in together]
    codes = [code for _, code in ends]
    assert 0 in codes
    for (_, errors), code in ends:
        assert code in (0, USER_INPUT), errors
        assert "Traceback" not in errors
        assert "locked" not in errors
        assert code == 0 or "one process at a time may run it, got" in errors
    assert recorded(storage) == {"COMPLETE": 4}
    params = {str(trial["params"]) for trial in trials_of(tmp_path, "sampled")}
    assert len(params) == 4


def test_bugcase_84_a_changed_range_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tpe = {"kind": "tpe", "trials": 3}
    content = {"objective": "ndcg@1", "sampler": tpe, "space": words([2, 4], [1, 3])}
    storage = case("84", tmp_path, content)
    go_on(tmp_path, monkeypatch)
    changed = content | {"space": words([2, 4, 6], [1, 3])}
    write_space(tmp_path / "sampled.yaml", {"name": "sampled", "corpus": "island", **changed})
    refused = call(*RUN, cwd=tmp_path)
    assert refused.returncode == USER_INPUT
    assert "chunk.size: was [2, 4], is [2, 4, 6] (added 6)" in refused.stderr
    assert "--study" in refused.stderr
    assert recorded(storage) == {"COMPLETE": 3}


@pytest.mark.parametrize("kind", SAMPLERS)
def test_bugcase_91_a_seed_does_not_repeat_itself_after_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    space = words({"low": 2, "high": 1001}, 3)
    content = {"objective": "ndcg@1", "sampler": {"kind": kind, "seed": 7}, "space": space}
    for name in ("resumed", "fresh"):
        case("91", tmp_path / name, content)
    go_on(tmp_path / "resumed", monkeypatch, trials=4)
    resumed = go_on(tmp_path / "resumed", monkeypatch, trials=4)
    sizes = [trial["params"]["chunk.size"] for trial in resumed]
    assert len(sizes) == len(set(sizes)) == 8
    fresh = go_on(tmp_path / "fresh", monkeypatch, trials=8)
    assert [trial["params"]["chunk.size"] for trial in fresh] == sizes
