"""Critical slices: what a file says, which queries they are, and what cannot work is refused."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sweep.corpus.query_fields import NONE, field_values, holds_identifier, value_text
from sweep.errors import SpaceError, StudyError
from sweep.records import Corpus, Query, Span
from sweep.study.driver.critical import check_critical
from sweep.study.driver.identity import check_identity
from sweep.study.metrics import check_goals, musts_of, recorded_metrics
from sweep.study.space.read import read_space
from sweep.winner.preference import Preference
from tests.corpus_files import corpus_of
from tests.unit.study.space_files import make_space
from tests.unit.study.test_space_problems import BM25, OBJECTIVE, problems_of

KINDS: list[dict[str, Any]] = [
    {"kind": "identifier", "year": 2019, "tags": ["a", "b"]},
    {"kind": "identifier", "year": 2020.0},
    {"kind": "factoid", "done": True},
    {"kind": "lookup"},
    {},
]


def corpus(**changes: Any) -> Corpus:
    queries = tuple(Query(id=f"q{n}", text="t", metadata=own) for n, own in enumerate(KINDS))
    qrels = {f"q{n}": {"d0": 1} for n in range(len(KINDS)) if n != 3}  # the lookup is not judged
    made = corpus_of(["text"], qrels=qrels)
    return replace(made, **{"queries": queries, **changes})


def must(where: dict[str, Any], metric: str = "recall@5", **bound: float) -> dict[str, Any]:
    return {"where": where, "metric": metric, **(bound or {"at_least": 0.9})}


def space_with(folder: Path, *musts: dict[str, Any], **keys: Any) -> Any:
    return make_space(folder, {"mode": "bm25"}, must=list(musts), **keys)


def test_values_are_compared_as_texts() -> None:
    assert [field_values(own, "kind") for own in KINDS[:3]] == [
        ("identifier",),
        ("identifier",),
        ("factoid",),
    ]
    assert field_values(KINDS[4], "kind") == (NONE,)
    assert field_values({"x": None}, "x") == field_values({"x": []}, "x") == (NONE,)
    assert field_values({"x": [1, 1.0, True, "1"]}, "x") == ("1", "true")
    assert field_values({"x": {"a": 1}}, "x") is None
    assert [value_text(v) for v in (False, 2.0, 0.5, 7, "s")] == ["false", "2", "0.5", "7", "s"]
    assert [holds_identifier(t) for t in ("GX-40", "userId", "a_b", "Plain words", "A_")] == [
        True, True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("where", "ids", "text"),
    [
        ({"kind": "identifier"}, {"q0", "q1"}, "kind=identifier"),
        ({"kind": ["lookup", "factoid"]}, {"q2", "q3"}, "kind=factoid|lookup"),
        ({"year": 2020, "kind": "identifier"}, {"q1"}, "kind=identifier and year=2020"),
        ({"tags": "b"}, {"q0"}, "tags=b"),
        ({"done": True}, {"q2"}, "done=true"),
        ({"kind": NONE}, {"q4"}, "kind=(none)"),
        ({"kind": "factoid", "year": 2019}, set(), "kind=factoid and year=2019"),
    ],
)
def test_fields_are_and_values_are_or(
    tmp_path: Path, where: dict[str, Any], ids: set[str], text: str
) -> None:
    (found,) = musts_of(space_with(tmp_path, must(where)))
    assert str(found) == f"recall@5 >= 0.9 where {text}"
    assert found.matching(corpus().queries) == ids


def test_the_file_says_the_same_in_any_order_and_it_belongs_to_the_study(tmp_path: Path) -> None:
    a = must({"kind": ["x", "y"], "z": 1})
    b = must({"z": 1, "kind": ["y", "x", "x"]})
    spaces = [space_with(tmp_path, *musts) for musts in ((a,), (b,), (b, a), ())]
    identities = [space.identity() for space in spaces]
    assert identities[0] == identities[1] == identities[2]
    assert identities[0]["must"] == ["recall@5 >= 0.9 where kind=x|y and z=1"]
    assert "must" not in identities[3]  # a study from before is what it was
    storage: Any = SimpleNamespace(get_all_studies=list)  # no name is taken
    for old, new in ((identities[0], identities[3]), (identities[3], identities[0])):
        with pytest.raises(StudyError, match="must differs .*recall@5 >= 0.9 where kind=x"):
            check_identity("s", old, new, axes=({}, {}), space=spaces[0], storage=storage)


def test_what_is_recommended_is_no_part_of_the_study(tmp_path: Path) -> None:
    plain = make_space(tmp_path, {"mode": "bm25"})
    other = make_space(
        tmp_path, {"mode": "bm25"}, recommend={"max_loss": 0, "costs": ["latency_p95_ms"]}
    )
    assert plain.recommend == Preference()
    assert other.recommend == Preference(max_loss=0.0, costs=("latency_p95_ms",))
    assert plain.identity() == other.identity()
    several = make_space(
        tmp_path, {"mode": "bm25"}, objective=["rr", "map"], recommend={"max_loss": 0.1}
    )
    assert [n.text for n in several.notices if n.text.startswith("recommend")] == [
        "recommend: is not used: of several objectives, none is recommended"
    ]


def test_the_metric_is_recorded_and_checked(tmp_path: Path) -> None:
    recorded = recorded_metrics(space_with(tmp_path, must({"a": 1}, "rr@7")), corpus())
    assert "rr@7" in map(str, recorded)
    for metric, says in (
        ("span_recall", "must: span_recall needs answer spans"),
        ("index_bytes", "must: must have a score for each query, got index_bytes"),
        ("recal@5", "must: .*Did you mean recall@5"),
    ):
        with pytest.raises(SpaceError, match=says):
            check_goals(space_with(tmp_path, must({"a": 1}, metric)), corpus())


def test_a_budget_objective_records_the_context_that_fits(tmp_path: Path) -> None:
    space = make_space(tmp_path, {"mode": "bm25"}, objective="ndcg@2000tok")
    assert "context_tokens@2000tok" in map(str, recorded_metrics(space, corpus()))


@pytest.mark.parametrize(
    ("where", "metric", "says"),
    [
        (
            {"knd": "x"},
            "rr",
            r"must\[0\].where: must name a field .*got 'knd'. Did you mean 'kind'",
        ),
        ({"kind": "identifer"}, "rr", "got 'identifer'. Did you mean 'identifier'"),
        ({"kind": "zzz"}, "rr", "There are 'identifier', 'factoid'"),
        ({"kind": "lookup"}, "rr", "kind must have a value of a judged query, got 'lookup'"),
        (
            {"kind": "factoid", "year": 2019},
            "rr",
            r"got none of 4 judged \(kind=factoid fits 1, year=2019 fits 1; 0 of the slice",
        ),
        ({"kind": "factoid"}, "span_rr", "judged query that span_rr is defined for"),
    ],
)
def test_a_slice_without_a_judged_query_is_refused(
    tmp_path: Path, where: dict[str, Any], metric: str, says: str
) -> None:
    spans = (Span(query_id="q0", document_id="d0", start=0, end=2, grade=1),)
    with pytest.raises(SpaceError, match=says):
        check_critical(space_with(tmp_path, must(where, metric)), corpus(spans=spans))


def test_queries_without_metadata_are_told_as_such(tmp_path: Path) -> None:
    bare = tuple(Query(id=f"q{n}", text="t") for n in range(5))
    with pytest.raises(SpaceError, match="got 'kind'. They have none: add it in queries.jsonl"):
        check_critical(space_with(tmp_path, must({"kind": "x"})), corpus(queries=bare))


def test_a_slice_of_confirm_queries_only_is_refused(tmp_path: Path) -> None:
    """Seed 2 keeps q0, the only query of 2019, to confirm with."""
    split = {"confirm": 0.5, "seed": 2, "group": "query"}
    with pytest.raises(SpaceError, match="1 of the slice are kept to confirm with"):
        check_critical(space_with(tmp_path, must({"year": 2019}), split=split), corpus())


def test_what_should_be_known_is_told(tmp_path: Path) -> None:
    notices = check_critical(space_with(tmp_path, must({"kind": ["factoid", "fctoid"]})), corpus())
    assert len(notices) == 2
    assert "no judged query has kind 'fctoid'. Did you mean 'factoid'?" in notices[0]
    assert "1 queries are few: one of them moves the mean by up to 1.00" in notices[1]
    assert check_critical(make_space(tmp_path, {"mode": "bm25"}), corpus()) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("must: [{where: {}, metric: rr, at_least: 1}]", "where must name a field"),
        ("must: [{where: {a: 1}, metric: rr}]", "must[0]: must have either at_least or at_most"),
        (
            "must: [{where: {a: 1}, metric: rr, at_least: 0, at_most: 1}]",
            "got at_least and at_most. Write for example at_least: 0.9; for both, write two",
        ),
        (
            "must: [{where: {a: null}, metric: rr, at_least: 1}]",
            "must[0].where.a: must be a text, a number, true or false, got nothing",
        ),
        (
            "must: [{where: {a: 2024-01-01}, metric: rr, at_least: 1}]",
            "must[0].where.a: must be a text, a number, true or false, got datetime.date",
        ),
        ("must: {where: {a: 1}}", "must: must be a list"),
        ("recommend: {max_loss: 1.5}", "recommend.max_loss: must be <= 1, got 1.5"),
        (
            "recommend: {costs: [latency_p95]}",
            "recommend.costs[0]: must be one of context_tokens, work, index_bytes, latency_p50_ms",
        ),
        ("recommend: {costs: [work, work]}", "recommend: costs: must name a cost once"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, says: str) -> None:
    (line,) = problems_of(tmp_path, f"{OBJECTIVE}{BM25}{text}\n")
    assert says in line


def test_an_empty_order_of_costs_is_a_choice(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(f"{OBJECTIVE}{BM25}recommend: {{costs: []}}\n", encoding="utf-8")
    assert read_space(path).recommend == Preference(costs=())
