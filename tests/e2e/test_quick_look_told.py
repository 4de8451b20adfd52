"""What is said of a quick look, wherever its scores stand, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.grid import RUN, assert_told
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.quick import (
    DOCUMENTS,
    FINALISTS,
    FLATTERED,
    SAMPLE,
    SAMPLED,
    begin,
    begin_space,
)

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(looked: Path, tmp_path: Path) -> Path:
    """Return a copy of it."""
    return Path(shutil.copytree(looked, tmp_path / "copy"))


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
    gone = FINALISTS.replace("grid@sample", "grid@sample, deleted since")
    assert gone in call_well("best", cwd=folder).stdout


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
    few = {**SAMPLE, "documents": 10}
    folder = begin(tmp_path / "none", few, constraints=["context_tokens <= 1"])
    refused = call(*RUN, cwd=folder)
    assert "10 judged ones and 0 others" in refused.stderr
    assert "raise sample.documents" in refused.stderr
    assert "documents have a label" not in refused.stderr  # a warning about the whole corpus
    assert_told(refused, "study 'grid@sample'", "context_tokens <= 1")
    assert [s["name"] for s in call_json("studies", cwd=folder)] == ["grid@sample"]


def test_a_baseline_that_is_a_run_file_takes_part_in_the_finals_only(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", baseline={"run": "production.trec"})
    lines = "q1 Q0 other-1 1 9 t\nq1 Q0 boat 2 8 t\nq9 Q0 birds 1 5 t\n"
    (folder / "production.trec").write_text(lines)
    done = call_well(*RUN, cwd=folder)
    assert "production.trec: 7 of 9 judged queries are not in it" in done.stderr
    assert "against production.trec" in done.stdout
    assert call_json("best", "grid@sample", cwd=folder)["baseline"] is None
