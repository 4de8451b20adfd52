"""Studies of one name in several storages: no command reads or removes another study's tables."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.study.driver.confirm import read_confirm
from sweep.study.labels.sibling import are_same
from sweep.trials import TrialRecord
from tests.corpus_files import write_corpus
from tests.e2e.command import USER_INPUT, write_space
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.test_abandoned_folders import SPACE

pytestmark = pytest.mark.slow


def begin(folder: Path, text: str, *options: object) -> Path:
    write_corpus(folder / "corpus", corpus=[{"_id": "d1", "text": text}])
    write_space(folder / "space.yaml", SPACE)
    call_well("run", "space.yaml", "--threads", 1, *options, cwd=folder)
    return folder


def tables(folder: Path) -> int:
    return len(list((folder / "results" / "one").rglob("scores.parquet")))


def test_a_folder_of_two_storages_stays_until_the_last_lets_go(tmp_path: Path) -> None:
    other = ("--storage", "results/other.db")
    folder = begin(tmp_path, "which one", *other)
    call_well("run", "space.yaml", "--threads", 1, cwd=folder)
    done = call_well("delete", "one", "--yes", cwd=folder)
    assert "results/one is kept for other.db (--force removes it)" in done.stderr
    assert tables(folder) == 2
    assert call_json("best", "one", *other, cwd=folder)["study"] == "one"
    call_well("delete", "one", "--yes", *other, cwd=folder)
    assert not (folder / "results" / "one").exists()


def test_a_storage_that_is_gone_keeps_no_folder(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one", "--storage", "results/other.db")
    call_well("run", "space.yaml", "--threads", 1, cwd=folder)
    (folder / "results" / "other.db").unlink()
    assert "kept" not in call_well("delete", "one", "--yes", cwd=folder).stderr
    assert not (folder / "results" / "one").exists()


def test_tables_of_another_study_are_neither_read_nor_removed(tmp_path: Path) -> None:
    here = begin(tmp_path / "here", "which one")
    shared = ("--storage", here / "results" / "shared.db")
    begin(tmp_path / "there", "which one and another", *shared)
    for command in (("best", "one"), ("trials", "one"), ("compare", "one", 0, 1)):
        done = call(*command, *shared, cwd=here)
        assert done.returncode == USER_INPUT
        assert "its folder must hold its own tables, got results/one" in done.stderr
    told = call_well("delete", "one", "--yes", *shared, cwd=here).stderr
    assert "results/one is kept for sweep.db" in told
    assert tables(here) == 2
    assert call_json("best", "one", cwd=here)["study"] == "one"


def test_links_are_no_folders_of_their_own(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one")
    (folder / "results" / "latest").symlink_to("one")
    assert "latest" not in call_well("studies", cwd=folder).stderr
    assert call("delete", "latest", "--yes", "--force", cwd=folder).returncode == USER_INPUT
    assert tables(folder) == 2
    (folder / "results" / "latest").unlink()
    shutil.move(folder / "results" / "one", folder / "elsewhere")
    (folder / "results" / "one").symlink_to(folder / "elsewhere")
    call_well("delete", "one", "--yes", cwd=folder)
    assert not (folder / "results" / "one").is_symlink()
    assert not (folder / "elsewhere").exists()


def test_a_copy_of_a_living_study_is_called_one(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one")
    shutil.copytree(folder / "results" / "one", folder / "results" / "backup")
    told = call_well("studies", cwd=folder).stderr
    assert "results/backup belongs to no study in this storage; it looks like a copy" in told


def trial(number: int, top_k: int) -> TrialRecord:
    made = Configuration(mode="bm25", top_k=top_k, bm25=Bm25Config())
    return TrialRecord(number=number, state="COMPLETE", configuration=made)


def test_confirm_scores_belong_to_configurations_not_to_numbers(tmp_path: Path) -> None:
    path = tmp_path / "confirm.json"
    first, second = trial(0, 3), trial(1, 5)
    path.write_text(f'{{"looks": 1, "scores": {{"{first.fingerprint}": {{"ndcg@5": [0.25]}}}}}}')
    assert {n: v.tolist() for n, v in read_confirm(path, "ndcg@5", [first, second]).items()} == {
        0: [0.25]
    }
    renumbered = [trial(0, 5), trial(1, 3)]
    assert {n: v.tolist() for n, v in read_confirm(path, "ndcg@5", renumbered).items()} == {
        1: [0.25]
    }
    path.write_text('{"looks": 1, "trials": {"1": {"ndcg@5": [0.5]}}}')  # as earlier versions do
    assert read_confirm(path, "ndcg@5", [first, second])[1].tolist() == [0.5]


def test_trials_scored_again_are_a_studys_own_as_far_as_both_go() -> None:
    own = [trial(0, 3), trial(1, 5)]
    for known in ([], [trial(0, 3)], own):
        assert are_same(own, known)
    again = replace(trial(0, 3), timings={"evaluate_s": 0.5})
    for known in ([trial(0, 5)], [again]):
        assert not are_same(own, known)


def test_a_folder_that_is_shared_is_told(tmp_path: Path) -> None:
    other = ("--storage", "results/other.db")
    folder = begin(tmp_path, "which one")
    run = ("run", "space.yaml", "--threads", 1)
    shared = "results/one is shared from now on with study 'one' in sweep.db"
    assert shared in call_well(*run, *other, cwd=folder).stderr
    for again in ((), other):
        assert "shared" not in call_well(*run, *again, cwd=folder).stderr
    deleted = call_json("delete", "one", "--yes", *other, cwd=folder)
    assert deleted == {"deleted": "one", "trials": 2, "folder": None, "kept": "results/one"}
    assert tables(folder) == 2


def test_a_link_to_another_study_goes_alone(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one")
    call_well("run", "space.yaml", "--study", "two", "--threads", 1, cwd=folder)
    shutil.rmtree(folder / "results" / "two")
    (folder / "results" / "two").symlink_to("one")
    call_well("delete", "two", "--yes", cwd=folder)
    assert not (folder / "results" / "two").is_symlink()
    assert tables(folder) == 2


def test_a_linked_folder_of_two_storages_stays(tmp_path: Path) -> None:
    other = ("--storage", "results/other.db")
    folder = begin(tmp_path / "work", "which one")
    call_well("run", "space.yaml", "--threads", 1, *other, cwd=folder)
    elsewhere = tmp_path / "big" / "one"
    elsewhere.parent.mkdir()
    shutil.move(folder / "results" / "one", elsewhere)
    (folder / "results" / "one").symlink_to(elsewhere)
    assert "kept for other.db" in call_well("delete", "one", "--yes", cwd=folder).stderr
    assert len(list(elsewhere.rglob("scores.parquet"))) == 2
    done = call_well("delete", "one", "--yes", *other, cwd=folder)
    assert "results/one (a link, with what it leads to)" in done.stderr
    assert not elsewhere.exists()


def test_a_renamed_study_is_not_sent_into_a_folder_that_there_is(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one")
    shutil.move(folder / "results" / "one", folder / "results" / "old")
    (folder / "results" / "one").mkdir()
    assert "mv " not in call_well("studies", cwd=folder).stderr
    (folder / "results" / "one").rmdir()
    assert "mv results/old results/one" in call_well("studies", cwd=folder).stderr


def test_force_is_asked_for_before_a_yes(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one", "--storage", "results/other.db")
    call_well("run", "space.yaml", "--study", "two", "--threads", 1, cwd=folder)
    told = call("delete", "one", cwd=folder).stderr
    assert "Give --force to remove it" in told
    assert "needs a yes" not in told


def test_the_name_that_is_suggested_is_free(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one")
    call_well("run", "space.yaml", "--study", "one-2", "--threads", 1, cwd=folder)
    write_space(folder / "space.yaml", {**SPACE, "objective": "recall@5"})
    assert "--study one-3 (" in call("run", "space.yaml", cwd=folder).stderr


def test_a_study_that_is_named_like_a_trial_is_shown_by_its_name(tmp_path: Path) -> None:
    folder = begin(tmp_path, "which one", "--study", "baseline")
    call_well("run", "space.yaml", "--study", "later", "--threads", 1, cwd=folder)
    assert call_json("show", "baseline", cwd=folder)["study"] == "baseline"
    assert call_json("diagnose", "baseline", cwd=folder)["study"] == "baseline"
    assert call_json("show", "1", cwd=folder)["number"] == 1  # a trial of the last one
