"""Removing a study: its files, then its trials; what was computed for it stays in the store."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import optuna

from sweep.errors import StoreError
from sweep.study.dashboard.artifacts import remove_artifacts
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.folder import artifact_folder, study_folder
from sweep.study.ownership import drop_owner, is_foreign, other_owners
from sweep.study.quick_look import FINALS, SAMPLE
from sweep.study.storage.lock import running
from sweep.study.storage.storage import open_storage
from sweep.study.study import Study


def delete_study(study: Study, *, force: bool = False) -> tuple[str, ...]:
    """Delete a study that no process runs.

    Files go first: as long as the record is there, deleting again finishes what was interrupted.
    They stay where a study of another storage needs them, or where they are another study's.

    Args:
        study: to be deleted.
        force: remove the files nevertheless.

    Returns: the storages for which the files stay, none where they are gone.

    Raises:
        StudyError: if a process runs the study.
        StoreError: if the disk refuses.
    """
    folder = study.folder
    storage = study.optuna_storage
    with running(folder.lock, study.name, storage), _other_half_at_rest(study):
        remove_artifacts(DashboardAttributes(storage, study.name), artifact_folder())
        needing = () if force else needed_by(study)
        if not needing:
            empty_folder(folder.path)
        elif not is_foreign(folder, study.about["identity"]):
            drop_owner(folder, storage)
        optuna.delete_study(study_name=study.name, storage=storage)
    if not needing:
        remove_folder(folder.path)
    return needing


@contextmanager
def _other_half_at_rest(study: Study) -> Iterator[None]:
    """Hold the locks of the other study of a quick look: one run works on both.

    Raises: StudyError if a process runs it.
    """
    about = study.about
    other = about.get(SAMPLE, {}).get("whole") or about.get(FINALS, {}).get("search")
    if other is None:
        yield
        return
    there = study_folder(other)  # where another folder or host runs it, the storage's lock counts
    lock = there.lock if there.path.is_dir() else study.folder.path / ".lock.other"
    with running(lock, other, open_storage(study.storage)):
        yield


def needed_by(study: Study) -> tuple[str, ...]:
    """Return the other storages that name the folder; one at least if it is another study's."""
    named = other_owners(study.folder, study.optuna_storage)
    if is_foreign(study.folder, study.about["identity"]):
        return named or ("another storage",)
    return named


def empty_folder(path: Path) -> None:
    """Remove what a study's folder holds, but for the locks that are held meanwhile.

    Raises: StoreError if the disk refuses.
    """
    if not _leads_to_another(path):
        remove(inside for inside in path.iterdir() if not inside.name.startswith(".lock"))


def remove_folder(path: Path) -> None:
    """Remove a folder that was emptied; of a link, also what it points to.

    A link to the folder of another study goes alone.

    Raises: StoreError if the disk refuses.
    """
    alone = not path.is_symlink() or _leads_to_another(path)
    remove([path] if alone else [path, path.resolve()])


def remove(paths: Iterable[Path]) -> None:
    """Remove files, folders and links; what a link points to stays.

    Raises: StoreError if the disk refuses.
    """
    for path in paths:
        try:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        except OSError as error:
            raise StoreError(
                f"{path}: must be removable, got {error.strerror or error}. Mend that, and "
                f"delete the study again."
            ) from error


def _leads_to_another(path: Path) -> bool:
    """Return whether a study's folder is a link to the folder of another one beside it."""
    return path.is_symlink() and path.resolve().parent == path.parent.resolve()
