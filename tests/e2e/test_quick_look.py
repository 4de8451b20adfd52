"""`sample` in a space file: the search on a part of the documents, the finalists on all."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweep.corpus import read_corpus
from sweep.corpus.sample import sample_documents
from sweep.study.study import Study
from tests.e2e.command import INTERRUPTED, comparable, rankings, trials_of, write_space
from tests.e2e.eventful import Eventful, Events
from tests.e2e.grid import GRID, RUN, assert_told
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import ISLAND, write_island

pytestmark = pytest.mark.slow

DOCUMENTS, SAMPLED, CONFIGURATIONS = 60, 25, 9
SAMPLE = {"documents": SAMPLED, "keep": "judged", "finalists": 3}
SPACE = {
    "mode": "bm25",
    "top_k": 5,
    "chunk": {"splitter": "words", "size": [6, 12]},
    "bm25": {"k1": [0.4, 1.6], "b": [0.2, 0.75]},
}
FLATTERED = (
    f"searched on {SAMPLED} of {DOCUMENTS} documents (all 10 judged ones kept): every score"
)
FINALISTS = (
    f"configurations that were searched on {SAMPLED} of {DOCUMENTS} documents (grid@sample)"
)


def begin(folder: Path, sample: Any = SAMPLE, **changes: Any) -> Path:
    """Write the island with pages that nobody has judged, mixed from its words, and a space."""
    write_island(folder / "island")
    words = " ".join(f"{title} {text}" for title, text in ISLAND.values()).split()
    mixed = random.Random(3)
    with (folder / "island" / "corpus.jsonl").open("a", encoding="utf-8") as file:
        for number in range(DOCUMENTS - len(ISLAND)):
            text = " ".join(mixed.choices(words, k=30))
            file.write(json.dumps({"_id": f"other-{number}", "text": text}) + "\n")
    given = {**GRID, "space": SPACE, **changes, **({"sample": sample} if sample else {})}
    write_space(folder / "grid.yaml", given)
    return folder


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a quick look that was run to its end; tests only read it."""
    folder = begin(tmp_path_factory.mktemp("quick look"))
    (folder / "answer.json").write_text(call_well(*RUN, "--json", cwd=folder).stdout)
    return folder


@pytest.fixture
def folder(looked: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(looked, tmp_path / "copy"))


def by_print(folder: Path, name: str) -> dict[str, Any]:
    return {t.fingerprint: t for t in opened(folder, name).complete}


def opened(folder: Path, name: str) -> Study:
    return Study(name, str(folder / "results" / "sweep.db"))


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
    assert len(finals) <= 5  # three, what the search recommends, and the baseline
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
    assert set(told) == {trial.number for trial in finals.values()}
    for fingerprint, trial in finals.items():
        one = told[trial.number]
        assert (one["sample"], one["whole"]) == (search[fingerprint].values[0], trial.values[0])
        assert one["searched_as"] == search[fingerprint].number
    pairs = answer["sample"]["order"]["pairs"]
    assert pairs == len(finals) * (len(finals) - 1) / 2
    assert call_well("best", cwd=looked).stdout.count(f"SCOPE {len(finals)} finalists") == 1


def test_every_command_says_it_of_the_search(folder: Path) -> None:
    best = call_json("best", "grid@sample", cwd=folder)
    assert FLATTERED in best["sample"]["text"].lower()
    assert (best["confirm"], best["difference_to_baseline"]) == (None, None)
    text = call_well("best", "grid@sample", cwd=folder).stdout
    assert "\nLEADS #" in text
    assert FLATTERED in text.lower()
    assert "sweep export" not in text
    for words in (
        ("trials", "grid@sample"),
        ("show", "grid@sample"),
        ("show", "grid@sample", 0),
        ("effects", "grid@sample"),
        ("slices", "grid@sample"),
        ("diagnose", "grid@sample"),
        ("explain", "grid@sample", "q1"),
        ("pool", "grid@sample", "--out", "pool.csv"),
        ("query", "grid@sample", "lamp"),
    ):
        assert FLATTERED in call_well(*words, cwd=folder).stderr, words
    assert FLATTERED in call_well("compare", "grid@sample:0", "grid@sample:1", cwd=folder).stdout
    for words in (("effects",), ("slices",), ("diagnose",), ("pool",), ("explain", "q1")):
        first, *rest = words
        found = call_json(first, "grid@sample", *rest, cwd=folder)
        assert FLATTERED in found["sample"]["text"].lower(), words
    for trial in call_json("trials", "grid@sample", cwd=folder):
        assert trial["facts"]["sample"] == {"documents": SAMPLED, "of": DOCUMENTS}
    listed = call_well("studies", cwd=folder).stdout
    assert f"island ({SAMPLED} of {DOCUMENTS} documents)" in listed


@pytest.mark.parametrize("name", ["grid@sample", "grid"])
def test_reports_say_it_at_the_top(looked: Path, name: str) -> None:
    told = FLATTERED if name == "grid@sample" else FINALISTS
    text = call_well("report", name, "--out", "-", "--format", "md", cwd=looked).stdout
    assert 0 < text.lower().index(told) < text.index("context tokens")
    found = json.loads(
        call_well("report", name, "--out", "-", "--format", "json", cwd=looked).stdout
    )
    assert told in found["sections"]["answer"]["blocks"][0]["text"].lower()
    assert told in found["sections"]["answer"]["data"]["sample"]["text"].lower()
    call_well("report", name, "--out", "report.html", cwd=looked)
    html = (looked / "report.html").read_text()
    assert told in html.lower()
    assert ("Not decided" in html) is (name == "grid@sample")


def test_a_bundle_is_made_of_the_whole_corpus_only(folder: Path) -> None:
    refused = call("export", "grid@sample", "--out", "none", cwd=folder)
    assert_told(refused, f"{SAMPLED} of {DOCUMENTS} documents", "sweep export grid --out DIR")
    assert not (folder / "none").exists()
    for out, words in (("one", ()), ("other", ("--trial", 0))):
        call_well("export", "--out", out, *words, cwd=folder)
        assert FINALISTS in (folder / out / "README.md").read_text()
        manifest = json.loads((folder / out / "manifest.json").read_text())
        assert FINALISTS in manifest["sample"]["text"]
        assert manifest["corpus"]["documents"] == DOCUMENTS
    call_well("verify", "one", cwd=folder)


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
        "finalists": 5,
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


def begin_space(folder: Path, sample: Any) -> None:
    space = yaml.safe_load((folder / "grid.yaml").read_text())
    space.pop("sample", None)
    write_space(folder / "grid.yaml", {**space, **({"sample": sample} if sample else {})})


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


def test_labels_make_siblings_of_either_that_do_not_collide(folder: Path) -> None:
    names = {}
    for name in ("grid@sample", "grid"):
        call_well("pool", name, "--out", "pool.jsonl", "--limit", 2, cwd=folder)
        rows = [json.loads(line) for line in (folder / "pool.jsonl").read_text().splitlines()]
        lines = [json.dumps({**row, "label": 1}) for row in rows]
        (folder / "filled.jsonl").write_text("\n".join(lines) + "\n")
        done = call_json("pool", name, "--apply", "filled.jsonl", cwd=folder)
        names[name] = done["study"]
        assert done["after"]["sample"] is not None
        call_well("diagnose", done["study"], cwd=folder)
    assert names["grid@sample"].startswith("grid@sample@")
    assert names["grid"].startswith("grid@")
    assert "@sample" not in names["grid"]
    refused = call("export", names["grid@sample"], "--out", "none", cwd=folder)
    assert_told(refused, "sweep export grid --out DIR")


def test_each_study_is_deleted_by_its_name(folder: Path) -> None:
    done = call_well("delete", "grid", "--yes", cwd=folder)
    assert "Its search is kept: sweep delete grid@sample" in done.stderr
    assert [s["name"] for s in call_json("studies", cwd=folder)] == ["grid@sample"]
    call_well(*RUN, cwd=folder)  # the finalists again
    done = call_well("delete", "grid@sample", "--yes", cwd=folder)
    assert "is kept" not in done.stderr
    assert FINALISTS in call_well("best", cwd=folder).stdout


def test_what_is_refused_or_told_before_anything_is_written(tmp_path: Path) -> None:
    folder = begin(tmp_path / "few", sample={"documents": 9})
    assert_told(call(*RUN, cwd=folder), "must be at least 10", "got 9")
    assert not (folder / "results").exists()
    begin_space(folder, {"documents": DOCUMENTS})
    done = call_well(*RUN, cwd=folder)
    assert f"sample is not used: the corpus has {DOCUMENTS} documents" in done.stderr
    assert [s["name"] for s in call_json("studies", cwd=folder)] == ["grid"]
    assert call_json("best", cwd=folder)["sample"] is None
    refused = call(*RUN, "--study", "grid@sample", cwd=folder)
    assert_told(refused, "is the search of a quick look: run NAME")


def test_nothing_feasible_in_the_search_is_said(tmp_path: Path) -> None:
    folder = begin(tmp_path / "none", constraints=["context_tokens <= 1"])
    refused = call(*RUN, cwd=folder)
    assert_told(refused, "study 'grid@sample'", "context_tokens <= 1")
    assert [s["name"] for s in call_json("studies", cwd=folder)] == ["grid@sample"]
