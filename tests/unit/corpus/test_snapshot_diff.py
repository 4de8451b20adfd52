"""Snapshots freeze a corpus; a diff says what has changed and which labels are stale by it."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.corpus.diff import diff_content
from sweep.corpus.snapshot import open_snapshot, write_snapshot
from sweep.errors import CorpusError
from tests.corpus_files import write_corpus

TEXTS = {"d1": "ants carry leaves", "d2": "bees fly", "d3": "cats sleep", "d4": "dogs run far"}


def span(query: str, document: str, text: str, texts: dict[str, str] = TEXTS) -> dict[str, Any]:
    start = texts[document].index(text)
    return {
        "query-id": query,
        "corpus-id": document,
        "start": start,
        "end": start + len(text),
        "score": 1,
    }


SPANS = [span("q1", "d1", "leaves"), span("q2", "d2", "fly"), span("q3", "d4", "run")]


def folder(path: Path, *, texts: dict[str, str] = TEXTS, **files: Any) -> Path:
    content: dict[str, Any] = {
        "corpus": [{"_id": id_, "text": text} for id_, text in texts.items()],
        "queries": [{"_id": f"q{n}", "text": f"{n}?"} for n in (1, 2, 3)],
        "qrels": "q1\td1\t2\nq2\td2\t1\nq2\td3\t0\nq3\td3\t1\n",
        "spans": SPANS,
    }
    return write_corpus(path, **(content | files))


def changed(tmp_path: Path, **files: Any) -> dict[str, Any]:
    before = open_snapshot(folder(tmp_path / "a"))
    return diff_content(before, open_snapshot(folder(tmp_path / "b", **files)))


def stale(content: dict[str, Any]) -> list[tuple[str, str, str, int | None]]:
    return [(s["query"], s["document"], s["why"], s["now"]) for s in content["stale"]]


def test_equal_corpora_have_no_difference(tmp_path: Path) -> None:
    content = changed(tmp_path)
    assert content["same"]
    assert content["stale"] == []
    assert content["before"]["hash"] == content["after"]["hash"]


def test_documents_queries_and_labels_that_changed(tmp_path: Path) -> None:
    content = changed(
        tmp_path,
        texts={**{k: v for k, v in TEXTS.items() if k != "d3"}, "d5": "new"},
        queries=[{"_id": id_, "text": t} for id_, t in (("q1", "!"), ("q2", "2?"), ("q4", "4?"))],
        qrels="q1\td1\t1\nq2\td2\t1\nq2\td5\t1\n",
        spans=[SPANS[0]],
    )
    assert content["documents"] == {"added": ["d5"], "removed": ["d3"], "changed": []}
    assert content["queries"] == {"added": ["q4"], "removed": ["q3"], "changed": ["q1"]}
    assert content["labels"]["added"] == [{"query": "q2", "document": "d5", "grade": 1}]
    assert [one["document"] for one in content["labels"]["removed"]] == ["d3", "d3", "d4"]
    assert content["labels"]["changed"] == [
        {"query": "q1", "document": "d1", "grade": 1, "before": 2}
    ]
    assert len(content["spans"]["removed"]) == 2
    assert content["stale"] == []  # q3 is gone, q2 -> d3 was a grade of 0, texts are unchanged


def test_a_label_whose_document_vanished_or_changed_is_stale(tmp_path: Path) -> None:
    texts = {**TEXTS, "d3": "cats hunt"}
    content = changed(tmp_path, texts=texts)
    assert stale(content) == [("q3", "d3", "document changed", None)]
    del texts["d3"]
    shutil.rmtree(tmp_path / "b")
    content = changed(tmp_path, texts=texts)
    assert stale(content) == [("q3", "d3", "document vanished", None)]


def test_a_span_whose_text_moved_or_vanished_is_stale(tmp_path: Path) -> None:
    texts = {**TEXTS, "d1": "red ants carry leaves", "d2": "bees"}
    content = changed(tmp_path, texts=texts)
    assert stale(content) == [
        ("q1", "d1", "document changed", None),
        ("q2", "d2", "document changed", None),
        ("q1", "d1", "span moved", 15),
        ("q2", "d2", "span vanished", None),
    ]


def test_a_span_that_follows_its_text_or_is_untouched_is_not_stale(tmp_path: Path) -> None:
    texts = {**TEXTS, "d1": "red ants carry leaves", "d2": "bees fly high"}
    spans = [span("q1", "d1", "leaves", texts), SPANS[1], SPANS[2]]
    content = changed(tmp_path, texts=texts, spans=spans)
    assert stale(content) == [
        ("q1", "d1", "document changed, spans hold", None),
        ("q2", "d2", "document changed, spans hold", None),
    ]


def test_a_span_whose_passage_is_gone_is_told_where_another_took_its_place(tmp_path: Path) -> None:
    texts = {**TEXTS, "d1": "ants haul crumbs"}
    spans = [span("q1", "d1", "crumbs", texts), *SPANS[1:]]
    assert stale(changed(tmp_path, texts=texts, spans=spans)) == [
        ("q1", "d1", "document changed", None),
        ("q1", "d1", "span replaced", None),
    ]


def test_a_snapshot_alone_says_what_it_can(tmp_path: Path) -> None:
    write_snapshot(folder(tmp_path / "a"), version="0")
    texts = {**TEXTS, "d1": "red ants carry leaves", "d3": "cats hunt"}
    write_snapshot(folder(tmp_path / "b", texts=texts), version="0")
    files = []
    for name in "ab":  # away from their folders
        files.append(tmp_path / f"{name}.json")
        shutil.copy(tmp_path / name / "snapshot.json", files[-1])
    content = diff_content(*map(open_snapshot, files))
    assert content["documents"]["changed"] == ["d1", "d3"]
    assert ("q1", "d1", "span unknown", None) in stale(content)
    inside = diff_content(open_snapshot(files[0]), open_snapshot(tmp_path / "b" / "snapshot.json"))
    assert ("q1", "d1", "span moved", 15) in stale(inside)


def test_a_snapshot_has_the_same_bytes_each_time_and_says_what_it_froze(tmp_path: Path) -> None:
    path = folder(tmp_path / "a")
    content = write_snapshot(path, version="1.2")
    data = (path / "snapshot.json").read_bytes()
    write_snapshot(path, version="1.2")
    assert (path / "snapshot.json").read_bytes() == data
    assert json.loads(data) == content
    assert content["counts"] == {"documents": 4, "queries": 3, "judgements": 5, "spans": 3}
    assert content["lengths"]["document_words"]["median"] == 2.5
    assert content["versions"]["sweep"] == "1.2"
    assert content["hash"] == read_corpus(path).hash


def test_a_frozen_folder_that_changed_is_told_and_not_frozen_again_unasked(
    tmp_path: Path,
) -> None:
    path = folder(tmp_path / "a")
    write_snapshot(path, version="0")
    folder(path, texts={**TEXTS, "d3": "cats hunt"})
    assert "has changed since it was frozen" in str(read_corpus(path).notices[-1])
    with pytest.raises(CorpusError, match="got one of other content"):
        write_snapshot(path, version="0")
    write_snapshot(path, version="0", replace=True)
    assert "frozen" not in str(read_corpus(path).notices)


@pytest.mark.parametrize(
    ("content", "says"),
    [("{}", "must be a snapshot of format 1"), ("{", "got a file that is no JSON. Make it again"),
     ("null", "got null. Make it again"),
     ('{"format": 1, "name": "x"}', "must be a whole snapshot")],
)  # fmt: skip
def test_another_file_is_no_snapshot(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=says):
        open_snapshot(tmp_path / "x.json")


def test_a_broken_snapshot_is_made_again_by_force(tmp_path: Path) -> None:
    path = folder(tmp_path / "a")
    (path / "snapshot.json").write_text("null", encoding="utf-8")
    with pytest.raises(CorpusError, match="sweep corpus snapshot DIR --force"):
        write_snapshot(path, version="0")
    write_snapshot(path, version="0", replace=True)
    assert open_snapshot(path / "snapshot.json").hash == read_corpus(path).hash
