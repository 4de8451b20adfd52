"""The handbook corpus keeps what its README promises: ids, kinds, grades, spans, versions."""

import json
import re
from collections import Counter, defaultdict
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "corpora" / "handbook"
KINDS = {
    "factoid",
    "definition",
    "procedure",
    "multi-document",
    "paraphrase",
    "identifier",
    "superseded",
    "unanswerable",
}
STOP_WORDS = {"after", "from", "with"}  # words of 4 letters and more that carry no content


def read_lines(name: str) -> list[dict[str, Any]]:
    with (FOLDER / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_grades() -> dict[tuple[str, str], int]:
    header, *rows = (FOLDER / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()
    assert header == "query-id\tcorpus-id\tscore"
    cells = [row.split("\t") for row in rows]
    grades = {(query, document): int(score) for query, document, score in cells}
    assert len(grades) == len(rows), "a query-document pair is judged twice"
    return grades


DOCUMENT_LINES = read_lines("corpus.jsonl")
QUERY_LINES = read_lines("queries.jsonl")
SPANS = read_lines("qrels_spans.jsonl")
GRADES = read_grades()
DOCUMENTS = {document["_id"]: document for document in DOCUMENT_LINES}
QUERIES = {query["_id"]: query for query in QUERY_LINES}
ARCHIVED = {i for i, d in DOCUMENTS.items() if d["metadata"]["status"] == "archived"}


def kind_of(query_id: str) -> str:
    return str(QUERIES[query_id]["metadata"]["kind"])


def queries_of(kind: str) -> list[str]:
    return [query_id for query_id in QUERIES if kind_of(query_id) == kind]


def documents_of(query_id: str, *, at_least: int) -> set[str]:
    return {d for (q, d), grade in GRADES.items() if q == query_id and grade >= at_least}


def passage(span: dict[str, Any]) -> str:
    return str(DOCUMENTS[span["corpus-id"]]["text"][span["start"] : span["end"]])


def content_words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{4,}", text.lower())) - STOP_WORDS


def test_ids_are_unique_and_documents_sorted() -> None:
    assert len(DOCUMENTS) == len(DOCUMENT_LINES)
    assert len(QUERIES) == len(QUERY_LINES)
    assert list(DOCUMENTS) == sorted(DOCUMENTS)


def test_documents_have_the_promised_size() -> None:
    sizes = {i: len(document["text"].split()) for i, document in DOCUMENTS.items()}
    assert len(sizes) >= 36
    assert {i: n for i, n in sizes.items() if not 400 <= n <= 2500} == {}
    assert sum(sizes.values()) > 30_000


def test_text_is_stripped_and_has_no_title_line() -> None:
    for document in DOCUMENT_LINES:
        assert document["title"].strip()
        assert document["text"] == document["text"].strip()
        assert not document["text"].startswith("# ")


def test_there_are_enough_queries_and_each_is_judged() -> None:
    assert len(QUERIES) >= 120
    assert {query for query, _ in GRADES} == set(QUERIES)
    assert len({query["text"] for query in QUERY_LINES}) == len(QUERIES)


def test_every_kind_has_at_least_eight_queries() -> None:
    counts = Counter(kind_of(query_id) for query_id in QUERIES)
    assert set(counts) == KINDS
    assert min(counts.values()) >= 8


def test_judgements_name_known_documents_and_grades() -> None:
    assert {document for _, document in GRADES} <= set(DOCUMENTS)
    assert set(GRADES.values()) == {0, 1, 2, 3}


def test_spans_are_passages_between_word_borders() -> None:
    for span in SPANS:
        text = DOCUMENTS[span["corpus-id"]]["text"]
        assert 0 <= span["start"] < span["end"] <= len(text), span
        assert passage(span) == passage(span).strip() != "", span
        for border in (span["start"], span["end"]):
            around = text[max(border - 1, 0) : border + 1]
            assert not (len(around) == 2 and around.isalnum()), (span, around)


def test_a_passage_occurs_once_in_its_document() -> None:
    for span in SPANS:
        assert DOCUMENTS[span["corpus-id"]]["text"].count(passage(span)) == 1, span


def test_no_span_is_given_twice() -> None:
    keys = [(s["query-id"], s["corpus-id"], s["start"], s["end"]) for s in SPANS]
    assert all(earlier < later for earlier, later in pairwise(keys))


def test_a_document_is_graded_like_its_best_span() -> None:
    best: dict[tuple[str, str], int] = defaultdict(int)
    for span in SPANS:
        assert span["score"] in {1, 2, 3}
        pair = (span["query-id"], span["corpus-id"])
        best[pair] = max(best[pair], span["score"])
    assert {pair: GRADES.get(pair) for pair in best} == best


def test_every_answer_of_grade_two_or_three_has_a_span() -> None:
    with_span = {(span["query-id"], span["corpus-id"]) for span in SPANS}
    assert {pair for pair, grade in GRADES.items() if grade >= 2} <= with_span


def test_unanswerable_means_no_grade_above_zero() -> None:
    unanswered = {query_id for query_id in QUERIES if not documents_of(query_id, at_least=1)}
    assert unanswered == set(queries_of("unanswerable"))


def test_an_answerable_query_has_a_main_answer() -> None:
    for query_id in set(QUERIES) - set(queries_of("unanswerable")):
        assert documents_of(query_id, at_least=2), query_id


@pytest.mark.parametrize("query_id", queries_of("multi-document"))
def test_multi_document_queries_need_two_documents(query_id: str) -> None:
    assert len(documents_of(query_id, at_least=2)) >= 2


@pytest.mark.parametrize("query_id", queries_of("superseded"))
def test_superseded_queries_name_both_versions(query_id: str) -> None:
    named = documents_of(query_id, at_least=1)
    replaced = {DOCUMENTS[d]["metadata"].get("supersedes") for d in named - ARCHIVED}
    assert named & ARCHIVED & replaced, named


@pytest.mark.parametrize("query_id", queries_of("paraphrase"))
def test_paraphrases_share_no_content_word_with_the_answer(query_id: str) -> None:
    asked = content_words(QUERIES[query_id]["text"])
    best = [s for s in SPANS if s["query-id"] == query_id and s["score"] == 3]
    assert best
    assert {word for span in best for word in asked & content_words(passage(span))} == set()


def test_documents_carry_section_status_and_dates() -> None:
    for document in DOCUMENT_LINES:
        metadata = document["metadata"]
        assert metadata["section"]
        assert metadata["status"] in {"current", "archived"}
        start = date.fromisoformat(metadata["valid_from"])
        if "valid_to" in metadata:
            assert start < date.fromisoformat(metadata["valid_to"])
        assert ("valid_to" in metadata) == (metadata["status"] == "archived")


def test_archived_documents_are_replaced_by_a_current_one() -> None:
    replaced = Counter(
        document["metadata"]["supersedes"]
        for document in DOCUMENT_LINES
        if "supersedes" in document["metadata"] and document["metadata"]["status"] == "current"
    )
    assert set(replaced) == ARCHIVED
    assert set(replaced.values()) == {1}


def test_supersedes_names_an_earlier_document() -> None:
    for document in DOCUMENT_LINES:
        metadata = document["metadata"]
        if "supersedes" in metadata:
            old = DOCUMENTS[metadata["supersedes"]]["metadata"]
            assert old["valid_to"] < metadata["valid_from"]
