"""`sweep show --export` and `--sensitivity`: what leaves a study, and its way back in."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from sweep.cli import cli
from tests.corpus_files import to_bytes
from tests.e2e.command import succeed, write_space
from tests.e2e.island import write_island

pytestmark = pytest.mark.slow

SPACE = {
    "name": "lists",
    "corpus": "corpus",
    "objective": "span_rr",
    "evaluation": {"span_rule": "iou", "span_threshold": 0.25},
    "split": "off",
    "space": {
        "mode": "bm25",
        "top_k": 6,
        "aggregate": ["max", "first", "sum", "mean@2"],
        "chunk": {"splitter": "words", "size": 8, "overlap": 0.5},
    },
}
# Two pages that nothing tells apart, of which the one that trec_eval's rule puts last is wanted.
TWINS = [{"_id": f"twin-{end}", "title": "", "text": "Puffins dig burrows."} for end in "ab"]
QUERY = [{"_id": "q10", "text": "puffins"}, {"_id": "unjudged", "text": "where is the lamp"}]
METRICS = (
    "ndcg@10 recall@10 rr@10 map document_retrieval.ndcg@3 document_retrieval.xdcg@3 "
    "document_retrieval.fidelity document_retrieval.top1_relevance document_retrieval.holes "
    "document_retrieval.top3_max_relevance document_retrieval.holes_ratio "
    "document_retrieval.total_retrieved_documents"
).split()


class Lists:
    """A finished study, and commands run in its folder without a process of their own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.chdir(folder)
        self.trials: list[dict[str, Any]] = json.loads(self.run("trials", "--json"))

    def run(self, *arguments: object) -> str:
        result = CliRunner().invoke(cli, list(map(str, arguments)))
        assert result.exit_code == 0, (arguments, result.output, result.exception)
        return result.stdout

    def export(self, trial: dict[str, Any], form: str, *options: object) -> Path:
        out = self.folder / f"{trial['number']}.{form}"
        self.run("show", "lists", trial["number"], "--export", form, "--out", out, *options)
        return out

    def by_aggregate(self, name: str) -> dict[str, Any]:
        return next(t for t in self.trials if t["params"]["aggregate"] == name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists")
    corpus = write_island(folder / "corpus")
    for name, rows in (("corpus", TWINS), ("queries", QUERY)):
        with (corpus / f"{name}.jsonl").open("ab") as file:
            file.write(to_bytes(rows))
    with (corpus / "qrels.tsv").open("a") as file:
        file.write("q10\ttwin-a\t4\n")
    write_space(folder / "lists.yaml", SPACE)
    succeed("run", "lists.yaml", "--threads", 1, cwd=folder)
    return folder


@pytest.fixture
def lists(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Lists:
    return Lists(folder, monkeypatch)


def by_metrics(lists: Lists, trial: dict[str, Any]) -> dict[str, float]:
    path = lists.export(trial, "azure")
    report = json.loads(lists.run("evaluate", path, "--metrics", ",".join(METRICS), "--json"))
    return dict(report["metrics"])


def by_evaluator(lists: Lists, trial: dict[str, Any]) -> dict[str, float]:
    report = json.loads(lists.run("evaluate", lists.export(trial, "azure"), "--json"))
    return dict(report["metrics"])


def by_run(lists: Lists, trial: dict[str, Any]) -> dict[str, float]:
    path = lists.export(trial, "trec")
    files = ("--qrels", "corpus/qrels.tsv", "--run", path)
    report = json.loads(lists.run("evaluate", *files, "--metrics", ",".join(METRICS), "--json"))
    return dict(report["metrics"])


@pytest.mark.parametrize("evaluate", [by_metrics, by_evaluator, by_run])
def test_what_is_exported_scores_as_the_trial_did(
    lists: Lists, evaluate: Callable[[Lists, dict[str, Any]], dict[str, float]]
) -> None:
    for trial in lists.trials:
        found = evaluate(lists, trial)
        assert len(found) >= 9
        assert found == pytest.approx(
            {name: trial["metrics"][name] for name in found}, rel=0, abs=1e-12
        )


def test_each_aggregate_gives_the_order_of_its_definition(lists: Lists) -> None:
    """Summed by hand over the exported chunks; the orders are not all the same."""
    score: dict[str, Callable[[list[float]], float]] = {
        "max": max,
        "first": lambda scores: scores[0],
        "sum": sum,
        "mean@2": lambda scores: sum(sorted(scores)[-2:]) / len(scores[:2]),
    }
    orders = {}
    for name, total in score.items():
        trial = lists.by_aggregate(name)
        chunks: dict[str, dict[str, list[float]]] = {}
        for row in pq.read_table(lists.export(trial, "parquet")).to_pylist():
            found = chunks.setdefault(row["query_id"], {})
            found.setdefault(row["document_id"], []).append(row["score"])
        orders[name] = {
            query: sorted(found, key=lambda document: -round(total(found[document]), 9))
            for query, found in chunks.items()
        }
        run: dict[str, list[str]] = {}
        for line in lists.export(trial, "trec").read_text(encoding="utf-8").splitlines():
            query, _, document, *_ = line.split()
            run.setdefault(query, []).append(document)
        assert run == orders[name]
    assert orders["max"] == orders["first"]
    assert orders["max"] != orders["sum"] != orders["mean@2"] != orders["max"]


def test_stdout_carries_the_same_bytes_whatever_its_encoding(lists: Lists) -> None:
    trial = lists.trials[0]
    for form in ("trec", "azure", "context"):
        expected = lists.export(trial, form).read_text(encoding="utf-8")
        assert lists.run("show", trial["number"], "--export", form) == expected
    done = succeed(
        "show",
        trial["number"],
        "--export",
        "trec",
        cwd=lists.folder,
        env={"PYTHONIOENCODING": "ascii"},
    )
    assert done.stdout == lists.export(trial, "trec").read_text(encoding="utf-8")
    assert "café" in done.stdout


def test_context_holds_the_retrieved_chunks_of_every_query(lists: Lists) -> None:
    trial = lists.by_aggregate("max")
    lines = lists.export(trial, "context").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    texts: dict[str, list[str]] = {}
    for row in pq.read_table(lists.export(trial, "parquet")).to_pylist():
        texts.setdefault(row["query_id"], []).append(row["text"])
    assert len(rows) == 11
    assert {row["query_id"]: row["context"] for row in rows if row["context"]} == {
        query: "\n\n".join(found) for query, found in texts.items()
    }
    judged = lists.export(trial, "azure").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["query_id"] for line in judged] == [f"q{n}" for n in range(1, 11)]
    lists.export(trial, "azure", "--queries", "search")
    assert lists.export(trial, "azure").read_text(encoding="utf-8").splitlines() == judged


def test_sensitivity_compares_the_rules(lists: Lists) -> None:
    found = json.loads(lists.run("show", "lists", "--sensitivity", "--json"))
    rules = [(reading["rule"], reading["threshold"]) for reading in found["readings"]]
    shares = (0.25, 0.5, 0.75)
    assert rules == [
        *(("coverage", share) for share in shares),
        *(("iou", share) for share in shares),
        ("containment", None),
    ]
    (own,) = (reading for reading in found["readings"] if reading["own"])
    assert (own["rule"], own["threshold"]) == ("iou", 0.25)
    assert own["score"] == pytest.approx(lists.trials[0]["value"], abs=1e-12)
    assert found["changes"] == 0  # aggregates order documents, and all chunk lists are the same
    assert "stays the best under every rule" in lists.run("show", "--sensitivity")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--export", "trec"), "--export needs a TRIAL"),
        ((0, "--export", "parquet"), "--export parquet needs --out"),
        ((0, "--export", "trec", "--json"), "--export takes no --json"),
        ((0, "--export", "trec", "--sensitivity"), "exclude each other"),
        ((0, "--out", "x"), "--out is for --export"),
        ((0, "--queries", "search"), "--queries is for --export"),
        ((0, "--sensitivity"), "Name no TRIAL"),
    ],
)
def test_mistakes(lists: Lists, arguments: tuple[object, ...], text: str) -> None:
    result = CliRunner().invoke(cli, ["show", *map(str, arguments)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert text in result.stderr
