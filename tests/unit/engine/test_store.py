"""The store: whole files or none, damage found, and no harm from other processes."""

import errno
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.engine.measure.report import Report
from sweep.engine.store.cache import StageCache
from sweep.engine.store.store import Store, write_whole
from sweep.errors import StoreError

KEY = "ab" + "0" * 62
ARRAYS: dict[str, np.ndarray] = {
    "items": np.arange(12, dtype=np.int64).reshape(3, 4),
    "scores": np.array([[1.5, np.nan], [-0.0, np.inf]]),
    "vectors": np.ones((2, 3), dtype=np.float32),
    "bytes": np.frombuffer("größer".encode(), dtype=np.uint8),
    "flags": np.array([True, False]),
    "none": np.empty((0, 7), dtype=np.int32),
}


def store_in(folder: Path) -> Store:
    return Store(folder, Report())


def same(one: dict[str, np.ndarray] | None, other: dict[str, np.ndarray]) -> bool:
    return one is not None and {k: (v.dtype, v.shape, v.tobytes()) for k, v in one.items()} == {
        k: (v.dtype, v.shape, v.tobytes()) for k, v in other.items()
    }


def test_round_trip(tmp_path: Path) -> None:
    store = store_in(tmp_path / "made" / "later")
    assert store.read("chunks", KEY) is None
    store.write("chunks", KEY, ARRAYS)
    assert same(store.read("chunks", KEY), ARRAYS)
    assert store.path("chunks", KEY) == store.root / "chunks" / "ab" / f"{KEY}.safetensors"
    assert store.path("chunks", KEY).is_file()
    assert store.read("terms", KEY) is None
    assert store.report.notices == []


def test_arrays_of_any_layout_are_stored(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    wide = np.arange(12.0).reshape(3, 4)
    store.write("chunks", KEY, {"turned": wide.T, "stepped": wide[:, ::2]})
    read = store.read("chunks", KEY)
    assert read is not None
    assert read["turned"].tolist() == wide.T.tolist()
    assert read["stepped"].tolist() == wide[:, ::2].tolist()


def test_json_round_trip(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    content: dict[str, object] = {"name": "größer", "value": 1.5, "list": [1, None]}
    assert store.read_json("rate", KEY) is None
    store.write_json("rate", KEY, content)
    assert store.read_json("rate", KEY) == content
    with pytest.raises(ValueError, match="JSON"):
        store.write_json("rate", KEY, {"value": float("nan")})


@settings(max_examples=60)
@given(data=st.data())
def test_a_flipped_bit_never_gets_through(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = store_in(Path(folder))
        store.write("chunks", KEY, ARRAYS)
        path = store.path("chunks", KEY)
        content = bytearray(path.read_bytes())
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        path.write_bytes(content)
        read = store.read("chunks", KEY)
        assert read is None or same(read, ARRAYS)
        assert (read is None) == bool(store.report.notices)


@settings(max_examples=25)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_never_gets_through(share: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = store_in(Path(folder))
        store.write("chunks", KEY, ARRAYS)
        path = store.path("chunks", KEY)
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        assert store.read("chunks", KEY) is None
        assert len(store.report.notices) == 1


def test_damage_is_told_with_its_place_and_the_file_removed(tmp_path: Path) -> None:
    told: list[str] = []
    store = Store(tmp_path, Report(on_notice=told.append))
    path = store.path("chunks", KEY)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"rubbish")
    assert store.read("chunks", KEY) is None
    assert told == store.report.notices
    assert told[0].startswith(f"store: chunks/ab/{KEY}.safetensors is damaged (")
    assert told[0].endswith("; it is computed again")
    assert not path.exists()


def test_file_without_a_checksum_is_damaged(tmp_path: Path) -> None:
    from safetensors.numpy import save

    store = store_in(tmp_path)
    write_whole(store.path("chunks", KEY), save({"a": np.arange(3)}))
    assert store.read("chunks", KEY) is None
    assert "its checksum does not match" in store.report.notices[0]


def test_cache_computes_once_and_again_after_damage(tmp_path: Path) -> None:
    calls: list[int] = []

    def compute() -> np.ndarray:
        calls.append(1)
        return np.arange(3)

    def get(store: Store) -> Any:
        return StageCache(store).get(
            "chunks", KEY, compute=compute, encode=lambda v: {"a": v}, decode=lambda a: a["a"]
        )

    store = store_in(tmp_path)
    assert [get(store).tolist(), get(store).tolist()] == [[0, 1, 2]] * 2
    assert len(calls) == 1
    path = store.path("chunks", KEY)
    path.write_bytes(path.read_bytes()[:-1])
    assert get(store).tolist() == [0, 1, 2]
    assert len(calls) == 2
    assert len(store.report.notices) == 1
    assert (store.report.computed, store.report.reused) == ({"chunks": 2}, {"chunks": 1})


def test_left_overs_of_a_killed_process_are_no_outputs(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.write("chunks", KEY, ARRAYS)
    (store.path("chunks", KEY).parent / ".part-x1y2z3").write_bytes(b"half of a")
    assert same(store.read("chunks", KEY), ARRAYS)
    assert store.report.notices == []


def test_nothing_is_left_over_by_a_write(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.write("chunks", KEY, ARRAYS)
    store.write("chunks", KEY, ARRAYS)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [store.path("chunks", KEY)]


def test_folder_that_cannot_be_made_is_the_users_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    store = store_in(tmp_path / "file" / "store")
    assert store.read("chunks", KEY) is None
    assert store.report.notices == []
    with pytest.raises(StoreError, match="must be writable, got Not a directory. Free some space"):
        store.write("chunks", KEY, ARRAYS)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_read_only_folder_is_the_users_input(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="must be writable, got Permission denied"):
        store_in(tmp_path).write("chunks", KEY, ARRAYS)
    tmp_path.chmod(0o700)


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EACCES])
def test_disk_that_refuses_is_the_users_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*args: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreError, match=f"must be writable, got {os.strerror(code)}"):
        store_in(tmp_path).write("chunks", KEY, ARRAYS)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []  # nothing half written


def test_write_that_is_interrupted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store_in(tmp_path).write("chunks", KEY, ARRAYS)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_file_that_cannot_be_opened_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not damaged: the disk, or a limit of the system, refuses."""
    store = store_in(tmp_path)
    store.write("chunks", KEY, ARRAYS)

    def refuse(path: Path) -> np.ndarray:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    with monkeypatch.context() as patch:
        patch.setattr("sweep.engine.store.store.read_bytes", refuse)
        with pytest.raises(StoreError, match="must be readable, got Too many open files. Mend"):
            store.read("chunks", KEY)
    assert store.report.notices == []
    assert same(store.read("chunks", KEY), ARRAYS)


@pytest.mark.parametrize("mapped_bytes", [0, 10**6])
def test_arrays_may_lie_in_the_file_and_are_not_to_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mapped_bytes: int
) -> None:
    monkeypatch.setattr("sweep.engine.store.store.MAPPED_BYTES", mapped_bytes)
    store = store_in(tmp_path)
    store.write("chunks", KEY, ARRAYS)
    read = store.read("chunks", KEY)
    assert same(read, ARRAYS)
    assert read is not None
    store.path("chunks", KEY).unlink()  # by another process
    assert same(read, ARRAYS)
    for array in read.values():
        assert not array.flags.writeable


def test_time_of_a_file_is_that_of_its_last_use(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    for key in (KEY, KEY[::-1]):
        store.write("chunks", key, ARRAYS)
        os.utime(store.path("chunks", key), (0, 0))
    store.read("chunks", KEY)
    store.open_file(store.path("chunks", KEY[::-1]))
    assert store.path("chunks", KEY).stat().st_mtime > 1e9
    assert store.path("chunks", KEY[::-1]).stat().st_mtime == 0


WRITER = """
import sys
from pathlib import Path
import numpy as np
from sweep.engine.store import segments
from sweep.engine.store import store as store_module
from sweep.engine.measure.report import Report
from sweep.engine.store.rows import RowStore
from sweep.engine.store.store import Store

segments.MANY_SMALL, store_module.MAPPED_BYTES = 4, 1000
store = Store(Path(sys.argv[1]), Report())
rows = RowStore(store, "vectors", "model")
print("ready", flush=True)
sys.stdin.readline()
for round in range(40):
    store.write("chunks", f"{round % 4:064d}", {"a": np.full(20_000, round % 4)})
    keys = [f"{n:016d}".encode() for n in range(round, round + 5)]
    found = rows.fetch(keys, lambda p: np.array([[float(keys[i])] for i in p]), block=2)
    assert found[:, 0].tolist() == [float(key) for key in keys], found
    read = store.read("chunks", f"{(round + 2) % 4:064d}")
    assert read is None or (read["a"] == (round + 2) % 4).all()
    if round % 10 == 9:
        rows = RowStore(store, "vectors", "model")  # merges what there is
store.write("chunks", f"{0:064d}", {"a": np.zeros(20_000)})
assert store.report.notices == [], store.report.notices
print("done")
"""
PRUNER = """
import sys
from pathlib import Path
from sweep.engine.store.admin import prune_store, verify_store

print("ready", flush=True)
sys.stdin.readline()
for round in range(120):
    prune_store(Path(sys.argv[1]), limit=round % 3 * 100_000, dry_run=False)
    assert verify_store(Path(sys.argv[1])).damaged == {}
print("done")
"""


@pytest.mark.parametrize("others", [[WRITER], [WRITER, PRUNER]], ids=["write", "write and prune"])
def test_several_processes_may_work_at_once(tmp_path: Path, others: list[str]) -> None:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    working = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], **pipes)  # type: ignore[call-overload]
        for code in (WRITER, *others)
    ]
    for process in working:
        assert process.stdout.readline() == "ready\n"
    for process in working:  # all at once
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[0] for process in working] == ["done\n"] * len(working)
    store = store_in(tmp_path)
    for number in range(4):
        read = store.read("chunks", f"{number:064d}")
        assert read is not None or PRUNER in others
        assert read is None or (read["a"] == number).all()


def test_no_pickle_is_ever_written(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    with pytest.raises(TypeError, match="object cannot be stored"):
        store.write("chunks", KEY, {"a": np.array([{"any": "object"}], dtype=object)})
    store.write_json("rate", KEY, {"a": 1})
    header = store.path("rate", KEY).read_bytes()[8:]
    assert json.loads(header[: header.index(b"}}") + 2])["json"]["dtype"] == "U8"
