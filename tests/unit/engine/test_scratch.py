"""Arrays that may be larger than memory."""

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.engine.store import scratch
from sweep.engine.store.scratch import Scratch, Spool, split_rows
from sweep.errors import StoreError


@pytest.fixture(params=[0, 64_000_000], ids=["in a file", "in memory"])
def small_bytes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(scratch, "SMALL_BYTES", request.param)
    return int(request.param)


def test_array_can_be_filled_and_leaves_no_file(tmp_path: Path, small_bytes: int) -> None:
    array = Scratch(tmp_path / "made").array((3, 4), np.float32)
    assert (array.shape, array.dtype) == ((3, 4), np.float32)
    array[:] = np.arange(12).reshape(3, 4)
    assert array.sum() == 66
    assert type(array) is np.ndarray
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert (tmp_path / "made").exists() == (small_bytes == 0)


def test_nothing_may_be_asked_for(tmp_path: Path, small_bytes: int) -> None:
    assert Scratch(tmp_path).array((0, 384), np.float32).shape == (0, 384)
    assert Spool(Scratch(tmp_path), np.int32).array().tolist() == []


def test_pieces_become_one_array(tmp_path: Path, small_bytes: int) -> None:
    spool = Spool(Scratch(tmp_path), np.uint16)
    for piece in ([1, 2], [], [65_535], list(range(5))):
        spool.append(np.array(piece, dtype=np.int64))
    array = spool.array()
    assert array.dtype == np.uint16
    assert array.tolist() == [1, 2, 65_535, 0, 1, 2, 3, 4]
    assert list(tmp_path.iterdir()) == []


def test_pieces_go_to_the_disk_once_they_are_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "SMALL_BYTES", 100)
    spool = Spool(Scratch(tmp_path), np.int64)
    for number in range(40):
        spool.append(np.full(3, number))
        assert spool._held <= 100 + 24
    assert spool.array().tolist() == np.repeat(np.arange(40), 3).tolist()


def refuse(code: int) -> Callable[..., None]:
    def call(*args: object) -> None:
        raise OSError(code, os.strerror(code))

    return call


def test_full_disk_is_the_users_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its room is reserved: to write to a mapped page of a full disk would end the process."""
    monkeypatch.setattr(scratch, "SMALL_BYTES", 0)
    monkeypatch.setattr(scratch, "_reserve", refuse(errno.ENOSPC))
    with pytest.raises(StoreError, match="must be writable, got No space left on device. Free"):
        Scratch(tmp_path).array((10,), np.int64)
    assert list(tmp_path.iterdir()) == []


def test_room_is_reserved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for by_hand in (False, True):
        if by_hand:
            monkeypatch.delattr(os, "posix_fallocate", raising=False)
        with Scratch(tmp_path).file(3_000_001) as file:
            status = os.fstat(file.fileno())
        assert status.st_size == 3_000_001
        assert status.st_blocks * 512 >= 3_000_001


def test_folder_that_cannot_be_written_is_replaced_by_the_systems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warm store on a disk that can only be read serves a run all the same."""
    monkeypatch.setattr(scratch, "SMALL_BYTES", 0)
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    array = Scratch(tmp_path / "file" / "store").array((2,), np.int64)
    array[:] = 5
    assert array.tolist() == [5, 5]
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file" / "temporary"))
    with pytest.raises(StoreError, match="file/store: must be writable, got Not a directory"):
        Scratch(tmp_path / "file" / "store").array((2,), np.int64)


@given(count=st.integers(0, 50), row=st.integers(0, 9), block=st.integers(1, 40))
def test_rows_are_split_into_blocks(count: int, row: int, block: int) -> None:
    slices = split_rows(count, row_bytes=row, block_bytes=block)
    parts = [list(range(count))[part] for part in slices]
    assert sum(parts, []) == list(range(count))
    assert all(part for part in parts)
    assert all(len(part) * row <= block or len(part) == 1 for part in parts)
