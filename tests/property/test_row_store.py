"""A row store is a dictionary, whatever other processes and disks do to its files meanwhile."""

from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.engine.measure.report import Report
from sweep.engine.store import scratch, segments
from sweep.engine.store.rows import RowStore
from sweep.engine.store.store import Store

WIDTH = 3
NUMBERS = st.lists(st.integers(0, 30), min_size=1, max_size=12)
FETCH = st.tuples(st.just("fetch"), st.integers(0, 2), NUMBERS, st.integers(1, 4))
STEP = st.one_of(
    FETCH,
    FETCH,
    st.tuples(st.just("missing"), st.integers(0, 2), NUMBERS),
    st.tuples(st.just("reopen"), st.integers(0, 2)),
    st.tuples(st.just("damage"), st.integers(0, 50), st.sampled_from(["flip", "cut", "remove"])),
)


def row_of(number: int) -> list[float]:
    return [number, -number, number / 7]


class Processes:
    """Three users of one row store, and a model of what must be known to each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows = [self.open() for _ in range(3)]
        self.stored: set[int] = set()
        self.undamaged = True

    def open(self) -> RowStore:
        return RowStore(Store(self.folder, Report()), "vectors", "model")

    def fetch(self, user: int, numbers: list[int], block: int) -> None:
        computed: list[int] = []

        def compute(positions: list[int]) -> np.ndarray:
            computed.extend(numbers[p] for p in positions)
            return np.array([row_of(numbers[p]) for p in positions])

        found = self.rows[user].fetch(keys_of(numbers), compute, block=block)
        assert found.tolist() == [row_of(number) for number in numbers]
        assert len(computed) == len(set(computed))
        if self.undamaged:
            assert set(computed) == set(numbers) - self.stored
        self.stored |= set(numbers)

    def missing(self, user: int, numbers: list[int]) -> None:
        found = {numbers[p] for p in self.rows[user].missing(keys_of(numbers))}
        assert found <= set(numbers)
        if self.undamaged:
            assert found == set(numbers) - self.stored

    def reopen(self, user: int) -> None:
        self.rows[user] = self.open()

    def damage(self, number: int, how: str) -> None:
        """Do to a file what a disk or another process may do; never under a mapping of it."""
        files = sorted(self.folder.rglob("*.safetensors"))
        if not files:
            return
        path = files[number % len(files)]
        content = bytearray(path.read_bytes())
        path.unlink()
        self.undamaged = False
        if how == "flip":
            content[-1 - number % len(content)] ^= 1
        if how != "remove":
            path.write_bytes(content[: len(content) // 2] if how == "cut" else content)
        if how == "flip":  # a process looks at every byte once, when it opens a file
            self.rows = [self.open() for _ in self.rows]


def keys_of(numbers: list[int]) -> list[bytes]:
    return [b"%015d\0" % number for number in numbers]


@pytest.mark.parametrize("small_bytes", [0, 10**6], ids=["large", "small"])
@settings(max_examples=60, deadline=None)
@given(steps=st.lists(STEP, max_size=14), many=st.integers(0, 6))
def test_row_store_is_a_dictionary(
    steps: list[tuple[object, ...]],
    many: int,
    small_bytes: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    processes = Processes(tmp_path_factory.mktemp("rows"))
    with (
        mock.patch.object(segments, "MANY_SMALL", many),
        mock.patch.object(segments, "FULL_BYTES", 900),
        mock.patch.object(scratch, "SMALL_BYTES", small_bytes),
    ):
        for name, *arguments in steps:
            getattr(processes, str(name))(*arguments)
    left = [path.name for path in processes.folder.rglob(".part-*")]
    assert left == []
