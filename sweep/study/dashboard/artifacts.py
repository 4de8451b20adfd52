"""Files that the dashboard shows with a study and its trials: written, linked, taken away."""

import uuid
from collections.abc import Mapping
from pathlib import Path

from sweep.engine.store.store import write_whole
from sweep.errors import StoreError
from sweep.study.dashboard.attributes import ArtifactLink, DashboardAttributes

Place = tuple[int | None, str]  # trial's number (None = the study) and file name
_SPACE = uuid.UUID("6f2c8a52-0f3b-5d0e-9a53-5a1f0d3b7c11")  # of the ids that are made here
_MIMETYPES = {".csv": "text/csv", ".jsonl": "application/jsonl"}


def publish(
    attributes: DashboardAttributes, folder: Path, study: str, files: Mapping[Place, bytes]
) -> None:
    """Show these files with a study and its trials, and no other file of ours any more.

    An id follows from what the file is about, so that a later version takes the place of the
    former. What a person attached to the study stays.

    Args:
        attributes: of the study.
        folder: of all artifacts.
        study: its name.
        files: content by place.

    Raises: StoreError if the disk refuses.
    """
    shown = set()
    for (number, filename), content in files.items():
        artifact_id = str(uuid.uuid5(_SPACE, f"{study}\0{number}\0{filename}"))
        write_whole(folder / artifact_id, content)
        mimetype = _MIMETYPES[Path(filename).suffix]
        link = ArtifactLink(artifact_id=artifact_id, filename=filename, mimetype=mimetype)
        shown.add(attributes.link(link, number=number))
    for key, link in attributes.links().items():
        if key not in shown and _version(link) == 5:  # others are a person's
            attributes.unlink(key)
            _remove(folder / link.artifact_id)


def remove_artifacts(attributes: DashboardAttributes, folder: Path) -> None:
    """Remove every file that is linked with a study or a trial of it.

    Raises: StoreError if the disk refuses.
    """
    for link in attributes.links().values():
        if _version(link) is not None:
            _remove(folder / link.artifact_id)


def _version(link: ArtifactLink) -> int | None:
    """Return which kind of UUID an id is; None for what cannot be a file of the folder."""
    try:
        return uuid.UUID(link.artifact_id).version
    except ValueError:
        return None


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"{path}: must be removable, got {error.strerror or error}. Mend that, and do the "
            f"same again."
        ) from error
