"""Notes, plots and artifact links, as optuna-dashboard keeps them in the attributes of a study.

They are written without that package: loading it takes over a second of a run. Links and notes of
trials are attributes of the study too, since trials cannot be changed once they are told.
"""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

LONGEST = 10_000  # characters of one attribute: 64 kB of text is what MySQL takes
OWN = "*Written by sweep. What is added below this line stays.*"
NOTE, PLOT = "dashboard:", "dashboard:plot_data:"
STUDY_ARTIFACT, TRIAL_ARTIFACT = "artifacts:", "dashboard:artifacts:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactLink:
    """A file in the artifact folder, whose name there is its id."""

    artifact_id: str
    filename: str
    mimetype: str
    encoding: str | None = None


class DashboardAttributes:
    """What the dashboard shows of one study besides its trials; what is unchanged is not written.

    Args:
        storage: Optuna's storage object.
        study: the study's name.
    """

    def __init__(self, storage: Any, study: str) -> None:
        self._storage = storage
        self._study_id: int = storage.get_study_id_from_name(study)
        self._known: dict[str, Any] = storage.get_study_system_attrs(self._study_id)

    def write_fact(self, name: str, text: str) -> None:
        """Write one of the study's attributes for people."""
        if self._storage.get_study_user_attrs(self._study_id).get(name) != text:
            self._storage.set_study_user_attr(self._study_id, name, text)

    def noted_trials(self) -> list[int]:
        """Return the numbers of the trials that have a note."""
        found = (re.fullmatch(rf"{NOTE}(\d+):note_ver", key) for key in self._known)
        ids = [int(match[1]) for match in found if match is not None]
        return [int(self._storage.get_trial_number_from_id(trial_id)) for trial_id in ids]

    def write_note(self, body: str, *, number: int | None = None) -> None:
        """Write a note in Markdown; what a person has added to it stays.

        Args:
            body: the note.
            number: of the trial it is about; None = the study.
        """
        if number is None:
            self._known = self._storage.get_study_system_attrs(self._study_id)  # edited meanwhile?
        place = NOTE if number is None else f"{NOTE}{self._trial_id(number)}:"
        old = self._joined(f"{place}note_str:")
        _, mark, added = old.partition(OWN)
        added = added if mark else f"\n\n{old}" if old else ""
        new = f"{body}\n\n---\n\n{OWN}{added.rstrip()}"
        if new != old:
            self._write_parts(f"{place}note_str:", new)
            version = f"{place}note_ver"  # an open editor of an older version is refused
            self._set(version, int(self._known.get(version, 0)) + 1)

    def write_plot(self, name: str, figure: str) -> None:
        """Write a Plotly figure, as JSON; it replaces the one of the same name."""
        self._write_parts(f"{PLOT}{name}:", figure)

    def links(self) -> dict[str, ArtifactLink]:
        """Return the linked artifacts by attribute."""
        contents = {
            key: json.loads(value)
            for key, value in self._known.items()
            if key.startswith((STUDY_ARTIFACT, TRIAL_ARTIFACT))
        }
        return {key: ArtifactLink(**c) for key, c in contents.items() if c is not None}

    def link(self, artifact: ArtifactLink, *, number: int | None = None) -> str:
        """Link an artifact to the study, or to a trial of it, and return the attribute."""
        key = f"{STUDY_ARTIFACT}{artifact.artifact_id}"
        if number is not None:
            key = f"{TRIAL_ARTIFACT}{self._trial_id(number)}:{artifact.artifact_id}"
        self._set(key, json.dumps(asdict(artifact)))
        return key

    def unlink(self, key: str) -> None:
        """Take a link away; an attribute itself cannot be."""
        self._set(key, json.dumps(None))

    def _trial_id(self, number: int) -> int:
        method = self._storage.get_trial_id_from_study_id_trial_number
        return int(method(self._study_id, number))

    def _joined(self, prefix: str) -> str:
        parts = {key: text for key, text in self._known.items() if key.startswith(prefix)}
        return "".join(str(parts.get(f"{prefix}{n}", "")) for n in range(len(parts)))

    def _write_parts(self, prefix: str, text: str) -> None:
        parts = [text[start : start + LONGEST] for start in range(0, len(text), LONGEST)]
        before = sum(key.startswith(prefix) for key in self._known)
        parts += [""] * (before - len(parts))
        for number, part in enumerate(parts):
            self._set(f"{prefix}{number}", part)

    def _set(self, key: str, value: Any) -> None:
        if self._known.get(key) != value:
            self._storage.set_study_system_attr(self._study_id, key, value)
            self._known[key] = value
