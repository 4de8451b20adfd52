"""Removing a study: its files, then its trials; what was computed for it stays in the store."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import optuna

from sweep.errors import StoreError
from sweep.study.dashboard.artifacts import remove_artifacts
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.folder import artifact_folder
from sweep.study.storage.lock import running
from sweep.study.study import Study


def delete_study(study: Study) -> None:
    """Delete a study that no process runs.

    Files go first: as long as the record is there, deleting again finishes what was interrupted.

    Raises:
        StudyError: if a process runs the study.
        StoreError: if the disk refuses.
    """
    folder = study.folder
    storage = study.optuna_storage
    with running(folder.lock, study.name, storage):
        remove_artifacts(DashboardAttributes(storage, study.name), artifact_folder())
        remove(path for path in folder.path.iterdir() if not path.name.startswith(".lock"))
        optuna.delete_study(study_name=study.name, storage=storage)
    remove([folder.path])


def remove(paths: Iterable[Path]) -> None:
    """Remove files and folders.

    Raises: StoreError if the disk refuses.
    """
    for path in paths:
        try:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        except OSError as error:
            raise StoreError(
                f"{path}: must be removable, got {error.strerror or error}. Mend that, and "
                f"delete the study again."
            ) from error
