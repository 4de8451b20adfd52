"""The store: stage outputs on disk under the hash of what they were made from.

One output is one file, `<stage>/<first two digits>/<key>.safetensors`, written under a temporary
name and moved into place, so that a file that exists is whole. Each carries a checksum; a damaged
file is told, removed and computed again. When a file is used its time of change is set to now, so
that the least recently used can be told. No pickle anywhere.
"""

import contextlib
import json
import mmap
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from sweep.engine.measure.report import Report
from sweep.engine.store.array_file import Arrays, DamagedError, from_bytes, to_parts
from sweep.engine.store.bound import Bound
from sweep.engine.store.files import PART, STAGES, list_abandoned, remove
from sweep.engine.store.scratch import Scratch, no_room
from sweep.errors import StoreError

MAPPED_BYTES = 1 << 20  # larger files are mapped: their arrays take memory only as they are read


class Store:
    """A folder of stage outputs.

    Args:
        root: the folder; made when the first output is written.
        report: told when a damaged output is found.
        limit: bytes that it may take; None = no bound.
    """

    def __init__(self, root: Path, report: Report, *, limit: int | None = None) -> None:
        self.root = root
        self.report = report
        self.scratch = Scratch(root)
        self._bound = None if limit is None else Bound(root, limit, report)

    def path(self, stage: str, key: str) -> Path:
        """Return where the output of `stage` under `key` lies."""
        assert stage in STAGES, stage
        return self.root / stage / key[:2] / f"{key}.safetensors"

    def read(self, stage: str, key: str) -> Arrays | None:
        """Return the arrays of an output, not to be written to; None if it is not there."""
        return self.read_file(self.path(stage, key))

    def write(self, stage: str, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write the arrays of an output.

        Raises: StoreError if the disk refuses.
        """
        self.write_file(self.path(stage, key), arrays)

    def read_file(self, path: Path) -> Arrays | None:
        """Return the arrays in one file of the store; None if it is missing or damaged.

        Raises: StoreError if the disk refuses.
        """
        arrays = self.open_file(path)
        if arrays is not None:
            self.use(path)
        return arrays

    def open_file(self, path: Path, *, verify: bool = True) -> Arrays | None:
        """Return what `read_file` returns, without counting it as use.

        Args:
            path: inside the store.
            verify: whether to look at every byte.

        Raises: StoreError if the disk refuses.
        """
        try:
            return from_bytes(read_bytes(path), verify=verify)[0]
        except DamagedError as error:
            self._damaged(path, str(error))
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise StoreError(
                f"{path}: must be readable, got {error.strerror or error}. Mend that, or remove "
                f"the file: what it holds is computed again."
            ) from error
        return None

    def use(self, path: Path) -> None:
        """Note that a file was used: it is then the last to be removed."""
        with contextlib.suppress(OSError):  # a store that may only be read has no use for it
            os.utime(path)
        if self._bound is not None:
            self._bound.used.add(path)

    def write_file(
        self, path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, str] | None = None
    ) -> None:
        """Write arrays to one file of the store, whole or not at all.

        Args:
            path: inside the store.
            arrays: what to write.
            about: what they are about, for people who look into the store.

        Raises: StoreError if the disk refuses.
        """
        size = write_whole(path, *to_parts(arrays, about or {}))
        if self._bound is not None:
            self._bound.used.add(path)
            self._bound.wrote(size)

    def read_json(self, stage: str, key: str) -> dict[str, object] | None:
        """Return a small JSON output, or None if it is not there or damaged."""
        arrays = self.read(stage, key)
        if arrays is None:
            return None
        loaded = json.loads(arrays["json"].tobytes())
        return loaded if isinstance(loaded, dict) else None

    def write_json(self, stage: str, key: str, content: Mapping[str, object]) -> None:
        """Write a small JSON output."""
        text = json.dumps(content, sort_keys=True, allow_nan=False).encode()
        self.write(stage, key, {"json": np.frombuffer(text, dtype=np.uint8)})

    def _damaged(self, path: Path, why: str) -> None:
        """Tell that a file is damaged, and remove it."""
        inside = path.relative_to(self.root).as_posix()
        self.report.notice(f"store: {inside} is damaged ({why}); it is computed again")
        with contextlib.suppress(OSError):
            path.unlink()

    def clear_abandoned(self) -> None:
        """Remove what processes left behind that were ended while they wrote."""
        remove(list_abandoned(self.root))

    def keep_bound(self) -> None:
        """Remove what is beyond the store's bound, if it has one, but nothing that was used."""
        if self._bound is not None:
            self._bound.enforce()


def read_bytes(path: Path) -> np.ndarray:
    """Return the bytes of a file (n,), read or, if there are many, mapped; not to be written to.

    Raises: OSError.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size < MAPPED_BYTES:
            return np.frombuffer(file.read(), dtype=np.uint8)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint8)


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it; one that is there is left as it is.

    Raises: StoreError if the disk refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: must be a folder that can be written, got {error.strerror or error}. "
            f"Choose another one."
        ) from error


def write_whole(path: Path, *parts: bytes | memoryview) -> int:
    """Write a file under a temporary name and move it into place; return its size in bytes.

    Raises: StoreError if the disk refuses (full, read-only, no permission).
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=PART)
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                for part in parts:
                    file.write(part)
                size = file.tell()
                file.flush()
                os.fsync(file.fileno())
            temporary.chmod(0o644)  # mkstemp's own mode would shut out everybody else
            temporary.replace(path)
        except BaseException:  # Ctrl-C too
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise no_room(path.parent, error) from error
    return size
