"""Folders that a study left behind when the dashboard deleted or renamed it."""

import shutil
from pathlib import Path

import optuna
import pytest

from sweep.study.storage.storage import open_storage
from tests.corpus_files import write_corpus
from tests.e2e.command import USER_INPUT, write_space
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow

SPACE = {
    "name": "one",
    "corpus": "corpus",
    "objective": "ndcg@5",
    "space": {"mode": "bm25", "top_k": [3, 5], "chunk": {"splitter": "words", "size": 10}},
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with a study in the default storage and one in another."""
    write_corpus(tmp_path / "corpus", corpus=[{"_id": "d1", "text": "which one"}])
    write_space(tmp_path / "space.yaml", SPACE)
    call_well("run", "space.yaml", "--threads", 1, cwd=tmp_path)
    other = ("--study", "other", "--storage", "results/other.db")
    call_well("run", "space.yaml", *other, "--threads", 1, cwd=tmp_path)
    return tmp_path


def forget(place: Path) -> None:
    """Delete the study's record, as the dashboard does."""
    storage = open_storage(str(place / "results" / "sweep.db"))
    optuna.delete_study(study_name="one", storage=storage)


def test_what_the_dashboard_deleted_is_told_and_removed(place: Path) -> None:
    for storage in ((), ("--storage", "results/other.db")):
        assert "belongs" not in call_well("studies", *storage, cwd=place).stderr
    forget(place)
    moved = place.with_name("moved")  # folder and storage name each other wherever they are
    shutil.move(place, moved)
    listed = call_well("studies", "--json", cwd=moved)
    assert listed.stdout.strip() == "[]"
    assert (
        "note: results/one belongs to no study in this storage: sweep delete one" in listed.stderr
    )
    refused = call("delete", "one", cwd=moved)
    assert (refused.returncode, "needs a yes" in refused.stderr) == (USER_INPUT, True)
    assert call_json("delete", "one", "--yes", cwd=moved) == {
        "deleted": "one",
        "trials": 2,
        "folder": "results/one",
    }
    assert not (moved / "results" / "one").exists()
    assert call("delete", "one", "--yes", cwd=moved).returncode == USER_INPUT


def test_what_another_storage_may_own_takes_force(place: Path) -> None:
    folder = place / "results" / "other"
    done = call("delete", "other", "--yes", cwd=place)
    assert done.returncode == USER_INPUT
    assert "other.db filled it" in done.stderr
    (folder / "storage.txt").unlink()  # as an earlier version left it
    assert "note: results/other belongs to no study" in call_well("studies", cwd=place).stderr
    done = call("delete", "other", "--yes", cwd=place)
    assert done.returncode == USER_INPUT
    assert "another study may own" in done.stderr
    assert (folder / "identity.json").is_file()
    call_well("delete", "other", "--yes", "--force", cwd=place)
    assert not folder.exists()
    plain = place / "results" / "notes"
    plain.mkdir()
    assert "must be one in" in call("delete", "notes", "--yes", "--force", cwd=place).stderr
    assert plain.is_dir()


def test_a_renamed_study_is_told_where_its_folder_is(place: Path) -> None:
    storage = open_storage(str(place / "results" / "sweep.db"))
    optuna.copy_study(
        from_study_name="one", from_storage=storage, to_storage=storage, to_study_name="uno"
    )
    forget(place)
    told = call_well("studies", cwd=place).stderr
    assert "it fits 'uno', renamed since: mv results/one results/uno" in told
    assert call("delete", "one", "--yes", cwd=place).returncode == USER_INPUT
    shutil.move(place / "results" / "one", place / "results" / "uno")
    assert "results/uno" not in call_well("studies", cwd=place).stderr
    assert call_json("best", "uno", cwd=place)["study"] == "uno"
