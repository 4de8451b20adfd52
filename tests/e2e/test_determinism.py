"""The same trials, whatever the thread count and whatever the store already holds."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.e2e.command import (
    Finished,
    comparable,
    rankings,
    read_json,
    succeed,
    trials_of,
    write_space,
)
from tests.e2e.island import MODES, Island, write_island

pytestmark = pytest.mark.slow

Runs = dict[str, Future[Finished]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where each run has a folder of its own, and in it its own store."""
    return tmp_path_factory.mktemp("determinism")


@pytest.fixture(scope="module")
def runs(island: Island, folder: Path) -> Iterator[Runs]:
    """Run the shared study again, two runs at a time."""

    def run(name: str, prepare: Callable[[Path], object], threads: int) -> Finished:
        store = folder / name / "store"
        prepare(store)
        write_island(folder / name / "island corpus")
        write_space(folder / name / "island.yaml", MODES)
        arguments = ("run", "island.yaml", "--store", store, "--threads", threads)
        return succeed(*arguments, cwd=folder / name)

    def copy(store: Path) -> None:
        shutil.copytree(island.store, store)

    def damage(store: Path) -> None:
        """Delete, cut or change every file."""
        copy(store)
        for number, path in enumerate(sorted(store.rglob("*.safetensors"))):
            content = path.read_bytes()
            if number % 2 == 0:
                path.unlink()
            elif number % 4 == 1:
                path.write_bytes(content[: len(content) // 2])
            else:
                path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))

    with ThreadPoolExecutor(2) as pool:
        yield {
            "two threads": pool.submit(run, "two threads", lambda store: None, 2),
            "damaged": pool.submit(run, "damaged", damage, 1),
            "warm": pool.submit(run, "warm", copy, 1),
        }


@pytest.mark.parametrize("name", ["two threads", "damaged", "warm"])
def test_trials_depend_neither_on_threads_nor_on_the_store(
    island: Island, runs: Runs, folder: Path, name: str
) -> None:
    runs[name].result()
    again, first = folder / name, island.folder
    assert comparable(trials_of(again, "island")) == comparable(island.trials)
    assert rankings(again / "results", "island") == rankings(first / "results", "island")
    best, expected = read_json("best", cwd=again), read_json("best", cwd=first)
    for key in ("params", "search", "confirm", "difference_to_baseline", "tied", "loss_bound"):
        assert best[key] == expected[key]


def test_a_damaged_output_is_told_and_computed_again(runs: Runs) -> None:
    assert "is damaged" in runs["damaged"].result().stderr
    assert "is damaged" not in runs["warm"].result().stderr


def test_a_warm_store_is_not_written(island: Island, runs: Runs, folder: Path) -> None:
    runs["warm"].result()
    before = {path.name: path.read_bytes() for path in island.store.rglob("*.safetensors")}
    after = {path.name: path.read_bytes() for path in (folder / "warm").rglob("*.safetensors")}
    assert after == before
