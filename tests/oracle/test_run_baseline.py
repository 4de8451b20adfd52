"""A run file scored as a baseline has the scores of trec_eval, and of `sweep evaluate`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sweep.evaluators.run_scores import score_run
from sweep.evaluators.trec_files import Qrels, read_run
from sweep.metrics import parse_metric
from sweep.records import Corpus, Document, Query
from sweep.study.run_file import read_run_file, score_run_file

pytrec_eval = pytest.importorskip("pytrec_eval")

NAMES = {
    "ndcg@3": "ndcg_cut.3", "ndcg": "ndcg", "p@2": "P.2", "recall@3": "recall.3",
    "rr": "recip_rank", "map": "map", "rprec": "Rprec", "bpref": "bpref",
}  # fmt: skip
DOCUMENTS = ("1", "10", "9", "a", "B", "é")
QUERIES = ("q1", "q2", "q3")
QRELS = st.fixed_dictionaries(
    {
        q: st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 3), min_size=1)
        for q in QUERIES
    }
)
SCORES = st.sampled_from([1.0, 1.0 + 1e-9, 2.0, -3.5, 0.25])  # the first two tie in float32
LISTED = st.dictionaries(st.sampled_from((*DOCUMENTS, "x", "y")), SCORES, min_size=1)
RUNS = st.dictionaries(st.sampled_from((*QUERIES, "q9")), LISTED)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(qrels=QRELS, run=RUNS)
def test_scores_are_those_of_trec_eval(
    tmp_path: Path, qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    run = {**run, "q1": {"1": 1.0, **run.get("q1", {})}}  # something in common with the corpus
    path = tmp_path / "production.trec"
    lines = [
        f"{query} Q0 {document} 0 {score!r} t"
        for query, listed in run.items()
        for document, score in listed.items()
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    corpus = Corpus(
        documents=tuple(Document(id=id_, text="") for id_ in sorted(DOCUMENTS)),
        queries=tuple(Query(id=id_, text="") for id_ in QUERIES),
        qrels=qrels,
        spans=(),
        hash="",
        name="made up",
    )
    metrics = [parse_metric(name) for name in NAMES]
    table = score_run_file(
        read_run_file(path, corpus, QUERIES), corpus, metrics, QUERIES, relevance=1, labels=(0, 4)
    )
    judge = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES.values()))
    wanted = judge.evaluate(run)
    for row, query in enumerate(QUERIES):
        theirs = wanted.get(query)
        for name, other in NAMES.items():
            expected = 0.0 if theirs is None else theirs[other.replace(".", "_")]
            assert table.column(name)[row] == pytest.approx(expected, abs=1e-9), (query, name)
    both = Qrels(graded=qrels, binary=qrels)
    other_way = score_run(metrics, both, read_run(path), chunk_separator="").table
    rows = [other_way.query_ids.index(query) for query in QUERIES]
    assert other_way.values[rows].tolist() == table.values.tolist()
