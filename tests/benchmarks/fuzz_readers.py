"""Every reader on damaged files: only errors of our own, and nothing that hangs.

python tests/benchmarks/fuzz_readers.py [minutes per form] [form ...]    (10; all forms)

Good files of each form are damaged at random (bytes flipped, cut, doubled, swapped between files,
hostile pieces put in; half of the time inside a compressed or zipped member) and read, as the form
they are of or as what they seem to be. What is read must come back with the same hash from our
layout. Anything but an error of ours, and any file that takes over 20 seconds, is printed with its
seed (`--seed N` repeats it) and ends the script with 1. Linux and macOS.
"""

import argparse
import io
import json
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa

from sweep.corpus import read_corpus, read_sources
from sweep.corpus.asked.read import read_asked
from sweep.corpus.found import ReadOptions
from sweep.corpus.write import write_corpus
from sweep.errors import SweepError
from sweep.parquet import to_parquet

LONGEST_S = 20
Files = dict[str, bytes]
DOCUMENTS = [
    {"_id": f"d{n}", "title": f"Title {n}", "text": f"Ants carry {n} leaves. e\u0301\u2028 end"}
    for n in range(4)
]
QUERIES = [{"_id": f"q{n}", "text": f"how many leaves {n}?"} for n in range(3)]
QRELS = [("q0", "d0", 1), ("q1", "d1", 2), ("q2", "d3", 0)]
PIECES = [b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\t", b",", b'"', b"\\ud800",
          b"null", b"NaN", b"1e400", b"-1", b"[", b"]", b"{", b"}", b"\xed\xa0\x80", b"<", b">",
          "\u2028".encode(), b"9" * 400, b"=1+1", b"&#xd800;", b"<!--", b"---\n", b"../", b"q0",
          b"d0", b"[[" * 300, b"<div>" * 300]  # fmt: skip


def lines_of(rows: list[dict[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def separated(columns: list[str], rows: list[Any], separator: str) -> bytes:
    return "\n".join(separator.join(map(str, row)) for row in (columns, *rows)).encode()


def workbook(columns: list[str], rows: list[Any]) -> bytes:
    book = openpyxl.Workbook()
    for row in (columns, *rows):
        book.active.append(list(row))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def beir() -> Files:
    return {
        "corpus.jsonl": lines_of(DOCUMENTS),
        "queries.jsonl": lines_of(QUERIES),
        "qrels/test.tsv": separated(["query-id", "corpus-id", "score"], QRELS, "\t"),
    }


def table(ending: str, separator: str) -> Files:
    documents = [(d["_id"], d["title"], f'"{d["text"]}"') for d in DOCUMENTS]
    return {
        f"docs.{ending}": separated(["id", "title", "text"], documents, separator),
        f"queries.{ending}": separated(
            ["qid", "query"], [(q["_id"], q["text"]) for q in QUERIES], separator
        ),
        f"qrels.{ending}": separated(["qid", "docid", "grade"], QRELS, separator),
    }


def trec() -> Files:
    documents = "".join(
        f"<DOC>\n<DOCNO>{d['_id']}</DOCNO>\n<TITLE>{d['title']}</TITLE>\n<TEXT>{d['text']}</TEXT>\n</DOC>\n"
        for d in DOCUMENTS
    )
    topics = "".join(
        f"<top>\n<num> Number: {q['_id']}\n<title> {q['text']}\n</top>\n" for q in QUERIES
    )
    qrels = "\n".join(f"{query} 0 {document} {grade}" for query, document, grade in QRELS)
    return {
        "docs.trec": documents.encode(),
        "topics.trec": topics.encode(),
        "qrels.txt": qrels.encode(),
    }


def squad() -> Files:
    answer = {"text": "leaves", "answer_start": 13}
    asked = [{"id": "q", "question": "what?", "answers": [answer], "is_impossible": False}]
    paragraphs = [{"context": d["text"], "qas": asked} for d in DOCUMENTS[:1]]
    content = {"version": "v2.0", "data": [{"title": "Ants", "paragraphs": paragraphs}]}
    return {"squad.json": json.dumps(content).encode()}


def azure() -> Files:
    found = [{"document_id": "d1", "relevance_score": 1.5, "content": "ant"}]
    truth = [{"document_id": "d1", "query_relevance_label": 4}]
    row = {"query_id": "q1", "query": "what?"}
    return {
        "rows.jsonl": lines_of(
            [row | {"retrieval_ground_truth": truth, "retrieved_documents": found}] * 2
        )
    }


def gold() -> Files:
    query = {"qid": "q1", "query": "when?", "gold_doc_ids": ["d1"], "graded_relevance": {"d1": 3}}
    content = {
        "documents": [{"id": "d1", "text": "three failed parts", "title": "T"}],
        "queries": [query | {"gold_answer_substring": "failed"}],
    }
    return {"gold.json": json.dumps(content).encode()}


def autorag() -> Files:
    documents = [{"doc_id": d["_id"], "contents": d["text"], "metadata": {}} for d in DOCUMENTS]
    asked = [
        {"qid": "q0", "query": "?", "retrieval_gt": [["d0"], ["d1", "d2"]], "generation_gt": ["x"]}
    ]
    for row in documents:
        row["metadata"] = {"page": "1"}  # type: ignore[assignment]
    return {
        "corpus.parquet": to_parquet(pa.Table.from_pylist(documents)),
        "qa.parquet": to_parquet(pa.Table.from_pylist(asked)),
    }


def parquet() -> Files:
    return {
        "docs.parquet": to_parquet(pa.Table.from_pylist(DOCUMENTS)),
        "queries.parquet": to_parquet(pa.Table.from_pylist(QUERIES)),
        "qrels.csv": separated(["qid", "docid", "grade"], QRELS, ","),
    }


def xlsx() -> Files:
    rows = [(d["_id"], d["title"], d["text"]) for d in DOCUMENTS]
    return {"docs.xlsx": workbook(["id", "title", "text"], rows)}


def asked() -> Files:
    page = (
        "---\ntitle: Ants\ntags: [a, b]\n---\n# Ants\n\nAnts carry leaves & more.\n\n"
        "```\ncode\n```\n"
    )
    html = (
        "<html><head><title>Bees</title></head><body><nav>home</nav><h1>Bees</h1>"
        "<p>Bees &amp; honey, <b>much</b> of it.</p>"
        "<table><tr><td>1</td></tr></table></body></html>"
    )
    rows = [
        ("What do ants carry?", "ants.md", "carry leaves", "2"),
        ("Who has honey?", "Bees; ants", "Bees & hony", "1"),
    ]
    columns = ["question", "page", "quote", "grade"]
    return {
        "pages/ants.md": page.encode(),
        "pages/deep/bees.html": html.encode(),
        "pages/plain.txt": b"plain text\n\nsecond paragraph",
        "questions.xlsx": workbook(columns, rows),
        "questions.csv": separated(columns, rows, ","),
    }


FORMS: dict[str, Callable[[], Files]] = {
    "beir": beir,
    "trec": trec,
    "csv": lambda: table("csv", ","),
    "tsv": lambda: table("tsv", "\t"),
    "jsonl": lambda: {"docs.jsonl": lines_of(DOCUMENTS), "queries.jsonl": lines_of(QUERIES)},
    "squad": squad,
    "azure": azure,
    "gold": gold,
    "autorag": autorag,
    "parquet": parquet,
    "xlsx": xlsx,
    "init": asked,
}


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one to four faults."""
    broken = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(broken) + 1), rng.randint(1, 40)
        kind = rng.randrange(6)
        if kind == 0 and broken:
            broken[min(at, len(broken) - 1)] = rng.randrange(256)
        elif kind == 1:
            del broken[at : at + length]
        elif kind == 2:
            broken[at:at] = rng.choice(PIECES)
        elif kind == 3:
            broken[at:at] = broken[at : at + length] * rng.randint(1, 50)
        elif kind == 4 and broken:
            other = rng.randrange(len(broken))
            broken[at:at] = broken[other : other + length]
        else:
            del broken[at:]
    return bytes(broken)


def damaged_inside(data: bytes, rng: random.Random) -> bytes:
    """Return a zip file one member of which is damaged, its checksums right."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        unlucky = rng.choice(old.namelist())
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, damaged(content, rng) if name == unlucky else content)
    return buffer.getvalue()


def spoil(good: Files, rng: random.Random) -> Files:
    files = dict(good)
    for name in rng.sample(sorted(files), rng.randint(1, len(files))):
        if name.endswith(".xlsx") and rng.random() < 0.7:
            files[name] = damaged_inside(files[name], rng)
        else:
            files[name] = damaged(files[name], rng)
    return files


def try_once(form: str, good: Files, seed: int, folder: Path) -> str:
    """Return what became of one damaged set of files: `read`, or the first words of an error."""
    rng = random.Random(seed)
    for name, data in spoil(good, rng).items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    encoding = rng.choice([None, None, None, "cp1252", "utf-16", "latin-1"])
    try:
        if form == "init":
            ending = rng.choice(["xlsx", "csv"])
            questions = folder / "in" / f"questions.{ending}"
            corpus = read_asked(folder / "in" / "pages", questions, name="fuzz").corpus
        else:
            forced = form if rng.random() < 0.5 and form != "jsonl" else None
            sources = [str(folder / "in")]
            if forced not in (None, "beir"):
                sources = [str(path) for path in sorted((folder / "in").iterdir())]
            options = ReadOptions(encoding=encoding)
            corpus = read_sources(sources, format=forced, options=options).corpus
        again = read_corpus(write_corpus(corpus, folder / "out"))
    except SweepError as error:
        return str(error).split(": ", 2)[1][:60] if ": " in str(error) else str(error)[:60]
    assert again.hash == corpus.hash, "the corpus did not come back"
    return "read"


def fuzz(form: str, seconds: float, first_seed: int) -> tuple[Counter[str], int]:
    """Return what became of the files, and how many failed in another way."""
    good, told, failed = FORMS[form](), Counter[str](), 0
    end, seed = time.monotonic() + seconds, first_seed
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() < end:
            folder = Path(name) / "case"
            try:
                signal.alarm(LONGEST_S)
                told[try_once(form, good, seed, folder)] += 1
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                failed += 1
                print(f"{form} --seed {seed}: {type(error).__name__}: {error}", flush=True)
                print("".join(traceback.format_exc().splitlines(keepends=True)[-12:]))
            finally:
                signal.alarm(0)
            shutil.rmtree(folder, ignore_errors=True)
            seed += 1
    return told, failed


def too_long(*_: object) -> None:
    raise TimeoutError(f"over {LONGEST_S} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("minutes", type=float, nargs="?", default=10.0)
    parser.add_argument("forms", nargs="*", metavar="form")
    parser.add_argument("--seed", type=int, help="repeat one case")
    given = parser.parse_args()
    warnings.simplefilter("error")
    signal.signal(signal.SIGALRM, too_long)
    bad = 0
    for form in given.forms or FORMS:
        seconds = 60 * given.minutes if given.seed is None else 0.01
        told, failed = fuzz(form, seconds, given.seed or 0)
        bad += failed
        common = ", ".join(f"{count:,} {what}" for what, count in told.most_common(3))
        print(
            f"{form}: {told.total() + failed:,} cases, {failed} failed, {len(told)} outcomes "
            f"({common})",
            flush=True,
        )
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
