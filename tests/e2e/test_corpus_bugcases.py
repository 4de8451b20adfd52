"""The collected bug cases about corpus files, through the command line.

Each is converted and, where its numbers are known, run with BM25 over whole documents.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sweep.configuration import from_flat
from sweep.corpus import read_corpus
from sweep.parquet import read_parquet
from tests.corpus_files import write_corpus
from tests.e2e.command import USER_INPUT, sweep, trials_of, write_space
from tests.e2e.in_process import call, call_json, call_well
from tests.shared_data import bugcase

BARE = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
BM25 = {"mode": "bm25", "top_k": 3, "chunk": {"splitter": "document"}}


def expected(number: str) -> dict[str, Any]:
    path = bugcase(number) / "expected.json"
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["expect"]
    return content


def convert(number: str, folder: Path, *options: object) -> dict[str, Any]:
    """Convert a case to `folder/corpus`, which must end well, and return the summary."""
    done: dict[str, Any] = call_json(
        "corpus", "convert", bugcase(number), "--out", "corpus", *options, cwd=folder
    )
    return done


def refused(number: str, folder: Path, *options: object, source: Path | None = None) -> str:
    """Convert a case, which must be refused in a sentence with nothing left, and return it."""
    before = sorted(folder.rglob("*"))
    arguments = ("corpus", "convert", source or bugcase(number), "--out", "corpus", *options)
    done = call(*arguments, cwd=folder)
    assert done.returncode == USER_INPUT, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(folder.rglob("*")) == before
    return done.stderr


def run(folder: Path, objective: str = "ndcg@1") -> dict[str, Any]:
    """Run BM25 over `folder/corpus` and return its only trial."""
    space = {"name": "case", "corpus": "corpus", "objective": objective, "space": BM25}
    write_space(folder / "case.yaml", {**space, "metrics": ["recall@1"]})
    call_well("run", "case.yaml", "--threads", 1, cwd=folder)
    (trial,) = trials_of(folder, "case")
    assert trial["state"] == "COMPLETE"
    return trial


def hits(folder: Path, trial: dict[str, Any], query: str) -> list[str]:
    fingerprint = from_flat(trial["params"]).fingerprint()
    path = folder / "results" / "case" / "trials" / fingerprint / "ranking.parquet"
    rows = [row for row in read_parquet(path).to_pylist() if row["query_id"] == query]
    return [row["document_id"] for row in sorted(rows, key=lambda row: row["rank"])]


def copied(number: str, folder: Path) -> Path:
    """Return a copy of a case that can be changed."""
    copy = Path(shutil.copytree(bugcase(number), folder, copy_function=shutil.copyfile))
    copy.chmod(0o755)
    return copy


def test_bugcase_10_a_byte_order_mark_costs_no_record(tmp_path: Path) -> None:
    assert convert("10", tmp_path)["documents"] == expected("10")["n_docs"]
    ids = [document.id for document in read_corpus(tmp_path / "corpus").documents]
    assert ids == expected("10")["ids"]
    assert run(tmp_path)["metrics"]["ndcg@1"] == expected("10")["metrics"]["ndcg@1"]


def test_bugcase_12_unicode_line_ends_cut_no_record(tmp_path: Path) -> None:
    assert convert("12", tmp_path)["documents"] == expected("12")["n_docs"]
    texts = {d.id: d.text for d in read_corpus(tmp_path / "corpus").documents}
    assert {id_: texts[id_] for id_ in ("d1", "d2", "d3")} == expected("12")["texts"]


@pytest.mark.slow
def test_bugcase_14_files_are_utf8_whatever_the_locale_says(tmp_path: Path) -> None:
    warn = {"PYTHONWARNDEFAULTENCODING": "1", "PYTHONWARNINGS": "always::EncodingWarning"}
    arguments = ("corpus", "convert", bugcase("14"), "--out", "corpus")
    done = sweep(*arguments, cwd=tmp_path, env={**BARE, **warn})
    assert done.returncode == 0, done.stderr
    assert "EncodingWarning" not in done.stderr
    assert read_corpus(tmp_path / "corpus").documents[0].text == expected("14")["text_d1"]
    assert len(read_corpus(tmp_path / "corpus").documents) == expected("14")["n_docs"]
    assert run(tmp_path)["metrics"]["ndcg@1"] == expected("14")["metrics_bm25"]["ndcg@1"]


def test_bugcase_16_qrels_without_a_header_lose_no_line(tmp_path: Path) -> None:
    bad = refused("16", tmp_path, "--qrels", "qrels_bad")
    assert f"qrels_bad.tsv:{expected('16')['qrels_bad.tsv']['error_mentions_line']}: " in bad
    assert convert("16", tmp_path)["judgements"] == expected("16")["qrels.tsv"]["n_qrels"]
    assert run(tmp_path)["metrics"]["ndcg@1"] == 1.0


def test_bugcase_17_trec_qrels_are_cut_at_any_white_space(tmp_path: Path) -> None:
    summary = convert("17", tmp_path)
    assert read_corpus(tmp_path / "corpus").qrels == expected("17")["qrels"]
    forms = {Path(part["file"]).name: part["format"] for part in summary["read"]}
    assert forms["qrels.trec"] == "trec"


def test_bugcase_20_ids_in_csv_files_stay_texts(tmp_path: Path) -> None:
    assert convert("20", tmp_path)["queries"] == expected("20")["n_queries"]
    corpus = read_corpus(tmp_path / "corpus")
    assert [d.id for d in corpus.documents] == sorted(expected("20")["doc_ids"])
    assert {d.text for d in corpus.documents} >= {"NA gnu"}
    assert run(tmp_path)["metrics"]["ndcg@1"] == expected("20")["metrics_bm25"]["ndcg@1"]


def test_bugcase_22_null_and_lists_are_refused_and_numbers_are_text(tmp_path: Path) -> None:
    assert "corpus.jsonl:4: 'text' of 'd4' must be a string, got None" in refused("22", tmp_path)
    case = copied("22", tmp_path / "case")
    lines = (case / "corpus.jsonl").read_bytes().split(b"\n")
    shutil.copyfile(case / "corpus_bad.jsonl", case / "corpus.jsonl")
    assert expected("22")["corpus_bad.jsonl"]["error_mentions"] in refused(
        "22", tmp_path, source=case
    )
    (case / "corpus.jsonl").write_bytes(b"\n".join(lines[:3]))
    call_well("corpus", "convert", "case", "--out", "corpus", cwd=tmp_path)
    trial = run(tmp_path)
    for query, wanted in expected("22")["bm25_hits"].items():
        assert hits(tmp_path, trial, query) == wanted


def test_bugcase_25_ids_that_differ_invisibly_are_named(tmp_path: Path) -> None:
    text = refused("25", tmp_path)
    assert f"{expected('25')['dangling_judgements']} of 3 judgements name unknown" in text
    assert text.count("differs only in white space or Unicode normal form") == 3


def test_bugcase_26_one_id_with_two_texts_is_refused(tmp_path: Path) -> None:
    text = refused("26", tmp_path)
    assert "corpus.jsonl:3: ids must be unique, got 'd2' again" in text
    assert "first in line 2" in text


def test_bugcase_28_equal_texts_tie_whatever_the_order_of_lines(tmp_path: Path) -> None:
    found = []
    for order in ("corpus.jsonl", "corpus_reversed.jsonl"):
        folder = tmp_path / order
        case = copied("28", folder / "case")
        shutil.copyfile(bugcase("28") / order, case / "corpus.jsonl")
        done = call_well("corpus", "convert", "case", "--out", "corpus", cwd=folder)
        assert "1 group of duplicate texts" in done.stderr
        trial = run(folder, "ndcg@2")
        found.append((hits(folder, trial, "q1")[:2], trial["metrics"]["ndcg@2"]))
    assert found[0] == found[1]
    assert found[0][0] == ["d1", "d2"]
    assert found[0][1] == pytest.approx(expected("28")["ndcg@2"]["id_asc"], abs=1e-12)


def test_bugcase_29_judgements_of_chunks_are_refused_before_any_trial(tmp_path: Path) -> None:
    text = refused("29", tmp_path)
    assert "2 of 2 judgements name unknown documents (e.g. 'd1-0-512'" in text
    copied("29", tmp_path / "corpus")
    write_space(tmp_path / "case.yaml", {"corpus": "corpus", "objective": "ndcg@1", "space": BM25})
    done = call("run", "case.yaml", cwd=tmp_path)
    assert done.returncode == USER_INPUT
    assert expected("29")["error_mentions"] in done.stderr
    assert not (tmp_path / "results").exists()


def test_bugcase_31_a_query_may_have_a_documents_id(tmp_path: Path) -> None:
    convert("31", tmp_path)
    metrics = run(tmp_path)["metrics"]
    assert {name: metrics[name] for name in ("ndcg@1", "recall@1")} == expected("31")["metrics"]


def test_bugcase_115_a_field_beyond_the_csv_modules_limit(tmp_path: Path) -> None:
    case = copied("115", tmp_path / "case")
    field = "x" * 300_000  # what gen.py writes
    (case / "corpus.csv").write_text(
        f"_id,title,text\nbig,,{field}\nd2,,needle\n", encoding="utf-8"
    )
    call_well("corpus", "convert", "case", "--out", "corpus", cwd=tmp_path)
    trial = run(tmp_path)
    assert hits(tmp_path, trial, "q1")[0] == expected("115")["first"]["q1"]


def test_bugcase_115_a_document_of_50_mb_is_refused_with_id_line_and_size(
    tmp_path: Path,
) -> None:
    case = copied("115", tmp_path / "case")
    with (case / "corpus.jsonl").open("w", encoding="utf-8") as file:  # what gen.py writes
        file.write('{"_id": "big", "text": "' + "word " * 10_000_000 + '"}\n')
        file.write('{"_id": "d2", "text": "needle"}\n')
    code = (
        "from sweep.cli import main\n"
        "from sweep.engine.measure.load import peak_memory\n"
        "try: main()\n"
        "finally: print(peak_memory())"
    )
    arguments = ("corpus", "convert", "case", "--out", "corpus")
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True,
        encoding="utf-8", timeout=expected("115")["max_s"], check=False,
    )  # fmt: skip
    assert done.returncode == USER_INPUT, done.stderr
    assert "corpus.jsonl:1: a document must hold at most 10,000,000 characters" in done.stderr
    assert "got 'big' with 50,000,000" in done.stderr
    assert int(done.stdout) < 10 * (case / "corpus.jsonl").stat().st_size
    assert not (tmp_path / "corpus").exists()


def test_every_record_that_is_dropped_is_named_and_strict_makes_it_an_error(
    tmp_path: Path,
) -> None:
    write_corpus(
        tmp_path / "in",
        corpus=[{"_id": id_, "text": id_} for id_ in ("d1", "d2", "d1")],
        qrels="q1\td1\t1\nq1\td9\t1\nq8\td2\t0\nq1\td1\t1\n",
    )
    convert_in = ("corpus", "convert", "in", "--out", "out")
    strict = call(*convert_in, "--strict", cwd=tmp_path)
    assert strict.returncode == USER_INPUT
    assert "--strict: every record must be kept, got 4 that are not" in strict.stderr
    assert not (tmp_path / "out").exists()
    summary = call_json(*convert_in, cwd=tmp_path)
    told = [(d["file"], d["line"], d["id"]) for d in summary["dropped"]]
    assert told == [
        ("in/corpus.jsonl", "3", "d1"),
        ("in/qrels.tsv", "4", "q1 d1"),
        ("in/qrels.tsv", "2", "d9"),
        ("in/qrels.tsv", "3", "q8"),
    ]
    assert all(d["why"] for d in summary["dropped"])
    kept = json.loads((tmp_path / "out" / "conversion.json").read_text(encoding="utf-8"))
    assert kept["dropped"] == summary["dropped"]
    shown = call_well(*convert_in, "--force", cwd=tmp_path).stdout
    assert "dropped  in/qrels.tsv:2: 'd9' names no known document" in shown
