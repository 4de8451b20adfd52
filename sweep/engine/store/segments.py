"""Segments of a row store: their names, and merging the small ones that many runs leave behind.

A merged segment is written, whole, before the small ones are removed, and bears a name made from
its keys. So two processes may merge at once, or one may be killed: at worst a row lies in two
segments, with the same value.
"""

import contextlib
import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sweep.engine.store.store import Store
from sweep.errors import StoreError

KEY = np.dtype("S16")
MANY_SMALL = 32  # segments; more than so many small ones are merged
SMALL_BYTES = 16_000_000
FULL_BYTES = 64_000_000  # of a merged segment, about; this much is in memory while it is made


def segment_name(keys: NDArray[np.bytes_]) -> str:
    """Return the file name of the segment that holds rows of `keys`."""
    return f"{hashlib.sha256(keys.tobytes()).hexdigest()}.safetensors"


def key_rows(keys: NDArray[np.bytes_]) -> NDArray[np.uint8]:
    """Return keys (n,) as they are stored: bytes (n, 16)."""
    raw = np.ascontiguousarray(keys, dtype=KEY).view(np.uint8)
    return raw.reshape(len(keys), KEY.itemsize)


def merge_small(store: Store, folder: Path, about: Mapping[str, str]) -> None:
    """Merge small segments into large ones if there are many; a disk that refuses is no harm.

    Args:
        store: the store.
        folder: holds the segments.
        about: what merged segments are about.
    """
    sizes = {}
    for path in sorted(folder.glob("*.safetensors")):
        with contextlib.suppress(FileNotFoundError):
            sizes[path] = path.stat().st_size
    small = [path for path, size in sizes.items() if size < SMALL_BYTES]
    if len(small) <= MANY_SMALL:
        return
    group: list[Path] = []
    for path in small:
        group.append(path)
        if sum(sizes[other] for other in group) >= FULL_BYTES:
            _merge(store, group, about)
            group = []
    if len(group) > 1:
        _merge(store, group, about)


def _merge(store: Store, group: list[Path], about: Mapping[str, str]) -> None:
    read = [(path, store.open_file(path)) for path in group]
    parts = [(path, arrays) for path, arrays in read if arrays is not None]
    if len(parts) < 2:
        return
    raw = np.concatenate([arrays["keys"] for _, arrays in parts])
    keys, first = np.unique(raw.reshape(-1).view(KEY), return_index=True)
    rows = np.concatenate([arrays["rows"] for _, arrays in parts])[first]
    merged = parts[0][0].with_name(segment_name(keys))
    try:
        store.write_file(merged, {"keys": key_rows(keys), "rows": rows}, about)
    except StoreError:
        return
    for path, _ in parts:
        if path != merged:
            with contextlib.suppress(OSError):
                path.unlink()
