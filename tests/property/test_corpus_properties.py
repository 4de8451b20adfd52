"""Readers refuse bad bytes with a CorpusError and nothing else, and keep good ones exactly."""

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.corpus import read_corpus, split_queries
from sweep.errors import CorpusError
from sweep.records import Corpus
from tests.corpus_files import ANT_AND_BEE, HEADER, corpus_of, write_corpus

KEYS = st.sampled_from(
    ["_id", "text", "title", "metadata", "query-id", "corpus-id", "start", "end", "score"]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["d1", "q1", 0, 1]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=3,
)
LINES = st.one_of(
    st.binary(max_size=40),
    st.dictionaries(KEYS, VALUES, max_size=9).map(lambda record: json.dumps(record).encode()),
    st.sampled_from(
        [b'{"_id": "d1", "text": "ant"}', b'{"_id": "q1", "text": "\\ud800"}', b"\xef\xbb\xbf"]
    ),
    st.lists(st.sampled_from([b"q1", b"d1", b"1", b"x", b"", b"1.5"]), max_size=4).map(b"\t".join),
)
FILES = st.lists(LINES, max_size=4).map(b"\n".join)


def read(**files: Any) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        return read_corpus(write_corpus(Path(folder), **files))


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(["corpus", "queries", "qrels", "spans"]), data=FILES)
def test_only_a_corpus_error_is_ever_raised(name: str, data: bytes) -> None:
    with contextlib.suppress(CorpusError):
        corpus = read(**{name: data})
        assert len({document.id for document in corpus.documents}) == len(corpus.documents)
        assert any(corpus.qrels.values())


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1)


@settings(max_examples=100, deadline=None)
@given(
    documents=st.dictionaries(IDS, st.tuples(TEXT, TEXT), min_size=1, max_size=4),
    escape=st.booleans(),
)
def test_ids_titles_and_texts_come_back_exactly(
    documents: dict[str, tuple[str, str]], escape: bool
) -> None:
    records = [
        {"_id": id_, "title": title, "text": f"x{text}"}
        for id_, (title, text) in documents.items()
    ]
    lines = "\n".join(json.dumps(record, ensure_ascii=escape) for record in records)
    first = records[0]["_id"]
    corpus = read(corpus=lines, qrels=f"{HEADER}q1\t{first}\t1\n")
    found = {d.id: (d.title, d.text.removeprefix("x")) for d in corpus.documents}
    assert found == documents
    assert [d.id for d in corpus.documents] == sorted(documents)
    assert corpus.qrels == {"q1": {first: 1}}


@settings(max_examples=50, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99), group=st.sampled_from(["query", "document"]))
def test_a_split_depends_on_each_query_alone(data: st.DataObject, seed: int, group: Any) -> None:
    grades = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), min_size=1)
    qrels = data.draw(st.dictionaries(st.text("q0123", min_size=1), grades, min_size=1))
    kept = data.draw(st.lists(st.sampled_from(sorted(qrels)), unique=True, min_size=1))
    few = corpus_of(["x"], qrels={id_: qrels[id_] for id_ in kept})
    _, all_confirm = split_queries(
        corpus_of(["x"], qrels=qrels), share=0.4, seed=seed, group=group
    )
    search, confirm = split_queries(few, share=0.4, seed=seed, group=group)
    assert set(confirm) == set(all_confirm) & set(kept)
    assert set(search) | set(confirm) == set(kept)


def test_the_made_up_corpus_is_readable() -> None:
    assert len(read(corpus=ANT_AND_BEE).documents) == 2
