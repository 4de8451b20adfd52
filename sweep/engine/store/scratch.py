"""Arrays that may be larger than memory: large ones lie in a file without a name.

Such a file is gone when the process ends, however it ends. Its room on the disk is reserved before
anything is written, since a write to a mapped page of a full disk would end the process.
"""

import mmap
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from sweep.errors import StoreError

SMALL_BYTES = 64_000_000  # what stays in memory
ZEROS = bytes(1 << 20)


class Scratch:
    """Makes such arrays.

    Args:
        folder: where the files lie; the system's folder for temporary files where this one cannot
            be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def array(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """Return an array to be filled.

        Raises: StoreError if the disk has no room for it.
        """
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        if size <= SMALL_BYTES:
            return np.empty(shape, dtype=dtype)
        with self.file(size) as file:
            mapped: np.ndarray = _mapped(file, size).view(dtype).reshape(shape)
            return mapped

    def file(self, size: int) -> IO[bytes]:
        """Return a file of `size` bytes that has no name.

        Raises: StoreError if there is no room for it.
        """
        problem: OSError | None = None
        for folder in (self.folder, Path(tempfile.gettempdir())):
            try:
                if folder is self.folder:
                    folder.mkdir(parents=True, exist_ok=True)
                file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  the caller closes it
                try:
                    _reserve(file, size)
                except OSError:
                    file.close()
                    raise
                return file
            except OSError as error:
                problem = problem or error
        assert problem is not None
        raise no_room(self.folder, problem)


class Spool:
    """Collects the pieces of one long array, on the disk once they are many.

    Args:
        scratch: makes the file.
        dtype: of the array.
    """

    def __init__(self, scratch: Scratch, dtype: Any) -> None:
        self._scratch = scratch
        self._dtype = np.dtype(dtype)
        self._pieces: list[np.ndarray] = []
        self._held = 0
        self._file: IO[bytes] | None = None

    def append(self, piece: np.ndarray) -> None:
        """Add a piece (n,) at the end.

        Raises: StoreError if the disk is full.
        """
        self._pieces.append(np.ascontiguousarray(piece, dtype=self._dtype))
        self._held += self._pieces[-1].nbytes
        if self._held > SMALL_BYTES:
            self._flush()

    def array(self) -> np.ndarray:
        """Return all pieces as one array; nothing can be added any more."""
        if self._file is None:
            return np.concatenate([np.empty(0, dtype=self._dtype), *self._pieces])
        self._flush()
        with self._file as file:
            return _mapped(file, file.tell()).view(self._dtype)

    def _flush(self) -> None:
        if self._file is None:
            self._file = self._scratch.file(0)
        try:
            for piece in self._pieces:
                self._file.write(piece.view(np.uint8).data)
            self._file.flush()
        except OSError as error:
            raise no_room(self._scratch.folder, error) from error
        self._pieces, self._held = [], 0


def no_room(folder: Path, error: OSError) -> StoreError:
    """Return the error that says that a folder cannot be written."""
    return StoreError(
        f"{folder}: must be writable, got {error.strerror or error}. Free some space, or choose "
        f"another folder."
    )


def split_rows(count: int, *, row_bytes: int, block_bytes: int) -> Sequence[slice]:
    """Return slices that cut `count` rows into blocks of about `block_bytes`, a row at least."""
    step = max(1, block_bytes // max(1, row_bytes))
    return [slice(start, start + step) for start in range(0, count, step)]


def _mapped(file: IO[bytes], size: int) -> np.ndarray:
    return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=np.uint8)


def _reserve(file: IO[bytes], size: int) -> None:
    if not size:
        return
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    for start in range(0, size, len(ZEROS)):
        file.write(ZEROS[: size - start])
    file.flush()
