"""Opening the storage of a study safely: SQLite here, PostgreSQL in `server`.

An SQLite file is in WAL mode, so that a dashboard can read while a run writes.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import RDBStorage
from sqlalchemy import event

from sweep.engine.store.files import PART
from sweep.errors import StorageError, StudyError
from sweep.study.storage.address import sqlite_path
from sweep.study.storage.faults import Fault, classify, own_words, tell_faults_apart
from sweep.study.storage.patient import PatientStorage, patiently
from sweep.study.storage.revisions import CHECKED, newest_revision
from sweep.study.storage.server import check_server, open_server

BUSY_S = 5  # until SQLite says that a database is locked; `patiently` then asks again
optuna.logging.set_verbosity(optuna.logging.ERROR)


def check_storage(storage: str) -> None:
    """Refuse a storage that cannot be written or made; nothing is made or changed.

    Raises: StorageError, as `open_storage` does.
    """
    path = sqlite_path(storage)
    if path is None:
        check_server(storage)
        return
    if path.exists():
        _check_file(path, may_be_empty=True)
    place = next(p for p in path.absolute().parents if p.exists())
    if not place.is_dir() or not _can_write(path, place):
        raise StorageError(
            f"storage: must be a file that can be written, in a folder that can, got "
            f"{str(path)!r}. Mend that, or name another file with --storage."
        )


def open_storage(storage: str, *, create: bool = False) -> PatientStorage:
    """Return Optuna's storage object.

    Args:
        storage: a path or URL.
        create: make the file, or the server's tables, if they do not exist; otherwise that is an
            error and nothing is made.

    Raises: StorageError if it is missing, not a database, or written by an Optuna that this one
        cannot read; it is left as it was.
    """
    path = sqlite_path(storage)
    if path is None:
        return open_server(storage, create=create)
    if not path.exists():
        if not create:
            raise StorageError(
                f"storage: must be an existing database, got {str(path)!r}. Run a sweep first "
                f"(sweep run SPACE), or name another with --storage."
            )
        check_storage(storage)
        _make(path)
    made = _check_file(path, may_be_empty=create)
    if not create and not _can_write(path, path.absolute().parent):
        url = f"sqlite:///{_reading(path)}&uri=true"
        rdb = patiently(partial(RDBStorage, url, **CHECKED), str(path))
    else:
        rdb = patiently(partial(_open, path, **(CHECKED if made else {})), str(path))
    tell_faults_apart(rdb.engine)
    opened = PatientStorage(rdb, str(path), path=path)
    opened.check = _stays(path)
    return opened


def _can_write(path: Path, folder: Path) -> bool:
    """Return whether a database can be written: beside it SQLite makes files too."""
    return os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _stays(path: Path) -> Callable[[], None]:
    """Return a check that a path still is the file it is now.

    What is written to a file that was removed or replaced is gone without an error.
    """
    status = path.stat()

    def check() -> None:
        try:
            now = path.stat()
        except OSError:
            now = None
        if now is None or (now.st_dev, now.st_ino) != (status.st_dev, status.st_ino):
            raise StudyError(
                f"storage: must stay where it is while a study runs, got {str(path)!r} removed or "
                f"replaced. Begin again with the same command: what is computed is reused."
            )

    return check


def _make(path: Path) -> None:
    """Make a database elsewhere and put it into place whole, unless another one is there.

    Two processes that let Optuna make the tables of one file stumble over each other, and a killed
    one would leave half of them.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="sweep-") as folder:
            made = Path(folder) / "new.db"
            patiently(partial(_open, made), str(path)).engine.dispose()
            content = made.read_bytes()
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=PART)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                os.fsync(file.fileno())
            Path(name).chmod(0o644)  # mkstemp's own mode would shut out everybody else
            _put(Path(name), path)
        finally:
            Path(name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(
            f"storage: must lie in a folder that can be written, got {str(path)!r} "
            f"({error.strerror or error}). Mend that, or name another file with --storage."
        ) from error


def _put(made: Path, path: Path) -> None:
    try:
        os.link(made, path)  # never replaces what another process put there meanwhile
    except FileExistsError:
        return
    except OSError:  # a file system without links
        if not path.exists():
            made.rename(path)


def _open(path: Path, **options: Any) -> RDBStorage:
    url = "sqlite:///" + str(path).replace("{", "{{").replace("}", "}}")  # Optuna fills it in
    rdb = RDBStorage(url, engine_kwargs={"connect_args": {"timeout": BUSY_S}}, **options)
    with rdb.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    event.listen(rdb.engine, "connect", _relax_sync)
    rdb.engine.dispose()  # connections from before would sync in full
    return rdb


def _relax_sync(connection: Any, record: Any) -> None:
    """Sync at checkpoints only: safe against a killed process in WAL mode, and much faster."""
    connection.execute("PRAGMA synchronous=NORMAL")


def _reading(path: Path) -> str:
    """Return the URI to read a file by.

    Where nothing can be written, SQLite has no place to tell writers of a WAL database that it
    reads. It must be told that there are none; if one is at work, its files lie beside.
    """
    alone = not path.with_name(path.name + "-wal").exists()
    unwritable = not _can_write(path, path.absolute().parent)
    return f"{path.resolve().as_uri()}?mode=ro" + ("&immutable=1" if alone and unwritable else "")


def _check_file(path: Path, *, may_be_empty: bool) -> bool:
    """Refuse what is no database of this Optuna, before Optuna touches it.

    Returns: whether it has Optuna's tables.
    """
    if path.is_dir():
        raise StorageError(
            f"storage: must be a file, got the folder {str(path)!r}. Name a file with --storage."
        )
    ours, tables, schema, library = patiently(partial(_read_versions, path), str(path))
    if not ours and (tables or not may_be_empty):
        raise StorageError(
            f"storage: must hold studies, got {str(path)!r}, a database of something else. Name "
            f"another file with --storage."
        )
    if schema is not None and schema != newest_revision():
        raise StorageError(
            f"storage: {str(path)!r} must be readable by Optuna {optuna.__version__}, got one "
            f"written by Optuna {library} (schema {schema}). Copy the file, then open the copy "
            f"with that version, or run `optuna storage upgrade` on the copy."
        )
    return schema is not None


def _read_versions(path: Path) -> tuple[bool, set[str], Any, Any]:
    """Return whether a file is Optuna's, its tables, the schema and the version of Optuna."""
    try:
        uri = _reading(path)
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_S)) as connection:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in found}
            ours = {"alembic_version", "version_info"} <= tables
            schema = _value(connection, "SELECT version_num FROM alembic_version", ours)
            library = _value(connection, "SELECT library_version FROM version_info", ours)
    except sqlite3.Error as error:
        if classify(error, None) == "busy":
            raise Fault("busy", own_words(error)) from error
        raise StorageError(
            f"storage: must be an SQLite database, got {str(path)!r} ({error}). Name another "
            f"file with --storage."
        ) from error
    return ours, tables, schema, library


def _value(connection: sqlite3.Connection, query: str, exists: bool) -> Any:
    row = connection.execute(query).fetchone() if exists else None
    return row[0] if row else None
