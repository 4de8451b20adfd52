"""Which storages record the study whose tables lie in a folder, and whether they are its tables.

Studies of one name in two storages share `results/<name>/`. Where they were begun with the same
things the tables are the same; the folder then names both storages, and stays until the last of
them has let go.
"""

import json
import os
from pathlib import Path
from typing import Any

from sweep.engine.store.store import write_whole
from sweep.errors import StudyError
from sweep.study.folder import StudyFolder
from sweep.study.storage.address import shown
from sweep.study.storage.patient import PatientStorage


def storage_name(storage: PatientStorage, folder: Path) -> str:
    """Return how a study's folder names the storage that fills it.

    An SQLite file is named from the folder that holds the studies' folders, so that both can move.

    Args:
        storage: where studies are recorded.
        folder: of the study; where it is a link, its own place counts.
    """
    if storage.path is None:
        return shown(storage.storage)
    return Path(os.path.relpath(storage.path.resolve(), folder.parent.resolve())).as_posix()


def owners(folder: StudyFolder) -> tuple[str, ...]:
    """Return the storages that a folder names, without SQLite files that are gone."""
    if not folder.owner.is_file():
        return ()
    names = folder.owner.read_text(encoding="utf-8").splitlines()
    place = folder.path.parent.resolve()
    return tuple(n for n in names if n and ("://" in n or (place / n).is_file()))


def add_owner(folder: StudyFolder, storage: PatientStorage) -> None:
    """Let a folder name a storage beside those that it names."""
    name = storage_name(storage, folder.path)
    others = [known for known in owners(folder) if known != name]
    write_whole(folder.owner, "".join(f"{line}\n" for line in (*others, name)).encode())


def other_owners(folder: StudyFolder, storage: PatientStorage) -> tuple[str, ...]:
    """Return the storages that a folder names beside this one."""
    name = storage_name(storage, folder.path)
    return tuple(known for known in owners(folder) if known != name)


def drop_owner(folder: StudyFolder, storage: PatientStorage) -> None:
    """Let a folder that other storages need name this one no longer."""
    others = other_owners(folder, storage)
    write_whole(folder.owner, "".join(f"{line}\n" for line in others).encode())


def is_foreign(folder: StudyFolder, identity: dict[str, Any]) -> bool:
    """Return whether a folder holds tables of a study that began with something else."""
    if not folder.identity.is_file() or not folder.trials.is_dir():
        return False
    try:
        begun_with = json.loads(folder.identity.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True
    return bool(begun_with != json.loads(json.dumps(identity)))


def check_tables(folder: StudyFolder, name: str, identity: dict[str, Any]) -> None:
    """Refuse to read the tables of another study.

    Raises: StudyError if the folder holds those of one that began with something else.
    """
    if is_foreign(folder, identity):
        raise StudyError(
            f"study {name!r}: its folder must hold its own tables, got {folder.path} with those "
            f"of another study of that name. Work in the folder in which it was run, or run it "
            f"here under another name with --study."
        )
