"""`sweep compare` of two studies, and of a trial with a run file."""

import csv
import io
import json
from pathlib import Path

import pytest

from tests.e2e.command import write_space
from tests.e2e.grid import GRID, RUN, assert_told, begin
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with three studies: two of one corpus, one of a changed one."""
    folder = begin(tmp_path_factory.mktemp("studies") / "it")
    call_well(*RUN, cwd=folder)
    wider = {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": [20, 40]}}
    split = {"confirm": 0.3, "seed": 1}
    content = {**GRID, "name": "wider", "space": wider, "split": split, "baseline": None}
    write_space(folder / "wider.yaml", content)
    call_well("run", "wider.yaml", "--threads", 1, cwd=folder)
    begin(folder / "later")
    island = folder / "later" / "island"
    queries = (island / "queries.jsonl").read_text(encoding="utf-8")
    (island / "queries.jsonl").write_text(queries.replace("start the foghorn", "sound the horn"))
    qrels = (island / "qrels.tsv").read_text(encoding="utf-8")
    (island / "qrels.tsv").write_text(qrels.replace("q3\tlamp\t2", "q3\tlamp\t1"))
    write_space(folder / "later" / "grid.yaml", {**GRID, "name": "later"})
    call_well("run", "later/grid.yaml", "--threads", 1, cwd=folder)
    return folder


def test_two_studies_are_joined_on_the_queries_that_both_score(studies: Path) -> None:
    found = call_json("compare", "grid:1", "wider:0", cwd=studies)
    assert [found[side]["study"] for side in "ab"] == ["grid", "wider"]
    kept = call_json("show", "wider", cwd=studies)["split"]
    assert found["n_queries"] == kept["search"] < 9
    assert found["left_out"] == {"only_a": kept["confirm"], "only_b": 0}
    assert found["warnings"] == [
        f"{kept['confirm']} queries are left out: they are scored in grid only (not judged, or "
        f"kept to confirm with)"
    ]
    one, other = (call_json("compare", name, 0, 0, cwd=studies) for name in ("grid", "wider"))
    assert one["n_queries"] == 9
    scores = {q["query_id"]: q["a"] for q in other["queries"]}
    assert {q["query_id"]: q["b"] for q in found["queries"]} == scores
    assert found["params"]["chunk.size"] == [6, 20]
    back = call_json("compare", "wider:0", "grid:1", cwd=studies)
    forth = found["metrics"]["ndcg@5"]["difference"]
    assert back["metrics"]["ndcg@5"]["difference"] == pytest.approx(-forth)


def test_whole_studies_stand_for_what_they_recommend(studies: Path) -> None:
    found = call_json("compare", "--studies", "grid", "wider", cwd=studies)
    for side, name in (("a", "grid"), ("b", "wider")):
        assert found[side]["number"] == call_json("best", name, cwd=studies)["number"]
    mixed = call_json("compare", "--studies", "grid:1", "wider", cwd=studies)
    assert mixed["a"]["number"] == 1
    shown = call_well("compare", "--studies", "grid", "wider", cwd=studies).stdout
    assert f"grid #{found['a']['number']}" in shown
    assert "These queries chose #" in shown


def test_another_corpus_is_said_loudly(studies: Path) -> None:
    done = call_well("compare", "grid:1", "later:1", "--json", cwd=studies)
    found = json.loads(done.stdout)
    texts = " | ".join(found["warnings"])
    assert "the corpora differ (grid island " in texts
    assert "the labels differ for 1 of 8 common queries" in texts
    assert "1 queries are left out: they have one id and two texts" in texts
    assert "documents differ" not in texts
    assert done.stderr.count("WARNING ") == 3
    assert found["n_queries"] == 8
    assert "q4" not in {query["query_id"] for query in found["queries"]}
    # The same configuration on the same documents: only the label of q3 can matter, and one
    # relevant document alone scores the same at any label.
    assert found["lost"] == found["gained"] == []
    shown = call_well("compare", "grid:1", "later:1", cwd=studies).stdout
    assert shown.startswith("WARNING the corpora differ")


def test_a_trial_against_its_own_run_differs_in_nothing(studies: Path) -> None:
    run = studies / "own.trec"
    call_well("show", "grid", 2, "--export", "trec", "--out", run, cwd=studies)
    found = call_json("compare", "grid", 2, "own.trec", cwd=studies)
    # The run lists nothing for a query without results, and such a query scores 0 in both.
    assert found["b"]["run"]["counts"]["unknown_documents"] == 0
    assert found["n_queries"] == 9
    assert all(m["difference"] == 0 for m in found["metrics"].values())
    assert {"ndcg@5", "map", "document_retrieval.holes"} <= set(found["metrics"])
    assert found["costs"]["context_tokens"][1] is None
    assert found["costs"]["work"][1] is None
    assert "span_recall" in found["uncompared"]
    assert found["params"] == {}
    shown = call_well("compare", "grid", "own.trec", "recommended", cwd=studies).stdout
    assert "own.trec: a run file, scored on the queries of grid" in shown
    assert "unknown" in shown
    both = call_json("compare", "grid", "own.trec", "own.trec", cwd=studies)
    assert both["costs"] == {}


def test_every_query_as_csv(studies: Path) -> None:
    options = ("--metric", "rr@10", "--metric", "ndcg@5")
    printed = call_well("compare", "grid", 1, 3, *options, "--csv", cwd=studies).stdout
    rows = list(csv.DictReader(io.StringIO(printed)))
    found = call_json("compare", "grid", 1, 3, *options, cwd=studies)
    assert found["objective"] == "rr@10"
    assert [row["query_id"] for row in rows] == [q["query_id"] for q in found["queries"]]
    for row, query in zip(rows, found["queries"], strict=True):
        assert row["query"] == query["query"]
        assert [float(row["ndcg@5.a"]), float(row["ndcg@5.b"])] == query["scores"]["ndcg@5"]
        assert float(row["rr@10.difference"]) == query["difference"]
    plain = call_well("compare", "grid", 1, 3, "--csv", cwd=studies).stdout
    assert plain.splitlines()[0] == "query_id,query,ndcg@5.a,ndcg@5.b,ndcg@5.difference"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--studies", "grid"), "two studies are needed"),
        (("--studies", "grid", "widr"), "Did you mean 'wider'?"),
        (("grid:", "wider:1"), "a side of a study is written STUDY:TRIAL, got 'grid:'"),
        (("grid:1", "wider:prod.trec"), "or a run file, got 'prod.trec'"),
        (("grid:1", "wider:baseline"), "baseline must be one that has been evaluated, got none"),
        (("grid", "1", "bad.trec"), "must share a document with the corpus"),
        (("grid:1", "wider:1", "--metric", "span_rr"), "recorded per query in both"),
    ],
)
def test_what_cannot_be_compared(studies: Path, arguments: tuple[str, ...], told: str) -> None:
    (studies / "bad.trec").write_text("q1 Q0 nowhere 1 1.0 t\n", encoding="utf-8")
    done = call("compare", *arguments, cwd=studies)
    assert done.stdout == ""
    if "needed" in told:
        assert told in done.stderr
    else:
        assert_told(done, told)
