"""The files of a store: which there are, when each was used last, and removing the oldest.

Only what has the name and the place of a stage output is looked at; whatever else lies in the
folder is left alone.
"""

import contextlib
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sweep.engine.store.keys import VERSIONS

STAGES = frozenset(VERSIONS) | {"seconds"}
ROW_STAGES = frozenset({"vectors", "pairs"})  # their outputs lie one folder deeper
PART = ".part-"  # what is being written has a name that begins so
ABANDONED_S = 3600.0  # without a write for so long, the writer of a `.part-` file is dead
_FOLDER, _KEY = re.compile(r"[0-9a-f]{2}"), re.compile(r"[0-9a-f]{64}")
_OUTPUT = re.compile(r"[0-9a-f]{64}\.safetensors")


@dataclass(frozen=True, slots=True)
class StoreFile:
    """One file of a store; `used` is when it was written or read last (seconds since 1970)."""

    path: Path
    stage: str
    size: int
    used: float


def list_files(root: Path) -> list[StoreFile]:
    """Return the stage outputs of a store, the least recently used first."""
    found = (
        _as_file(entry, stage)
        for stage, entry in _entries(root)
        if _OUTPUT.fullmatch(entry.name) is not None
    )
    files = [file for file in found if file is not None]
    return sorted(files, key=lambda file: (file.used, str(file.path)))


def list_abandoned(root: Path) -> list[StoreFile]:
    """Return what processes left behind that were ended while they wrote."""
    latest = time.time() - ABANDONED_S
    found = (
        _as_file(entry, stage) for stage, entry in _entries(root) if entry.name.startswith(PART)
    )
    return [file for file in found if file is not None and file.used < latest]


def remove(files: Iterable[StoreFile]) -> list[StoreFile]:
    """Remove files and return those that are gone; one that was used meanwhile stays."""
    gone = []
    for file in files:
        with contextlib.suppress(OSError):
            if file.path.stat().st_mtime == file.used:
                file.path.unlink()
                gone.append(file)
    return gone


def oldest_beyond(
    files: Iterable[StoreFile], limit: float, *, keep: Collection[Path] = ()
) -> list[StoreFile]:
    """Return which files to remove so that the others take at most `limit` bytes.

    Args:
        files: the least recently used first.
        limit: bytes.
        keep: files that must stay; if they alone take more, so be it.
    """
    files = list(files)
    excess = sum(file.size for file in files) - limit
    chosen = []
    for file in files:
        if excess <= 0:
            break
        if file.path not in keep:
            chosen.append(file)
            excess -= file.size
    return chosen


def _entries(root: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield whatever lies where outputs lie, with the name of its stage."""
    for stage in _inside(root):
        if stage.name not in STAGES or not stage.is_dir(follow_symlinks=False):
            continue
        for first in _folders(stage, _FOLDER):
            below = _folders(first, _KEY) if stage.name in ROW_STAGES else [first]
            for folder in below:
                for entry in _inside(folder):
                    yield stage.name, entry


def _folders(parent: os.DirEntry[str], name: re.Pattern[str]) -> Iterator[os.DirEntry[str]]:
    for entry in _inside(parent):
        if name.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
            yield entry


def _inside(folder: Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):  # another process removed it
        return []


def _as_file(entry: os.DirEntry[str], stage: str) -> StoreFile | None:
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return StoreFile(Path(entry.path), stage, status.st_size, status.st_mtime)
