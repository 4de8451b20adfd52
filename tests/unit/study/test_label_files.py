"""Files of labels: what is taken, and what is refused with its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import SweepError
from sweep.study.labels.label_files import guarded, read_label_file, unguarded
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
        ("1,007\n", 2, "must have 4 cells as the first line, got 2"),
        ('1,007,d0001,"x\n', 2, "must be CSV"),
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
        ("label,label,query_id,document_id\n", "l.csv", "got one twice"),
        ("", "l.xlsx", "labels must be in a .csv or .jsonl file"),
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


@given(st.text(alphabet="=+-@'\t\rab", max_size=5))
def test_guarded_cells_are_no_formulas_and_read_back(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell
    assert not guarded(cell).startswith(("=", "+", "-", "@", "\t", "\r"))
