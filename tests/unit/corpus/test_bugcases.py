"""Inputs that broke other tools; each folder tells what happened there and what is right."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.errors import CorpusError
from sweep.records import Corpus
from tests.shared_data import bugcase


def expected(number: str) -> dict[str, Any]:
    path = bugcase(number) / "expected.json"
    return json.loads(path.read_text(encoding="utf-8"))["expect"]  # type: ignore[no-any-return]


def texts(corpus: Corpus) -> dict[str, str]:
    return {document.id: document.text for document in corpus.documents}


def with_corpus(number: str, name: str, folder: Path) -> Path:
    """Return a copy of a case in which `name` has taken the place of corpus.jsonl."""
    copy = Path(shutil.copytree(bugcase(number), folder, copy_function=shutil.copyfile))
    copy.chmod(0o755)
    shutil.copyfile(bugcase(number) / name, copy / "corpus.jsonl")
    return copy


def test_03_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    folder = with_corpus("03", "corpus_empty.jsonl", tmp_path / "c")
    with pytest.raises(CorpusError, match="empty"):
        read_corpus(folder)


def test_10_a_byte_order_mark_costs_no_record() -> None:
    assert [d.id for d in read_corpus(bugcase("10")).documents] == expected("10")["ids"]


def test_12_unicode_line_ends_cut_no_record() -> None:
    found = texts(read_corpus(bugcase("12")))
    assert len(found) == 4
    assert {id_: found[id_] for id_ in ("d1", "d2", "d3")} == expected("12")["texts"]


def test_14_text_is_utf8() -> None:
    assert texts(read_corpus(bugcase("14")))["d1"] == expected("14")["text_d1"]


def test_16_qrels_need_no_header_and_a_short_line_is_refused() -> None:
    assert len(read_corpus(bugcase("16"), qrels="qrels.tsv").qrels) == 3
    with pytest.raises(CorpusError, match=r"qrels_bad\.tsv:3:"):
        read_corpus(bugcase("16"), qrels="qrels_bad.tsv")


def test_22_null_is_refused_and_numbers_are_text(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"corpus\.jsonl:4: 'text' of 'd4' must be a string"):
        read_corpus(bugcase("22"))
    folder = with_corpus("22", "corpus.jsonl", tmp_path / "c")
    lines = (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "corpus.jsonl").write_text("\n".join(lines[:3]), encoding="utf-8")
    corpus = read_corpus(folder)
    assert [(d.title, d.text) for d in corpus.documents] == [
        ("", "ant"),
        ("", "bee"),
        ("7", "12345"),
    ]


def test_22_a_list_is_refused_with_the_id(tmp_path: Path) -> None:
    folder = with_corpus("22", "corpus_bad.jsonl", tmp_path / "c")
    with pytest.raises(CorpusError, match="'d1'"):
        read_corpus(folder)


def test_25_ids_that_look_alike_are_named() -> None:
    with pytest.raises(CorpusError) as caught:
        read_corpus(bugcase("25"))
    text = str(caught.value)
    assert "3 of 3 judgements name unknown documents" in text
    for id_ in ("cafe\u0301", "b1 ", "c\xa01"):
        assert repr(id_) in text
    assert text.count("differs only in white space or Unicode normal form") == 3


def test_26_one_id_with_two_texts_is_refused() -> None:
    with pytest.raises(CorpusError, match=r"corpus\.jsonl:3: .*'d2' .*line 2"):
        read_corpus(bugcase("26"))


def test_28_duplicate_texts_are_reported_and_file_order_does_not_matter(tmp_path: Path) -> None:
    corpus = read_corpus(bugcase("28"))
    turned = read_corpus(with_corpus("28", "corpus_reversed.jsonl", tmp_path / "c"))
    assert any("1 group of duplicate texts" in notice.text for notice in corpus.notices)
    assert corpus.documents == turned.documents
    assert corpus.hash == turned.hash


def test_29_judgements_of_chunks_are_refused() -> None:
    with pytest.raises(
        CorpusError, match=r"2 of 2 judgements name unknown documents \(e\.g\. 'd1-0-512'"
    ):
        read_corpus(bugcase("29"))


def test_31_equal_ids_of_query_and_document_are_both_kept() -> None:
    assert read_corpus(bugcase("31")).qrels == {"1": {"1": 1}, "2": {"2": 1}}
