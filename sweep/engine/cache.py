"""Memory in front of the store: an output is read or computed once per process."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from sweep.engine.store import Store

T = TypeVar("T")
Arrays = dict[str, np.ndarray]
TIMED = ("chunks", "terms")  # what these take to compute is remembered with the output


class StageCache:
    """Looks an output up in memory, then in the store, and computes it only then.

    Args:
        store: where outputs are kept.
        held: how many outputs stay in memory per stage; the least recently used goes first.
    """

    def __init__(self, store: Store, *, held: int = 6) -> None:
        self.store = store
        self.held = held
        self._memory: dict[str, OrderedDict[str, Any]] = {}

    def get(
        self,
        stage: str,
        key: str,
        *,
        compute: Callable[[], T],
        encode: Callable[[T], Mapping[str, np.ndarray]],
        decode: Callable[[Arrays], T],
    ) -> T:
        """Return the output of `stage` under `key`; `encode` and `decode` are its file form."""
        memory = self._memory.setdefault(stage, OrderedDict())
        if key in memory:
            memory.move_to_end(key)
            held: T = memory[key]
            return held
        start = time.perf_counter()
        arrays = self.store.read(stage, key)
        if arrays is None:
            value = compute()
            if stage in TIMED:
                self.store.write_json("seconds", key, {"seconds": time.perf_counter() - start})
            self.store.write(stage, key, encode(value))
        else:
            value = decode(arrays)
        self.store.report.spent(stage, time.perf_counter() - start, reused=arrays is not None)
        self._remember(stage, key, value)
        return value

    def seconds(self, key: str) -> float:
        """Return how long an output of a `TIMED` stage took to compute, NaN if unknown."""
        known = self.store.read_json("seconds", key) or {}
        value = known.get("seconds")
        return float(value) if isinstance(value, int | float) else float("nan")

    def hold(self, stage: str, key: str, compute: Callable[[], T]) -> T:
        """Return an output that is kept in memory only."""
        memory = self._memory.setdefault(stage, OrderedDict())
        if key not in memory:
            self._remember(stage, key, compute())
        memory.move_to_end(key)
        value: T = memory[key]
        return value

    def _remember(self, stage: str, key: str, value: Any) -> None:
        memory = self._memory[stage]
        memory[key] = value
        while len(memory) > self.held:
            memory.popitem(last=False)
