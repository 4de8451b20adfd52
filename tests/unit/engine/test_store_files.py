"""Which files belong to a store, and which go first."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from sweep.engine.measure.report import Report
from sweep.engine.store.files import (
    ABANDONED_S,
    StoreFile,
    list_abandoned,
    list_files,
    oldest_beyond,
    remove,
)
from sweep.engine.store.rows import RowStore
from sweep.engine.store.store import Store

DAY = 86_400.0


def fill(root: Path, *, count: int = 3) -> Store:
    """Write a few outputs of two stages, the first the oldest, and the newest, one of rows."""
    store = Store(root, Report())
    for number in range(count):
        stage = ("chunks", "terms")[number % 2]
        store.write(stage, f"{number:064x}", {"a": np.arange(1000)})
        age(store.path(stage, f"{number:064x}"), (count - number) * DAY)
    rows = RowStore(store, "vectors", "model", {"model": "M", "precision": "fp32", "of": "query"})
    rows.fetch([b"k" * 16], lambda positions: np.ones((1, 4)), block=1)
    age(next(rows.folder.iterdir()), 60)
    return store


def age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def test_files_are_listed_the_least_recently_used_first(tmp_path: Path) -> None:
    store = fill(tmp_path)
    files = list_files(tmp_path)
    assert [file.stage for file in files] == ["chunks", "terms", "chunks", "vectors"]
    assert files[0].path == store.path("chunks", "0" * 64)
    assert [file.size for file in files] == [file.path.stat().st_size for file in files]
    store.read("chunks", "0" * 64)
    assert list_files(tmp_path)[-1].path == store.path("chunks", "0" * 64)
    assert list_files(tmp_path / "none") == []


def test_other_files_are_not_the_stores(tmp_path: Path) -> None:
    store = fill(tmp_path)
    ours = [file.path for file in list_files(tmp_path)]
    name = f"{'0' * 64}.safetensors"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for place in (
        "notes.txt",
        f"mine/00/{name}",
        f"chunks/{name}",
        f"chunks/00/deeper/{name}",
        f"chunks/zz/{name}",
        "chunks/00/thesis.safetensors",
        f"chunks/00/{name}.bak",
        f"vectors/00/{name}",
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(b"mine")
    (elsewhere / name).write_bytes(b"mine")
    (tmp_path / "chunks" / "ee").symlink_to(elsewhere)
    store.path("chunks", "ab" * 32).parent.mkdir()
    store.path("chunks", "ab" * 32).symlink_to(elsewhere / name)
    assert [file.path for file in list_files(tmp_path)] == ours
    assert list_abandoned(tmp_path) == []


def test_only_old_left_overs_are_abandoned(tmp_path: Path) -> None:
    store = fill(tmp_path)
    folder = store.path("chunks", "0" * 64).parent
    for name, old in ((".part-old", True), (".part-new", False), ("part-old", True)):
        (folder / name).write_bytes(b"half of a")
        if old:
            age(folder / name, ABANDONED_S + 60)
    (tmp_path / ".part-elsewhere").write_bytes(b"mine")
    age(tmp_path / ".part-elsewhere", ABANDONED_S + 60)
    assert [file.path.name for file in list_abandoned(tmp_path)] == [".part-old"]
    store.clear_abandoned()
    names = {path.name for path in tmp_path.rglob("*part-*")}
    assert names == {".part-new", "part-old", ".part-elsewhere"}


def test_file_that_was_used_meanwhile_stays(tmp_path: Path) -> None:
    store = fill(tmp_path)
    files = list_files(tmp_path)
    store.read("terms", f"{1:064x}")
    files[2].path.unlink()  # by another process
    assert [file.path for file in remove(files)] == [files[0].path, files[3].path]
    assert [file.path for file in list_files(tmp_path)] == [files[1].path]


@pytest.mark.parametrize(
    ("limit", "keep", "chosen"),
    [
        (100, "", ""),
        (60, "", ""),
        (59, "", "a"),
        (50, "", "a"),
        (30, "", "ab"),
        (29, "", "abc"),
        (0, "", "abc"),
        (50, "a", "b"),
        (40, "a", "b"),
        (0, "ac", "b"),
        (0, "abc", ""),
    ],
)
def test_oldest_go_first_but_not_what_is_kept(limit: int, keep: str, chosen: str) -> None:
    sizes = {"a": 10, "b": 20, "c": 30}
    files = [StoreFile(Path(name), "chunks", size, 0.0) for name, size in sizes.items()]
    found = oldest_beyond(files, limit, keep={Path(name) for name in keep})
    assert "".join(str(file.path) for file in found) == chosen
