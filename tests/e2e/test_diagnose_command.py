"""`sweep diagnose` and `sweep explain`, through the command."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sweep.winner.diagnosis.charge import STAGES
from tests.corpus_files import to_bytes
from tests.e2e.command import USER_INPUT
from tests.e2e.grid import begin
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import ANSWERS, QUESTIONS, Island

pytestmark = pytest.mark.slow


def retrieved(island: Island, number: int, out: Path) -> dict[str, set[str]]:
    """Return the documents that a trial returned for each query, from its exported lists."""
    call_well("show", number, "--export", "azure", "--out", out, cwd=island.folder)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    return {r["query_id"]: {d["document_id"] for d in r["retrieved_documents"]} for r in rows}


@pytest.mark.parametrize("mode", ["bm25", "vector", "hybrid", "rerank"])
def test_every_missed_document_is_charged_once(island: Island, mode: str, tmp_path: Path) -> None:
    number = island.number(mode)
    options: dict[str, Any] = {"cwd": island.folder, "env": island.env}
    found = call_json("diagnose", "island", number, "--worst", 99, **options)
    returned = retrieved(island, number, tmp_path / "lists.jsonl")
    missed = {
        (query, document)
        for query, (_, grades) in QUESTIONS.items()
        for document, grade in grades.items()
        if grade >= 1 and document not in returned[query]
    }
    (trial,) = (t for t in island.trials if t["number"] == number)
    assert found["score"] == pytest.approx(trial["value"], abs=1e-12)
    assert found["missed_documents"] == len(missed)
    assert found["spans"] == len(ANSWERS)
    charged = [
        (worst["query_id"], gold["document_id"], gold["stage"])
        for worst in found["worst"]
        for gold in worst["missed"]
        if gold["start"] is None
    ]
    assert {(query, document) for query, document, _ in charged} == missed
    assert len(charged) == len(missed)
    by_stage = Counter(stage for _, _, stage in charged)
    losses = {loss["stage"]: loss["documents"] for loss in found["losses"]}
    assert losses == {stage: by_stage[stage] for stage in losses}
    assert [s for s in STAGES if s in losses] == list(losses)
    assert all(found["score"] <= loss["bound"] <= 1 for loss in found["losses"])
    assert found["notices"] == []


def test_it_is_printed_for_people(island: Island) -> None:
    done = call_well("diagnose", "baseline", cwd=island.folder, env=island.env)
    assert done.stdout.startswith("trial #0 of island: bm25") or "of island: bm25" in done.stdout
    assert "ndcg@5 at most" in done.stdout
    assert "WORST QUERIES" in done.stdout
    done = call_well("diagnose", "--worst", 0, cwd=island.folder, env=island.env)
    assert "WORST" not in done.stdout


def test_a_query_is_explained_by_id_text_and_words(island: Island) -> None:
    options: dict[str, Any] = {"cwd": island.folder, "env": island.env}
    number = island.number("rerank")
    by_id = call_json("explain", "island", "q2", "--trial", number, **options)
    by_text = call_json("explain", QUESTIONS["q2"][0].upper(), "--trial", number, **options)
    assert by_id == by_text
    by_words = call_json("explain", "gx-40 clean", "--trial", number, **options)
    assert by_words | {"notes": []} == by_id
    assert by_id["query_id"] == "q2"
    first = by_id["results"][0]
    assert (first["document_id"], first["label"], first["spans"]) == ("generator", 3, 1)
    assert {"vector", "bm25", "fused", "reranked"} <= first["places"].keys()
    assert first["places"]["reranked"]["rank"] == 1
    assert set(first["terms"]) >= {"e17", "gx"}
    assert [(gold["document_id"], gold["returned"]) for gold in by_id["relevant"]] == [
        ("generator", 1),
        ("generator", 1),
    ]
    assert by_id["holes"] == len({r["document_id"] for r in by_id["results"]} - {"generator"})
    (trial,) = (t for t in island.trials if t["number"] == number)
    assert trial["params"]["mode"] == "rerank"


def test_any_other_text_is_retrieved_live(island: Island) -> None:
    options: dict[str, Any] = {"cwd": island.folder, "env": island.env}
    text = "what do the keepers drink on Sundays?"
    trial = ("--trial", island.number("hybrid"))
    found = call_json("explain", text, *trial, **options)
    hits = call_json("query", "island", text, *trial, **options)
    assert [(r["document_id"], r["start"], r["score"]) for r in found["results"]] == [
        (hit["document_id"], hit["start"], hit["score"]) for hit in hits
    ]
    assert (found["query_id"], found["score"], found["relevant"]) == (None, None, [])
    assert "not a query of the corpus" in found["notes"][0]
    quick = ("--trial", island.number("bm25"))
    asked = call_json("explain", "q2", "--live", *quick, **options)
    assert asked["query_id"] is None
    done = call_well("explain", text, *quick, **options)
    assert "retrieved live" in done.stdout


def test_several_queries_may_be_meant(island: Island) -> None:
    done = call("explain", "the", cwd=island.folder, env=island.env)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert "may be one of" in done.stderr
    long = call("explain", "the " * 500, cwd=island.folder, env=island.env)
    assert len(long.stderr.splitlines()[0]) < 300
    assert "the..., which may be one of" in long.stderr or "...," in long.stderr
    assert "  q1 'On which days does the supply boat come?'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("explain",), "one query is needed, in quotes"),
        (("explain", "what", "is", "this"), "one query is needed, in quotes"),
        (("explain", "  "), "must have some text"),
        (("explain", "q1", "--trial", 99), "trial must be between 0 and 10, got 99"),
        (("explain", "nowhere", "q1"), "got 'nowhere'"),
        (("diagnose", "island", "first"), "must be a number, recommended, best or baseline"),
        (("diagnose", "island", 99), "trial must be between 0 and 10, got 99"),
    ],
)
def test_mistakes(island: Island, arguments: tuple[object, ...], text: str) -> None:
    done = call(*arguments, cwd=island.folder, env=island.env)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_several_objectives_have_no_trial_of_their_own(tmp_path: Path) -> None:
    folder = begin(tmp_path, objective=["ndcg@5", "recall@5"])
    call_well("run", "grid.yaml", "--threads", 1, cwd=folder)
    for command in (("diagnose",), ("explain", "q1")):
        done = call(*command, cwd=folder)
        assert done.returncode == USER_INPUT
        assert "a trial must be named" in done.stderr
    assert call_json("diagnose", "grid", 1, cwd=folder)["metric"] == "ndcg@5"


def test_without_its_store_and_without_its_corpus(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    call_well("run", "grid.yaml", "--threads", 1, cwd=folder)
    before = call_well("diagnose", "--json", cwd=folder).stdout
    shutil.rmtree(folder / "results" / ".store")
    assert call_well("diagnose", "--json", cwd=folder).stdout == before
    (folder / "island").rename(folder / "elsewhere")
    for command in (("diagnose",), ("explain", "q1")):
        done = call(*command, cwd=folder)
        assert (done.returncode, done.stdout) == (USER_INPUT, "")
        assert "its corpus must still be at" in done.stderr
        assert "Traceback" not in done.stderr


def test_queries_kept_to_confirm_are_not_diagnosed(tmp_path: Path) -> None:
    folder = begin(tmp_path, split={"confirm": 0.3})
    call_well("run", "grid.yaml", "--threads", 1, cwd=folder)
    found = call_json("diagnose", "--worst", 99, cwd=folder)
    assert found["queries"] < len(QUESTIONS)
    noted = [call_json("explain", query, cwd=folder)["notes"] for query in QUESTIONS]
    kept = [notes for notes in noted if any("kept to confirm" in note for note in notes)]
    assert len(kept) == len(QUESTIONS) - found["queries"]


def test_text_that_acts_on_a_terminal_is_written_out(tmp_path: Path) -> None:
    folder = begin(tmp_path)
    evil = "\x1b[2J\x07 oak \u202eknil\u202c\u2028 שלום " + "x" * 5000
    rows = [{"_id": "evil\x1b[0m", "title": "a\x9bb", "text": evil}]
    with (folder / "island" / "corpus.jsonl").open("ab") as file:
        file.write(to_bytes(rows))
    with (folder / "island" / "queries.jsonl").open("ab") as file:
        file.write(to_bytes([{"_id": "q\x1b", "text": "oak \x1b]0;title\x07"}]))
    with (folder / "island" / "qrels.tsv").open("a", encoding="utf-8") as file:
        file.write("q\x1b\tevil\x1b[0m\t1\nq\x1b\tboat\t1\n")
    call_well("run", "grid.yaml", "--threads", 1, cwd=folder)
    for command in (
        ("diagnose", "--worst", 99),
        ("explain", "q\x1b"),
        ("query", "grid", "oak"),
    ):
        done = call_well(*command, cwd=folder)
        acting = set(done.stdout) & set("\x1b\x07\x9b\u202e\u2028")
        assert acting == set(), command
        assert "\\x1b" in done.stdout
        assert max(map(len, done.stdout.splitlines())) < 600
    assert "\u2068" in call_well("query", "grid", "oak", cwd=folder).stdout
