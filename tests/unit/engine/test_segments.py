"""Merging the small segments that many runs leave behind."""

from pathlib import Path

import numpy as np
import pytest

from sweep.engine.measure.report import Report
from sweep.engine.store import rows as rows_module
from sweep.engine.store import segments
from sweep.engine.store.rows import RowStore
from sweep.engine.store.segments import KEY, key_rows, merge_small, segment_name
from sweep.engine.store.store import Store, write_whole
from sweep.errors import StoreError

ABOUT = {"model": "M"}


def keys_of(numbers: list[int]) -> list[bytes]:
    return [b"%016d" % number for number in numbers]


def rows_in(root: Path) -> RowStore:
    return RowStore(Store(root, Report()), "vectors", "model", ABOUT)


def fetch(rows: RowStore, numbers: list[int]) -> list[int]:
    """Fetch rows, check them, and return which were computed."""
    computed: list[int] = []

    def compute(positions: list[int]) -> np.ndarray:
        computed.extend(numbers[p] for p in positions)
        return np.array([[numbers[p], numbers[p] ** 2] for p in positions], dtype=np.float32)

    found = rows.fetch(keys_of(numbers), compute, block=2)
    assert found.tolist() == [[number, number**2] for number in numbers]
    return computed


def files(rows: RowStore) -> list[Path]:
    return sorted(rows.folder.glob("*.safetensors"))


@pytest.fixture
def many_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a store with ten segments of two rows; more than four are many."""
    monkeypatch.setattr(segments, "MANY_SMALL", 4)
    fetch(rows_in(tmp_path), list(range(20)))
    assert len(files(rows_in(tmp_path))) == 10
    return tmp_path


def test_many_small_segments_become_one(many_small: Path) -> None:
    rows = rows_in(many_small)
    assert fetch(rows, list(range(20))) == []
    assert len(files(rows)) == 1
    assert rows.store.report.notices == []
    merged = files(rows)[0].read_bytes()
    assert fetch(rows_in(many_small), list(range(20))) == []
    assert files(rows)[0].read_bytes() == merged
    assert b'"model":"M"' in merged[:300]


def test_merged_segments_are_as_large_as_they_should_be(
    many_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = files(rows_in(many_small))[0].stat().st_size
    monkeypatch.setattr(segments, "FULL_BYTES", 3 * size)
    rows = rows_in(many_small)
    assert fetch(rows, list(range(20))) == []
    assert len(files(rows)) == 4  # three, three, three, and one that is left


def test_few_or_large_segments_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch(rows_in(tmp_path), list(range(20)))
    before = files(rows_in(tmp_path))
    merge_small(Store(tmp_path, Report()), before[0].parent, ABOUT)
    assert files(rows_in(tmp_path)) == before
    monkeypatch.setattr(segments, "MANY_SMALL", 4)
    monkeypatch.setattr(segments, "SMALL_BYTES", 10)
    fetch(rows_in(tmp_path), list(range(20)))
    assert files(rows_in(tmp_path)) == before


def test_another_process_finds_its_rows_in_the_merged_segment(many_small: Path) -> None:
    other = rows_in(many_small)
    other._opened = True  # before there were many
    assert fetch(other, [3, 4]) == []
    assert fetch(rows_in(many_small), [1]) == []
    assert len(files(other)) == 1
    assert fetch(other, [19, 0, 7]) == []
    assert fetch(other, [19, 50]) == [50]
    assert other.store.report.notices == []


def test_segments_that_vanish_are_computed_again(many_small: Path) -> None:
    other = rows_in(many_small)
    other._opened = True
    assert fetch(other, [3, 4]) == []
    for path in files(other)[::2]:
        path.unlink()
    lost = set(fetch(other, list(range(20))))
    assert len(lost) == 10
    assert fetch(rows_in(many_small), list(range(20))) == []


def test_process_that_ends_while_it_merges_does_no_harm(
    many_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have written the merged segment and removed some of the others."""
    remove = Path.unlink

    def stop(path: Path) -> None:
        if len(files(rows_in(many_small))) < 9:
            raise KeyboardInterrupt
        remove(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", stop)
        with pytest.raises(KeyboardInterrupt):
            fetch(rows_in(many_small), [1])
    assert 1 < len(files(rows_in(many_small))) < 10
    assert fetch(rows_in(many_small), list(range(20))) == []
    assert len(files(rows_in(many_small))) == 1


def test_disk_that_refuses_leaves_all_as_it_was(
    many_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object) -> None:
        raise StoreError("full")

    before = files(rows_in(many_small))
    monkeypatch.setattr(Store, "write_file", refuse)
    rows = rows_in(many_small)
    assert fetch(rows, list(range(20))) == []
    assert files(rows) == before


def test_damaged_segment_is_not_merged(many_small: Path) -> None:
    path = files(rows_in(many_small))[4]
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    rows = rows_in(many_small)
    assert len(fetch(rows, list(range(20)))) == 2
    assert len(rows.store.report.notices) == 1
    assert fetch(rows_in(many_small), list(range(20))) == []


def test_rows_are_copied_in_blocks_and_converted(
    many_small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows_module, "COPY_BYTES", 24)  # three rows of two float32
    sizes: list[int] = []

    def convert(rows: np.ndarray) -> np.ndarray:
        sizes.append(len(rows))
        return rows[:, :1].astype(np.float64) + 0.5

    numbers = [5, 5, 19, 0, *range(20)]
    found = rows_in(many_small).fetch(
        keys_of(numbers), lambda positions: np.empty((0, 2)), block=1, convert=convert
    )
    assert found[:, 0].tolist() == [number + 0.5 for number in numbers]
    assert sum(sizes) == len(numbers)
    assert max(sizes) == 3


def test_name_and_form_of_keys() -> None:
    keys = np.array([b"a" * 16, b"b" * 15], dtype=KEY)
    assert key_rows(keys).tolist() == [[97] * 16, [98] * 15 + [0]]
    assert segment_name(keys) == segment_name(keys.copy()) != segment_name(keys[::-1])


def test_truncated_segment_is_found_when_its_rows_are_copied(tmp_path: Path) -> None:
    """It was whole when it was opened."""
    rows = rows_in(tmp_path)
    assert fetch(rows, [1, 2, 3]) == [1, 2, 3]
    path = files(rows)[0]
    write_whole(path, path.read_bytes()[:-1])
    assert len(fetch(rows, [1, 2, 3])) in (1, 2)
    assert len(rows.store.report.notices) == 1
