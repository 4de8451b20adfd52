"""One process at a time runs a study; the next is told which one does.

A study is locked twice: in its folder, and in its storage, which another folder or host may share.
No lock needs a clock, and none outlives its process.
"""

import hashlib
import json
import os
import re
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from filelock import FileLock, Timeout

from sweep.errors import StoreError, StudyError
from sweep.study.storage.faults import Fault
from sweep.study.storage.patient import PatientStorage, patiently

HOLDER_S = 1.0  # until the holder of a lock has written who it is
GRACE_S = 2.0  # until a server has seen that a killed process is gone
LONGEST_NAME = 63  # bytes that PostgreSQL keeps of an application's name
KEEPALIVE = {"idle": 30, "interval": 10, "count": 3}  # a dead host's lock is free after a minute
HOLDER = """
    SELECT l.pid, a.application_name, a.backend_start
    FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.classid::bigint = {high} AND l.objid::bigint = {low}
"""


@contextmanager
def running(path: Path, study: str, storage: PatientStorage | None = None) -> Iterator[None]:
    """Hold a study's locks; they are free when the process is gone, however it ends.

    Args:
        path: the lock file of the study's folder.
        study: its name.
        storage: where it is recorded; None = only the folder is locked.

    Raises: StudyError if another process runs the study: its number, host and start are named.
    """
    with _file_lock(path, study):
        if storage is None:
            yield
        elif storage.path is not None:
            with _file_lock(lock_beside(storage.path, study), study):
                yield
        else:
            with ServerLock(storage, study):
                yield


def lock_beside(database: Path, study: str) -> Path:
    """Return the lock file of a study beside the SQLite file that records it; it stays there."""
    file = database.resolve()
    digits = hashlib.sha256(study.encode()).hexdigest()[:8]
    return file.with_name(f".{file.name}.{digits}.lock")


@contextmanager
def _file_lock(path: Path, study: str) -> Iterator[None]:
    lock = FileLock(path, timeout=0)
    holder = path.with_name(path.name + ".json")
    who = {
        "process": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
        holder.write_text(json.dumps(who), encoding="utf-8")
    except Timeout as error:
        raise _taken(study, _describe(holder)) from error
    except OSError as error:
        lock.release()
        raise StoreError(
            f"{path.parent}: must be writable, got {error.strerror or error}. Free some space, or "
            f"choose a folder that is."
        ) from error
    try:
        yield
    finally:
        holder.unlink(missing_ok=True)
        lock.release()


def _describe(holder: Path) -> str:
    """Return who holds a lock; that is written a moment after the lock is taken."""
    end = time.monotonic() + HOLDER_S
    while True:
        try:
            who = json.loads(holder.read_text(encoding="utf-8"))
            return f"process {who['process']} on {who['host']}, running since {who['since']}"
        except (OSError, ValueError, KeyError):
            if time.monotonic() >= end:
                return "another process that has just started"
            time.sleep(0.02)


def _taken(study: str, who: str) -> StudyError:
    return StudyError(
        f"study {study!r}: one process at a time may run it, got {who}. Wait for it, stop it, or "
        f"start another study with --study NAME."
    )


class ServerLock:
    """A study's lock on a PostgreSQL server: an advisory lock of a session of its own.

    The server frees it when the connection ends. If it ends while the process lives (the server
    was restarted), the lock is taken again before the next write; should another process have run
    the study meanwhile, this one must not go on. (A pooler that gives each transaction another
    session cannot hold such a lock: connect to the server itself.)

    Args:
        storage: on the server.
        study: the study's name.
    """

    def __init__(self, storage: PatientStorage, study: str) -> None:
        self._storage, self._study = storage, study
        self._token = secrets.token_hex(4)
        self._connection: Any = None

    def __enter__(self) -> "ServerLock":
        """Take the lock.

        Raises: StudyError if another process has it.
        """
        end = time.monotonic() + GRACE_S
        while who := patiently(self._take, self._storage.storage, tell=self._storage.tell):
            if time.monotonic() >= end:
                raise _taken(self._study, who)
            time.sleep(0.1)
        self._storage.check = self.verify
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Free the lock."""
        self._storage.check = None
        self._close()

    def verify(self) -> None:
        """See that the lock is still held, or take it again.

        Raises:
            Fault: if the server does not answer.
            StudyError: if another process has the lock, or has had it.
        """
        if self._connection is not None:
            try:
                self._connection.exec_driver_sql("SELECT 1")
            except Fault:
                self._close()
            else:
                return
        who = self._take()
        if who is None and not self._storage.is_as_written():
            self._close()
            who = "another process that has run it"
        if who is not None:
            raise StudyError(
                f"study {self._study!r}: one process at a time may run it, got {who} since the "
                f"server broke the connection. Run it again: what is finished is kept."
            )

    def _take(self) -> str | None:
        """Try to take the lock; return who has it, or None.

        Raises: Fault if the server does not answer.
        """
        connection: Any = self._storage.engine.connect()
        try:
            connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            connection.detach()  # closing it ends the session
            ask = connection.exec_driver_sql
            ask(f"SELECT set_config('application_name', '{self._name()}', false)")
            for name, value in KEEPALIVE.items():
                ask(f"SELECT set_config('tcp_keepalives_{name}', '{value}', false)")
            schema = ask("SELECT current_schema()").scalar()
            digest = hashlib.sha256(f"sweep\0{schema}\0{self._study}".encode()).digest()
            key = int.from_bytes(digest[:8], signed=True)
            if ask(f"SELECT pg_try_advisory_lock({key})").scalar():
                self._connection, connection = connection, None
                return None
            low, high = key & 0xFFFFFFFF, (key >> 32) & 0xFFFFFFFF
            return self._describe(ask, ask(HOLDER.format(high=high, low=low)).first())
        finally:
            if connection is not None:
                connection.close()

    def _name(self) -> str:
        host = re.sub("[^A-Za-z0-9._-]", "?", socket.gethostname())
        return f"sweep {self._token} {os.getpid()} {host}"[:LONGEST_NAME]

    def _describe(self, ask: Any, row: Any) -> str:
        if row is None:  # it has ended since
            raise Fault("busy", "the lock of the study has just been freed")
        session, name, since = row
        found = re.fullmatch(r"sweep (\w+) (\d+) (.*)", name or "")
        if found is None:
            return f"session {session} of the server"
        if found[1] == self._token:  # ours, whose end the server has not seen yet
            ask(f"SELECT pg_terminate_backend({session})")
            raise Fault("away", "the connection that held the study's lock was broken")
        start = f", running since {since.isoformat(timespec='seconds')}" if since else ""
        return f"process {found[2]} on {found[3]}{start}"

    def _close(self) -> None:
        if self._connection is not None:
            with suppress(Fault):
                self._connection.close()
            self._connection = None
