"""Folders of studies that are in no storage any more: deleted or renamed in the dashboard."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.errors import StudyError
from sweep.study.deletion import remove
from sweep.study.folder import RESULTS, StudyFolder, study_folder
from sweep.study.storage.address import shown
from sweep.study.storage.lock import running
from sweep.study.storage.patient import PatientStorage
from sweep.study.study import abouts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonedFolder:
    """A study's folder without a study of its name in the storage that was looked at.

    Attributes:
        folder: the folder.
        owner: the storage that filled it, as `storage_name` gives it; None if it does not say.
        is_ours: whether that is the storage that was looked at.
        renamed: a study there that was begun with the same things and has no folder.
        trials: how many trials have tables in it.
    """

    folder: StudyFolder
    owner: str | None
    is_ours: bool
    renamed: str | None
    trials: int

    @property
    def name(self) -> str:
        """Return the name that its study had."""
        return self.folder.path.name

    def __str__(self) -> str:
        """Return what is known of it, and what to do."""
        text = f"{self.folder.path} belongs to no study in this storage"
        if self.renamed is not None:
            to = study_folder(self.renamed).path
            return f"{text}; it fits {self.renamed!r}, renamed since: mv {self.folder.path} {to}"
        if self.is_ours:
            return f"{text}: sweep delete {self.name} removes it"
        by = "" if self.owner is None else f", but {self.owner} filled it"
        return f"{text}{by}; where no other has it, sweep delete {self.name} --force removes it"


def storage_name(storage: PatientStorage, folder: Path) -> str:
    """Return how a study's folder names the storage that fills it.

    An SQLite file is named from the folder that holds the studies' folders, so that both can move.

    Args:
        storage: where studies are recorded.
        folder: of the study.
    """
    if storage.path is None:
        return shown(storage.storage)
    return Path(os.path.relpath(storage.path.resolve(), folder.resolve().parent)).as_posix()


def abandoned_folders(storage: PatientStorage) -> list[AbandonedFolder]:
    """Return the folders below `results/` whose name no study of a storage has, by name."""
    if not RESULTS.is_dir():
        return []
    abouts = abouts_of(storage)
    paths = [p for p in RESULTS.iterdir() if not p.name.startswith(".") and p.name not in abouts]
    folders = [StudyFolder(path) for path in sorted(paths) if path.is_dir()]
    return [_looked_at(f, storage, abouts) for f in folders if f.identity.is_file()]


def delete_abandoned(found: AbandonedFolder, storage: PatientStorage, *, force: bool) -> None:
    """Delete a folder that belongs to no study.

    Args:
        found: the folder.
        storage: that was looked at.
        force: also where another storage's study, or one that was renamed, may own it.

    Raises:
        StudyError: if it may be another study's, or a process works in it.
        StoreError: if the disk refuses.
    """
    if not force and (found.renamed is not None or not found.is_ours):
        raise StudyError(
            f"study {found.name!r}: its folder must be nobody's, got one that another study may "
            f"own: {found}. Give --force to remove it nevertheless."
        )
    with running(found.folder.lock, found.name, storage):
        inside = found.folder.path.iterdir()
        remove(path for path in inside if not path.name.startswith(".lock"))
    remove([found.folder.path])


def _looked_at(
    folder: StudyFolder, storage: PatientStorage, abouts: Mapping[str, dict[str, Any]]
) -> AbandonedFolder:
    owner = folder.owner.read_text(encoding="utf-8").strip() if folder.owner.is_file() else None
    return AbandonedFolder(
        folder=folder,
        owner=owner,
        is_ours=owner == storage_name(storage, folder.path),
        renamed=_renamed(folder, abouts),
        trials=len(list(folder.trials.iterdir())) if folder.trials.is_dir() else 0,
    )


def _renamed(folder: StudyFolder, abouts: Mapping[str, dict[str, Any]]) -> str | None:
    try:
        begun_with = json.loads(folder.identity.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fits = (name for name, about in abouts.items() if about["identity"] == begun_with)
    return next((name for name in fits if not study_folder(name).trials.exists()), None)
