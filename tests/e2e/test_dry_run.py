"""`sweep run --dry-run`: says what a run then does, and leaves no trace of a study."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import (
    DONE,
    USER_INPUT,
    Finished,
    read_json,
    succeed,
    sweep,
    write_space,
)
from tests.e2e.island import CONFIGURATIONS, MODES, Island, write_island

pytestmark = pytest.mark.slow

SPACE = {
    "name": "planned",
    "corpus": "corpus",
    "objective": "ndcg@5",
    "space": [
        {"mode": ["bm25", "vector", "hybrid"], "top_k": [3, 5],
         "chunk": {"splitter": "tokens", "size": 24, "overlap": [0, 0.5]}},
        {"mode": "rerank", "top_k": 5, "chunk": {"splitter": "tokens", "size": 24, "overlap": 0},
         "rerank": {"kind": "maxsim", "candidates": ["bm25", "hybrid"], "depth": 6}},
    ],
}  # fmt: skip


def begin(folder: Path, **changes: Any) -> None:
    write_island(folder / "corpus")
    write_space(folder / "space.yaml", {**SPACE, **changes})


def dry_run(*arguments: object, cwd: Path, **options: Any) -> Finished:
    return sweep("run", "space.yaml", "--dry-run", "--threads", 1, *arguments, cwd=cwd, **options)


def files(folder: Path) -> set[str]:
    """Return the files of a folder; SQLite's own, which come and go with readers, left out."""
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    return {name for name in found if not name.endswith(("-wal", "-shm"))}


def sizes(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


@dataclass(frozen=True)
class Planned:
    """A plan as text and as JSON, what it left behind, and what the run then did."""

    text: Finished
    plan: dict[str, Any]
    left: set[str]
    ended: dict[str, Any]
    added: dict[str, int]  # bytes
    again: dict[str, Any]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    folder = tmp_path_factory.mktemp("planned")
    begin(folder)
    text = dry_run(cwd=folder)
    plan = json.loads(dry_run("--json", cwd=folder).stdout)
    left, before = files(folder), sizes(folder, "results/.store/**/*")
    run = succeed("run", "space.yaml", "--threads", 1, "--json", cwd=folder)
    added = {
        "store": sizes(folder, "results/.store/**/*") - before,
        "study": sizes(folder, "results/planned/trials/**/*"),
        "storage": sizes(folder, "results/sweep.db"),
    }
    events = [json.loads(line) for line in run.stderr.splitlines()]
    ended = next(event for event in reversed(events) if event["event"] == "run_ended")
    again = json.loads(dry_run("--json", cwd=folder).stdout)
    return Planned(text, plan, left, ended, added, again)


def computed(event: dict[str, Any], stage: str) -> int:
    return int(event["stages"].get(stage, {"outputs": {}})["outputs"].get("computed", 0))


def stage(plan: dict[str, Any], kind: str) -> dict[str, Any]:
    found: dict[str, Any] = next(s for s in plan["stages"] if s["kind"] == kind)
    return found


def test_a_run_then_does_what_was_planned(planned: Planned) -> None:
    plan, ended = planned.plan, planned.ended
    assert plan["trials"] == {"planned": 14, "finished": 0, "to_run": 14, "drawn": False}
    (embedded,), (scored,) = plan["embed"], plan["rerank"]
    assert computed(ended, "embed") == embedded["texts"] + embedded["queries"]
    assert computed(ended, "chunk") == 0
    assert computed(ended, "latency") == stage(plan, "latencies")["to_do"]
    assert scored["bound"] == "at most"
    assert computed(ended, "rerank") <= scored["pairs"]
    assert scored["expected_pairs"] == pytest.approx(computed(ended, "rerank"), rel=0.35)


def test_it_takes_about_as_much_room_as_was_planned(planned: Planned) -> None:
    for place, size in planned.added.items():
        assert planned.plan["bytes"][place] == pytest.approx(size, rel=0.4), place
    assert planned.plan["bytes"]["total"] == pytest.approx(sum(planned.added.values()), rel=0.4)
    peak = planned.ended["peak_memory_bytes"]
    assert planned.plan["peak_memory_bytes"] == pytest.approx(peak, rel=0.5)


def test_after_the_run_nothing_is_left(planned: Planned) -> None:
    assert planned.again["trials"] == {
        "planned": 14, "finished": 14, "to_run": 0, "drawn": False,
    }  # fmt: skip
    assert planned.again["embed"] == planned.again["rerank"] == []
    assert {found["unique"] for found in planned.again["stages"]} == {0}
    assert planned.again["bytes"]["total"] == 0


def test_a_plan_leaves_no_trace_of_a_study(planned: Planned) -> None:
    made = {path for path in planned.left if not path.startswith(("corpus/", "space.yaml"))}
    assert {path.split("/")[1] for path in made} == {".store"}
    assert {path.split("/")[2] for path in made} <= {
        "offsets", "chunks", "inputs", "terms", "bm25_list", "seconds", "precision", "rate",
            "examination", "lost_queries",
    }  # fmt: skip


def test_people_can_read_it(planned: Planned) -> None:
    lines = planned.text.stdout.splitlines()
    assert planned.text.returncode == DONE
    assert lines[0] == (
        "PLAN    planned: 14 configurations over the corpus corpus; 0 finished, 14 to run"
    )
    heads = [line[:7].strip() for line in lines if line[:7].strip()]
    assert heads == ["PLAN", "EMBED", "RERANK", "TIME", "DISK", "MEMORY"]
    assert any(line.split() == ["chunkings", "2", "2", "0"] for line in lines)
    assert any(line.split() == ["fused", "lists", "2", "-", "2"] for line in lines)
    assert "No study and no trial was written." in planned.text.stderr


def test_the_finished_island_has_nothing_left(island: Island) -> None:
    before = files(island.folder)
    done = succeed("run", "island.yaml", "--dry-run", cwd=island.folder, env=island.env)
    assert "nothing is left to do" in done.stdout
    assert f"{CONFIGURATIONS} of {CONFIGURATIONS}" in done.stdout
    assert files(island.folder) == before


def test_a_part_of_a_grid_is_planned_as_a_part(tmp_path: Path, store: Path) -> None:
    begin(tmp_path)
    plan = read_json("run", "space.yaml", "--dry-run", "--trials", 4, "--store", store,
                     cwd=tmp_path)  # fmt: skip
    assert (plan["trials"]["planned"], plan["trials"]["to_run"]) == (14, 4)
    assert plan["embed"] == []  # BM25 comes first
    assert plan["seconds"]["load"] == 0


def test_a_sampler_draws_while_it_runs(tmp_path: Path, store: Path) -> None:
    space = {"mode": "bm25", "chunk": {"splitter": "words", "size": [4, 8]}, "top_k": [1, 2, 3]}
    begin(tmp_path, sampler={"kind": "random", "seed": 3}, trials=5, space=space)
    done = dry_run("--store", store, cwd=tmp_path)
    assert "5 configurations over the corpus corpus; 0 finished, 5 to run" in done.stdout
    assert "a sampler draws 5 of 6 while it runs" in done.stdout
    assert any(line.split() == ["chunkings", "2", "2", "0"] for line in done.stdout.splitlines())


def test_a_space_that_cannot_be_listed_is_refused(tmp_path: Path, store: Path) -> None:
    begin(tmp_path, sampler={"kind": "random"}, trials=5,
          space={"mode": "bm25", "bm25": {"k1": {"low": 0.5, "high": 2.0}}})  # fmt: skip
    done = dry_run("--store", store, cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert "Give every range a step" in done.stderr


def test_what_a_run_would_refuse_is_refused(tmp_path: Path, store: Path) -> None:
    write_space(tmp_path / "space.yaml", {**SPACE, "corpus": "nowhere"})
    missing = dry_run("--store", store, cwd=tmp_path)
    assert (missing.returncode, missing.stdout) == (USER_INPUT, "")
    assert "nowhere" in missing.stderr
    begin(tmp_path, objective="ndgc@5")
    assert dry_run("--store", store, cwd=tmp_path).returncode == USER_INPUT
    begin(tmp_path)
    (tmp_path / "no.db").write_text("this is no database", encoding="utf-8")
    foreign = dry_run("--store", store, "--storage", "no.db", cwd=tmp_path)
    assert foreign.returncode == USER_INPUT
    assert "Traceback" not in missing.stderr + foreign.stderr
    assert (tmp_path / "no.db").read_text(encoding="utf-8") == "this is no database"
    assert not (tmp_path / "results").exists()


def test_a_study_of_something_else_is_refused(island: Island, tmp_path: Path) -> None:
    changed = {**MODES, "space": [{**MODES["space"][0], "top_k": 4}]}  # type: ignore[index]
    path = write_space(island.folder / "other.yaml", changed)
    try:
        done = sweep("run", path, "--dry-run", cwd=island.folder, env=island.env)
    finally:
        path.unlink()
    assert done.returncode == USER_INPUT
    assert "must go on with what it began with" in done.stderr
