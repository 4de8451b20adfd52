"""Opening a database of studies: what is made, what is refused, and what is left as it is."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import optuna
import pytest

from sweep.errors import StorageError, StudyError
from sweep.study.storage.lock import lock_beside, running
from sweep.study.storage.revisions import newest_revision
from sweep.study.storage.storage import check_storage, open_storage


def query(path: Path, statement: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(statement).fetchall()
        connection.commit()
        return rows


def make(path: Path) -> Path:
    open_storage(str(path), create=True).engine.dispose()
    return path


def test_a_new_database_has_the_newest_layout_and_a_write_ahead_log(tmp_path: Path) -> None:
    path = make(tmp_path / "a b" / "{1} ü.db")
    assert query(path, "SELECT version_num FROM alembic_version") == [(newest_revision(),)]
    assert query(path, "PRAGMA journal_mode") == [("wal",)]
    assert [p.name for p in path.parent.iterdir() if not p.name.endswith(("-wal", "-shm"))] == [
        path.name
    ]
    assert oct(path.stat().st_mode & 0o777) == "0o644"


def test_an_empty_file_becomes_a_database_only_for_a_run(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(StorageError, match="must hold studies"):
        open_storage(str(path))
    assert path.read_bytes() == b""
    assert open_storage(str(make(path))).get_all_studies() == []


def test_opening_changes_no_byte(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    storage = open_storage(str(path))
    optuna.create_study(study_name="s", storage=storage)
    storage.engine.dispose()
    before = path.read_bytes()
    check_storage(str(path))
    for create in (False, True):
        open_storage(str(path), create=create).engine.dispose()
    assert path.read_bytes() == before


@pytest.mark.parametrize("revision", ["v3.0.0.d", "v99.0.0.a", "v0.9.0.a"])
def test_a_layout_that_is_not_the_newest_is_refused_unchanged(
    tmp_path: Path, revision: str
) -> None:
    path = make(tmp_path / "x.db")
    query(path, f"UPDATE alembic_version SET version_num = '{revision}'")
    query(path, "DROP TABLE trial_heartbeats")
    query(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.read_bytes()
    for create in (False, True):
        with pytest.raises(StorageError, match=f"schema {revision}.*Copy the file"):
            open_storage(str(path), create=create)
    with pytest.raises(StorageError, match=revision):
        check_storage(str(path))
    assert path.read_bytes() == before


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"no database " * 100)
    with pytest.raises(StorageError, match="must be an SQLite database"):
        open_storage(str(path), create=True)
    with pytest.raises(StorageError, match="must be a file"):
        open_storage(str(tmp_path), create=True)
    with pytest.raises(StorageError, match="must be an existing database"):
        open_storage(str(tmp_path / "y.db"))
    assert [p.name for p in tmp_path.iterdir()] == ["x.db"]


def test_a_damaged_database_is_told(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    content = bytearray(path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"must be (reachable and sound|an SQLite database)"):
        open_storage(str(path)).get_all_studies()


def test_one_study_of_a_database_is_run_once_from_wherever(tmp_path: Path) -> None:
    path = make(tmp_path / "x.db")
    (tmp_path / "link.db").symlink_to(path)
    one, other = open_storage(str(path)), open_storage(str(tmp_path / "link.db"))
    with running(tmp_path / "here" / ".lock", "s", one):
        with pytest.raises(StudyError, match=f"got process {os.getpid()} on "):
            running(tmp_path / "there" / ".lock", "s", other).__enter__()
        with running(tmp_path / "there" / ".lock", "t", other):
            pass
    with running(tmp_path / "there" / ".lock", "s", other):
        assert lock_beside(tmp_path / "link.db", "s") == lock_beside(path, "s")
