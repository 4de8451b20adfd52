"""`sample` in a space file: the search on a part of the documents, the finalists on all."""

import json
import shutil
from pathlib import Path

import pytest

from sweep.corpus import read_corpus
from sweep.corpus.sample import sample_documents
from sweep.study.storage.lock import running
from tests.e2e.command import INTERRUPTED, USER_INPUT, comparable, rankings, trials_of
from tests.e2e.eventful import Eventful, Events
from tests.e2e.grid import RUN, assert_told
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import ISLAND
from tests.e2e.quick import (
    CONFIGURATIONS,
    DOCUMENTS,
    FINALISTS,
    SAMPLE,
    SAMPLED,
    SPACE,
    begin,
    begin_space,
    by_print,
    opened,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(looked: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(looked, tmp_path / "copy"))


def assert_same_end(folder: Path, looked: Path) -> None:
    for name in ("grid@sample", "grid"):
        mine, other = (trials_of(place, name) for place in (folder, looked))
        assert comparable(mine) == comparable(other)
        mine, other = (rankings(place / "results", name) for place in (folder, looked))
        assert mine == other


def test_finalists_are_what_a_plain_study_makes_of_them(looked: Path, tmp_path: Path) -> None:
    plain = begin(tmp_path / "plain", sample=None)
    call_well(*RUN, cwd=plain)
    finals, whole, search = (
        by_print(place, name)
        for place, name in ((looked, "grid"), (plain, "grid"), (looked, "grid@sample"))
    )
    assert (len(search), len(whole)) == (CONFIGURATIONS, CONFIGURATIONS)
    best = sorted(
        (t for t in search.values() if not t.violated), key=lambda t: (-t.values[0], t.number)
    )[:3]
    baseline = opened(plain, "grid").baseline
    assert {*(t.fingerprint for t in best), baseline} <= set(finals)
    assert len(finals) <= 4  # three, what the search recommends among them, and the baseline
    for fingerprint, trial in finals.items():
        other = whole[fingerprint]
        assert trial.values == other.values
        assert trial.constraints == other.constraints
        latency = {n for n in trial.metrics if n.startswith("latency")}
        for name in set(trial.metrics) - latency:
            assert trial.metrics[name] == other.metrics[name], name
            assert trial.intervals.get(name) == other.intervals.get(name), name
        tables = [
            (place / "results" / "grid" / trial.files["ranking"]).read_bytes()
            for place in (looked, plain)
        ]
        assert tables[0] == tables[1]
    assert any(search[fingerprint].values != t.values for fingerprint, t in finals.items())


def test_the_search_is_what_a_study_of_the_reduced_folder_is(looked: Path, tmp_path: Path) -> None:
    corpus = sample_documents(read_corpus(looked / "island"), documents=SAMPLED, seed=7)
    kept = {document.id for document in corpus.documents}
    small = begin(tmp_path / "small", sample=None)
    path = small / "island" / "corpus.jsonl"
    lines = [line for line in path.read_text().splitlines() if json.loads(line)["_id"] in kept]
    path.write_text("\n".join(lines) + "\n")
    call_well(*RUN, cwd=small)
    assert comparable(trials_of(small, "grid")) == comparable(trials_of(looked, "grid@sample"))
    assert rankings(small / "results", "grid") == rankings(looked / "results", "grid@sample")


def test_the_decided_study_is_the_most_recent_and_says_how_it_came_about(looked: Path) -> None:
    answer = json.loads((looked / "answer.json").read_text())
    assert answer["study"] == "grid"
    assert answer["stopped"] is None
    assert FINALISTS in answer["sample"]["text"]
    assert answer["confirm"] is None  # the finalists were picked by these queries
    assert "the search on a sample chose what to try" in answer["unconfirmed"]
    search, finals = by_print(looked, "grid@sample"), by_print(looked, "grid")
    told = {one["number"]: one for one in answer["sample"]["finalists"]}
    best = sorted(search.values(), key=lambda trial: (-trial.values[0], trial.number))[:2]
    assert {finals[trial.fingerprint].number for trial in best} < set(told)
    assert len(told) == 3  # as `finalists` says
    (beside,) = [trial for trial in finals.values() if trial.number not in told]
    assert beside.fingerprint == opened(looked, "grid").baseline  # the search did not pick it
    for fingerprint, trial in finals.items():
        if trial is beside:
            continue
        one = told[trial.number]
        assert (one["sample"], one["whole"]) == (search[fingerprint].values[0], trial.values[0])
        assert one["searched_as"] == search[fingerprint].number
    pairs = answer["sample"]["order"]["pairs"]
    assert pairs == 3
    assert call_well("best", cwd=looked).stdout.count("SCOPE 3 finalists of 9 ") == 1


def test_stopped_and_killed_runs_end_as_one_does(
    looked: Path, tmp_path: Path, events: Events
) -> None:
    folder = begin(tmp_path / "stopped")
    done = call_well(*RUN, "--trials", 4, cwd=folder)
    assert "stopped by --trials after 4 new trials" in done.stderr
    assert f"STUDY grid@sample: 4 of {CONFIGURATIONS} configurations evaluated" in done.stdout
    assert "LEADS #" in done.stdout

    def kill() -> None:
        raise KeyboardInterrupt

    events[Eventful.count + 3] = kill
    assert call(*RUN, cwd=folder).returncode == INTERRUPTED  # in the search
    plan = call_json(*RUN, "--dry-run", cwd=folder)
    assert (plan["study"], plan["trials"]["to_run"]) == ("grid@sample", CONFIGURATIONS - 6)
    assert plan["sample"] == {
        "documents": SAMPLED,
        "of": DOCUMENTS,
        "judged": len(ISLAND),
        "finalists": 4,
    }
    events[Eventful.count + CONFIGURATIONS - 6 + 2] = kill
    assert call(*RUN, cwd=folder).returncode == INTERRUPTED  # among the finalists
    assert len(opened(folder, "grid").trials) == 1
    plan = call_json(*RUN, "--dry-run", cwd=folder)
    assert (plan["study"], plan["trials"]["finished"], plan["sample"]) == ("grid", 1, None)
    done = call_well(*RUN, "--timeout", 0.001, cwd=folder)
    assert "stopped by --timeout" in done.stderr
    assert "STUDY grid: 2 of " in done.stdout
    call_well(*RUN, cwd=folder)
    assert_same_end(folder, looked)


def test_events_name_both_studies_also_where_nothing_is_left(folder: Path) -> None:
    before = trials_of(folder, "grid@sample"), trials_of(folder, "grid")
    lines = call_well(*RUN, "--json", cwd=folder).stderr.splitlines()
    told = [json.loads(line) for line in lines]
    ran = [(one["event"], one["study"]) for one in told if one["event"].startswith("run_")]
    names = ("grid@sample", "grid")
    assert ran == [(event, name) for name in names for event in ("run_started", "run_ended")]
    assert [one for one in told if one["event"] == "trial"] == []
    assert (trials_of(folder, "grid@sample"), trials_of(folder, "grid")) == before


def test_more_finalists_join_and_other_keys_stay(folder: Path) -> None:
    before = trials_of(folder, "grid")
    begin_space(folder, {**SAMPLE, "finalists": 6})
    call_well(*RUN, cwd=folder)
    after = trials_of(folder, "grid")
    assert comparable(after[: len(before)]) == comparable(before)
    assert len(after) > len(before)
    begin_space(folder, {**SAMPLE, "documents": 30})
    before_db = (folder / "results" / "sweep.db").stat().st_mtime_ns
    refused = call(*RUN, cwd=folder)
    assert_told(refused, "sample differs (documents: was 25, is 30)", "--study grid-2")
    assert (folder / "results" / "sweep.db").stat().st_mtime_ns == before_db
    begin_space(folder, None)
    assert_told(call(*RUN, cwd=folder), "sample differs")


def test_a_sampler_that_goes_on_adds_finalists(tmp_path: Path) -> None:
    wide = {**SPACE, "bm25": {"k1": {"low": 0.1, "high": 3.0}, "b": {"low": 0.0, "high": 1.0}}}
    sampler = {"kind": "random", "trials": 4, "seed": 2}
    folder = begin(tmp_path / "wide", space=wide, sampler=sampler, objective=["ndcg@5", "work"])
    front = call_json(*RUN, cwd=folder)
    assert front["study"] == "grid"
    first = set(by_print(folder, "grid"))
    assert 3 <= len(first) <= 4  # the baseline may be one of the three
    call_well(*RUN, "--trials", 8, cwd=folder)
    search, finals = by_print(folder, "grid@sample"), by_print(folder, "grid")
    assert len(search) == 4 + 8 + 1
    assert first < set(finals) < set(search)
    front = call_json("best", cwd=folder)
    assert f"of 13 {FINALISTS}" in front["sample"]["text"]
    assert "SCOPE " in call_well("best", cwd=folder).stdout


def test_the_confirm_set_is_looked_at_by_the_finals_only(tmp_path: Path) -> None:
    folder = begin(tmp_path / "confirm", split={"confirm": 0.4, "seed": 3})
    answer = call_json(*RUN, cwd=folder)
    assert answer["confirm"]["how"] == "confirm set"
    assert "the confirm set took no part in it" in answer["sample"]["text"]
    assert not (folder / "results" / "grid@sample" / "confirm.json").exists()
    looks = json.loads((folder / "results" / "grid" / "confirm.json").read_text())["looks"]
    assert looks == 1
    splits = [opened(folder, name).about["split"] for name in ("grid", "grid@sample")]
    assert splits[0] == splits[1]


def test_neither_half_is_deleted_while_one_is_worked_on(looked: Path) -> None:
    for busy, other in (("grid", "grid@sample"), ("grid@sample", "grid")):
        with running(looked / "results" / busy / ".lock", busy):
            done = call("delete", other, "--yes", cwd=looked)
        assert done.returncode == USER_INPUT
        assert "one process at a time" in done.stderr
