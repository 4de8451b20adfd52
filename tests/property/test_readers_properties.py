"""Every reader: hostile ids and texts come back exactly; bytes of any kind give no traceback."""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.corpus import read_corpus, read_sources
from sweep.corpus.found import ReadOptions
from sweep.corpus.readers.choose import BY_NAME
from sweep.corpus.write import write_corpus
from sweep.errors import CorpusError
from sweep.parquet import to_parquet

HOSTILE = ["007", "1.0", "NA", "null", "None", "nan", "1e5", "12345678901234567890", "True", "",
           " a b ", "\u2028x", "\x85", "é", "e\u0301", '"', "'", "a,b", "a;b", "=1+1", "#",
           "\ufeff", "<DOC>", "&amp;", "🙂", "\\", "\\ud800"]  # fmt: skip
ANY = st.characters(exclude_categories=["Cs"])
TEXTS = st.sampled_from(HOSTILE) | st.text(ANY, max_size=20)
CUTTING = "\t\n\r"
IDS = TEXTS.filter(lambda text: text != "" and not set(text) & set(CUTTING))
Rows = list[dict[str, str]]
Write = Callable[[Path, Rows], None]


def write_jsonl(path: Path, rows: Rows) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_bytes("\n".join(lines).encode())


def write_json(path: Path, rows: Rows) -> None:
    path.write_bytes(json.dumps(rows).encode())


def write_csv(path: Path, rows: Rows) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, list(rows[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(buffer.getvalue().encode())


def write_parquet(path: Path, rows: Rows) -> None:
    path.write_bytes(to_parquet(pa.Table.from_pylist(rows)))


def write_tsv(path: Path, rows: Rows) -> None:
    lines = ["\t".join(rows[0]), *("\t".join(row.values()) for row in rows)]
    path.write_bytes("\n".join(lines).encode())


def write_xlsx(path: Path, rows: Rows) -> None:
    book = openpyxl.Workbook()
    for row in (list(rows[0]), *(list(row.values()) for row in rows)):
        book.active.append(row)
    book.save(path)


def compressed(write: Write, pack: Callable[[bytes], bytes]) -> Write:
    def write_packed(path: Path, rows: Rows) -> None:
        write(path, rows)
        path.write_bytes(pack(path.read_bytes()))

    return write_packed


def zst(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return packed


def utf16(write: Write) -> Write:
    return compressed(write, lambda data: data.decode().encode("utf-16"))


FORMS: dict[str, Write] = {
    "jsonl": write_jsonl,
    "json": write_json,
    "csv": write_csv,
    "parquet": write_parquet,
    "jsonl.gz": compressed(write_jsonl, gzip.compress),
    "csv.bz2": compressed(write_csv, bz2.compress),
    "jsonl.xz": compressed(write_jsonl, lzma.compress),
    "csv.zst": compressed(write_csv, zst),
    "16.jsonl": utf16(write_jsonl),
    "16.csv": utf16(write_csv),
}


@settings(max_examples=30)
@given(
    form=st.sampled_from(sorted(FORMS)),
    documents=st.dictionaries(IDS, st.tuples(TEXTS, TEXTS), min_size=1, max_size=3),
    queries=st.dictionaries(IDS, TEXTS, min_size=1, max_size=3),
    grade=st.integers(-2, 4),
)
def test_ids_and_texts_come_back_exactly_in_every_form(
    form: str, documents: dict[str, tuple[str, str]], queries: dict[str, str], grade: int
) -> None:
    write = FORMS[form]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [{"_id": i, "title": t, "text": f"x{x}"} for i, (t, x) in documents.items()]
        write(folder / f"docs.{form}", rows)
        write(folder / f"queries.{form}", [{"_id": i, "text": x} for i, x in queries.items()])
        first, asked = next(iter(documents)), next(iter(queries))
        judged = [{"query-id": asked, "corpus-id": first, "score": str(grade)}]
        write(folder / f"qrels.{form}", judged)
        corpus = read_sources([str(folder)]).corpus
        found = {d.id: (d.title, d.text.removeprefix("x")) for d in corpus.documents}
        assert found == documents
        assert {q.id: q.text for q in corpus.queries} == queries
        assert corpus.qrels == {asked: {first: grade}}
        again = read_corpus(write_corpus(corpus, folder / "out"))
        assert again.hash == corpus.hash
        assert again.documents == corpus.documents
        assert again.queries == corpus.queries


@settings(max_examples=25)
@given(
    documents=st.dictionaries(
        IDS, TEXTS.filter(lambda text: not set(text) & set(CUTTING)), min_size=1, max_size=3
    )
)
def test_cells_of_a_tsv_file_are_what_stands_between_tabs(documents: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [{"_id": i, "text": f"x{text}"} for i, text in documents.items()]
        write_tsv(folder / "docs.tsv", rows)
        write_tsv(folder / "queries.tsv", [{"qid": "q", "query": "?"}])
        judged = {"query-id": "q", "corpus-id": next(iter(documents)), "score": "1"}
        write_tsv(folder / "qrels.tsv", [judged])
        corpus = read_sources([str(folder)]).corpus
        assert {d.id: d.text.removeprefix("x") for d in corpus.documents} == documents


XML = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"], max_codepoint=0xFFFD),
              max_size=20)  # fmt: skip


@settings(max_examples=8)
@given(
    documents=st.dictionaries(
        st.sampled_from([h for h in HOSTILE if h and "\ud800" not in h]) | XML.filter(bool),
        XML,
        min_size=1,
        max_size=3,
    )
)
def test_texts_of_a_workbook_come_back_exactly(documents: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "book.xlsx"
        book = openpyxl.Workbook()
        sheet: Any = book.active
        sheet.title = "docs"
        sheet.append(["id", "text"])
        for row, (id_, text) in enumerate(documents.items(), start=2):
            for column, value in ((1, id_), (2, f"x{text}")):
                cell = sheet.cell(row, column)
                cell.value = value
                cell.data_type = "s"
        book.create_sheet("queries").append(["qid", "query"])
        book["queries"].append(["q", "?"])
        book.create_sheet("qrels").append(["qid", "docid", "grade"])
        book["qrels"].append(["q", next(iter(documents)), 1])
        book["qrels"]["B2"].data_type = "s"
        book.save(path)
        corpus = read_sources([str(path)]).corpus
        assert {d.id: d.text.removeprefix("x") for d in corpus.documents} == documents


PIECES = st.sampled_from(
    [b'{"_id": "d1", "text": "ant"}', b"query-id\tcorpus-id\tscore", b"q1 0 d1 1", b"q1\td1\t1",
     b"<DOC>", b"</DOC>", b"<DOCNO>d1</DOCNO>", b"<TEXT>", b"<top>", b"</top>", b"<num> Number: 1",
     b"<title> t", b'{"data": [{"paragraphs": [{"context": "ant", "qas": [', b"]}]}]}", b"[", b"]",
     b'{"id": "q", "question": "?", "answers": [{"text": "ant", "answer_start": 1}]}',
     b'{"qid": "q1", "query": "?", "gold_doc_ids": ["d1"], "graded_relevance": {"d1": 2}}',
     b'{"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 1}]}',
     b"PK\x03\x04", b"PAR1", b"id,text",
     b'"a","b', b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\xff\xfe",
     b"\xef\xbb\xbf", b"null", b"7", b'{"gold_doc_ids": 5, "query": []}', b"a;b;c", b"\x00"]
)  # fmt: skip
BYTES = st.lists(PIECES | st.binary(max_size=12), max_size=6).flatmap(
    lambda parts: st.sampled_from([b"\n", b"", b",", b" "]).map(lambda sep: sep.join(parts))
)
NAMES = ["corpus.jsonl", "docs.json", "queries.csv", "qrels.tsv", "x.parquet", "x.xlsx", "x.trec",
         "x.txt", "spans.jsonl", "corpus.csv.gz"]  # fmt: skip


@settings(max_examples=60)
@given(
    files=st.dictionaries(st.sampled_from(NAMES), BYTES, min_size=1, max_size=3),
    form=st.none() | st.sampled_from(sorted(BY_NAME)),
    encoding=st.sampled_from([None, None, "cp1252", "utf-16", "shift_jis", "raw_unicode_escape"]),
    column=st.sampled_from([{}, {"text": "body"}, {"id": "text"}]),
)
def test_bytes_of_any_kind_end_in_a_sentence(
    files: dict[str, bytes], form: str | None, encoding: str | None, column: dict[str, str]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, data in files.items():
            (folder / file).write_bytes(data)
        for sources in ([str(folder)], [str(folder / file) for file in files]):
            with contextlib.suppress(CorpusError):
                options = ReadOptions(columns=column, encoding=encoding)
                corpus = read_sources(sources, format=form, options=options).corpus
                assert read_corpus(write_corpus(corpus, folder / "out")).hash == corpus.hash


@settings(max_examples=30)
@given(
    form=st.sampled_from(["parquet", "jsonl.gz", "csv.bz2", "jsonl.xz", "csv.zst", "xlsx"]),
    at=st.floats(0, 1),
    byte=st.integers(0, 255),
    cut=st.booleans(),
)
def test_a_damaged_file_ends_in_a_sentence(form: str, at: float, byte: int, cut: bool) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"docs.{form}"
        write = write_xlsx if form == "xlsx" else FORMS[form]
        write(path, [{"_id": f"d{n}", "text": "one two three"} for n in range(20)])
        data = bytearray(path.read_bytes())
        place = min(int(at * len(data)), len(data) - 1)
        data[place] = byte
        path.write_bytes(data[:place] if cut else data)
        with contextlib.suppress(CorpusError):
            read_sources([str(path)])
