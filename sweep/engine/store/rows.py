"""Row stores: one vector (or score) per model input, shared by every stage that needs it.

Rows are written in segments while a long stage works, so that a killed run loses a few seconds. A
segment is one file of the store: keys (n, 16) and rows (n, d). In memory are only the keys and
where each row lies; rows are copied from the mapped segments when they are asked for.

Any number of processes may use one row store. A segment may vanish at any time, because another
process merged it into a larger one or removed it to make room: what was in it is looked for again,
and computed again if it is nowhere.
"""

import hashlib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sweep.engine.store.keys import VERSIONS
from sweep.engine.store.scratch import split_rows
from sweep.engine.store.segments import KEY, key_rows, merge_small, segment_name
from sweep.engine.store.store import Store
from sweep.records import Ints

COPY_BYTES = 16_000_000  # rows that are copied at once

Keys = Sequence[bytes] | NDArray[np.bytes_]
Convert = Callable[[np.ndarray], np.ndarray]
Ahead = Callable[[Iterator[list[int]]], Iterator[np.ndarray]]


class RowStore:
    """Rows of one namespace, for example the passage vectors of one model at one precision.

    Args:
        store: the store whose folder holds the segments.
        stage: `vectors` or `pairs`.
        namespace: what can change a bit of a row, beside the row's own key.
        about: the same for people: the model, its precision.
    """

    def __init__(
        self, store: Store, stage: str, namespace: str, about: Mapping[str, str] | None = None
    ) -> None:
        self.store = store
        self.about = dict(about or {})
        name = hashlib.sha256(f"{VERSIONS[stage]}|{namespace}".encode()).hexdigest()
        self.folder = store.root / stage / name[:2] / name
        self._opened = False
        self._paths: list[Path] = []
        self._known: set[str] = set()  # names of segments
        self._keys: NDArray[np.bytes_] = np.empty(0, dtype=KEY)  # sorted
        self._segment = np.empty(0, dtype=np.int32)  # of each key: a place in `_paths`
        self._row = np.empty(0, dtype=np.int32)  # and the row in it

    def fetch(
        self,
        keys: Keys,
        compute: Callable[[list[int]], np.ndarray],
        *,
        block: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
        order: Ints | None = None,
        convert: Convert = lambda rows: rows,
    ) -> np.ndarray:
        """Return the rows of `keys` (N, d), computing those that are not stored yet.

        Args:
            keys: 16 bytes each; equal keys are computed once.
            compute: gets positions in `keys`, returns their rows.
            block: how many rows are computed between two writes.
            progress: told (rows done, rows to do).
            order: see `complete`.
            convert: changes rows (n, d), each on its own account, as they are copied.

        Returns: an array that lies in a file where it is large; see `sweep.engine.store.scratch`.
        """
        while True:
            self.complete(keys, compute, block=block, progress=progress, order=order)
            rows = self._take(np.asarray(keys, dtype=KEY), convert)
            if rows is not None:
                return rows
            self._forget()  # where they are now is found out anew

    def complete(
        self,
        keys: Keys,
        compute: Callable[[list[int]], np.ndarray],
        *,
        block: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
        order: Ints | None = None,
        ahead: Ahead | None = None,
    ) -> None:
        """Compute and store the rows that are not stored yet.

        Args:
            keys: 16 bytes each; equal keys are computed once.
            compute: gets positions in `keys`, returns their rows.
            block: how many rows are computed between two writes.
            progress: told (rows done, rows to do).
            order: shape (N,), sorts the positions, so that like inputs are computed together.
            ahead: does what `compute` does for one block after another, and may begin the next
                while one ends.
        """
        self._load()
        wanted = np.asarray(keys, dtype=KEY)
        todo = np.sort(self._missing(wanted))
        if order is not None:
            todo = todo[np.argsort(order[todo], kind="stable")]
        written: list[tuple[NDArray[np.bytes_], Path]] = []
        parts = [todo[start : start + block] for start in range(0, len(todo), block)]
        lists = (part.tolist() for part in parts)
        made = (ahead or partial(map, compute))(lists)
        try:
            for number, part in enumerate(parts):
                progress(number * block, len(todo))
                written.append(self._write(wanted[part], next(made)))
        finally:
            if isinstance(made, Generator):
                made.close()  # what has begun is not waited for
            self._add(written)
        if len(todo):
            progress(len(todo), len(todo))

    def missing(self, keys: Keys) -> list[int]:
        """Return the positions of keys that are not stored; of equal keys the first."""
        self._load()
        return [int(p) for p in self._missing(np.asarray(keys, dtype=KEY))]

    def _missing(self, wanted: NDArray[np.bytes_]) -> Ints:
        unique, first = np.unique(wanted, return_index=True)
        place = np.searchsorted(self._keys, unique)
        inside = place < len(self._keys)
        known = np.zeros(len(unique), dtype=np.bool_)
        known[inside] = self._keys[place[inside]] == unique[inside]
        return np.asarray(first[~known], dtype=np.int64)

    def _take(self, wanted: NDArray[np.bytes_], convert: Convert) -> np.ndarray | None:
        """Return the rows of known keys; None if a segment has vanished."""
        place = np.searchsorted(self._keys, wanted)
        segment, row = self._segment[place], self._row[place]
        by_place = np.lexsort((row, segment))
        result: np.ndarray | None = None
        for number, positions in _grouped(segment, by_place):
            rows = self._open(number)
            if rows is None:
                return None
            for part in split_rows(
                len(positions), row_bytes=rows[:1].nbytes, block_bytes=COPY_BYTES
            ):
                copied = convert(rows[row[positions[part]]])
                if result is None:
                    shape = (len(wanted), copied.shape[1])
                    result = self.store.scratch.array(shape, copied.dtype)
                result[positions[part]] = copied
        return np.empty((0, 0), dtype=np.float32) if result is None else result

    def _open(self, number: int) -> np.ndarray | None:
        path = self._paths[number]
        arrays = self.store.open_file(path, verify=False)
        if arrays is None:
            return None
        self.store.use(path)
        return arrays["rows"]

    def _write(
        self, keys: NDArray[np.bytes_], rows: np.ndarray
    ) -> tuple[NDArray[np.bytes_], Path]:
        path = self.folder / segment_name(keys)
        self.store.write_file(path, {"keys": key_rows(keys), "rows": rows}, self.about)
        return keys, path

    def _load(self) -> None:
        """Read the keys of segments that are not known yet, each verified once."""
        if not self._opened:
            merge_small(self.store, self.folder, self.about)
            self._opened = True
        found = []
        for path in sorted(self.folder.glob("*.safetensors")):
            if path.name in self._known:
                continue
            self._known.add(path.name)
            arrays = self.store.open_file(path)
            if arrays is not None:
                found.append((arrays["keys"].copy().reshape(-1).view(KEY), path))
        self._add(found)

    def _add(self, segments: Sequence[tuple[NDArray[np.bytes_], Path]]) -> None:
        if not segments:
            return
        first = len(self._paths)
        self._paths += [path for _, path in segments]
        self._known |= {path.name for _, path in segments}
        sizes = [len(keys) for keys, _ in segments]
        numbers = np.arange(first, len(self._paths), dtype=np.int32)
        rows = [np.arange(size, dtype=np.int32) for size in sizes]
        keys = np.concatenate([*(keys for keys, _ in segments), self._keys])
        segment = np.concatenate([np.repeat(numbers, sizes), self._segment])
        row = np.concatenate([*rows, self._row])
        self._keys, kept = np.unique(keys, return_index=True)  # of equal ones the latest
        self._segment, self._row = segment[kept], row[kept]

    def _forget(self) -> None:
        self._paths, self._known = [], set()
        self._keys, self._segment, self._row = self._keys[:0], self._segment[:0], self._row[:0]


def _grouped(segment: NDArray[np.int32], order: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield each segment with the positions that lie in it, in the order of their rows."""
    ordered = segment[order]
    for positions in np.split(order, np.flatnonzero(np.diff(ordered)) + 1):
        if len(positions):
            yield int(segment[positions[0]]), positions
