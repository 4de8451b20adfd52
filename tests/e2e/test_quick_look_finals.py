"""Finalists that violate a constraint on all documents: what is tried next, what is told."""

import json
from pathlib import Path

import optuna
import pytest

from sweep.study.driver.confirm import read_confirm
from sweep.study.storage.storage import open_storage
from tests.e2e.command import INTERRUPTED, comparable, trials_of
from tests.e2e.eventful import Eventful, Events
from tests.e2e.grid import RUN, assert_told
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.quick import CONFIGURATIONS, SAMPLE, begin, begin_space, by_print, opened

pytestmark = pytest.mark.slow

# On the sample every index is below this; on all documents that of 6 words is above, that of 12
# below it, and the first three finalists are of 6 words.
SMALL = ["index_bytes <= 19000"]
FURTHER = (
    "none of 3 finalists keeps every constraint on all documents: 3 further finalists of the 9 "
    "configurations that keep them on the sample"
)


def test_further_finalists_follow_until_one_is_feasible(tmp_path: Path, events: Events) -> None:
    folder = begin(tmp_path / "one", constraints=SMALL)
    done = call_well(*RUN, cwd=folder)
    assert done.stderr.count(FURTHER) == 1
    first = {1, 2, 3}
    finals = opened(folder, "grid")
    assert {t.configuration.chunk.size for t in finals.feasible} == {12, None}  # None: baseline
    sample = call_json("best", cwd=folder)["sample"]
    assert "6 finalists of 9 configurations" in sample["text"]
    assert "; 3 of them violate a constraint on all documents." in sample["text"]
    told = {one["number"] for one in sample["finalists"]}
    assert told == {t.number for t in finals.feasible if t.fingerprint != finals.baseline}
    assert not told & first
    assert sample["order"]["pairs"] == 3
    assert "SCOPE 6 finalists" in done.stdout
    plan = call_well(*RUN, "--dry-run", cwd=folder).stdout
    assert "grid: nothing is left to do" in plan
    assert "7 of 7 configurations are finished" in plan

    other = begin(tmp_path / "two", constraints=SMALL)

    def kill() -> None:
        raise KeyboardInterrupt

    events[Eventful.count + CONFIGURATIONS + 5] = kill  # once the first finalists are done
    assert call(*RUN, cwd=other).returncode == INTERRUPTED
    plan = call_json(*RUN, "--dry-run", cwd=other)
    assert plan["study"] == "grid"
    assert plan["trials"] == {"planned": 7, "finished": 4, "to_run": 3, "drawn": False}
    call_well(*RUN, cwd=other)
    mine, theirs = (trials_of(place, "grid") for place in (folder, other))
    assert comparable(mine) == comparable(theirs)


def test_where_no_configuration_is_feasible_all_have_been_tried(tmp_path: Path) -> None:
    folder = begin(tmp_path / "none", constraints=["index_bytes <= 10000"])
    refused = call(*RUN, cwd=folder)
    assert len(by_print(folder, "grid")) == CONFIGURATIONS
    assert_told(
        refused,
        "study 'grid'",
        "tried 9 configurations, of which 9 became finalists on all documents",
        "Loosen a constraint",
    )
    plan = call_well(*RUN, "--dry-run", cwd=folder).stdout
    assert "grid: nothing is left to do" in plan


def test_a_baseline_that_is_feasible_is_no_finalist(tmp_path: Path) -> None:
    folder = begin(tmp_path / "base", constraints=["index_bytes <= 16000"])
    done = call_well(*RUN, "--json", cwd=folder)
    answer = json.loads(done.stdout)
    assert answer["number"] == 0  # what is in production is all that is left
    told = {one["number"] for one in answer["sample"]["finalists"]}
    assert told == {0}  # the last of the ranking: it was picked when all others had failed


def test_scores_and_labels_stay_with_their_configurations(tmp_path: Path) -> None:
    """A quick look that is run anew with fewer finalists has other numbers."""
    folder = begin(tmp_path, sample={**SAMPLE, "finalists": 6}, split={"confirm": 0.4, "seed": 3})
    call_well(*RUN, cwd=folder)
    kept = folder / "results" / "grid" / "confirm.json"
    first = json.loads(kept.read_text())
    call_well("pool", "grid", "--out", "pool.jsonl", cwd=folder)
    rows = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
    rows[0]["label"] = 1
    (folder / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    call_well("pool", "grid", "--apply", "labels.jsonl", cwd=folder)
    (sibling,) = [
        s["name"]
        for s in call_json("studies", cwd=folder)
        if s["name"].startswith("grid@") and s["name"] != "grid@sample"
    ]
    before = trials_of(folder, sibling)

    call_well("delete", "grid@sample", "--yes", cwd=folder)
    told = call_well("effects", "grid", cwd=folder)
    assert "sweep effects grid@sample" not in told.stderr
    assert "(grid@sample, deleted since)" in call_well("best", "grid", cwd=folder).stdout

    numbers = {t.fingerprint: t.number for t in opened(folder, "grid").complete}
    storage = open_storage(str(folder / "results" / "sweep.db"))
    optuna.delete_study(study_name="grid", storage=storage)  # its folder and its looks stay
    begin_space(folder, {**SAMPLE, "finalists": 2})
    call_well(*RUN, cwd=folder)
    again = json.loads(kept.read_text())
    assert again["looks"] >= first["looks"]
    study = opened(folder, "grid")
    assert any(numbers[t.fingerprint] != t.number for t in study.complete)
    scores = read_confirm(study.folder.confirm, "ndcg@5", study.complete)
    for trial in study.complete:
        if trial.number in scores:
            assert scores[trial.number].tolist() == again["scores"][trial.fingerprint]["ndcg@5"]
    for fingerprint, known in first["scores"].items():
        assert again["scores"][fingerprint] == known

    refused = call("pool", "grid", "--apply", "labels.jsonl", cwd=folder)
    assert_told(refused, "those of an earlier study of that name", f"sweep delete {sibling}")
    assert trials_of(folder, sibling) == before
    call_well("delete", sibling, "--yes", cwd=folder)
    call_well("pool", "grid", "--apply", "labels.jsonl", cwd=folder)
    made = [t.fingerprint for t in opened(folder, sibling).trials]
    assert made == [t.fingerprint for t in study.trials]
