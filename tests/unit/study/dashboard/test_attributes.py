"""Notes, plots, links and tables of files: what is written here, optuna-dashboard reads."""

import json
import uuid
from pathlib import Path
from typing import Any

import optuna
import plotly.graph_objects as go
import pytest
from optuna_dashboard import get_note, save_note, save_plotly_graph_object
from optuna_dashboard._custom_plot_data import get_plotly_graph_objects
from optuna_dashboard.artifact._backend import list_study_artifacts, list_trial_artifacts

from sweep.errors import StoreError
from sweep.study.dashboard.artifacts import publish, remove_artifacts
from sweep.study.dashboard.attributes import LONGEST, OWN, ArtifactLink, DashboardAttributes


@pytest.fixture
def study() -> optuna.Study:
    """Return a study with two finished trials, not the first of its storage."""
    storage = optuna.storages.InMemoryStorage()
    optuna.create_study(storage=storage, study_name="another").add_trial(
        optuna.create_trial(value=1.0)
    )
    made = optuna.create_study(storage=storage, study_name="ours")
    made.add_trials([optuna.create_trial(value=0.1), optuna.create_trial(value=0.2)])
    return made


def attributes_of(study: optuna.Study) -> DashboardAttributes:
    return DashboardAttributes(study._storage, "ours")


def system_attributes(study: optuna.Study) -> dict[str, Any]:
    return dict(study._storage.get_study_system_attrs(study._study_id))


def trial_note(study: optuna.Study, number: int) -> str:
    trial = optuna.trial.Trial(study, study.trials[number]._trial_id)
    return get_note(trial)


@pytest.mark.parametrize("body", ["## Use #3", "ä" * LONGEST, "x" * (3 * LONGEST + 1)])
def test_the_dashboard_reads_notes_of_any_length(study: optuna.Study, body: str) -> None:
    attributes_of(study).write_note(body)
    assert get_note(study) == f"{body}\n\n---\n\n{OWN}"
    attributes_of(study).write_note("short again")
    assert get_note(study) == f"short again\n\n---\n\n{OWN}"
    attributes_of(study).write_note("of a trial", number=1)
    assert trial_note(study, 1).startswith("of a trial\n")
    assert trial_note(study, 0) == ""
    assert attributes_of(study).noted_trials() == [1]


def test_what_a_person_wrote_stays_even_if_it_is_written_while_a_run_goes_on(
    study: optuna.Study,
) -> None:
    save_note(study, "mine")
    attributes = attributes_of(study)
    attributes.write_note("first")
    assert get_note(study).endswith(f"{OWN}\n\nmine")
    save_note(study, get_note(study) + " and more")
    attributes.write_note("second")
    assert get_note(study) == f"second\n\n---\n\n{OWN}\n\nmine and more"


def test_an_unchanged_note_is_not_written_again(study: optuna.Study) -> None:
    attributes = attributes_of(study)
    attributes.write_note("same")
    before = system_attributes(study)
    attributes_of(study).write_note("same")
    assert system_attributes(study) == before
    attributes.write_note("other")  # an editor that is open on the former version is refused
    assert system_attributes(study)["dashboard:note_ver"] == before["dashboard:note_ver"] + 1


def test_the_dashboard_reads_plots_and_a_later_one_replaces_the_former(
    study: optuna.Study,
) -> None:
    large = go.Figure(go.Scatter(y=list(range(4 * LONGEST))))
    small = go.Figure(go.Scatter(y=[1, 2]))
    save_plotly_graph_object(study, small, graph_object_id="theirs")
    for figure in (large, small):
        attributes_of(study).write_plot("1-ours", figure.to_json())
        found = get_plotly_graph_objects(system_attributes(study))
        assert found == {"theirs": small.to_json(), "1-ours": figure.to_json()}


def listed(study: optuna.Study, number: int | None) -> dict[str, str]:
    """Return what the dashboard lists: id by file name."""
    found = system_attributes(study)
    if number is None:
        links = list_study_artifacts(found)
    else:
        trial = study.trials[number]
        links = list_trial_artifacts(found, trial.system_attrs, trial)
    return {link["filename"]: link["artifact_id"] for link in links}


def test_files_are_listed_with_their_trial_replaced_and_taken_away(
    study: optuna.Study, tmp_path: Path
) -> None:
    publish(
        attributes_of(study), tmp_path, "ours", {(None, "a.csv"): b"old", (0, "b.jsonl"): b"{}"}
    )
    (before,) = listed(study, None).values()
    assert listed(study, 0).keys() == {"b.jsonl"}
    assert listed(study, 1) == {}
    publish(
        attributes_of(study), tmp_path, "ours", {(None, "a.csv"): b"new", (1, "b.jsonl"): b"{}"}
    )
    assert listed(study, None) == {"a.csv": before}
    assert (tmp_path / before).read_bytes() == b"new"
    assert listed(study, 0) == {}
    assert listed(study, 1).keys() == {"b.jsonl"}
    assert len(list(tmp_path.iterdir())) == 2
    remove_artifacts(attributes_of(study), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_person_attached_stays_until_the_study_is_deleted(
    study: optuna.Study, tmp_path: Path
) -> None:
    theirs = str(uuid.uuid4())
    (tmp_path / theirs).write_bytes(b"notes")
    link = ArtifactLink(artifact_id=theirs, filename="notes.txt", mimetype="text/plain")
    attributes_of(study).link(link)
    publish(attributes_of(study), tmp_path, "ours", {(None, "a.csv"): b"1"})
    publish(attributes_of(study), tmp_path, "ours", {})
    assert listed(study, None) == {"notes.txt": theirs}
    assert [path.name for path in tmp_path.iterdir()] == [theirs]
    remove_artifacts(attributes_of(study), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_id_that_is_no_file_of_the_folder_removes_nothing(
    study: optuna.Study, tmp_path: Path
) -> None:
    (tmp_path / "precious").write_bytes(b"1")
    link = ArtifactLink(artifact_id="../precious", filename="x", mimetype="text/plain")
    attributes_of(study).link(link)
    folder = tmp_path / "artifacts"
    folder.mkdir()
    remove_artifacts(attributes_of(study), folder)
    publish(attributes_of(study), folder, "ours", {})
    assert (tmp_path / "precious").exists()


def test_a_disk_that_refuses_is_told(study: optuna.Study, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match="file"):
        publish(attributes_of(study), tmp_path / "file", "ours", {(None, "a.csv"): b"1"})
    assert listed(study, None) == {}  # no link to what is not there


def test_links_are_json_as_optuna_writes_it(study: optuna.Study, tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text("a\n1\n", encoding="utf-8")
    store = optuna.artifacts.FileSystemArtifactStore(tmp_path)
    theirs = optuna.artifacts.upload_artifact(
        artifact_store=store, file_path=str(path), study_or_trial=study
    )
    own = ArtifactLink(artifact_id=theirs, filename="theirs.csv", mimetype="text/csv")
    assert attributes_of(study).links() == {f"artifacts:{theirs}": own}
    before = system_attributes(study)
    attributes_of(study).link(own)
    after = system_attributes(study)
    assert {k: json.loads(str(v)) for k, v in after.items() if k.startswith("artifacts:")} == {
        k: json.loads(str(v)) for k, v in before.items() if k.startswith("artifacts:")
    }
