"""Row stores: each row computed once, whatever asks for it and in whatever order."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.engine.measure.report import Report
from sweep.engine.store.keys import row_key
from sweep.engine.store.rows import RowStore
from sweep.engine.store.store import Store


class Counted:
    """Computes the row [n, -n] of number n, and notes which were asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = list(numbers)
        self.asked: list[int] = []
        self.blocks: list[int] = []

    @property
    def keys(self) -> list[bytes]:
        return [row_key(str(number).encode()) for number in self.numbers]

    def __call__(self, positions: list[int]) -> np.ndarray:
        self.blocks.append(len(positions))
        self.asked += [self.numbers[p] for p in positions]
        return np.array([[self.numbers[p], -self.numbers[p]] for p in positions], dtype="f4")


def rows_in(folder: Path, namespace: str = "model") -> RowStore:
    return RowStore(Store(folder, Report()), "vectors", namespace)


def fetch(rows: RowStore, numbers: Sequence[int], *, block: int = 3) -> list[int]:
    """Fetch rows, check them, and return the numbers that were computed."""
    counted = Counted(numbers)
    found = rows.fetch(counted.keys, counted, block=block)
    assert found[:, 0].tolist() == list(numbers)
    assert found[:, 1].tolist() == [-number for number in numbers]
    assert all(size <= block for size in counted.blocks)
    return counted.asked


def test_row_is_computed_once(tmp_path: Path) -> None:
    rows = rows_in(tmp_path)
    assert fetch(rows, [5, 1, 5, 2, 1]) == [5, 1, 2]
    assert fetch(rows, [2, 9, 5]) == [9]
    assert fetch(rows_in(tmp_path), [9, 5, 2, 1, 7]) == [7]  # another process


def test_rows_of_another_namespace_are_not_known(tmp_path: Path) -> None:
    assert fetch(rows_in(tmp_path), [1]) == [1]
    assert fetch(rows_in(tmp_path, "another model"), [1]) == [1]


def test_rows_that_another_process_wrote_meanwhile_are_taken(tmp_path: Path) -> None:
    mine, other = rows_in(tmp_path), rows_in(tmp_path)
    assert fetch(mine, [1]) == [1]
    assert fetch(other, [2]) == [2]
    assert fetch(mine, [1, 2, 3]) == [3]


def test_missing_names_the_first_of_equal_keys(tmp_path: Path) -> None:
    rows = rows_in(tmp_path)
    fetch(rows, [4])
    assert sorted(rows.missing(Counted([7, 4, 7, 8]).keys)) == [0, 3]
    assert rows.missing([]) == []


def test_order_decides_what_is_computed_together(tmp_path: Path) -> None:
    counted = Counted([3, 1, 2, 30, 10])
    rows_in(tmp_path).fetch(counted.keys, counted, block=2, order=-np.array(counted.numbers))
    assert counted.asked == [30, 10, 3, 2, 1]
    assert counted.blocks == [2, 2, 1]


def test_progress_is_told_before_each_block_and_at_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    counted = Counted(range(5))
    rows = rows_in(tmp_path)
    rows.fetch(counted.keys, counted, block=2, progress=lambda *step: told.append(step))
    assert told == [(0, 5), (2, 5), (4, 5), (5, 5)]
    told.clear()
    rows.fetch(counted.keys, counted, block=2, progress=lambda *step: told.append(step))
    assert told == []


def test_interrupted_work_is_kept_up_to_the_last_block(tmp_path: Path) -> None:
    counted = Counted(range(6))

    def interrupted(positions: list[int]) -> np.ndarray:
        if len(counted.asked) >= 4:
            raise KeyboardInterrupt
        return counted(positions)

    with pytest.raises(KeyboardInterrupt):
        rows_in(tmp_path).fetch(counted.keys, interrupted, block=2)
    assert fetch(rows_in(tmp_path), range(6)) == [4, 5]


def test_damaged_segment_is_told_and_its_rows_computed_again(tmp_path: Path) -> None:
    fetch(rows_in(tmp_path), range(6))
    first, second = sorted(tmp_path.rglob("*.safetensors"))
    content = bytearray(first.read_bytes())
    content[-1] ^= 1
    first.write_bytes(content)
    rows = rows_in(tmp_path)
    assert len(fetch(rows, range(6))) == 3
    assert len(rows.store.report.notices) == 1
    assert second.is_file()
    assert fetch(rows_in(tmp_path), range(6)) == []


def test_lost_segment_is_computed_again(tmp_path: Path) -> None:
    fetch(rows_in(tmp_path), range(6))
    sorted(tmp_path.rglob("*.safetensors"))[0].unlink()
    rows = rows_in(tmp_path)
    assert len(fetch(rows, range(6))) == 3
    assert rows.store.report.notices == []


def test_nothing_asked_for(tmp_path: Path) -> None:
    rows = rows_in(tmp_path)
    assert len(rows.fetch([], Counted([]), block=3)) == 0
    assert not tmp_path.exists() or list(tmp_path.iterdir()) == []


def test_keys_that_end_with_zero_bytes(tmp_path: Path) -> None:
    """Numpy's byte strings drop trailing zeros when they are read as Python's."""
    keys = [b"k" * 15 + b"\0", b"k" * 14 + b"\0\0", bytes(16), b"\0" * 15 + b"k"]
    rows = rows_in(tmp_path)
    for store in (rows, rows_in(tmp_path)):
        found = store.fetch(keys, lambda positions: np.array([[p] for p in positions]), block=1)
        assert found[:, 0].tolist() == [0, 1, 2, 3]
    assert rows_in(tmp_path).missing(keys) == []


@settings(max_examples=30)
@given(batches=st.lists(st.lists(st.integers(0, 20), max_size=12), max_size=5), data=st.data())
def test_any_sequence_of_requests_computes_each_row_once(
    batches: list[list[int]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    rows, computed = rows_in(folder), list[int]()
    for numbers in batches:
        if data.draw(st.booleans()):
            rows = rows_in(folder)
        if numbers:
            computed += fetch(rows, numbers, block=data.draw(st.integers(1, 5)))
    assert sorted(computed) == sorted({number for numbers in batches for number in numbers})
