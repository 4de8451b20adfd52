"""Run files: read against a corpus, scored by trec_eval's rule of order."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.errors import MetricError, StudyError
from sweep.metrics import parse_metric
from sweep.records import Corpus, Document, Query
from sweep.study.run_file import RunFile, computable, read_run_file, score_run_file
from tests.shared_data import bugcase

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}, "q3": {"a": 1}}
CORPUS = Corpus(
    documents=tuple(Document(id=id_, text=id_) for id_ in "abcd"),
    queries=tuple(Query(id=id_, text=id_) for id_ in ("q1", "q0", "q2", "q3")),
    qrels=QRELS,
    spans=(),
    hash="",
    name="letters",
)
JUDGED = tuple(QRELS)


def run_of(folder: Path, text: str, corpus: Corpus = CORPUS) -> RunFile:
    path = folder / "prod.trec"
    path.write_text(text, encoding="utf-8")
    return read_run_file(path, corpus, JUDGED)


def scores(run: RunFile, *names: str) -> dict[str, list[float]]:
    table = score_run_file(
        run, CORPUS, [parse_metric(name) for name in names], JUDGED, relevance=1, labels=(0, 4)
    )
    assert table.query_ids == JUDGED
    return {name: table.column(name).tolist() for name in table.metrics}


def test_scores_by_hand(tmp_path: Path) -> None:
    # q1: x (unknown), a, b; q2: c is second by the tie rule (d before c); q3 is not in it.
    run = run_of(
        tmp_path,
        "q1 Q0 a 9 2.0 t\nq1 Q0 x 1 3.0 t\nq1 Q0 b 2 1.0 t\nq2 Q0 c 1 5.0 t\nq2 Q0 d 2 5.0 t\n",
    )
    found = scores(run, "rr", "p@2", "recall@3", "judged@3", "ndcg@2000tok", "context_tokens")
    assert found == {
        "rr": [0.5, 0.5, 0.0],
        "p@2": [0.5, 0.5, 0.0],
        "recall@3": [1.0, 1.0, 0.0],
        "judged@3": [2 / 3, 0.5, 0.0],
    }
    assert run.counts == {
        "queries": 3, "missing": 1, "unknown_queries": 0, "unknown_documents": 1,
    }  # fmt: skip
    assert run.notices == (
        "prod.trec: 1 of 3 judged queries are not in it and score 0 ('q3')",
        "prod.trec: 1 of its ids are no documents of the corpus: they keep their ranks, as holes "
        "('x')",
    )


def test_queries_of_elsewhere_are_counted_and_left_out(tmp_path: Path) -> None:
    run = run_of(tmp_path, "".join(f"q{n}\ta\t1\n" for n in range(9)))
    assert run.counts["unknown_queries"] == 5
    assert (
        "5 of its queries are not in the corpus and are left out ('q4', 'q5', 'q6', ...)"
        in (run.notices[0])
    )
    assert run.lists.items[:, 0].tolist() == [0, 0, 0, 0]  # also the query that nobody judged


def test_chunks_are_merged_only_where_no_id_is_a_document(tmp_path: Path) -> None:
    run = run_of(tmp_path, "q1\ta#0\t1\nq1\tb#1\t2\nq1\ta#7\t3\nq2\tc#0\t1\nq3\td\t1\n")
    # `d` is a document: ids are what they are, and chunks are unknown.
    assert run.counts["unknown_documents"] == 4
    run = run_of(tmp_path, "q1\ta#0\t1\nq1\tb#1\t2\nq1\ta#7\t3\nq2\tc#0\t1\nq3\tz#1\t1\n")
    assert run.notices[0] == (
        "prod.trec: 5 chunks merged into 4 documents, each at its best chunk's place"
    )
    assert run.counts["unknown_documents"] == 1
    assert run.lists.items[0].tolist() == [0, 1]
    assert scores(run, "rr")["rr"] == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("q7\ta\t1\n", "must share a judged query with the corpus, got none: its ids look like"),
        ("q1\tz\t1\n", r"must share a document with the corpus, got none: .* 'z', .* 'a', 'b'"),
        ('{"qid": "q1"}\n', "must be a TREC or BEIR run, got JSON Lines"),
        ("q1 Q0 a 1 nan t\n", "prod.trec:1: the score must be a number"),
        ("q1\ta\t1\nq1\ta\t2\n", "prod.trec:2: a query may list a document once"),
        ("", "must hold at least one entry"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(MetricError, match=told):
        run_of(tmp_path, text)


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "prod.trec"
    path.write_text("q1\ta\t1\n", encoding="utf-8")
    own = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_run_file(path, CORPUS, JUDGED, sha256=own).sha256 == own
    with pytest.raises(StudyError, match=r"prod\.trec: must not change while it is read"):
        read_run_file(path, CORPUS, JUDGED, sha256="0" * 64)
    with pytest.raises(MetricError, match="must be a readable file"):
        read_run_file(tmp_path / "none", CORPUS, JUDGED)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("ndcg@10", True), ("document_retrieval.holes", True), ("map", True),
        ("ndcg@2000tok", False), ("span_recall", False), ("context_tokens", False),
        ("work", False),
    ],
)  # fmt: skip
def test_what_ranked_documents_tell(name: str, known: bool) -> None:
    assert computable(parse_metric(name)) is known


def test_ties_follow_trec_eval() -> None:
    folder = bugcase("33")
    corpus = replace(
        CORPUS, queries=(Query(id="q", text=""),), qrels={"q": {"a": 0, "b": 1, "c": 0}}
    )
    metrics = [parse_metric(name) for name in ("ndcg", "rr", "map")]
    found = {}
    for name in ("run1", "run2"):
        run = read_run_file(folder / f"{name}.tsv", corpus, ("q",))
        table = score_run_file(run, corpus, metrics, ("q",), relevance=1, labels=(0, 4))
        found[name] = np.round(table.values[0], 6).tolist()
    assert found == {"run1": [1.0, 1.0, 1.0], "run2": [0.63093, 0.5, 0.5]}
