from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.errors import CorpusError
from sweep.records import Span
from tests.corpus_files import HEADER, write_corpus

DOCUMENTS = [{"_id": f"d{n}", "text": "one two three"} for n in (1, 2, 3)]
QUERIES = [{"_id": f"q{n}", "text": "?"} for n in (1, 2)]


def folder_with(path: Path, **files: Any) -> Path:
    return write_corpus(path, corpus=DOCUMENTS, queries=QUERIES, **files)


def error(folder: Path, *, qrels: str | None = None) -> str:
    with pytest.raises(CorpusError) as caught:
        read_corpus(folder, qrels=qrels)
    return str(caught.value)


def notices(folder: Path) -> str:
    return "\n".join(str(notice) for notice in read_corpus(folder).notices)


def span(
    start: object, end: object, *, query: str = "q1", document: str = "d1", score: object = 1
) -> dict[str, Any]:
    return {"query-id": query, "corpus-id": document, "start": start, "end": end, "score": score}


@pytest.mark.parametrize("header", [HEADER, "", HEADER.replace("\n", "\r\n"), "\ufeff" + HEADER])
def test_a_header_is_optional(tmp_path: Path, header: str) -> None:
    folder = folder_with(tmp_path, qrels=f"{header}q2\td3\t2\nq1\td2\t0\nq1\td1\t-1\n")
    assert read_corpus(folder).qrels == {"q1": {"d1": -1, "d2": 0}, "q2": {"d3": 2}}


def test_qrels_follow_query_order_and_document_ids(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, qrels="q2\td3\t1\nq2\td1\t1\nq1\td2\t1\n")
    qrels = read_corpus(folder).qrels
    assert [(query, list(grades)) for query, grades in qrels.items()] == [
        ("q1", ["d2"]),
        ("q2", ["d1", "d3"]),
    ]


@pytest.mark.parametrize("score", ["1.5", "high", "", "1_000", "１", "nan", "inf"])
def test_a_grade_must_be_a_whole_number(tmp_path: Path, score: str) -> None:
    folder = folder_with(tmp_path, qrels=f"{HEADER}q1\td1\t1\nq1\td2\t{score}\n")
    assert f"qrels.tsv:3: a score must be a whole number, got '{score}'" in error(folder)


@pytest.mark.parametrize("score", ["2.0", "2e0", "+2", " 2 ", "2."])
def test_a_grade_is_whole_by_its_value(tmp_path: Path, score: str) -> None:
    folder = folder_with(tmp_path, qrels=f"q1\td1\t{score}\nq1\td2\t0.0\n")
    assert read_corpus(folder).qrels == {"q1": {"d1": 2, "d2": 0}}


def test_a_first_line_that_is_no_header_is_not_skipped(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, qrels="q1\td1\t1.5\nq1\td2\t1\n")
    assert "qrels.tsv:1: a score must be a whole number, got '1.5'" in error(folder)


@pytest.mark.parametrize("score", ["1e9", "9999999999", "-1000000000"])
def test_a_grade_beyond_the_limit_is_told_the_limit(tmp_path: Path, score: str) -> None:
    folder = folder_with(tmp_path, qrels=f"{HEADER}q1\td1\t1\nq1\td2\t{score}\n")
    assert f"must be a whole number of at most 9 digits, got '{score}'" in error(folder)


@pytest.mark.parametrize("grade", ["True", "foo", "1_000", ""])
def test_a_first_label_that_is_no_number_is_refused(tmp_path: Path, grade: str) -> None:
    folder = folder_with(tmp_path, qrels=f"q1\td1\t{grade}\nq1\td2\t1\n")
    assert f"qrels.tsv:1: a score must be a whole number, got {grade!r}" in error(folder)


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("corpus-id\tquery-id\tscore", "d3\tq2\t2"),
        ("score\tqid\tdocid", "2\tq2\td3"),
        ("query_id\titer\tdoc_id\trelevance", "q2\t0\td3\t2"),
        ("\n\nquery-id\tcorpus-id\tscore", "q2\td3\t2"),
    ],
    ids=["swapped", "score first", "four columns", "after blank lines"],
)
def test_a_header_names_the_columns(tmp_path: Path, header: str, line: str) -> None:
    folder = folder_with(tmp_path, qrels=f"{header}\n{line}\n")
    assert read_corpus(folder).qrels == {"q2": {"d3": 2}}


@pytest.mark.parametrize("header", ["query-id\tcorpus-id\tx", "query-id\tscore\tscore"])
def test_a_header_that_leaves_out_a_column_is_refused(tmp_path: Path, header: str) -> None:
    folder = folder_with(tmp_path, qrels=f"{header}\nq1\td1\t1\n")
    assert "qrels.tsv:1: the first line must name the columns" in error(folder)


@pytest.mark.parametrize("line", ["q1\td1", "q1 d1 1", "q1\t0\td1\t1"])
def test_a_line_must_have_three_cells(tmp_path: Path, line: str) -> None:
    folder = folder_with(tmp_path, qrels=f"q1\td1\t1\n\n{line}\n")
    assert "qrels.tsv:3: must have 3 cells separated by tabs" in error(folder)


def test_an_equal_repeat_counts_once(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, qrels="q1\td1\t1\nq1\td2\t1\nq1\td1\t1\n")
    assert read_corpus(folder).qrels == {"q1": {"d1": 1, "d2": 1}}
    assert "qrels.tsv: 1 judgements repeat an earlier line (e.g. line 3)" in notices(folder)


def test_two_grades_of_one_pair_are_refused_naming_both_lines(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, qrels="q1\td1\t1\nq1\td2\t1\nq1\td1\t2\n")
    assert "qrels.tsv:3: a pair must have one grade, got 2" in error(folder)
    assert "after 1 in line 1" in error(folder)


@pytest.fixture
def several(tmp_path: Path) -> Path:
    folder = folder_with(tmp_path, qrels=None)
    (folder / "qrels").mkdir()
    for grade, name in enumerate(["train", "dev", "test"], start=1):
        (folder / "qrels" / f"{name}.tsv").write_text(f"q1\td1\t{grade}\n", encoding="utf-8")
    return folder


def test_the_test_part_is_taken_of_several(several: Path) -> None:
    assert read_corpus(several).qrels == {"q1": {"d1": 3}}


@pytest.mark.parametrize("name", ["dev", "dev.tsv"])
def test_a_part_can_be_named(several: Path, name: str) -> None:
    assert read_corpus(several, qrels=name).qrels == {"q1": {"d1": 2}}


def test_an_unknown_part_is_refused_with_the_ones_there_are(several: Path) -> None:
    text = error(several, qrels="val")
    assert "got qrels='val' (found: qrels/dev.tsv, qrels/test.tsv, qrels/train.tsv)" in text


def test_the_only_file_is_taken_whatever_its_name(several: Path) -> None:
    (several / "qrels" / "test.tsv").unlink()
    (several / "qrels" / "train.tsv").unlink()
    assert read_corpus(several).qrels == {"q1": {"d1": 2}}


def test_several_without_a_test_part_must_be_chosen_from(several: Path) -> None:
    (several / "qrels" / "test.tsv").unlink()
    assert "got several" in error(several)
    assert "qrels=" in error(several)


def test_a_file_in_both_places_must_be_chosen(several: Path) -> None:
    (several / "qrels.tsv").write_text("q1\td1\t1\n", encoding="utf-8")
    assert "found: qrels/dev.tsv, qrels/test.tsv, qrels/train.tsv, qrels.tsv" in error(several)


def test_spans_alone_give_documents_their_highest_grade(tmp_path: Path) -> None:
    spans = [
        span(8, 13),
        span(0, 3, score=2),
        span(4, 7, score=1),
        span(4, 7, query="q2", document="d3"),
    ]
    corpus = read_corpus(folder_with(tmp_path, qrels=None, spans=spans))
    assert corpus.qrels == {"q1": {"d1": 2}, "q2": {"d3": 1}}
    assert corpus.spans == (
        Span(query_id="q1", document_id="d1", start=0, end=3, grade=2),
        Span(query_id="q1", document_id="d1", start=4, end=7, grade=1),
        Span(query_id="q1", document_id="d1", start=8, end=13, grade=1),
        Span(query_id="q2", document_id="d3", start=4, end=7, grade=1),
    )


def test_a_document_judgement_overrides_its_spans(tmp_path: Path) -> None:
    spans = [span(0, 3, score=3), span(0, 3, document="d2", score=2)]
    corpus = read_corpus(folder_with(tmp_path, qrels="q1\td1\t1\n", spans=spans))
    assert corpus.qrels == {"q1": {"d1": 1, "d2": 2}}


@pytest.mark.parametrize(
    ("start", "end", "got"),
    [
        (-1, 3, "got [-1, 3)"),
        (0, 14, "got [0, 14)"),
        (3, 3, "got [3, 3)"),
        (5, 4, "got [5, 4)"),
        (3, 4, "got a blank passage"),
    ],
)
def test_a_span_outside_empty_or_blank_is_refused(
    tmp_path: Path, start: int, end: int, got: str
) -> None:
    folder = folder_with(tmp_path, spans=[span(0, 3), span(start, end)])
    assert "qrels_spans.jsonl:2: a span must hold text and lie in [0, 13) of 'd1'" in error(folder)
    assert got in error(folder)


@pytest.mark.parametrize("field", ["start", "end", "score"])
@pytest.mark.parametrize("value", [None, 1.5, True, "x", [1]])
def test_a_span_needs_integers(tmp_path: Path, field: str, value: object) -> None:
    folder = folder_with(tmp_path, spans=[{**span(0, 3), field: value}])
    assert f"qrels_spans.jsonl:1: '{field}' must be a whole number" in error(folder)


def test_spans_count_code_points(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": "d1", "text": "🙂é"}], spans=[span(1, 2)])
    assert len(read_corpus(folder).spans) == 1
    (folder / "qrels_spans.jsonl").unlink()
    write_corpus(folder, corpus=[{"_id": "d1", "text": "🙂é"}], spans=[span(1, 3)])
    assert "lie in [0, 2)" in error(folder)


def test_repeated_spans_count_once_and_contradicting_ones_are_refused(tmp_path: Path) -> None:
    assert len(read_corpus(folder_with(tmp_path, spans=[span(0, 3), span(0, 3)])).spans) == 1
    folder = folder_with(tmp_path, spans=[span(0, 3), span(0, 3, score=2)])
    assert "qrels_spans.jsonl:2: a pair must have one grade" in error(folder)


def test_spans_that_do_not_hold_their_text_are_noticed(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, spans=[span(0, 3), span(4, 7), span(8, 13)])
    held = read_corpus(folder).documents[0].text
    told = [
        {**span(0, 3), "text": held[0:3]},
        {**span(4, 7), "text": f"  {held[4:7]}\n"},  # white space may have been cleaned
        {**span(8, 13), "text": "elsewhere"},
    ]
    folder = folder_with(tmp_path / "told", spans=told)
    assert f"1 spans do not hold their 'text' (e.g. line 3: {held[8:13]!r} stands" in notices(
        folder
    )
    assert "not 'elsewhere'): offsets count code points" in notices(folder)


def test_unknown_ids_are_counted_named_and_left_out(tmp_path: Path) -> None:
    lines = ["q1\td1\t1", *(f"q1\tx{n}\t1" for n in range(4)), "q9\td1\t1"]
    folder = folder_with(tmp_path, qrels="\n".join(lines))
    assert read_corpus(folder).qrels == {"q1": {"d1": 1}}
    text = notices(folder)
    assert "4 of 6 judgements name unknown documents (e.g. 'x0', 'x1', 'x2')" in text
    assert "1 of 6 judgements name unknown queries (e.g. 'q9')" in text


def test_a_difference_that_cannot_be_seen_is_pointed_out_first(tmp_path: Path) -> None:
    lines = ["q1\td1\t1", "q1\tx\t1", "q1\ty\t1", "q1\tz\t1", "q1\td2 \t1"]
    text = notices(folder_with(tmp_path, qrels="\n".join(lines)))
    assert (
        "'d2 ' where the corpus has 'd2', which differs only in white space or Unicode normal form"
        in text
    )
    assert "from 'd2 ', 'x', 'y'); left out" in text


@pytest.mark.parametrize("part", ["qrels", "spans"])
def test_judgements_that_all_miss_are_refused(tmp_path: Path, part: str) -> None:
    content: dict[str, Any] = {
        "qrels": "q1\td1-0-512\t1\nq2\td2-0-512\t1\n",
        "spans": [span(0, 3, document="d1-0-512"), span(0, 3, document="d2-0-512")],
    }
    folder = folder_with(tmp_path, **{"qrels": None, part: content[part]})
    text = error(folder)
    assert "2 of 2 judgements name unknown documents (e.g. 'd1-0-512', 'd2-0-512')" in text
    assert "chunks" in text
