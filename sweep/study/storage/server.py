"""Opening a storage on a PostgreSQL server.

A server that does not answer the first time is told at once; one that has answered this process is
waited for, since it then is most likely being restarted.
"""

from functools import partial
from typing import Any

import optuna
from optuna.storages import RDBStorage
from sqlalchemy import Engine, NullPool, create_engine, make_url

from sweep.errors import StorageError
from sweep.study.storage.address import server_url, shown
from sweep.study.storage.faults import tell_faults_apart
from sweep.study.storage.patient import PatientStorage, patiently
from sweep.study.storage.revisions import CHECKED, newest_revision

MAKING_TABLES = 0x5EE97AB1E5  # advisory lock: any number that nobody else is likely to use
CONNECT = {  # what libpq is told unless the URL says otherwise; times in seconds
    "connect_timeout": "5",
    "keepalives_idle": "30",  # a router that forgets idle connections is kept awake
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "application_name": "sweep",
}
_answered: set[str] = set()  # URLs of servers that have answered this process


def check_server(storage: str) -> bool:
    """Refuse a server that cannot be reached, or holds studies of another Optuna.

    Returns: whether it has Optuna's tables.

    Raises: StorageError.
    """
    url = server_url(storage)
    try:
        versions = patiently(partial(_read_versions, url), storage, waits=url in _answered)
    except ImportError as error:
        raise StorageError(
            f"storage: PostgreSQL needs a driver that is not installed, got {shown(storage)!r} "
            f'({error}). Install it: pip install "retrieval-sweep[postgres]"'
        ) from error
    _answered.add(url)
    if versions is None:
        return False
    schema, library = versions
    if library is None:
        raise StorageError(
            f"storage: must be a database, or a schema of one, of its own, got "
            f"{shown(storage)!r}, where another program keeps a table alembic_version. Make one "
            f"with createdb, or add ?options=-csearch_path%3DNAME to the URL after CREATE SCHEMA."
        )
    if schema != newest_revision():
        raise StorageError(
            f"storage: {shown(storage)!r} must be readable by Optuna {optuna.__version__}, got "
            f"one written by Optuna {library} (schema {schema}). Use another database, or run "
            f"`optuna storage upgrade` on a copy of it."
        )
    return True


def open_server(storage: str, *, create: bool) -> PatientStorage:
    """Return Optuna's storage object on a server.

    Args:
        storage: the URL.
        create: make the tables if they do not exist; otherwise that is an error.

    Raises: StorageError if it cannot be reached, holds no studies, or those of another Optuna.
    """
    url = server_url(storage)
    if not check_server(storage):
        if not create:
            raise StorageError(
                f"storage: must hold studies, got {shown(storage)!r}, an empty database. Run a "
                f"sweep first (sweep run SPACE), or name another with --storage."
            )
        patiently(partial(_make_tables, url), storage)
    options: dict[str, Any] = {"pool_pre_ping": True, "connect_args": _connect_args(url)}
    rdb = patiently(
        partial(RDBStorage, _for_optuna(url), engine_kwargs=options, **CHECKED), storage
    )
    tell_faults_apart(rdb.engine)
    return PatientStorage(rdb, storage, path=None)


def _connect_args(url: str) -> dict[str, str]:
    given = make_url(url).query
    return {name: value for name, value in CONNECT.items() if name not in given}


def _plain_engine(url: str) -> Engine:
    """Return an engine for a few statements: none in a transaction, no connection kept."""
    return create_engine(
        url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=_connect_args(url)
    )


def _read_versions(url: str) -> tuple[Any, Any] | None:
    """Return schema and version of Optuna that the database was written by; None if by none."""
    with _plain_engine(url).connect() as connection:

        def value(query: str) -> Any:
            return connection.exec_driver_sql(query).scalar()

        if value("SELECT to_regclass('alembic_version') IS NULL"):
            return None
        schema = value("SELECT version_num FROM alembic_version")
        if schema is None:  # a process was killed while it made the tables
            return None
        if value("SELECT to_regclass('version_info') IS NULL"):
            return schema, None
        return schema, value("SELECT library_version FROM version_info")


def _make_tables(url: str) -> None:
    """Let Optuna make its tables; of several processes one at a time."""
    with _plain_engine(url).connect() as connection:
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({MAKING_TABLES})")  # until it closes
        options: dict[str, Any] = {"poolclass": NullPool, "connect_args": _connect_args(url)}
        RDBStorage(_for_optuna(url), engine_kwargs=options)  # leaves no connection open


def _for_optuna(url: str) -> str:
    return url.replace("{", "{{").replace("}", "}}")  # it fills in templates
