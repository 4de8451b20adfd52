"""Row stores: one vector (or score) per model input, shared by every stage that needs it.

Rows are written in segments while a long stage works, so that a killed run loses a few seconds.
A segment is one file of the store: keys (n, 16) and rows (n, d).
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sweep.engine.store import Store

KEY = np.dtype("S16")


class RowStore:
    """Rows of one namespace, for example the passage vectors of one model at one precision.

    Args:
        store: the store whose folder holds the segments.
        stage: `vectors` or `pairs`.
        namespace: what can change a bit of a row, beside the row's own key.
    """

    def __init__(self, store: Store, stage: str, namespace: str) -> None:
        self.store = store
        name = hashlib.sha256(namespace.encode()).hexdigest()
        self.folder = store.root / stage / name[:2] / name
        self._keys = np.empty(0, dtype=KEY)
        self._rows: np.ndarray = np.empty((0, 0))
        self._seen: set[str] = set()

    def fetch(
        self,
        keys: Sequence[bytes],
        compute: Callable[[list[int]], np.ndarray],
        *,
        block: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
        order: Callable[[int], Any] = lambda position: position,
    ) -> np.ndarray:
        """Return the rows of `keys` (N, d), computing those that are not stored yet.

        Args:
            keys: 16 bytes each; equal keys are computed once.
            compute: gets positions in `keys`, returns their rows.
            block: how many rows are computed between two writes.
            progress: told (rows done, rows to do).
            order: sort key of positions, so that like inputs are computed together.
        """
        self._load()
        wanted = np.array(keys, dtype=KEY)
        first = self._missing(wanted)
        todo = sorted(first.tolist(), key=order)
        for start in range(0, len(todo), block):
            part = todo[start : start + block]
            progress(start, len(todo))
            self._add(wanted[part], compute(part))
        if todo:
            progress(len(todo), len(todo))
        return self._take(wanted)

    def missing(self, keys: Sequence[bytes]) -> list[int]:
        """Return the positions of keys that are not stored; of equal keys the first."""
        self._load()
        return [int(p) for p in self._missing(np.array(keys, dtype=KEY))]

    def _missing(self, wanted: np.ndarray) -> np.ndarray:
        unique, first = np.unique(wanted, return_index=True)
        place = np.searchsorted(self._keys, unique)
        inside = place < len(self._keys)
        known = np.zeros(len(unique), dtype=np.bool_)
        known[inside] = self._keys[place[inside]] == unique[inside]
        return np.asarray(first[~known])

    def _take(self, wanted: np.ndarray) -> np.ndarray:
        if not len(wanted):
            return self._rows[:0]
        return np.asarray(self._rows[np.searchsorted(self._keys, wanted)])

    def _add(self, keys: np.ndarray, rows: np.ndarray) -> None:
        raw = np.frombuffer(keys.tobytes(), dtype=np.uint8).reshape(len(keys), KEY.itemsize)
        name = hashlib.sha256(raw.tobytes()).hexdigest()
        self.store.write_file(self._segment(name), {"keys": raw, "rows": rows})
        self._seen.add(f"{name}.safetensors")
        self._merge([(keys, rows)])

    def _load(self) -> None:
        if not self.folder.is_dir():
            return
        parts = []
        for path in sorted(self.folder.glob("*.safetensors")):
            if path.name in self._seen:
                continue
            self._seen.add(path.name)
            if (arrays := self.store.read_file(path)) is not None:
                parts.append((_as_keys(arrays["keys"]), arrays["rows"]))
        self._merge(parts)

    def _merge(self, parts: list[tuple[np.ndarray, np.ndarray]]) -> None:
        parts = [part for part in parts if len(part[0])]
        if not parts:
            return
        if len(self._keys):
            parts.insert(0, (self._keys, self._rows))
        keys = np.concatenate([keys for keys, _ in parts])
        rows = np.concatenate([rows for _, rows in parts])
        self._keys, first = np.unique(keys, return_index=True)
        self._rows = rows[first]

    def _segment(self, name: str) -> Path:
        return self.folder / f"{name}.safetensors"


def _as_keys(raw: np.ndarray) -> np.ndarray:
    return np.frombuffer(np.ascontiguousarray(raw).tobytes(), dtype=KEY)
