"""Looking after a store: what is in it, making room, checking every byte.

Works beside runs: what they use meanwhile is left alone or, where it is removed under their hands,
computed again.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sweep.engine.store.array_file import DamagedError, from_bytes, read_about
from sweep.engine.store.files import (
    ROW_STAGES,
    StoreFile,
    list_abandoned,
    list_files,
    oldest_beyond,
    remove,
)
from sweep.engine.store.store import read_bytes
from sweep.errors import StoreError

HEAD_BYTES = 4096  # hold a segment's whole header


def _check_store(root: Path) -> None:
    """Refuse a folder that is not there.

    Raises: StoreError.
    """
    if not root.is_dir():
        raise StoreError(
            f"{root}: must be a store, got {'a file' if root.exists() else 'nothing there'}. Name "
            f"one with --store; `sweep run` makes it."
        )


def describe_store(root: Path) -> dict[str, Any]:
    """Return what is in a store: files, bytes and last use, by stage and by model.

    Raises: StoreError if there is none.
    """
    _check_store(root)
    files, abandoned = list_files(root), list_abandoned(root)
    stages: dict[str, list[StoreFile]] = {}
    rows: dict[Path, list[StoreFile]] = {}
    for file in files:
        stages.setdefault(file.stage, []).append(file)
        if file.stage in ROW_STAGES:
            rows.setdefault(file.path.parent, []).append(file)
    models = [
        {"stage": group[0].stage, **_about(group[-1].path), **_total(group)}
        for group in rows.values()
    ]
    return {
        "store": str(root),
        **_total(files),
        "stages": [{"stage": name, **_total(stages[name])} for name in sorted(stages)],
        "models": sorted(models, key=lambda found: -found["bytes"]),
        "abandoned": _total(abandoned),
        "other_files": sum(len(names) for _, _, names in os.walk(root))
        - len(files)
        - len(abandoned),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned:
    """What pruning removed, or would remove, and what is left."""

    removed: list[StoreFile]
    left: list[StoreFile]
    dry_run: bool

    @property
    def freed(self) -> int:
        """Return the bytes of what was removed."""
        return sum(file.size for file in self.removed)

    @property
    def left_bytes(self) -> int:
        """Return the bytes of what is left."""
        return sum(file.size for file in self.left)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        stages: dict[str, list[StoreFile]] = {}
        for file in self.removed:
            stages.setdefault(file.stage, []).append(file)
        return {
            "dry_run": self.dry_run,
            "removed_files": len(self.removed),
            "freed_bytes": self.freed,
            "left_files": len(self.left),
            "left_bytes": self.left_bytes,
            "stages": [{"stage": name, **_total(stages[name])} for name in sorted(stages)],
        }


def prune_store(
    root: Path, *, limit: int | None = None, older_than_s: float | None = None, dry_run: bool
) -> Pruned:
    """Remove the least recently used outputs, and what dead processes left behind.

    Args:
        root: the store.
        limit: bytes that may stay.
        older_than_s: remove what was last used longer ago, in seconds.
        dry_run: remove nothing.

    Raises: StoreError if there is no store.
    """
    _check_store(root)
    files = list_files(root)
    latest = time.time() - older_than_s if older_than_s is not None else -1.0
    old = [file for file in files if file.used < latest]
    young = [file for file in files if file.used >= latest]
    chosen = [*list_abandoned(root), *old]
    if limit is not None:
        chosen += oldest_beyond(young, limit)
    removed = chosen if dry_run else remove(chosen)
    gone = {file.path for file in removed}
    left = [file for file in files if file.path not in gone]
    return Pruned(removed=removed, left=left, dry_run=dry_run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a check of every file found.

    Attributes:
        files: how many were looked at.
        damaged: path inside the store and what is wrong with it.
        repaired: how many of the damaged ones were removed.
    """

    files: int
    damaged: dict[str, str]
    repaired: int

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "files": self.files,
            "damaged": [{"file": name, "why": why} for name, why in self.damaged.items()],
            "repaired": self.repaired,
        }


def verify_store(
    root: Path,
    *,
    repair: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verified:
    """Compute every checksum again.

    Args:
        root: the store.
        repair: remove what is damaged; it is computed again when it is needed.
        progress: told (files done, files to do).

    Raises: StoreError if there is no store.
    """
    _check_store(root)
    files = list_files(root)
    damaged, repaired = {}, 0
    for done, file in enumerate(files):
        progress(done, len(files))
        try:
            why, beyond_doubt = _damage(file.path), True
        except OSError as error:  # the file may be as it should be
            why, beyond_doubt = error.strerror or str(error), False
        if why is not None:
            damaged[file.path.relative_to(root).as_posix()] = why
            repaired += len(remove([file])) if repair and beyond_doubt else 0
    progress(len(files), len(files))
    return Verified(files=len(files), damaged=damaged, repaired=repaired)


def _damage(path: Path) -> str | None:
    try:
        from_bytes(read_bytes(path))
    except DamagedError as error:
        return str(error)
    except FileNotFoundError:  # removed meanwhile
        pass
    return None


def _about(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            return read_about(file.read(HEAD_BYTES))
    except OSError:
        return {}


def _total(files: Iterable[StoreFile]) -> dict[str, Any]:
    files = list(files)
    used = [file.used for file in files]
    return {
        "files": len(files),
        "bytes": sum(file.size for file in files),
        "oldest_use": _moment(min(used)) if used else None,
        "newest_use": _moment(max(used)) if used else None,
    }


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
