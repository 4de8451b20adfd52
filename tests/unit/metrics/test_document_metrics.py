"""Document metrics on numbers worked by hand and on the collected bug cases."""

import json
from pathlib import Path

import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import judgements_from_qrels, lists_from_run, parse_metric, score_lists
from sweep.records import RankedLists, ScoreTable
from tests.shared_data import bugcase

Qrels = dict[str, dict[str, int]]
LOG3 = 1.584962500721156  # log2(3)


def score(
    qrels: Qrels,
    rankings: dict[str, str],
    *names: str,
    relevance: int = 1,
    labels: tuple[int, int] = (0, 4),
) -> dict[str, list[float]]:
    """Score rankings of one-letter documents; return the column of every metric."""
    judged = {id_ for labels_ in qrels.values() for id_ in labels_}
    ids = sorted(judged | set("".join(rankings.values())))
    items = np.full((len(qrels), max(map(len, rankings.values()))), -1, dtype=np.int64)
    for row, query in enumerate(qrels):
        items[row, : len(rankings[query])] = [ids.index(id_) for id_ in rankings[query]]
    table = score_lists(
        [parse_metric(name) for name in names],
        judgements_from_qrels(qrels, ids),
        RankedLists(items=items, scores=np.where(items < 0, np.nan, 0.0)),
        relevance=relevance,
        labels=labels,
    )
    return {name: table.column(name).tolist() for name in names}


def score_case(qrels: Qrels, run: dict[str, dict[str, float]], *names: str) -> ScoreTable:
    ids = sorted({id_ for side in (qrels, run) for entries in side.values() for id_ in entries})
    lists = lists_from_run(run, ids, query_ids=list(qrels))
    return score_lists([parse_metric(n) for n in names], judgements_from_qrels(qrels, ids), lists)


def read_qrels(folder: Path) -> Qrels:
    qrels: Qrels = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, label = line.split("\t")
        qrels.setdefault(query, {})[document] = int(label)
    return qrels


def read_run(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, document, score_ = line.split("\t")
        run.setdefault(query, {})[document] = float(score_)
    return run


def read_expected(folder: Path) -> dict[str, object]:
    expected: dict[str, object] = json.loads((folder / "expected.json").read_text())["expect"]
    return expected


# The worked example of the SDK's page: labels 4 2 3 1 0 of documents 1 to 5, found 2 6 3 5 7.
EXAMPLE: Qrels = {"q": {"1": 4, "2": 2, "3": 3, "4": 1, "5": 0}}


def test_the_worked_example_of_the_sdk_page() -> None:
    names = ("ndcg@3", "xdcg@3", "fidelity", "top1_relevance", "top3_max_relevance", "holes")
    names += ("holes_ratio", "total_retrieved_documents", "total_ground_truth_documents")
    got = score(EXAMPLE, {"q": "26357"}, *(f"document_retrieval.{name}" for name in names))
    values = [column[0] for column in got.values()]
    expected = [0.310759325340, 39.285714285714, 0.392857142857, 2, 3, 2, 0.4, 5, 5]
    assert values == pytest.approx(expected, abs=5e-13)


def test_the_generalised_azure_metrics_on_the_worked_example() -> None:
    # labels along the list: 2, hole, 3, 0, hole
    got = score(
        EXAMPLE,
        {"q": "26357"},
        *("ndcg_exp@3", "xdcg@1", "xdcg@3", "xdcg@5", "xdcg", "fidelity@1", "fidelity@3"),
        *("fidelity", "max_relevance@1", "max_relevance@2", "max_relevance", "holes@1", "holes@2"),
        *("holes", "holes_ratio@2", "holes_ratio@3", "holes_ratio@10", "holes_ratio", "judged@2"),
    )
    points = 2 + 3 * 0.36
    assert {name: column[0] for name, column in got.items()} == pytest.approx(
        {
            "ndcg_exp@3": 0.310759325340,
            "xdcg@1": 50.0,
            "xdcg@3": 25 * points / 1.96,
            "xdcg@5": 25 * points / 2.3056,  # 1 + .6 + .36 + .216 + .1296
            "xdcg": 25 * points / 2.5,
            "fidelity@1": 7 / 56,  # 31 + 15 + 7 + 3 are known
            "fidelity@3": 22 / 56,
            "fidelity": 22 / 56,
            "max_relevance@1": 2,
            "max_relevance@2": 2,
            "max_relevance": 3,
            "holes@1": 0,
            "holes@2": 1,
            "holes": 2,
            "holes_ratio@2": 0.5,
            "holes_ratio@3": 1 / 3,
            "holes_ratio@10": 0.4,  # of the five retrieved
            "holes_ratio": 0.4,
            "judged@2": 0.5,
        },
        abs=1e-12,
    )


def test_binary_metrics_by_hand() -> None:
    # a, c, d relevant, b judged 0; found b x c a: relevant at ranks 3 and 4
    got = score(
        {"q": {"a": 1, "b": 0, "c": 2, "d": 1}},
        {"q": "bxca"},
        *("p@3", "p@10", "recall@3", "recall", "hit@2", "hit@3", "rr", "rr@2", "map", "map@3"),
        *("rprec", "bpref", "ndcg@4", "ndcg", "p(rel=2)@3", "recall(rel=2)", "map(rel=2)"),
        "recall(rel=3)",
    )
    ideal = 2 + 1 / LOG3 + 1 / 2
    found = 2 / 2 + 1 / np.log2(5)
    assert {name: column[0] for name, column in got.items()} == pytest.approx(
        {
            "p@3": 1 / 3,
            "p@10": 0.2,  # divided by k though four were found
            "recall@3": 1 / 3,
            "recall": 2 / 3,
            "hit@2": 0,
            "hit@3": 1,
            "rr": 1 / 3,
            "rr@2": 0,
            "map": (1 / 3 + 2 / 4) / 3,
            "map@3": (1 / 3) / 3,
            "rprec": 1 / 3,  # one of the first R = 3
            "bpref": 0,  # b above both, min(1, 3) / min(1, 3) = 1 each
            "ndcg@4": found / ideal,
            "ndcg": found / ideal,
            "p(rel=2)@3": 1 / 3,
            "recall(rel=2)": 1,
            "map(rel=2)": 1 / 3,
            "recall(rel=3)": 0,
        },
        abs=1e-12,
    )


def test_bpref_counts_the_judged_nonrelevant_above() -> None:
    # R = 2, N = 2; a has none above, c has b and e above: 1 - 2/2
    qrels = {"q": {"a": 1, "b": 0, "c": 1, "e": 0}}
    assert score(qrels, {"q": "axbec"}, "bpref")["bpref"] == [0.5]
    assert score(qrels, {"q": "axbc"}, "bpref")["bpref"] == [(1 + 0.5) / 2]


def test_the_default_relevance_level_is_the_callers_and_rel_overrides_it() -> None:
    qrels = {"q": {"a": 1, "b": 2}}
    got = score(qrels, {"q": "ab"}, "p@1", "p(rel=1)@1", "recall", "ndcg@2", relevance=2)
    assert got == {"p@1": [0], "p(rel=1)@1": [1], "recall": [1], "ndcg@2": got["ndcg@2"]}
    assert got["ndcg@2"] == score(qrels, {"q": "ab"}, "ndcg@2")["ndcg@2"]


def test_nothing_found_and_nothing_relevant_count_as_zero_without_nan() -> None:
    names = [
        *("ndcg@3", "ndcg", "ndcg_exp@3", "p@3", "recall@3", "hit@3", "rr", "map", "rprec"),
        *("bpref", "judged@3", "xdcg@3", "xdcg", "fidelity", "max_relevance", "holes"),
        *("holes_ratio", "document_retrieval.ndcg@3", "document_retrieval.fidelity"),
        *("document_retrieval.top3_max_relevance", "document_retrieval.holes_ratio"),
    ]
    qrels: Qrels = {"found": {"a": 1}, "empty": {"a": 1}, "zeros": {"a": 0, "b": 0}}
    got = score(qrels, {"found": "a", "empty": "", "zeros": "ab"}, *names)
    values = np.array(list(got.values()))
    assert np.isfinite(values).all()
    assert not values[:, 1].any()
    zeros = dict(zip(names, values[:, 2], strict=True))
    assert {name for name, value in zeros.items() if value} == {"judged@3"}


def test_fidelity_of_the_azure_set_is_zero_where_the_evaluator_calls_it_undefined() -> None:
    qrels = {"q": {"a": 1, "b": 1}}  # all at the lowest label
    got = score(qrels, {"q": "ab"}, "document_retrieval.fidelity", "fidelity", labels=(1, 5))
    assert got == {"document_retrieval.fidelity": [0], "fidelity": [0]}


def test_only_labels_above_the_lowest_count_in_fidelity() -> None:
    qrels = {"q": {"a": 1, "b": 2, "c": 3}}
    got = score(qrels, {"q": "axb"}, "fidelity", "document_retrieval.fidelity", labels=(1, 5))
    assert got["fidelity"] == got["document_retrieval.fidelity"] == [7 / 22]


def test_the_azure_set_refuses_labels_outside_its_range() -> None:
    with pytest.raises(MetricError, match="labels must lie in 0 to 4, got 1 to 5"):
        score({"q": {"a": 5, "b": 1}}, {"q": "a"}, "document_retrieval.ndcg@3")


def test_negative_labels_gain_nothing_in_the_generalised_metrics() -> None:
    qrels = {"q": {"a": -2, "b": 2}}
    got = score(qrels, {"q": "a"}, "xdcg@3", "max_relevance", "fidelity", labels=(-2, 2))
    assert got == {"xdcg@3": [0], "max_relevance": [0], "fidelity": [0]}
    azure = [f"document_retrieval.{name}" for name in ("xdcg@3", "top3_max_relevance")]
    got = score(qrels, {"q": "a"}, *azure, labels=(-2, 2))  # there they are subtracted
    assert [column[0] for column in got.values()] == pytest.approx([-50 / 1.96, -2])


def test_a_perfect_list_scores_exactly_one() -> None:
    qrels = {"q": {id_: 1 + index % 3 for index, id_ in enumerate("abcdefghij")}}
    best = "".join(sorted("abcdefghij", key=lambda id_: -qrels["q"][id_]))
    got = score(qrels, {"q": best}, "ndcg", "ndcg@7", "ndcg_exp@3", "map", "recall", "fidelity")
    assert set(map(tuple, got.values())) == {(1.0,)}


def test_large_labels_are_refused_where_the_gain_would_overflow() -> None:
    qrels = {"q": {"a": 2000}}
    assert score(qrels, {"q": "a"}, "ndcg@1")["ndcg@1"] == [1]
    with pytest.raises(MetricError, match="labels must be <= 1000, got 2000"):
        score(qrels, {"q": "a"}, "ndcg_exp@1")


@pytest.mark.parametrize(("number", "ties"), [("1", "run1"), ("2", "run2")])
def test_bugcase_33_one_rule_for_ties_in_every_metric(number: str, ties: str) -> None:
    folder = bugcase("33")
    expected = read_expected(folder)["id_desc"]
    assert isinstance(expected, dict)
    table = score_case(
        read_qrels(folder), read_run(folder / f"run{number}.tsv"), "ndcg", "rr", "map"
    )
    wanted = [expected[ties][name] for name in ("ndcg", "mrr", "map")]
    assert table.values[0].tolist() == pytest.approx(wanted, abs=5e-13)


def test_bugcase_35_the_mean_is_over_all_judged_queries() -> None:
    folder = bugcase("35")
    expected = read_expected(folder)
    table = score_case(read_qrels(folder), read_run(folder / "run.tsv"), "ndcg@10")
    per_query = dict(zip(table.query_ids, table.column("ndcg@10").tolist(), strict=True))
    assert per_query == pytest.approx(expected["per_query_ndcg@10"], abs=5e-13)
    assert table.mean("ndcg@10") == pytest.approx(expected["mean_ndcg@10"], abs=5e-13)


def test_bugcase_37_a_query_without_a_relevant_document() -> None:
    folder = bugcase("37")
    expected = read_expected(folder)
    table = score_case(read_qrels(folder), read_run(folder / "run.tsv"), "ndcg", "map", "fidelity")
    for name in ("ndcg", "map"):
        got = dict(zip(table.query_ids, table.column(name).tolist(), strict=True))
        assert got == pytest.approx(expected[name], abs=5e-13)
    assert table.column("fidelity").tolist()[1] == 0


def test_bugcase_39_negative_labels() -> None:
    folder = bugcase("39")
    expected = read_expected(folder)
    names = {"ndcg_linear": "ndcg", "map": "map", "p@1": "p@1", "holes": "holes"}
    names["ndcg_exp"] = "ndcg_exp"
    table = score_case(read_qrels(folder), read_run(folder / "run.tsv"), *names.values())
    got = dict(zip(names, table.values[0].tolist(), strict=True))
    assert got == pytest.approx(expected, abs=5e-13)


def test_bugcase_40_the_ideal_list_is_of_all_judged_documents() -> None:
    folder = bugcase("40")
    expected = read_expected(folder)
    names = {"ndcg@10": "ndcg@10", "recall@10": "recall@10", "p@10": "p@10", "map": "map"}
    names["mrr"] = "rr"
    table = score_case(read_qrels(folder), read_run(folder / "run.tsv"), *names.values())
    got = dict(zip(names, table.values[0].tolist(), strict=True))
    assert got == pytest.approx(expected, abs=5e-13)


def test_bugcase_42_a_document_counts_once() -> None:
    folder = bugcase("42")
    expected = read_expected(folder)
    qrels, chunks = read_qrels(folder), read_run(folder / "run_chunks.tsv")["q"]
    ids = ["d1", "d2", "d3"]
    ranked = [ids.index(chunk.split("#")[0]) for chunk in chunks]
    judgements = judgements_from_qrels(qrels, ids)
    names = ("recall@3", "p@3", "ndcg@3", "map")
    metrics = [parse_metric(name) for name in names]
    with pytest.raises(MetricError, match="list of query 'q': each document may stand in it once"):
        score_lists(metrics, judgements, _lists([ranked]))
    table = score_lists(metrics, judgements, _lists([list(dict.fromkeys(ranked))]))
    got = dict(zip(names, table.values[0].tolist(), strict=True))
    assert got == pytest.approx({name: expected[name] for name in names}, abs=5e-13)


def test_bugcase_44_the_azure_metrics() -> None:
    folder = bugcase("44")
    expected = read_expected(folder)
    names = {"ndcg_exp@3": "ndcg@3", "total_retrieved": "total_retrieved_documents"}
    names["total_judged"] = "total_ground_truth_documents"
    wanted = {names.get(name, name): value for name, value in expected.items()}
    linear = wanted.pop("ndcg_linear@3")
    azure = [f"document_retrieval.{name}" for name in wanted]
    generalised = ["ndcg_exp@3", "xdcg@3", "fidelity", "max_relevance@1", "max_relevance@3"]
    generalised += ["holes", "holes_ratio", "ndcg@3"]
    table = score_case(read_qrels(folder), read_run(folder / "run.tsv"), *azure, *generalised)
    values = table.values[0].tolist()
    assert values[:9] == pytest.approx(list(wanted.values()), abs=5e-13)
    assert values[9:16] == values[:7]
    assert values[16] == pytest.approx(linear, abs=5e-13)


def _lists(rows: list[list[int]]) -> RankedLists:
    items = np.array(rows, dtype=np.int64)
    return RankedLists(items=items, scores=np.zeros(items.shape))
