"""Full disks, read-only folders, wrong clocks, changed inputs: told, and nothing is lost."""

import errno
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

import pytest

from tests.corpus_files import write_corpus
from tests.e2e.command import DONE, recorded, write_space
from tests.e2e.grid import GRID, RUN, TRIALS, assert_told, assert_whole, begin
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow

FULL = os.strerror(errno.ENOSPC)


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    """Mount something at a folder, or skip the calling test where that is not permitted."""
    folder.mkdir(exist_ok=True)
    if shutil.which("mount") is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    if subprocess.run(["mount", *options, folder], capture_output=True).returncode:
        pytest.skip("mounting is not permitted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def test_a_disk_that_is_full_again_and_again(tmp_path: Path, undisturbed: Path) -> None:
    """A real one, where database, store and results lie; it grows a little after each run."""
    results = begin(tmp_path) / "results"
    full = []
    with mounted(results, "-t", "tmpfs", "-o", "size=60k", "tmpfs"):
        for size in (60, 150, *range(300, 2000, 90)):
            subprocess.run(["mount", "-o", f"remount,size={size}k", results], check=True)
            before = recorded(results / "sweep.db").get("COMPLETE", 0)
            done = call(*RUN, cwd=tmp_path)
            if done.returncode == DONE:
                break
            assert_told(done, "space")
            assert any(word in done.stderr for word in (FULL, "disk is full", "disk I/O error"))
            assert size == 60 or "Go on with: sweep run grid.yaml" in done.stderr
            assert recorded(results / "sweep.db").get("COMPLETE", 0) >= before
            full.append(next(p for p in ("sweep.db", ".store", "grid") if p in done.stderr))
        assert len(full) >= 3
        assert len(set(full)) >= 2, "the disk was full in one place only"
        assert_whole(tmp_path, undisturbed)


@pytest.mark.parametrize("calls", [1, 3, 8, 20])
def test_a_disk_that_fills_up_at_any_moment(
    tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    """Every file that is written whole is synced before it is put into place."""
    sync, count = os.fsync, 0

    def fill_up(handle: int) -> None:
        nonlocal count
        count += 1
        if count >= calls:
            raise OSError(errno.ENOSPC, FULL)
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill_up)
        assert_told(call(*RUN, cwd=begin(tmp_path)), FULL)
    assert count >= calls
    assert not [p for p in (tmp_path / "results").rglob("*") if p.name.startswith(".part-")]
    call_well(*RUN, cwd=tmp_path)
    assert_whole(tmp_path, undisturbed)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nothing be written in a folder."""
    if os.geteuid() == 0:  # permissions do not bind root
        with mounted(folder, "--bind", str(folder)):
            subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
            yield
        return
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in reversed(paths):
        path.chmod(modes[path] & ~0o222)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(modes[path])


def test_a_study_that_may_only_be_read_is_read(undisturbed: Path, tmp_path: Path) -> None:
    shutil.copytree(undisturbed, tmp_path / "copy")
    results = tmp_path / "copy" / "results"
    commands = [("trials",), ("best",), ("show",), ("show", 0), ("studies",), ("compare", 0, 1)]
    expected = [call_well(*arguments, cwd=tmp_path / "copy").stdout for arguments in commands]
    with read_only(results):
        for arguments, before in zip(commands, expected, strict=True):
            assert call_well(*arguments, cwd=tmp_path / "copy").stdout == before
        assert_told(call(*RUN, cwd=tmp_path / "copy"), "'results/sweep.db'", "can be written")
        assert_told(call("delete", "grid", "--yes", cwd=tmp_path / "copy"), "must be writable")
    assert_whole(tmp_path / "copy", undisturbed)


def test_a_new_study_where_nothing_may_be_written(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / "closed").mkdir()
    with read_only(tmp_path / "closed"):
        for storage in ("closed/x.db", "closed/deeper/x.db"):
            done = call(*RUN, "--storage", storage, cwd=tmp_path)
            assert_told(done, storage, "can be written", "--storage")
    assert not (tmp_path / "results").exists()


class Clock(datetime):
    """A clock that can be set."""

    moment = datetime(2030, 1, 1, tzinfo=UTC)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        return cls.moment.astimezone(tz)


def test_clocks_that_are_set_back_and_forward_change_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither which study was run last, nor the trials, nor that a dead process's lock is free."""
    monkeypatch.setattr("sweep.study.storage.recency.datetime", Clock)
    monkeypatch.setattr("sweep.study.storage.lock.datetime", Clock)
    begin(tmp_path)
    steps = {"one": 0, "two": -400, "three": 900, "four": -1}
    for name, days in steps.items():
        monkeypatch.setattr(Clock, "moment", Clock.moment + timedelta(days=days))
        call_well(*RUN, "--study", name, "--trials", 2, cwd=tmp_path)
        assert call_json("best", cwd=tmp_path)["study"] == name
    studies = [study["name"] for study in call_json("studies", cwd=tmp_path)]
    assert studies == ["four", "three", "two", "one"]
    stale = '{"process": 1, "host": "gone", "since": "2099-01-01T00:00:00+00:00"}'
    (tmp_path / "results" / "two" / ".lock.json").write_text(stale, encoding="utf-8")
    monkeypatch.setattr(Clock, "moment", Clock.moment - timedelta(days=5000))
    call_well(*RUN, "--study", "two", cwd=tmp_path)
    assert call_json("show", cwd=tmp_path)["study"] == "two"
    numbers = [trial["number"] for trial in call_json("trials", "two", cwd=tmp_path)]
    assert sorted(numbers) == list(range(TRIALS))


WORDS = {"splitter": "words", "size": [6, 12]}
TPE = {"kind": "tpe", "seed": 7, "trials": 3}


@pytest.mark.parametrize(
    ("changes", "arguments", "told"),
    [
        ({"sampler": TPE}, (), "sampler differs"),
        ({"baseline": {"mode": "bm25", "top_k": 3}}, (), "baseline differs"),
        ({"baseline": None}, (), "baseline differs"),
        ({"evaluation": {"relevance": 2}}, (), "evaluation differs (relevance: was 1, is 2)"),
        ({"space": {**GRID["space"], "top_k": [5, 7]}}, (), "top_k: was [5], is [5, 7]"),
        ({"exclude": ["chunk.size == 6"]}, (), "the space differs"),
        ({"split": {"confirm": 0.3}}, (), "split differs"),
        ({"constraints": ["context_tokens <= 300"]}, (), "constraints differs"),
        ({"objective": "recall@5"}, (), "objectives differs"),
        ({}, ("--precision", "fp32"), "precision differs (was auto, is fp32)"),
        ({}, ("--corpus", "mainland"), "the corpus differs (was "),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_a_study_was_begun_with_may_not_change(
    undisturbed: Path,
    tmp_path: Path,
    changes: dict[str, Any],
    arguments: tuple[str, ...],
    told: str,
) -> None:
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    write_corpus(folder / "mainland")
    write_space(folder / "grid.yaml", {**GRID, **changes})
    done = call(*RUN, *arguments, cwd=folder)
    assert_told(done, "study 'grid': must go on with what it began with", told)
    assert "Start another: sweep run grid.yaml --study grid-2 (" in done.stderr
    assert_whole(folder, undisturbed)


def test_metrics_of_another_version_are_not_mixed(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    with monkeypatch.context() as patch:
        patch.setattr("sweep.study.driver.identity.METRICS_VERSION", 99)
        done = call(*RUN, cwd=folder)
    assert_told(done, "metrics version differs (was ", "is 99")
    assert_whole(folder, undisturbed)


def test_the_command_that_a_refusal_names_starts_another_study(
    undisturbed: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    write_space(folder / "grid.yaml", {**GRID, "objective": "recall@5"})
    refused = call(*RUN, cwd=folder)
    command = refused.stderr.split("Start another: sweep ")[1].split(" (")[0].split()
    call_well(*command, "--threads", 1, cwd=folder)
    studies = {study["name"]: study["trials"] for study in call_json("studies", cwd=folder)}
    assert studies == {"grid": TRIALS, "grid-2": TRIALS}
