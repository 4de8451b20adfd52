"""The Optuna storage of a study: opening it safely, and nothing else.

A path (`results/sweep.db`) or `sqlite:///...` is an SQLite file in WAL mode, so that a dashboard
can read while a run writes; any other URL is handed to SQLAlchemy.
"""

import os
import sqlite3
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import optuna
from sqlalchemy import event
from sqlalchemy.exc import SQLAlchemyError

from sweep.errors import StudyError

LOCK_WAIT_S = 60
optuna.logging.set_verbosity(optuna.logging.ERROR)


def sqlite_path(storage: str) -> Path | None:
    """Return the file of an SQLite storage given as path or URL; None for a server's URL."""
    if storage.startswith("sqlite:///"):
        return Path(storage.removeprefix("sqlite:///").partition("?")[0])
    if "://" in storage:
        return None
    return Path(storage)


def shown(storage: str) -> str:
    """Return the storage for messages: a password is replaced by `***`."""
    if sqlite_path(storage) is not None:
        return storage
    parts = urlsplit(storage)
    if parts.password is None:
        return storage
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{parts.username}:***@{host}"))


def check_storage(storage: str) -> None:
    """Refuse a storage that cannot be opened or made; an SQLite file is neither made nor changed.

    Raises: StudyError, as `open_storage` does.
    """
    path = sqlite_path(storage)
    if path is None:
        _open(storage, storage)
    elif path.exists():
        _check_file(path, may_be_empty=True)
    else:
        place = next(p for p in path.absolute().parents if p.exists())
        if not place.is_dir() or not os.access(place, os.W_OK):
            raise StudyError(
                f"storage: must lie in a folder that can be written, got {str(path)!r}. Name "
                f"another file with --storage."
            )


def open_storage(storage: str, *, create: bool = False) -> Any:
    """Return Optuna's storage object.

    Args:
        storage: a path or URL.
        create: make the file if it does not exist; otherwise that is an error and nothing is made.

    Raises: StudyError if the file is missing, not a database, or written by an Optuna that this
        one cannot read; the file is left as it was.
    """
    path = sqlite_path(storage)
    if path is None:
        return _open(storage, storage)
    if not path.exists():
        if not create:
            raise StudyError(
                f"storage: must be an existing database, got {str(path)!r}. Run a sweep first "
                f"(sweep run SPACE), or name another with --storage."
            )
        check_storage(storage)
        _make(path)
    _check_file(path, may_be_empty=create)
    return _open(_sqlite_url(path), str(path))


def _make(path: Path) -> None:
    """Make a database under a temporary name and move it into place, unless another one is there.

    Two processes that let Optuna make the tables of one file stumble over each other, and a killed
    one would leave half of them.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
            made = Path(folder) / path.name
            _open(_sqlite_url(made), str(path)).engine.dispose()
            if not path.exists():
                _move(made, path)
    except OSError as error:
        raise StudyError(
            f"storage: must lie in a folder that can be written, got {str(path)!r} "
            f"({error.strerror or error}). Name another file with --storage."
        ) from error


def _move(made: Path, path: Path) -> None:
    try:
        os.link(made, path)  # never replaces what another process put there meanwhile
    except FileExistsError:
        return
    except OSError:  # a file system without links
        made.rename(path)


def _sqlite_url(path: Path) -> str:
    braces = str.maketrans({"{": "{{", "}": "}}"})  # Optuna fills in templates
    return f"sqlite:///{str(path).translate(braces)}"


def _open(url: str, name: str) -> Any:
    sqlite = url.startswith("sqlite:")
    arguments = {"connect_args": {"timeout": LOCK_WAIT_S}} if sqlite else {"pool_pre_ping": True}
    try:
        storage = optuna.storages.RDBStorage(url, engine_kwargs=arguments)
        if sqlite:
            _set_wal(storage)
    except ImportError as error:
        raise StudyError(
            f"storage: needs a database driver that is not installed, got {shown(name)!r}. "
            f"Install it, for PostgreSQL: pip install 'psycopg[binary]'"
        ) from error
    except (SQLAlchemyError, sqlite3.Error, RuntimeError) as error:
        raise StudyError(
            f"storage: must be reachable and writable, got {shown(name)!r} "
            f"({str(error).splitlines()[0]}). Check the path or the server."
        ) from error
    if sqlite:
        event.listen(storage.engine, "connect", _relax_sync)
        storage.engine.dispose()  # connections from before would sync in full
    return storage


def _set_wal(storage: Any) -> None:
    with storage.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")


def _relax_sync(connection: Any, record: Any) -> None:
    """Sync at checkpoints only: safe against a killed process in WAL mode, and much faster."""
    connection.execute("PRAGMA synchronous=NORMAL")


def _check_file(path: Path, *, may_be_empty: bool) -> None:
    """Refuse what is no database of this Optuna, before Optuna touches it."""
    if path.is_dir():
        raise StudyError(
            f"storage: must be a file, got the folder {str(path)!r}. Name a file with --storage."
        )
    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            tables = {name for (name,) in found}
            ours = {"alembic_version", "version_info"} <= tables
            schema = _value(connection, "SELECT version_num FROM alembic_version", ours)
            library = _value(connection, "SELECT library_version FROM version_info", ours)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise StudyError(
            f"storage: must be an SQLite database, got {str(path)!r} ({error}). Name another "
            f"file with --storage."
        ) from error
    if not ours and (tables or not may_be_empty):
        raise StudyError(
            f"storage: must hold studies, got {str(path)!r}, a database of something else. Name "
            f"another file with --storage."
        )
    if schema is not None and schema not in _known_revisions():
        raise StudyError(
            f"storage: {str(path)!r} must be readable by Optuna {optuna.__version__}, got one "
            f"written by Optuna {library} (schema {schema}). Copy the file, then open the copy "
            f"with that version, or run `optuna storage upgrade` on the copy."
        )


def _value(connection: sqlite3.Connection, query: str, exists: bool) -> Any:
    row = connection.execute(query).fetchone() if exists else None
    return row[0] if row else None


def _known_revisions() -> set[str]:
    folder = Path(optuna.storages.__file__).parent / "_rdb" / "alembic" / "versions"
    return {file.stem.rstrip("_") for file in folder.glob("v*.py")}
