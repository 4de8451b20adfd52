"""Every recorded query and data set of trec_eval's metrics (pytrec_eval, ir_measures).

Decided differently: nothing. Judged@k of an empty run, which the file's rules call null, is 0.
"""

import json
from typing import Any

import numpy as np
import pytest

from sweep.metrics import judgements_from_qrels, lists_from_run, parse_metric, score_lists
from sweep.records import ScoreTable
from tests.shared_data import SHARED

FILE = SHARED / "oracle" / "trec.jsonl"
NAMES = {
    "P": "p",
    "R": "recall",
    "Success": "hit",
    "nDCG": "ndcg",
    "nDCG_exp": "ndcg_exp",
    "AP": "map",
    "RR": "rr",
    "Rprec": "rprec",
    "Bpref": "bpref",
    "Judged": "judged",
}
COUNTS = {"num_ret", "num_rel", "num_rel_ret"}  # sizes, not metrics


def read_cases(kind: str) -> list[Any]:
    if not FILE.exists():
        reason = "needs ../shared/oracle/trec.jsonl, which is not in the project"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    cases = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return [
        pytest.param(case, id=f"{case['id']}-{case['tag']}")
        for case in cases
        if case["kind"] == kind
    ]


def score(
    qrels: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    measures: list[str],
    *,
    relevance: int,
) -> ScoreTable:
    ids = sorted({id_ for side in (qrels, run) for entries in side.values() for id_ in entries})
    names = [measure.partition("@") for measure in measures]
    return score_lists(
        [parse_metric(NAMES[name] + at + cutoff) for name, at, cutoff in names],
        judgements_from_qrels(qrels, ids),
        lists_from_run(run, ids, query_ids=list(qrels)),
        relevance=relevance,
    )


@pytest.mark.parametrize("case", read_cases("query"))
def test_one_query(case: dict[str, Any]) -> None:
    expected = {name: v for name, v in case["expected"].items() if name not in COUNTS}
    table = score(
        {"q": case["qrels"]},
        {"q": case["run"]},
        list(expected),
        relevance=case["relevance_level"],
    )
    got = dict(zip(expected, table.values[0].tolist(), strict=True))
    wanted = {name: 0.0 if value is None else value for name, value in expected.items()}
    assert got == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("case", read_cases("dataset"))
def test_one_data_set(case: dict[str, Any]) -> None:
    complete = case["mean_over_all_qrels_queries_missing_as_zero"]
    table = score(case["qrels"], case["run"], list(complete), relevance=case["relevance_level"])
    means = dict(zip(complete, table.values.mean(axis=0).tolist(), strict=True))
    assert means == pytest.approx(complete, abs=1e-9)
    for query, measures in case["per_query"].items():
        row = table.values[table.query_ids.index(query)]
        got = dict(zip(complete, row.tolist(), strict=True))
        assert got == pytest.approx(measures, abs=1e-9)
    missing = [query not in case["per_query"] for query in table.query_ids]
    assert not np.any(table.values[missing])
