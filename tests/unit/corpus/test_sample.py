"""A sample of the documents: the judged ones, and others by hash, exactly as many as asked for."""

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sweep.corpus import read_corpus
from sweep.corpus.sample import judged_documents, sample_documents
from sweep.records import Corpus, Query, Span
from tests.corpus_files import HEADER, corpus_of, write_corpus

CORPUS = corpus_of(
    [f"text {number}" for number in range(30)],
    qrels={"q1": {"d0003": 2, "d0004": 0}, "q2": {"d0020": 1, "d0003": 1}},
)
JUDGED = {"d0003", "d0004", "d0020"}


def ids(corpus: Corpus) -> list[str]:
    return [document.id for document in corpus.documents]


def sampled(documents: int, seed: int = 7, corpus: Corpus = CORPUS) -> Corpus:
    return sample_documents(corpus, documents=documents, seed=seed)


def test_a_label_of_0_and_a_span_make_a_document_judged() -> None:
    assert judged_documents(CORPUS) == JUDGED
    span = Span(query_id="q3", document_id="d0029", start=0, end=4, grade=1)
    more = replace(CORPUS, spans=(span,), queries=(*CORPUS.queries, Query(id="q3", text="?")))
    assert judged_documents(more) == {*JUDGED, "d0029"}
    assert "d0029" in ids(sampled(4, corpus=more))


@given(st.integers(3, 30), st.integers(0, 5))
def test_the_judged_are_kept_and_the_count_is_exact(documents: int, seed: int) -> None:
    found = sampled(documents, seed)
    assert len(found.documents) == documents
    assert set(ids(found)) >= JUDGED
    assert ids(found) == sorted(ids(found))
    assert (found.queries, found.qrels) == (CORPUS.queries, CORPUS.qrels)


@given(st.integers(3, 29), st.integers(0, 5))
def test_a_larger_sample_holds_the_smaller_one(documents: int, seed: int) -> None:
    assert set(ids(sampled(documents, seed))) < set(ids(sampled(documents + 1, seed)))


@given(st.permutations(range(30)))
def test_it_does_not_depend_on_the_order_of_documents(order: list[int]) -> None:
    mixed = replace(CORPUS, documents=tuple(CORPUS.documents[place] for place in order))
    assert sorted(ids(sampled(10, corpus=mixed))) == ids(sampled(10))


def test_another_seed_gives_another_sample_and_hash() -> None:
    one, other = sampled(12, 7), sampled(12, 8)
    assert set(ids(one)) != set(ids(other))
    assert len({one.hash, other.hash, sampled(13, 7).hash}) == 3
    assert one.hash == sampled(12, 7).hash


def test_more_judged_than_asked_for_are_all_that_is_kept() -> None:
    assert set(ids(sampled(2))) == JUDGED


def test_the_hash_is_that_of_a_folder_with_these_documents(tmp_path: Path) -> None:
    records = [{"_id": f"d{number}", "text": f"text {number}"} for number in range(9)]
    labels = HEADER + "q1\td5\t1\n"
    whole = read_corpus(write_corpus(tmp_path / "whole", corpus=records, qrels=labels))
    part = sample_documents(whole, documents=4, seed=1)
    kept = [record for record in reversed(records) if record["_id"] in ids(part)]
    written = read_corpus(write_corpus(tmp_path / "part", corpus=kept, qrels=labels))
    assert part.hash == written.hash
    assert part.documents == written.documents
