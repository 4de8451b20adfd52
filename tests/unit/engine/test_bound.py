"""A store with a bound: what was not used for longest goes, nothing that the run uses."""

from pathlib import Path

import numpy as np
import pytest

from sweep.engine.measure.report import Report
from sweep.engine.store import bound
from sweep.engine.store.files import list_files
from sweep.engine.store.rows import RowStore
from sweep.engine.store.store import Store
from tests.unit.engine.test_store_files import age

FILE = 8_104  # bytes of a file with 1,000 int64


def write(store: Store, *numbers: int) -> None:
    for number in numbers:
        store.write("chunks", f"{number:064x}", {"a": np.arange(1000)})


def held(root: Path) -> list[int]:
    return sorted(int(file.path.stem, 16) for file in list_files(root))


def earlier_run(root: Path, count: int) -> None:
    """Write outputs 0, 1 ..., the first the oldest."""
    store = Store(root, Report())
    write(store, *range(count))
    for number in range(count):
        age(store.path("chunks", f"{number:064x}"), 1000.0 * (count - number))


def test_without_a_bound_all_stays(tmp_path: Path) -> None:
    earlier_run(tmp_path, 5)
    store = Store(tmp_path, Report())
    write(store, 5)
    store.keep_bound()
    assert held(tmp_path) == [0, 1, 2, 3, 4, 5]


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    earlier_run(tmp_path, 5)
    store = Store(tmp_path, Report(), limit=5 * FILE + 100)
    store.read("chunks", "0" * 64)
    assert held(tmp_path) == [0, 1, 2, 3, 4]
    write(store, 5)
    assert held(tmp_path) == [0, 3, 4, 5]  # a little more than must be, so as not to look often
    assert store.report.notices == []


def test_bound_holds_while_a_run_writes_and_at_its_end(tmp_path: Path) -> None:
    earlier_run(tmp_path, 10)
    store = Store(tmp_path, Report(), limit=10 * FILE + 100)
    for number in range(10, 18):
        write(store, number)
        assert sum(file.size for file in list_files(tmp_path)) <= 10 * FILE + 100
    store.keep_bound()
    assert set(held(tmp_path)) >= set(range(10, 18))


def test_bound_is_kept_at_the_end_of_a_run_that_writes_nothing(tmp_path: Path) -> None:
    earlier_run(tmp_path, 5)
    store = Store(tmp_path, Report(), limit=2 * FILE + 1000)
    store.read("chunks", "0" * 64)
    store.keep_bound()
    assert held(tmp_path) == [0, 4]


def test_run_that_needs_more_says_so_and_loses_nothing(tmp_path: Path) -> None:
    earlier_run(tmp_path, 3)
    store = Store(tmp_path, Report(), limit=2 * FILE)
    store.read("chunks", "0" * 64)
    write(store, *range(10, 15))
    store.keep_bound()
    assert held(tmp_path) == [0, *range(10, 15)]
    assert store.report.notices == [
        "store: this run alone needs more than the 16.2 KB that --store-max allows; it goes on, "
        "and removes nothing that it uses"
    ]


def test_rows_that_a_run_has_read_or_written_stay(tmp_path: Path) -> None:
    def rows_of(store: Store, model: str) -> None:
        rows = RowStore(store, "vectors", model)
        rows.fetch([b"k" * 16, b"l" * 16], lambda p: np.ones((len(p), 100)), block=1)

    for model in ("read", "other"):
        rows_of(Store(tmp_path, Report()), model)
    for file in list_files(tmp_path):
        age(file.path, 1000)
    store = Store(tmp_path, Report(), limit=0)
    rows_of(store, "read")
    rows_of(store, "written")
    store.keep_bound()
    assert len({file.path.parent for file in list_files(tmp_path)}) == 2
    rows = RowStore(Store(tmp_path, Report()), "vectors", "other")
    assert len(rows.missing([b"k" * 16, b"l" * 16])) == 2


def test_folder_is_not_looked_through_for_every_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    def look(root: Path) -> list[object]:
        looks.append(root)
        return list(list_files(root))

    monkeypatch.setattr(bound, "list_files", look)
    store = Store(tmp_path, Report(), limit=100 * FILE)
    write(store, *range(95))
    assert len(looks) == 1
    small = Store(tmp_path, Report(), limit=100 * FILE)
    write(small, *range(100, 150))
    assert len(looks) <= 15
