"""Memory in front of the store: an output is read or computed once per process."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from sweep.engine.measure.account import Source, size_of, stage_of
from sweep.engine.store.store import Store

T = TypeVar("T")
Arrays = dict[str, np.ndarray]
HELD = 6  # outputs per stage, fewer where they are large
HELD_BYTES = 512_000_000  # per stage; one output may be larger
TIMED = ("chunks", "terms")  # what these take to compute is remembered with the output


class StageCache:
    """Looks an output up in memory, then in the store, and computes it only then.

    Args:
        store: where outputs are kept.
        held: how many outputs stay in memory per stage, fewer where they are large; the least
            recently used goes first.
    """

    def __init__(self, store: Store, *, held: int = HELD) -> None:
        self.store = store
        self.held = held
        self._memory: dict[str, OrderedDict[str, Any]] = {}
        self._sizes: dict[tuple[str, str], int] = {}  # bytes, of what has been in memory

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
        if self._at_hand(stage, key):
            held: T = self._memory[stage][key]
            return held
        with self.store.report.stage(stage_of(stage)) as account:
            start = time.perf_counter()
            arrays = self.store.read(stage, key)
            source: Source = "computed" if arrays is None else "store"
            if arrays is None:
                value = compute()
                if stage in TIMED:
                    self.store.write_json("seconds", key, {"seconds": time.perf_counter() - start})
                self.store.write(stage, key, encode(value))
            else:
                value = decode(arrays)
            self._remember(stage, key, value)
            account.got(stage, source, key=key, size=self._sizes[stage, key])
        return value

    def seconds(self, key: str) -> float:
        """Return how long an output of a `TIMED` stage took to compute, NaN if unknown."""
        known = self.store.read_json("seconds", key) or {}
        value = known.get("seconds")
        return float(value) if isinstance(value, int | float) else float("nan")

    def hold(self, stage: str, key: str, compute: Callable[[], T]) -> T:
        """Return an output that is kept in memory only."""
        if self._at_hand(stage, key):
            value: T = self._memory[stage][key]
            return value
        with self.store.report.stage(stage_of(stage)) as account:
            value = compute()
            self._remember(stage, key, value)
            account.got(stage, "computed", key=key, size=self._sizes[stage, key])
        return value

    def _at_hand(self, stage: str, key: str) -> bool:
        """Return whether an output is in memory; it is then the one used last."""
        memory = self._memory.setdefault(stage, OrderedDict())
        if key not in memory:
            return False
        memory.move_to_end(key)
        size = self._sizes[stage, key]
        self.store.report.held(stage_of(stage), stage, key=key, size=size)
        return True

    def _remember(self, stage: str, key: str, value: Any) -> None:
        memory = self._memory[stage]
        memory[key] = value
        self._sizes[stage, key] = size_of(value)
        while len(memory) > 1 and (len(memory) > self.held or self._held(stage) > HELD_BYTES):
            memory.popitem(last=False)

    def _held(self, stage: str) -> int:
        return sum(self._sizes[stage, key] for key in self._memory[stage])
