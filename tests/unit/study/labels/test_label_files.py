"""Files of labels: what is taken, and what is refused with its line."""

from pathlib import Path

import openpyxl
import pytest

from sweep.errors import SweepError
from sweep.study.labels.label_files import read_label_file
from tests.corpus_files import corpus_of

QRELS = {"007": {"d0000": 2}, "=q": {"d0001": 1}, "open": {}}
CORPUS = corpus_of(["a", "b", "c"], qrels=QRELS)
HEADER = "label,query_id,document_id,query\n"


def read(
    tmp_path: Path, content: str | bytes, name: str = "labels.csv"
) -> tuple[object, int, int]:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = read_label_file(path, CORPUS, (0, 3))
    return dict(found.labels), found.known, found.blank


def test_ids_stay_as_written_and_blank_rows_are_counted(tmp_path: Path) -> None:
    rows = '3,007,d0001,x\n,007,d0002,y\n 0 ,\'=q,d0002,"two\nlines"\n2,007,d0000,known\n\n'
    found = {("007", "d0001"): 3, ("=q", "d0002"): 0}
    assert read(tmp_path, HEADER + rows) == (found, 1, 1)
    assert read(tmp_path, "\ufeff" + HEADER + rows) == (found, 1, 1)
    changed = (HEADER + rows).replace(",", ";").replace("\n", "\r\n")
    assert read(tmp_path, changed) == (found, 1, 1)


def test_json_lines(tmp_path: Path) -> None:
    rows = (
        '{"query_id": "007", "document_id": "d0001", "label": 3}\n'
        '{"query_id": "=q", "document_id": "d0002", "label": null}\n'
        '{"query_id": "=q", "document_id": "d0000", "label": "1"}\n'
    )
    found = {("007", "d0001"): 3, ("=q", "d0000"): 1}
    assert read(tmp_path, rows, "labels.jsonl") == (found, 0, 1)


@pytest.mark.parametrize(
    ("rows", "line", "told"),
    [
        ("1,7,d0001,x\n", 2, "query_id must be one of the corpus, got '7'.*'007' is near"),
        ("1,007,d9,x\n", 2, "document_id must be one of the corpus, got 'd9'"),
        ('1,007,d0001,"a\nb"\n1,008,d0001,x\n', 4, "query_id must be one of the corpus"),
        ("4,007,d0001,x\n", 2, "label must be a whole number from 0 to 3, got '4'"),
        ("-1,007,d0001,x\n", 2, "label must be a whole number from 0 to 3, got '-1'"),
        ("1.5,007,d0001,x\n", 2, "label must be a whole number from 0 to 3, got '1.5'"),
        ("1,007,d0001,x\n2,007,d0001,x\n", 3, "one label, got 2 .* after 1 in line 2"),
        ("1,007,d0000,x\n", 2, "must not contradict the corpus, got 1 .* it labels 2"),
        ("1,open,d0000,x\n", 2, "must be a query that has a label already, got 'open'"),
        ("1,,d0000,x\n", 2, "query_id must be present"),
        ("nan,007,d0001,x\n", 2, "label must be a whole number from 0 to 3, got 'nan'"),
        ("inf,007,d0001,x\n", 2, "label must be a whole number from 0 to 3, got 'inf'"),
        ("1,007\n", 2, r"must have 4 cells \(label, .*\), got 2"),
        ('1,007,d0001,"x\n', 2, "must be cells in the form of RFC 4180"),
    ],
)
def test_what_is_refused_by_line(tmp_path: Path, rows: str, line: int, told: str) -> None:
    with pytest.raises(SweepError, match=rf"labels\.csv:{line}: .*{told}"):
        read(tmp_path, HEADER + rows)


@pytest.mark.parametrize(
    ("content", "name", "told"),
    [
        (b"label,query_id,document_id\n1,\xe9,d\n", "l.csv", r"l\.csv:2: must be UTF-8"),
        ("query_id,document_id\n", "l.csv", "got none named label"),
        ("", "l.csv", "got none named label, query_id, document_id"),
        ("label,label,query_id,document_id\n", "l.csv", "got \\['label'\\] twice"),
        ("", "l.ods", "labels must be in a .csv, .jsonl or .xlsx file"),
        ("", "l.xlsx", "must be a workbook"),
        (f'{{"label": {"9" * 5_000}}}\n', "l.jsonl", r"l\.jsonl:1: .*a number of 5,000 digits"),
        ('{"label": 1}\n', "l.jsonl", r"l\.jsonl:1: query_id must be present"),
        ("{]\n", "l.jsonl", r"l\.jsonl:1: must be one JSON object"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: str | bytes, name: str, told: str) -> None:
    with pytest.raises(SweepError, match=told):
        read(tmp_path, content, name)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="must be a readable file"):
        read_label_file(tmp_path / "none.csv", CORPUS, (0, 3))


def test_names_of_columns_may_be_in_another_case(tmp_path: Path) -> None:
    rows = "Query-ID,DOCUMENT_ID, Label \n007,d0001,2.0\n=q,d0002,\n"
    assert read(tmp_path, rows) == ({("007", "d0001"): 2}, 0, 1)
    line = '{"Query_ID": "007", "documentId": "d0001", "LABEL": 2.0}\n'
    assert read(tmp_path, line, "labels.jsonl") == ({("007", "d0001"): 2}, 0, 0)
    both = "Label,LABEL,query_id,document_id\n1,2,007,d0001\n"
    with pytest.raises(SweepError, match=r"csv:2: one column must be label, got 'Label', 'LABEL'"):
        read(tmp_path, both)
    exact = "label,Label,query_id,document_id\n1,2,007,d0001\n"
    with pytest.raises(SweepError, match=r"csv:2: one column must be label, got 'label', 'Label'"):
        read(tmp_path, exact)


def test_a_workbook(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (("Label", "query_id", "document_id"), (3, "007", "d0001"), (None, "007", "d0002")):
        book.active.append(row)
    book.create_sheet("notes").append(["by whom"])
    path = tmp_path / "labels.xlsx"
    book.save(path)
    found = read_label_file(path, CORPUS, (0, 3))
    assert (dict(found.labels), found.blank) == ({("007", "d0001"): 3}, 1)
    del book["notes"]
    book.active.append((9, "007", "d0002"))
    book.save(path)
    with pytest.raises(SweepError, match=r"labels\.xlsx:row 4: label must be a whole number"):
        read_label_file(path, CORPUS, (0, 3))


def test_a_cell_may_be_long_and_the_file_in_another_encoding(tmp_path: Path) -> None:
    rows = HEADER + f"1,007,d0001,{'x' * 200_000}\n"
    assert read(tmp_path, rows) == ({("007", "d0001"): 1}, 0, 0)
    path = tmp_path / "labels.csv"
    path.write_bytes((HEADER + "1,007,d0001,caf\xe9\n").encode("cp1252"))
    found = read_label_file(path, CORPUS, (0, 3), encoding="cp1252")
    assert dict(found.labels) == {("007", "d0001"): 1}


def test_a_line_that_is_no_record_of_a_label(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match=r"jsonl:1: must be one JSON object, got \[1\]") as caught:
        read(tmp_path, "[1]\n", "labels.jsonl")
    assert "_id" not in str(caught.value)
    twice = '{"label": 1, "query_id": "007", "document_id": "d0001", "label": 2}\n'
    with pytest.raises(SweepError, match=r"jsonl:1: an object must name a key once, got 'label'"):
        read(tmp_path, twice, "labels.jsonl")
