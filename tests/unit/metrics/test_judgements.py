import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import judgements_from_qrels, prepare_judgements, prepare_spans
from sweep.records import Corpus, Document, Query, Span


def make_corpus(
    qrels: dict[str, dict[str, int]], spans: tuple[Span, ...] = (), *, queries: str = "pqr"
) -> Corpus:
    return Corpus(
        documents=tuple(Document(id=id_, text="0123456789") for id_ in "abc"),
        queries=tuple(Query(id=id_, text="?") for id_ in queries),
        qrels=qrels,
        spans=spans,
        hash="",
        name="test",
    )


def span(query: str, document: str, start: int, end: int, grade: int = 1) -> Span:
    return Span(query_id=query, document_id=document, start=start, end=end, grade=grade)


def test_unjudged_queries_are_left_out_and_zero_ones_kept() -> None:
    judgements = prepare_judgements(make_corpus({"r": {"c": 2, "a": 0}, "q": {}, "p": {"b": 0}}))
    assert judgements.query_ids == ("p", "r")  # corpus order
    assert judgements.rows.tolist() == [0, 2]
    assert judgements.keys.tolist() == [0 * 3 + 1, 1 * 3 + 0, 1 * 3 + 2]
    assert judgements.labels.tolist() == [0, 0, 2]
    assert judgements.relevant(1).tolist() == [0, 1]
    assert judgements.nonrelevant(1).tolist() == [1, 1]
    assert judgements.total().tolist() == [1, 2]


def test_the_ideal_list_has_labels_falling_and_negative_ones_are_not_counted_in_n() -> None:
    judgements = judgements_from_qrels({"q": {"a": -1, "b": 3, "c": 0, "d": 1}}, list("abcd"))
    assert judgements.ideal_label.tolist() == [3, 1, 0, -1]
    assert judgements.ideal_rank.tolist() == [1, 2, 3, 4]
    assert judgements.nonrelevant(1).tolist() == [1]
    assert judgements.nonrelevant(2).tolist() == [2]


def test_a_judged_document_outside_the_collection_stays_in_the_ideal_list() -> None:
    judgements = judgements_from_qrels({"q": {"a": 1, "elsewhere": 2}}, ["a"])
    assert judgements.labels.tolist() == [1]
    assert judgements.relevant(1).tolist() == [2]


def test_no_judgement_at_all_gives_an_empty_structure() -> None:
    judgements = prepare_judgements(make_corpus({}))
    assert len(judgements) == 0
    assert judgements.relevant(1).shape == (0,)


@pytest.mark.parametrize("label", [2.0, "2", None, float("nan"), 2**40])
def test_a_label_must_be_a_whole_number(label: object) -> None:
    with pytest.raises(MetricError, match="judgement of 'a' for 'q': the label must be a whole"):
        judgements_from_qrels({"q": {"a": label}}, ["a"])  # type: ignore[dict-item]


def test_ids_must_be_unique() -> None:
    with pytest.raises(MetricError, match="document ids must be unique, got 1 repeated"):
        judgements_from_qrels({}, ["a", "a"])
    with pytest.raises(MetricError, match="query ids must be unique"):
        judgements_from_qrels({}, ["a"], query_ids=["q", "q"])


def test_spans_are_sorted_by_query_document_and_start() -> None:
    spans = prepare_spans(
        make_corpus({}, (span("q", "b", 5, 7), span("q", "a", 3, 4, 2), span("p", "c", 0, 9)))
    )
    assert spans.n_queries == 3
    assert spans.query.tolist() == [0, 1, 1]
    assert spans.document.tolist() == [2, 0, 1]
    assert spans.grade.tolist() == [1, 2, 1]
    assert len(prepare_spans(make_corpus({}))) == 0


@pytest.mark.parametrize(
    "bad", [span("q", "a", 3, 3), span("q", "a", -1, 3), span("q", "x", 0, 1)]
)
def test_a_span_that_cannot_be_scored_is_refused(bad: Span) -> None:
    with pytest.raises(MetricError, match="span 'q' in "):
        prepare_spans(make_corpus({}, (bad,)))


def test_a_million_documents_and_a_thousand_queries_need_no_dense_matrix() -> None:
    ids = [str(number) for number in range(1_000_000)]
    qrels = {f"q{row}": {str(row * 997): 1, str(row): 0} for row in range(1, 1000)}
    judgements = judgements_from_qrels(qrels, ids)
    assert len(judgements.keys) == 2 * 999
    assert bool((np.diff(judgements.keys) > 0).all())
