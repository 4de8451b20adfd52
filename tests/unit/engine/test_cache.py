"""The cache in front of the store."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sweep.engine.measure.report import Report
from sweep.engine.store.cache import StageCache
from sweep.engine.store.store import Store


def cache_in(folder: Path, *, held: int = 6) -> StageCache:
    return StageCache(Store(folder, Report()), held=held)


def get(cache: StageCache, key: str, compute: Callable[[], int], stage: str = "chunks") -> int:
    return cache.get(
        stage,
        key,
        compute=compute,
        encode=lambda value: {"a": np.array([value])},
        decode=lambda arrays: int(arrays["a"][0]),
    )


def refuse() -> int:
    raise AssertionError("computed again")


def test_memory_then_store_then_work(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    assert get(cache, "a" * 64, lambda: 7) == 7
    assert get(cache, "a" * 64, refuse) == 7
    assert (cache.store.report.computed, cache.store.report.reused) == ({"chunks": 1}, {})
    again = cache_in(tmp_path)
    assert get(again, "a" * 64, refuse) == 7
    assert (again.store.report.computed, again.store.report.reused) == ({}, {"chunks": 1})


def test_least_recently_used_output_leaves_the_memory(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, held=2)
    for name in "abac":  # b goes
        cache.hold("inputs", name, partial(ord, name))
    assert cache.hold("inputs", "a", refuse) == ord("a")
    assert cache.hold("inputs", "c", refuse) == ord("c")
    with pytest.raises(AssertionError, match="computed again"):
        cache.hold("inputs", "b", refuse)
    assert list(tmp_path.iterdir()) == []


def test_fewer_outputs_stay_where_they_are_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The latest one stays, however large."""
    monkeypatch.setattr("sweep.engine.store.cache.HELD_BYTES", 100)
    cache = cache_in(tmp_path)
    for name, size in (("a", 40), ("b", 60), ("c", 30)):  # a goes
        cache.hold("index", name, partial(np.zeros, size, dtype=np.uint8))
    assert [len(cache.hold("index", name, lambda: np.zeros(1))) for name in "bc"] == [60, 30]
    cache.hold("index", "d", partial(np.zeros, 1000, dtype=np.uint8))
    assert len(cache.hold("index", "d", lambda: np.zeros(1))) == 1000
    assert len(cache.hold("index", "c", lambda: np.zeros(1))) == 1


def test_stages_do_not_push_each_other_out(tmp_path: Path) -> None:
    cache = cache_in(tmp_path, held=1)
    cache.hold("inputs", "a", lambda: 1)
    cache.hold("index", "a", lambda: 2)
    assert (cache.hold("inputs", "a", refuse), cache.hold("index", "a", refuse)) == (1, 2)


def test_failed_work_leaves_nothing_behind(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    with pytest.raises(AssertionError):
        get(cache, "a" * 64, refuse)
    assert list(tmp_path.iterdir()) == []
    assert get(cache, "a" * 64, lambda: 7) == 7


def test_seconds_of_an_output_are_remembered(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    assert np.isnan(cache.seconds("a" * 64))
    get(cache, "a" * 64, lambda: 7)
    seconds = cache.seconds("a" * 64)
    assert seconds >= 0
    assert cache_in(tmp_path).seconds("a" * 64) == seconds
    get(cache, "b" * 64, lambda: 7, stage="offsets")
    assert np.isnan(cache.seconds("b" * 64))


def test_report_learns_where_an_output_came_from_and_what_it_weighs(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    with cache.store.report.trial(0) as first:
        get(cache, "a" * 64, lambda: 7)
        get(cache, "a" * 64, refuse)
    with cache.store.report.trial(1) as second:
        get(cache, "a" * 64, refuse)
    assert first.stages["chunk"].outputs == {"computed": 1, "memory": 1}
    assert (first.stages["chunk"].source, second.stages["chunk"].source) == ("computed", "memory")
    cold = cache_in(tmp_path)
    with cold.store.report.trial(0) as third:
        get(cold, "a" * 64, refuse)
    assert third.stages["chunk"].source == "store"


def test_what_is_held_in_memory_is_weighed_too(tmp_path: Path) -> None:
    cache = cache_in(tmp_path)
    for _ in range(2):
        with cache.store.report.trial(0) as account:
            cache.hold("index", "a", lambda: [np.zeros(5), np.zeros(3)])
            cache.hold("index", "a", lambda: [])
        assert account.stages["index"].bytes == 64
