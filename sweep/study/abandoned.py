"""Folders of studies that are in no storage any more: deleted or renamed in the dashboard."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.errors import StudyError
from sweep.study.deletion import empty_folder, remove_folder
from sweep.study.folder import RESULTS, StudyFolder, study_folder
from sweep.study.ownership import owners, storage_name
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
        copy_of: one that was begun with the same things and has a folder.
        trials: how many trials have tables in it.
    """

    folder: StudyFolder
    owner: str | None
    is_ours: bool
    renamed: str | None
    copy_of: str | None
    trials: int

    @property
    def name(self) -> str:
        """Return the name that its study had."""
        return self.folder.path.name

    @property
    def known(self) -> str:
        """Return what is known of it."""
        text = f"{self.folder.path} belongs to no study in this storage"
        if self.renamed is None and self.copy_of is not None:
            text += f"; it looks like a copy of {study_folder(self.copy_of).path}"
        return text

    def __str__(self) -> str:
        """Return what is known of it, and what to do."""
        text = self.known
        if self.renamed is not None:
            to = study_folder(self.renamed).path
            return f"{text}; it fits {self.renamed!r}, renamed since: mv {self.folder.path} {to}"
        if self.is_ours:
            return f"{text}: sweep delete {self.name} removes it"
        by = "" if self.owner is None else f", but {self.owner} filled it"
        return f"{text}{by}; where no other has it, sweep delete {self.name} --force removes it"


def abandoned_folders(storage: PatientStorage) -> list[AbandonedFolder]:
    """Return the folders below `results/` whose name no study of a storage has, by name."""
    if not RESULTS.is_dir():
        return []
    abouts = abouts_of(storage)
    paths = [p for p in RESULTS.iterdir() if not p.name.startswith(".") and p.name not in abouts]
    # a link is another name of a folder that may be alive
    there = (path for path in sorted(paths) if path.is_dir() and not path.is_symlink())
    folders = map(StudyFolder, there)
    return [_looked_at(f, storage, abouts) for f in folders if f.identity.is_file()]


def check_nobodys(found: AbandonedFolder, *, force: bool) -> None:
    """Refuse to delete a folder that may be another study's.

    Raises: StudyError unless it is to be deleted by force.
    """
    if not force and (found.renamed is not None or not found.is_ours):
        raise StudyError(
            f"study {found.name!r}: its folder must be nobody's, got one that another study may "
            f"own: {found}. Give --force to remove it nevertheless."
        )


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
    check_nobodys(found, force=force)
    with running(found.folder.lock, found.name, storage):
        empty_folder(found.folder.path)
    remove_folder(found.folder.path)


def _looked_at(
    folder: StudyFolder, storage: PatientStorage, abouts: Mapping[str, dict[str, Any]]
) -> AbandonedFolder:
    named, ours = owners(folder), storage_name(storage, folder.path)
    return AbandonedFolder(
        folder=folder,
        owner=next((name for name in named if name != ours), None if not named else ours),
        is_ours=named == (ours,),
        renamed=_renamed(folder, abouts),
        copy_of=_copy_of(folder, abouts),
        trials=len(list(folder.trials.iterdir())) if folder.trials.is_dir() else 0,
    )


def _copy_of(folder: StudyFolder, abouts: Mapping[str, dict[str, Any]]) -> str | None:
    """Return a study that was begun with the same things and has a folder of its own."""
    return next((n for n in _fitting(folder, abouts) if study_folder(n).path.exists()), None)


def _fitting(folder: StudyFolder, abouts: Mapping[str, dict[str, Any]]) -> Iterator[str]:
    try:
        begun_with = json.loads(folder.identity.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    yield from (name for name, about in abouts.items() if about["identity"] == begun_with)


def _renamed(folder: StudyFolder, abouts: Mapping[str, dict[str, Any]]) -> str | None:
    return next((n for n in _fitting(folder, abouts) if not study_folder(n).path.exists()), None)
