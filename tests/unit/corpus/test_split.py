import hashlib

import pytest

from sweep.corpus import SplitRule, automatic_split, split_queries
from sweep.errors import CorpusError
from sweep.records import Corpus
from tests.corpus_files import corpus_of


def corpus_with(qrels: dict[str, dict[str, int]]) -> Corpus:
    return corpus_of(["text"], qrels=qrels)


def many(queries: int, *, documents: int) -> Corpus:
    return corpus_with({f"q{n:04}": {f"d{n % documents:04}": 1} for n in range(queries)})


def test_each_judged_query_is_in_one_part_in_corpus_order() -> None:
    corpus = corpus_with({**{f"q{n}": {"d": 1} for n in range(50)}, "unjudged": {}})
    search, confirm = split_queries(corpus, share=0.3, seed=7, group="query")
    assert sorted([*search, *confirm]) == sorted(f"q{n}" for n in range(50))
    order = [query.id for query in corpus.queries]
    assert list(search) == sorted(search, key=order.index)
    assert list(confirm) == sorted(confirm, key=order.index)


def test_the_division_is_the_documented_hash() -> None:
    corpus = many(40, documents=40)
    _, confirm = split_queries(corpus, share=0.3, seed=7, group="query")
    digest = {q.id: hashlib.sha256(f"7 query {q.id}".encode()).hexdigest() for q in corpus.queries}
    assert list(confirm) == [
        id_ for id_, text in digest.items() if int(text[:12], 16) < 0.3 * 2**48
    ]


def test_adding_queries_moves_no_old_one() -> None:
    few, more = many(100, documents=30), many(400, documents=30)
    for group in ("query", "document"):
        old, _ = split_queries(few, share=0.3, seed=1, group=group)  # type: ignore[arg-type]
        new, _ = split_queries(more, share=0.3, seed=1, group=group)  # type: ignore[arg-type]
        assert set(old) == set(new) & {query.id for query in few.queries}


def test_the_share_is_met_roughly_and_a_seed_changes_the_choice() -> None:
    corpus = many(2000, documents=2000)
    _, first = split_queries(corpus, share=0.3, seed=1, group="query")
    _, second = split_queries(corpus, share=0.3, seed=2, group="query")
    assert 540 <= len(first) <= 660  # 600 +- 3 standard deviations of 20.5
    assert first != second


def test_queries_of_one_gold_document_stay_together() -> None:
    corpus = many(300, documents=30)
    search, confirm = split_queries(corpus, share=0.3, seed=3, group="document")
    gold = {query: next(iter(grades)) for query, grades in corpus.qrels.items()}
    assert not {gold[id_] for id_ in search} & {gold[id_] for id_ in confirm}
    assert search
    assert confirm


def test_the_key_is_the_smallest_document_with_a_positive_grade() -> None:
    qrels = {"a": {"d0": 0, "d1": 1, "d2": 3}, "b": {"d1": 2}, "c": {"d0": 0}, "d": {"d0": 0}}
    parts = set()
    for seed in range(40):
        search, _ = split_queries(corpus_with(qrels), share=0.5, seed=seed, group="document")
        assert ("a" in search) == ("b" in search)
        parts.add(("c" in search, "d" in search))
    assert len(parts) == 4  # without a gold document each query goes its own way


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_outside_is_refused(share: float) -> None:
    with pytest.raises(CorpusError, match=r"must be in \(0, 1\)"):
        split_queries(many(3, documents=3), share=share, seed=0, group="query")


@pytest.mark.parametrize(
    ("queries", "documents", "group"),
    [
        (199, 199, None),
        (200, 200, "query"),
        (200, 100, "query"),
        (200, 99, "document"),
        (1000, 20, "document"),
        (1000, 19, "query"),  # too few groups to come near the share
    ],
)
def test_the_automatic_split(queries: int, documents: int, group: str | None) -> None:
    rule = automatic_split(many(queries, documents=documents), seed=5)
    expected = None if group is None else SplitRule(share=0.3, seed=5, group=group)  # type: ignore[arg-type]
    assert rule == expected


def test_unjudged_queries_do_not_count_for_the_automatic_split() -> None:
    judged = {f"q{n}": {f"d{n}": 1} for n in range(199)}
    assert automatic_split(corpus_with({**judged, "x": {}, "y": {}}), seed=0) is None
