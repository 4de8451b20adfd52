"""One process at a time runs a study; the next is told which one does."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from sweep.errors import StoreError, StudyError


@contextmanager
def running(path: Path, study: str) -> Iterator[None]:
    """Hold a study's lock; the operating system frees it when the process dies, however it dies.

    Raises: StudyError if another process runs the study: its number, host and start are named.
    """
    lock = FileLock(path, timeout=0)
    holder = path.with_name(path.name + ".json")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout as error:
        raise StudyError(
            f"study {study!r}: one process at a time may run it, got {_describe(holder)}. Wait "
            f"for it, stop it, or start another study with --study NAME."
        ) from error
    except OSError as error:
        raise StoreError(
            f"{path.parent}: must be writable, got {error.strerror or error}. Choose a folder "
            f"that is."
        ) from error
    try:
        who = {
            "process": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        holder.write_text(json.dumps(who), encoding="utf-8")
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _describe(holder: Path) -> str:
    try:
        who = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {who['process']} on {who['host']}, running since {who['since']}"
    except (OSError, ValueError, KeyError):
        return "another process that has just started"
