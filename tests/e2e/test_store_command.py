"""`sweep store`, and a run that keeps its store within a bound."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import (
    DONE,
    FAILED,
    USER_INPUT,
    comparable,
    read_json,
    succeed,
    sweep,
    trials_of,
    write_space,
)
from tests.e2e.island import Island, write_island

pytestmark = pytest.mark.slow


def space(name: str, sizes: list[int]) -> dict[str, Any]:
    return {
        "name": name,
        "corpus": "island corpus",
        "objective": "ndcg@5",
        "space": {"mode": "bm25", "chunk": {"splitter": "words", "size": sizes}},
    }


def begin(folder: Path) -> None:
    write_island(folder / "island corpus")
    write_space(folder / "first.yaml", space("first", [8, 9, 10, 11, 12]))
    write_space(folder / "second.yaml", space("second", [20, 21, 22]))


def size_of(store: Path) -> int:
    return sum(path.stat().st_size for path in store.rglob("*") if path.is_file())


@pytest.fixture
def copy(island: Island, tmp_path: Path) -> Path:
    """Return a copy of the shared study's store, where a command looks for it."""
    shutil.copytree(island.store, tmp_path / "results" / ".store")
    return tmp_path / "results" / ".store"


def test_info_names_stages_and_models(copy: Path, tmp_path: Path) -> None:
    facts = read_json("store", "info", cwd=tmp_path)
    assert facts["bytes"] == sum(stage["bytes"] for stage in facts["stages"]) == size_of(copy)
    assert {stage["stage"] for stage in facts["stages"]} >= {
        "chunks",
        "inputs",
        "pairs",
        "vectors",
    }
    rows = {(group["model"], group["of"]) for group in facts["models"]}
    assert rows >= {("all-MiniLM-L6-v2", of) for of in ("query", "passage", "maxsim")}
    assert facts["other_files"] == 0
    printed = succeed("store", "info", "--store", copy, cwd=tmp_path.parent).stdout
    assert "passage vectors" in printed
    assert printed.splitlines()[0] == str(copy)


def test_prune_says_what_it_frees(copy: Path, tmp_path: Path) -> None:
    (copy / "notes.txt").write_text("mine", encoding="utf-8")
    total = size_of(copy) - 4
    refused = sweep("store", "prune", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (USER_INPUT, "")
    assert "--max SIZE, --older-than AGE" in refused.stderr
    planned = read_json("store", "prune", "--max", "10 KB", "--dry-run", cwd=tmp_path)
    assert planned["freed_bytes"] + planned["left_bytes"] == total == size_of(copy) - 4
    done = succeed("store", "prune", "--max", "10 KB", "--older-than", "30d", cwd=tmp_path).stdout
    assert done.startswith(f"removed {planned['removed_files']:,} files, ")
    assert size_of(copy) - 4 == planned["left_bytes"] <= 10_000
    assert read_json("store", "info", cwd=tmp_path)["other_files"] == 1


def test_verify_finds_damage_and_removes_it_when_asked(copy: Path, tmp_path: Path) -> None:
    assert "0 damaged" in succeed("store", "verify", cwd=tmp_path).stdout
    path = sorted(copy.rglob("*.safetensors"))[3]
    path.write_bytes(path.read_bytes()[:-3])
    for _ in range(2):
        found = sweep("store", "verify", "--json", cwd=tmp_path)
        assert found.returncode == FAILED
        (damaged,) = json.loads(found.stdout)["damaged"]
        assert damaged["file"] == path.relative_to(copy).as_posix()
    repaired = succeed("store", "verify", "--repair", cwd=tmp_path).stdout
    assert f"damaged: {damaged['file']} (" in repaired
    assert repaired.endswith("1 damaged, 1 of them removed\n")
    assert not path.exists()
    assert "0 damaged" in succeed("store", "verify", cwd=tmp_path).stdout


@pytest.mark.parametrize("action", ["info", "verify", "prune"])
def test_store_that_is_not_there_is_the_users_input(tmp_path: Path, action: str) -> None:
    options = ("--max", "1GB") if action == "prune" else ()
    done = sweep("store", action, "--store", "nowhere", *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert "nowhere: must be a store, got nothing there. Name one with --store" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_run_keeps_its_store_within_a_bound(tmp_path: Path) -> None:
    begin(tmp_path)
    store = tmp_path / "results" / ".store"
    succeed("run", "first.yaml", "--threads", 1, cwd=tmp_path)
    first = size_of(store)
    succeed("run", "second.yaml", "--threads", 1, "--store", "other", cwd=tmp_path)
    needed, expected = size_of(tmp_path / "other"), trials_of(tmp_path, "second")
    bound = (needed + first) // 2
    shutil.rmtree(tmp_path / "results" / "second")
    env = {"SWEEP_STORE_MAX": f"{bound}B"}
    bounded = ("run", "second.yaml", "--threads", 1, "--study", "bounded")
    done = succeed(*bounded, cwd=tmp_path, env=env)
    assert needed < first
    assert "--store-max" not in done.stderr
    assert size_of(store) <= bound
    assert comparable(trials_of(tmp_path, "bounded")) == comparable(expected)
    # All that the second study has made is still there.
    rerun = ("run", "second.yaml", "--threads", 1, "--study", "again", "--json")
    lines = succeed(*rerun, cwd=tmp_path, env=env).stderr.splitlines()
    events = [event for event in map(json.loads, lines) if event["event"] == "stage_ended"]
    sources = {e["source"] for e in events if e["stage"] in ("chunk", "terms", "lists")}
    assert sources == {"store"}


def test_run_that_needs_more_than_its_bound_says_so_and_goes_on(tmp_path: Path) -> None:
    begin(tmp_path)
    done = succeed("run", "second.yaml", "--threads", 1, "--store-max", "1KB", cwd=tmp_path)
    assert "this run alone needs more than the 1.0 KB that --store-max allows" in done.stderr
    assert len(trials_of(tmp_path, "second")) == 3
    assert size_of(tmp_path / "results" / ".store") > 1000


@pytest.mark.parametrize(
    ("arguments", "env"),
    [(("--store-max", "5 apples"), {}), ((), {"SWEEP_STORE_MAX": "5 apples"})],
    ids=["option", "environment"],
)
def test_bound_that_is_no_size_is_the_users_input(
    tmp_path: Path, arguments: tuple[str, ...], env: dict[str, str]
) -> None:
    begin(tmp_path)
    done = sweep("run", "first.yaml", *arguments, cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert "must be a number with B, KB" in done.stderr
    assert "got '5 apples'" in done.stderr
    assert not (tmp_path / "results").exists()


def test_left_overs_of_dead_processes_are_removed_by_the_next_run(tmp_path: Path) -> None:
    begin(tmp_path)
    folder = tmp_path / "results" / ".store" / "chunks" / "00"
    folder.mkdir(parents=True)
    for name in (".part-old", ".part-new"):
        (folder / name).write_bytes(b"half of a")
    os.utime(folder / ".part-old", (0, 0))
    assert sweep("run", "first.yaml", "--threads", 1, cwd=tmp_path).returncode == DONE
    assert [path.name for path in folder.glob(".part-*")] == [".part-new"]
