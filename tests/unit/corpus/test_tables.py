"""Tables: what is a cell, a header, a number, nothing; and which column is read as what."""

import csv
import datetime
import decimal
import tracemalloc
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest

from sweep.corpus import read_sources
from sweep.corpus.columns import guess_columns, guess_role, is_header, parse_columns, role_by_name
from sweep.corpus.found import Place
from sweep.corpus.tables import Row, Table, read_tables
from sweep.errors import CorpusError
from sweep.parquet import to_parquet

EXACT = ["007", "1.0", "NA", "1e5", "12345678901234567890", "True", "null", " x "]


def table(path: Path, data: str | bytes, **options: Any) -> Table:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    (one,) = read_tables(path, **options)
    return one


def cells(one: Table) -> list[list[Any]]:
    return [list(row.values.values()) for row in one.rows]


def error(path: Path, data: str | bytes) -> str:
    with pytest.raises(CorpusError) as caught:
        table(path, data)
    return str(caught.value)


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_cells_are_the_texts_that_are_written(tmp_path: Path, ending: str) -> None:
    separator = {"csv": ",", "tsv": "\t"}[ending]
    lines = ["_id" + separator + "text", *(f"{cell}{separator}NA" for cell in EXACT)]
    found = table(tmp_path / f"x.{ending}", "\r\n".join(lines))
    assert cells(found) == [[cell, "NA"] for cell in EXACT]
    assert [str(row.place) for row in found.rows][:2] == [f"{found.file}:2", f"{found.file}:3"]


def test_a_quoted_cell_holds_separators_and_line_ends_and_lines_are_counted(
    tmp_path: Path,
) -> None:
    found = table(tmp_path / "x.csv", 'id,text\n1,"a\r\nb, ""c"""\n\n2,\u2028d\n,\n  \n\x85,\n')
    assert cells(found) == [["1", 'a\r\nb, "c"'], ["2", "\u2028d"], ["\x85", ""]]
    assert [row.place.at for row in found.rows] == ["2", "5", "8"]


def test_semicolons_are_seen_and_told(tmp_path: Path) -> None:
    found = table(tmp_path / "x.csv", "id;text\n1;a,b\n")
    assert cells(found) == [["1", "a,b"]]
    assert found.remarks == ("cells are separated by semicolons",)


def test_quotes_of_a_tsv_file_are_kept_and_told(tmp_path: Path) -> None:
    found = table(tmp_path / "x.tsv", 'id\ttext\n1\t"a ""b"""\n2\t5" disk\n')
    assert cells(found) == [["1", '"a ""b"""'], ["2", '5" disk']]
    assert found.remarks[0].startswith("1 cells begin and end with a quote")


def test_a_cell_may_be_longer_than_the_csv_modules_limit(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    assert len(cells(table(tmp_path / "x.csv", f"id,text\n1,{'x' * 300_000}\n"))[0][1]) == 300_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("name", "data", "columns"),
    [
        ("x.csv", "q1,d1,1\n", ("query-id", "corpus-id", "score")),
        ("x.tsv", "q1\td1\t-1\n", ("query-id", "corpus-id", "score")),
        ("x.csv", "query-id,corpus-id,score\nq1,d1,1\n", ("query-id", "corpus-id", "score")),
        ("x.tsv", "1\tsome text\n", ("id", "text")),
        ("x.tsv", "docno\tbody\n1\tsome text\n", ("docno", "body")),
        ("x.csv", "a,b\n1,2\n", ("a", "b")),
    ],
)
def test_a_first_line_of_data_is_no_header(
    tmp_path: Path, name: str, data: str, columns: tuple[str, ...]
) -> None:
    found = table(tmp_path / name, data)
    assert found.columns == columns
    assert len(found.rows) == 1


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("x.csv", "id,text\n1,a\n2\n", "x.csv:3: must have 2 cells (id, text), got 1"),
        ("x.csv", "id,text\n1,a,b\n", "x.csv:2: must have 2 cells"),
        ("x.csv", 'id,text\n1,"a\n2,b\n', "x.csv:2: must be cells in the form of RFC 4180"),
        ("x.csv", 'id,text\n1,"a"b\n', "x.csv:2: must be cells in the form of RFC 4180"),
        ("x.csv", "id,text\r1,a\r2,b\r", "x.csv:1: lines must end at LF or CRLF, got a CR alone"),
        ("x.csv", "id,id\n1,2\n", "x.csv:1: columns must have names of their own"),
        ("x.tsv", "id\ttext\n1\n", "x.tsv:2: must have 2 cells"),
        ("x.json", '[{"id": 1}, 2]', "x.json:[1]: must be a JSON object, got 2"),
        ("x.json", '[\n{"id": 1\n', "x.json: must be JSON"),
        ("x.jsonl", '{"id": 1}\n[]\n', "x.jsonl:2: must be one JSON object"),
        ("x.parquet", b"PAR1", "x.parquet: must be a parquet file"),
        ("x.xlsx", b"PK\x03\x04", "x.xlsx: must be a workbook (.xlsx)"),
        ("x.csv", b"PK\x03\x04", "x.csv: must be a text file, got a zip archive"),
        ("x.doc", "", "x.doc: must be a table (.csv, .tsv"),
    ],
)
def test_faults_have_their_line(tmp_path: Path, name: str, data: str | bytes, says: str) -> None:
    assert says in error(tmp_path / name, data)


def test_columns_of_json_lines_are_all_keys(tmp_path: Path) -> None:
    found = table(tmp_path / "x.jsonl", '{"id": 1}\n\n{"text": "a", "id": 2}\n')
    assert found.columns == ("id", "text")
    assert [row.values for row in found.rows] == [{"id": 1}, {"text": "a", "id": 2}]
    assert found.rows[1].place.at == "3"


def test_parquet_values_become_jsons(tmp_path: Path) -> None:
    row = {
        "id": 12345678901234567,
        "score": float("nan"),
        "day": datetime.datetime(2026, 11, 30, 1),
        "price": decimal.Decimal("1.10"),
        "raw": b"\x00",
        "tags": ["a", None],
        "page": {"number": 1},
    }
    found = table(tmp_path / "x.parquet", to_parquet(pa.Table.from_pylist([row])))
    assert cells(found) == [
        [12345678901234567, None, "2026-11-30T01:00:00", "1.10", "AA==", ["a", None],
         {"number": 1}]
    ]  # fmt: skip
    assert found.rows[0].place.at == "row 1"


def workbook(path: Path, **sheets: list[list[Any]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_each_sheet_of_a_workbook_is_a_table(tmp_path: Path) -> None:
    day = datetime.date(2026, 11, 30)
    docs = [["id", "text", "day", None], [None] * 4, ["007", "ant", day, "x"], [7, None, None]]
    path = workbook(tmp_path / "b.xlsx", docs=docs, empty=[], Questions=[["q"], ["how?"]])
    first, second = read_tables(path)
    assert (first.name, first.columns) == ("docs", ("id", "text", "day"))
    assert cells(first) == [["007", "ant", "2026-11-30T00:00:00"], [7, "", ""]]
    assert first.rows[0].place.at == "sheet docs, row 3"
    assert (second.name, cells(second)) == ("Questions", [["how?"]])


def test_ids_that_a_spreadsheet_has_rounded_are_refused(tmp_path: Path) -> None:
    book = workbook(tmp_path / "docs.xlsx", docs=[["id", "text"], [12345678901234567890, "x"]])
    with pytest.raises(CorpusError, match=r"row 2: 'id' must keep all its digits"):
        read_sources([str(book)])


@pytest.mark.parametrize(
    ("columns", "name", "role"),
    [
        (["_id", "title", "text"], "x", "documents"),
        (["_id", "text"], "my-queries", "queries"),
        (["_id", "text"], "x", "documents"),
        (["docno", "Body"], "x", "documents"),
        (["qid", "question"], "x", "queries"),
        (["question", "doc_id", "label"], "x", "queries"),
        (["query-id", "corpus-id", "score"], "x", "qrels"),
        (["qid", "docid", "rel"], "x", "qrels"),
        (["query", "document", "grade"], "qrels", "qrels"),
        (["query-id", "corpus-id", "start", "end", "score"], "x", "spans"),
        (["id", "text", "question"], "corpus", "documents"),
        (["a", "b"], "x", None),
        (["text"], "x", None),
    ],
)
def test_the_role_of_a_table(columns: list[str], name: str, role: str | None) -> None:
    rows = (Row(Place("f", "1"), {}),)
    assert guess_role(Table(file="f", name=name, columns=tuple(columns), rows=rows), {}) == role


def test_a_column_is_read_as_one_field_and_the_users_word_goes_first() -> None:
    assert guess_columns(["Doc ID", "TEXT", "Title"], "documents", {}) == {
        "id": "Doc ID",
        "text": "TEXT",
        "title": "Title",
    }
    assert guess_columns(["id", "document"], "documents", {}) == {"id": "id", "text": "document"}
    given = {"text": "note", "id": "nowhere"}
    assert guess_columns(["id", "text", "note"], "documents", given) == {
        "text": "note",
        "id": "id",
    }


@pytest.mark.parametrize("texts", [["text"], ["text="], ["txt=a"], ["id=a", "id=b"]])
def test_a_column_option_that_says_nothing_is_refused(texts: list[str]) -> None:
    with pytest.raises(CorpusError, match="--column"):
        parse_columns(texts)
    assert parse_columns(["id=a=b", "query-id=q"]) == {"id": "a=b", "query-id": "q"}


def test_names_tell_roles() -> None:
    named = {name: role_by_name(name) for name in ("qrels_spans", "test-Queries", "docs2", "x")}
    assert named == {
        "qrels_spans": "spans",
        "test-Queries": "queries",
        "docs2": "documents",
        "x": None,
    }
    assert is_header(["query-id", "x", "score"], {})
    assert not is_header(["17", "text"], {})


def test_a_huge_file_takes_less_than_ten_times_its_size(tmp_path: Path) -> None:
    size = 4_000_000
    files = {
        "docs.csv": f"id,text\n1,{'x ' * (size // 2)}\n2,b\n",
        "docs.jsonl": f'{{"id": "1", "text": "{"x " * (size // 2)}"}}\n{{"id": "2", "text": "b"}}',
    }
    (tmp_path / "ask.csv").write_text("qid,query,gold\nq,?,2\n", encoding="utf-8")
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        tracemalloc.start()
        read_sources([str(tmp_path / name), str(tmp_path / "ask.csv")])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 10 * size
