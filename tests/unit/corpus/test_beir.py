import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sweep.corpus import read_corpus
from sweep.errors import CorpusError
from sweep.records import Query
from tests.corpus_files import ANT_AND_BEE, HEADER, ONE_QUERY, to_bytes, write_corpus


def error(folder: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        read_corpus(folder)
    return str(caught.value)


def notices(folder: Path) -> str:
    return "\n".join(str(notice) for notice in read_corpus(folder).notices)


def test_documents_are_sorted_by_code_point_and_queries_keep_file_order(tmp_path: Path) -> None:
    ids = ["b", "é", "a", "B", "10", "9", "🙂", "\uffff"]
    corpus = read_corpus(
        write_corpus(
            tmp_path / "name",
            corpus=[{"_id": id_, "text": f"text {id_}"} for id_ in ids],
            queries=[{"_id": "z", "text": "?"}, {"_id": "a", "text": "!"}],
            qrels="z\ta\t1\n",
        )
    )
    found = [document.id for document in corpus.documents]
    assert found == ["10", "9", "B", "a", "b", "é", "\uffff", "🙂"]
    assert [query.id for query in corpus.queries] == ["z", "a"]
    assert corpus.name == "name"


def test_every_other_field_is_metadata(tmp_path: Path) -> None:
    record = {
        "_id": "d1",
        "text": "ant",
        "title": "A",
        "url": "u",
        "metadata": {"k": [1], "url": "m"},
    }
    folder = write_corpus(
        tmp_path,
        corpus=[record, {"_id": "d2", "text": "bee", "metadata": "plain"}],
        queries=[{"_id": "q1", "text": "?", "metadata": None, "kind": "factoid"}],
    )
    corpus = read_corpus(folder)
    assert corpus.documents[0].metadata == {"url": "m", "k": [1]}
    assert corpus.documents[1].metadata == {"metadata": "plain"}
    assert corpus.queries == (Query(id="q1", text="?", metadata={"kind": "factoid"}),)


@pytest.mark.parametrize(
    ("value", "id_"),
    [
        ("007", "007"),
        (7, "7"),
        (-0, "0"),
        (12345678901234567890, "12345678901234567890"),
        (1.5, "1.5"),
    ],
)
def test_ids_are_kept_exactly_and_numbers_become_text(
    tmp_path: Path, value: object, id_: str
) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": value, "text": "x"}], qrels=f"q1\t{id_}\t1\n")
    assert read_corpus(folder).documents[0].id == id_


@pytest.mark.parametrize("value", [None, True, [], {}, ""])
def test_an_id_that_names_nothing_is_refused(tmp_path: Path, value: object) -> None:
    folder = write_corpus(tmp_path, corpus=[*ANT_AND_BEE, {"_id": value, "text": "x"}])
    assert "corpus.jsonl:3: '_id' must be a non-empty string or a number" in error(folder)


def test_a_missing_id_is_refused_with_the_keys_there_are(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, queries=[{"id": "q1", "text": "x"}])
    assert "queries.jsonl:1: '_id' must be present, got 'id', 'text'." in error(folder)


@pytest.mark.parametrize(
    ("value", "text"), [(12345, "12345"), (1.5, "1.5"), ("", ""), ("\r\n", "\r\n")]
)
def test_text_is_kept_and_a_number_becomes_text(tmp_path: Path, value: object, text: str) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": "d0", "text": value}, *ANT_AND_BEE])
    assert read_corpus(folder).documents[0].text == text


@pytest.mark.parametrize(
    "record", [{}, {"text": None}, {"text": ["a"]}, {"text": True}, {"text": {}}]
)
def test_what_is_no_text_is_refused_with_line_and_id(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    folder = write_corpus(tmp_path, corpus=[*ANT_AND_BEE, {"_id": "d3", **record}])
    assert "corpus.jsonl:3: 'text' of 'd3' must be a string" in error(folder)


@pytest.mark.parametrize(
    ("record", "title"),
    [({}, ""), ({"title": None}, ""), ({"title": 7}, "7"), ({"title": "T"}, "T")],
)
def test_titles(tmp_path: Path, record: dict[str, Any], title: str) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": "d1", "text": "ant", **record}])
    assert read_corpus(folder).documents[0].title == title


def test_a_list_as_title_is_refused(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": "d1", "text": "ant", "title": ["a"]}])
    assert "corpus.jsonl:1: 'title' of 'd1' must be a string, got ['a']" in error(folder)


def test_an_identical_repeat_is_taken_once_with_a_notice(tmp_path: Path) -> None:
    folder = write_corpus(
        tmp_path, corpus=[*ANT_AND_BEE, ANT_AND_BEE[0]], queries=[*ONE_QUERY, *ONE_QUERY]
    )
    assert len(read_corpus(folder).documents) == 2
    assert "corpus.jsonl:3: 'd1' repeats line 1 unchanged" in notices(folder)
    assert "queries.jsonl:2: 'q1' repeats line 1 unchanged" in notices(folder)


def test_one_id_with_two_contents_is_refused_naming_both_lines(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, corpus=[*ANT_AND_BEE, {"_id": "d1", "text": "other"}])
    assert "corpus.jsonl:3: ids must be unique, got 'd1'" in error(folder)
    assert "line 1" in error(folder)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"corpus": ""}, "corpus.jsonl: must hold documents, got an empty file"),
        ({"corpus": "\n \n"}, "must hold documents"),
        ({"queries": ""}, "queries.jsonl: must hold queries, got an empty file"),
        ({"corpus": [{"_id": "d1", "text": ""}, {"_id": "d2", "text": " \u3000"}]}, "no text"),
        ({"qrels": None}, "must hold judgements, got none"),
        ({"qrels": HEADER}, "must hold judgements, got none"),
    ],
)
def test_nothing_to_search_or_to_ask_is_refused(
    tmp_path: Path, files: dict[str, Any], words: str
) -> None:
    assert words in error(write_corpus(tmp_path, **files))


def test_titles_alone_are_something_to_search(tmp_path: Path) -> None:
    folder = write_corpus(tmp_path, corpus=[{"_id": "d1", "text": "", "title": "Ants"}])
    assert "1 document without text ('d1')" in notices(folder)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write_corpus(tmp_path)
    (folder / name).unlink()
    assert f"must hold a file {name}, got no such file" in error(folder)


def test_a_missing_folder_or_a_file_in_its_place_is_named(tmp_path: Path) -> None:
    assert "must be a folder with corpus.jsonl" in error(tmp_path / "none")
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert "got a file" in error(tmp_path / "file")


def test_a_query_may_have_the_id_of_a_document(tmp_path: Path) -> None:
    folder = write_corpus(
        tmp_path,
        corpus=[{"_id": "1", "text": "ant"}],
        queries=[{"_id": "1", "text": "?"}],
        qrels="1\t1\t1\n",
    )
    assert read_corpus(folder).qrels == {"1": {"1": 1}}


def test_notices_name_what_looks_odd(tmp_path: Path) -> None:
    folder = write_corpus(
        tmp_path,
        corpus=[*ANT_AND_BEE, {"_id": "d3", "text": "ant"}, {"_id": "d4", "text": "a\ufffdb"}],
        queries=[{"_id": f"q{n}", "text": "?" if n else " "} for n in range(4)],
        qrels="q1\td1\t1\nq2\td1\t0\nq0\td2\t2\n",
    )
    assert notices(folder).splitlines() == [
        "corpus.jsonl: 1 group of duplicate texts (e.g. 'd1', 'd3')",
        "corpus.jsonl: 1 document with U+FFFD, a sign of a wrong encoding earlier ('d4')",
        "queries.jsonl: 1 query without text ('q0')",
        "queries.jsonl: 1 query without any judgement, left out of every score ('q3')",
        "queries.jsonl: 1 query with no relevant document, each scores 0 ('q2')",
    ]


def test_equal_texts_under_different_titles_are_no_duplicates(tmp_path: Path) -> None:
    records = [
        {"_id": "d1", "text": "ant", "title": "A"},
        {"_id": "d2", "text": "ant", "title": "B"},
    ]
    assert "duplicate" not in notices(write_corpus(tmp_path, corpus=records))


CONTENT: dict[str, Any] = {
    "corpus": [
        {"_id": "d1", "title": "A", "text": "ant\r\n", "x": {"b": 1, "a": [2]}},
        *ANT_AND_BEE[1:],
    ],
    "queries": [{"_id": "q1", "text": "?"}, {"_id": "q2", "text": "!", "kind": "k"}],
    "qrels": "q1\td1\t1\nq1\td2\t0\nq2\td2\t2\n",
    "spans": [
        {"query-id": "q1", "corpus-id": "d1", "start": 0, "end": 3, "score": 1},
        {"query-id": "q2", "corpus-id": "d2", "start": 1, "end": 2, "score": 1},
    ],
}


def test_the_hash_ignores_folder_file_order_line_ends_and_key_order(tmp_path: Path) -> None:
    first = read_corpus(write_corpus(tmp_path / "a", **CONTENT))
    other: dict[str, Any] = {
        name: to_bytes([dict(reversed(record.items())) for record in reversed(content)])
        for name, content in CONTENT.items()
        if name != "qrels"
    }
    other["qrels"] = HEADER + "q2\td2\t2\nq1\td2\t0\nq1\td1\t1"
    other = {
        name: data.replace(b"\n", b"\r\n") if name != "qrels" else data.replace("\n", "\r\n")
        for name, data in other.items()
    }
    second = read_corpus(write_corpus(tmp_path / "b", **other))
    assert first.hash == second.hash
    assert first.documents == second.documents
    assert len(first.hash) == 64


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("corpus.jsonl", "ant", "Ant"),
        ("corpus.jsonl", '"A"', '"B"'),
        ("corpus.jsonl", "\\r\\n", "\\n"),
        ("corpus.jsonl", "[2]", "[3]"),
        ("queries.jsonl", "!", "?"),
        ("queries.jsonl", '"k"', '"j"'),
        ("qrels.tsv", "d2\t0", "d2\t1"),
        ("qrels_spans.jsonl", '"end": 3', '"end": 2'),
    ],
)
def test_the_hash_sees_every_change_of_content(
    tmp_path: Path, file: str, old: str, new: str
) -> None:
    folder = write_corpus(tmp_path, **CONTENT)
    before = read_corpus(folder).hash
    data = (folder / file).read_bytes()
    assert old.encode() in data
    (folder / file).write_bytes(data.replace(old.encode(), new.encode()))
    assert read_corpus(folder).hash != before


def test_the_hash_is_the_documented_one(tmp_path: Path) -> None:
    # Written out by hand: a change of the serialisation, which would orphan every study, shows.
    lines = [
        *["2", json.dumps(["d1", "", "ant", {}]), json.dumps(["d2", "", "bee", {}])],
        *["1", json.dumps(["q1", "which one?", {}])],
        *["1", json.dumps(["q1", "d1", 1]), "0"],
    ]
    expected = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    assert read_corpus(write_corpus(tmp_path)).hash == expected
