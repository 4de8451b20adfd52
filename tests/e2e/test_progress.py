"""What a run shows while it works, and what it records of its time: terminal, pipe, events."""

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import (
    DONE,
    INTERRUPTED,
    PATIENCE_S,
    Finished,
    environment,
    read_json,
    succeed,
    write_space,
)
from tests.e2e.island import Island, write_island

pytestmark = pytest.mark.slow

SHOW, HIDE = b"\x1b[?25h", b"\x1b[?25l"
STAGES = {"tokenise", "chunk", "terms", "lists", "fuse", "score", "costs", "latency", "write"}


def grid(k1: list[float]) -> dict[str, Any]:
    """Return a space that needs no model."""
    return {
        "name": "mine",
        "corpus": "corpus",
        "objective": "ndcg@10",
        "space": {
            "mode": "bm25",
            "top_k": 10,
            "chunk": {"splitter": "words", "size": 12},
            "bm25": {"k1": k1, "b": [0.1, 0.3, 0.5, 0.7, 0.9]},
        },
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("progress")
    write_island(folder / "corpus")
    write_space(folder / "small.yaml", grid([0.9, 1.2]))
    write_space(folder / "large.yaml", {**grid([n / 50 for n in range(1, 200)]), "name": "large"})
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Finished:
    """Return a run that told events; the tests below read its study."""
    return succeed("run", "small.yaml", "--json", cwd=folder)


class Terminal:
    """A command on a terminal of 80 columns."""

    def __init__(self, *arguments: object, cwd: Path) -> None:
        self.screen, inside = pty.openpty()
        self.written = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sweep", *map(str, arguments)],
            cwd=cwd,
            env=environment({"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),  # its own terminal
        )
        os.close(inside)

    def read(self) -> bool:
        """Read what there is; return whether more can come."""
        if not select.select([self.screen], [], [], 0.2)[0]:
            return True
        try:
            chunk = os.read(self.screen, 65536)
        except OSError:  # Linux: nobody writes any more
            return False
        self.written += chunk
        return bool(chunk)

    def wait_for(self, text: bytes) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.written:
            assert time.monotonic() < deadline, f"no {text!r}"
            assert self.read(), f"ended without {text!r}"

    def finish(self) -> int:
        while self.read():
            pass
        os.close(self.screen)
        return self.process.wait(timeout=PATIENCE_S)


def test_events_for_machines(run: Finished) -> None:
    events = [json.loads(line) for line in run.stderr.splitlines()]
    names = [event["event"] for event in events]
    assert names.index("run_started") < names.index("trial")
    assert names[-1] == "run_ended"
    assert names.count("trial") == 10
    assert names.count("stage_started") == names.count("stage_ended")
    last = events[-1]
    assert (last["state"], last["complete"], last["failed"]) == ("done", 10, 0)
    assert last["stages"].keys() == STAGES
    assert last["peak_memory_bytes"] > 10_000_000
    assert json.loads(run.stdout)["study"] == "mine"


def test_trials_record_where_their_time_went(folder: Path, run: Finished) -> None:
    trials = sorted(read_json("trials", "mine", cwd=folder), key=lambda trial: trial["number"])
    for trial in trials:
        timings = trial["timings"]
        assert STAGES - {"tokenise"} <= timings["stages"].keys() <= STAGES
        seconds = sum(use["seconds"] for use in timings["stages"].values())
        assert 0 < seconds <= timings["evaluate_s"] + 1e-4
        assert timings["stages"]["chunk"]["bytes"] > 0
        assert timings["peak_memory_bytes"] > 10_000_000
        assert {"queries", "rounds", "busy"} <= trial["facts"]["latency"].keys()
        for name in ("latency_p50_ms", "latency_p95_ms"):
            low, high = trial["intervals"][name]
            assert low < trial["metrics"][name] < high
    sources = [trial["timings"]["stages"]["chunk"]["source"] for trial in trials]
    assert sources == ["computed"] + ["memory"] * 9


def test_show_prints_where_the_time_went(folder: Path, run: Finished) -> None:
    shown = succeed("show", "mine", 0, cwd=folder).stdout
    header = next(line for line in shown.splitlines() if line.startswith("stage"))
    assert header.split() == ["stage", "seconds", "source", "outputs", "MB", "peak", "+MB"]
    for stage in STAGES:
        assert any(line.startswith(f"{stage} ") for line in shown.splitlines())
    table = succeed("trials", "mine", "--metric", "stage.lists_s", cwd=folder).stdout
    assert "stage.lists_s" in table


def test_second_study_finds_everything_in_the_store(folder: Path, run: Finished) -> None:
    """On a terminal, where the live view ends clean."""
    terminal = Terminal("run", "small.yaml", "--study", "again", cwd=folder)
    assert terminal.finish() == DONE
    assert terminal.written.count(HIDE) == terminal.written.count(SHOW) == 1
    live, answer = terminal.written.split(SHOW)
    assert b"10/10" in live
    assert b"USE   #" in answer
    left = b"".join(answer.split(b"USE   #")[0].split())
    assert left in (b"", b"\x1b[1A\x1b[2K" * left.count(b"\x1b[2K"))  # lines are wiped away
    first = next(t for t in read_json("trials", "again", cwd=folder) if t["number"] == 0)
    assert first["timings"]["stages"]["chunk"]["source"] == "store"
    assert first["timings"]["stages"]["lists"]["source"] == "store"


def test_ctrl_c_ends_clean(folder: Path) -> None:
    terminal = Terminal("run", "large.yaml", cwd=folder)
    terminal.wait_for(b"best ndcg@10")
    os.write(terminal.screen, b"\x03")
    assert terminal.finish() == INTERRUPTED
    assert terminal.written.count(HIDE) == terminal.written.count(SHOW) == 1
    assert b"stopped with" in terminal.written.split(SHOW)[1]
    assert b"Traceback" not in terminal.written


def test_shared_work_is_charged_to_nobody(island: Island) -> None:
    """It stands with the trial that came right after it, apart from the trial's own stages."""
    shared = [trial for trial in island.trials if "shared" in trial["timings"]]
    assert len(shared) == 1
    assert "embed" in shared[0]["timings"]["shared"]
    text = succeed("show", "island", shared[0]["number"], cwd=island.folder).stdout
    assert "embed (shared)" in text
