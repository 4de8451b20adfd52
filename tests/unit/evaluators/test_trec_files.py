from pathlib import Path

import pytest

from sweep.errors import MetricError
from sweep.evaluators.trec_files import name_runs, read_qrels, read_run
from tests.shared_data import bugcase


def write(folder: Path, content: str) -> Path:
    path = folder / "file"
    path.write_bytes(content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        "q1 0 d1 1\nq1\t0\td2\t0\r\n\n  q2   0  d3   2  \n",
        "q1\td1\t1\nq1\td2\t0\nq2\td3\t2\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t2",
        "q1 d1 1\nq1 d2 0\r\nq2 d3 2",
        "\ufeffq1 Q0 d1 1\nq1 Q0 d2 0\nq2 Q0 d3 2",
    ],
)
def test_every_form_of_qrels(tmp_path: Path, content: str) -> None:
    qrels = read_qrels(write(tmp_path, content))
    assert qrels.graded == {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    assert qrels.binary is qrels.graded


@pytest.mark.parametrize(
    "content",
    [
        "q1 Q0 d1 1 2.5 tag\nq1\tQ0\td2\t2\t-1e2\ttag\r\n",
        "q1\td1\t2.5\nq1\td2\t-1e2\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t2.5\nq1\td2\t-100\n",
        "q1 d1 2.5\nq1 d2 -100.",
    ],
)
def test_every_form_of_runs(tmp_path: Path, content: str) -> None:
    assert read_run(write(tmp_path, content)) == {"q1": {"d1": 2.5, "d2": -100.0}}


def test_ids_are_the_texts_that_they_are(tmp_path: Path) -> None:
    ids = ["007", "7", "NA", "null", "1e5", "True", "12345678901234567890", "b 1 ", "c\u00a01"]
    content = "".join(f"{one}\t{one}\t1\n" for one in ids)
    assert read_qrels(write(tmp_path, content)).graded == {one: {one: 1} for one in ids}
    spaced = write(tmp_path, "q\u00a01 0 d\u20281 1\n")
    assert read_qrels(spaced).graded == {"q\u00a01": {"d\u20281": 1}}


def test_an_id_with_a_blank_in_the_first_line_is_no_trec_iteration(tmp_path: Path) -> None:
    assert read_qrels(write(tmp_path, "q 1\td1\t1\nq 2\td1\t1\n")).graded.keys() == {"q 1", "q 2"}


def test_a_mixed_trec_line_with_two_tabs_is_trec(tmp_path: Path) -> None:
    assert read_qrels(write(tmp_path, "q1 0\td1\t1\n")).graded == {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("q1 0 d1 1\nq1 0 d2\n", r":2: must have 4 filled cells .*got 3"),
        ("q1\td1\t1\nq1\td2\n", r":2: must have 3 filled cells separated by tabs.*got 2"),
        ("q1\td1\t1\nq1\t\t1\n", r":2: must have 3 filled cells"),
        ("q1,d1,1\n", r":1: must have 4 filled cells"),
        ("q1\td1\t1.5\n", r":1: the label must be a whole number, got '1.5'"),
        ("q1\td1\tnan\n", r":1: the label must be a whole number, got 'nan'"),
        ("q1 0 d1 x\n", r":1: the label must be a whole number, got 'x'"),
        ("q1 0 d1 9999999999\n", r":1: the label must be a whole number of at most 9 digits"),
        ("q1 0 d1 1\nq1 0 d1 2\n", r":2: a pair must have one label, got 2 after 1"),
        ("query-id\tcorpus-id\tscore\n", "at least one judgement"),
        ("", "at least one judgement"),
    ],
)
def test_qrels_that_are_refused(tmp_path: Path, content: str, text: str) -> None:
    with pytest.raises(MetricError, match=text):
        read_qrels(write(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("q Q0 d 1 0.5 t\nq Q0 d 2 0.4 t\n", r":2: a query may list a document once, got 'd'"),
        ("q Q0 d 1 nan t\n", r":1: the score must be a number, got 'nan'"),
        ("q\td\t1\nq\te\tNaN\n", r":2: the score must be a number, got 'NaN'"),
        ("q\td\t1\nq\te\t1_0\n", r":2: the score must be a number, got '1_0'"),
        ("q Q0 d 1 0.5\n", r":1: must have 6 filled cells .*got 5"),
        ("\n", "at least one entry"),
    ],
)
def test_runs_that_are_refused(tmp_path: Path, content: str, text: str) -> None:
    with pytest.raises(MetricError, match=text):
        read_run(write(tmp_path, content))


def test_infinite_scores_pass(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, "q\ta\tinf\nq\tb\t-Infinity\n"))
    assert run == {"q": {"a": float("inf"), "b": float("-inf")}}


def test_a_repeated_judgement_is_taken_once_and_said(tmp_path: Path) -> None:
    qrels = read_qrels(write(tmp_path, "q 0 d 1\nq 0 d 1\n"))
    assert qrels.graded == {"q": {"d": 1}}
    assert "1 judgements repeat" in qrels.notices[0]


def test_text_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_bytes(b"q 0 d 1\nq 0 \xff 1\n")
    with pytest.raises(MetricError, match=r":2: must be UTF-8, got byte 0xff"):
        read_qrels(path)


def test_json_lines_hold_gold_ids_and_retrieved_lists(tmp_path: Path) -> None:
    gold = '{"qid": "q1", "gold_doc_ids": ["d1"], "graded_relevance": {"d1": 3, "d2": 0}}\n'
    qrels = read_qrels(write(tmp_path, gold))
    assert qrels.graded == {"q1": {"d1": 3, "d2": 0}}
    assert qrels.binary == {"q1": {"d1": 1, "d2": 0}}
    run = read_run(write(tmp_path, '{"qid": "q1", "retrieved": ["d2", "d1"]}\n'))
    assert run == {"q1": {"d2": 0.0, "d1": -1.0}}
    with pytest.raises(MetricError, match=":2: must be one JSON object"):
        read_qrels(write(tmp_path, gold + '{"qid"\n'))


def test_runs_are_named_by_file_and_by_path_where_files_are_alike() -> None:
    a, b, c = Path("x/run.tsv"), Path("y/run.tsv"), Path("y/other.trec")
    assert name_runs([a, c]) == {"run": a, "other": c}
    assert name_runs([a, b]) == {"x/run.tsv": a, "y/run.tsv": b}
    with pytest.raises(MetricError, match="given once"):
        name_runs([a, a])


def test_16_qrels_need_no_header_and_a_short_line_is_refused() -> None:
    assert len(read_qrels(bugcase("16") / "qrels.tsv").graded) == 3
    with pytest.raises(MetricError, match=r"qrels_bad\.tsv:3:"):
        read_qrels(bugcase("16") / "qrels_bad.tsv")


def test_17_any_white_space_separates() -> None:
    assert read_qrels(bugcase("17") / "qrels.trec").graded == {
        "q1": {"d1": 1, "d2": 0},
        "q2": {"d3": 2, "d1": -1},
    }


def test_labels_are_whole_by_their_value(tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    path.write_text("q1\td1\t2.0\nq1\td2\t0e0\n", encoding="utf-8")
    assert read_qrels(path).graded == {"q1": {"d1": 2, "d2": 0}}
