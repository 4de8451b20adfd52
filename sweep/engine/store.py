"""The store: stage outputs on disk under the hash of what they were made from.

One output is one file, `<stage>/<first two digits>/<key>.safetensors`, written under a temporary
name and moved into place, so that a file that exists is whole. Each carries a checksum; a damaged
file is told, removed and computed again. No pickle anywhere.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from sweep.engine.keys import arrays_checksum
from sweep.engine.report import Report
from sweep.errors import StoreError


class Store:
    """A folder of stage outputs.

    Args:
        root: the folder; made when the first output is written.
        report: told when a damaged output is found.
    """

    def __init__(self, root: Path, report: Report) -> None:
        self.root = root
        self.report = report

    def path(self, stage: str, key: str) -> Path:
        """Return where the output of `stage` under `key` lies."""
        return self.root / stage / key[:2] / f"{key}.safetensors"

    def read(self, stage: str, key: str) -> dict[str, np.ndarray] | None:
        """Return the arrays of an output, or None if it is not there or damaged."""
        return self.read_file(self.path(stage, key))

    def write(self, stage: str, key: str, arrays: Mapping[str, np.ndarray]) -> None:
        """Write the arrays of an output.

        Raises: StoreError if the disk refuses.
        """
        self.write_file(self.path(stage, key), arrays)

    def read_file(self, path: Path) -> dict[str, np.ndarray] | None:
        """Return the arrays in one file of the store, or None if it is missing or damaged."""
        try:
            with safe_open(path, framework="np") as file:
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
                expected = (file.metadata() or {}).get("sha256")
        except FileNotFoundError:
            return None
        except (SafetensorError, OSError, ValueError) as error:
            self._damaged(path, str(error))
            return None
        if expected != arrays_checksum(arrays):
            self._damaged(path, "its checksum does not match")
            return None
        return arrays

    def write_file(self, path: Path, arrays: Mapping[str, np.ndarray]) -> None:
        """Write arrays to one file of the store, whole or not at all."""
        ordered = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        write_whole(path, save(ordered, metadata={"sha256": arrays_checksum(ordered)}))

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
        inside = path.relative_to(self.root).as_posix()
        self.report.notice(f"store: {inside} is damaged ({why}); it is computed again")
        with contextlib.suppress(OSError):
            path.unlink()


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


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name and move it into place.

    Raises: StoreError if the disk refuses (full, read-only, no permission).
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)  # mkstemp's own mode would shut out everybody else
        Path(temporary).replace(path)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise StoreError(
            f"{path.parent}: must be writable, got {error.strerror or error}. Free some space, or "
            f"choose another folder."
        ) from error
