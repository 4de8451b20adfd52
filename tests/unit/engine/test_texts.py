"""What is made of the texts alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from sweep.configuration import ChunkConfig
from tests.engine_inputs import CHUNK, corpus_with, engine_on, handbook

WHOLE = ChunkConfig(splitter="document", size=None)


def test_passages_are_chunks_after_their_titles(tmp_path: Path) -> None:
    corpus = corpus_with({"d1": "one two three", "d2": "four", "d3": "five"}, {"q": "one"})
    documents = [
        replace(d, title=t) for d, t in zip(corpus.documents, ("A", "", " "), strict=True)
    ]
    texts = engine_on(tmp_path, replace(corpus, documents=tuple(documents))).texts
    chunk = ChunkConfig(splitter="words", size=2, unit="words")
    assert list(texts.passages(chunk)) == ["A\none two", "A\nthree", "four", "five"]
    assert list(texts.passages(chunk, "{}: {}".format)) == [
        "A: one two",
        "A: three",
        "four",
        "five",
    ]
    plain = replace(chunk, prepend_title=False)
    assert list(texts.passages(plain)) == ["one two", "three", "four", "five"]


def test_outputs_are_the_same_from_the_store(tmp_path: Path) -> None:
    cold, warm = engine_on(tmp_path).texts, engine_on(tmp_path).texts
    for one, other in (
        (cold.offsets, warm.offsets),
        (cold.chunks(CHUNK), warm.chunks(CHUNK)),
        (cold.terms(CHUNK, "auto"), warm.terms(CHUNK, "auto")),
    ):
        for name in one.__slots__:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert warm.cache.store.report.computed == {}
    assert warm.cache.store.report.reused == {"offsets": 1, "chunks": 1, "terms": 1}


def test_chunks_cover_their_documents(tmp_path: Path) -> None:
    texts = engine_on(tmp_path).texts
    chunks = texts.chunks(CHUNK)
    corpus = handbook()
    assert (chunks.tokens <= 12).all()
    for position, document in enumerate(corpus.documents):
        rows = chunks.document == position
        spans = zip(chunks.start[rows], chunks.end[rows], strict=True)
        covered = {place for start, end in spans for place in range(start, end)}
        assert {n for n, c in enumerate(document.text) if not c.isspace()} <= covered


def test_whole_documents_are_chunks(tmp_path: Path) -> None:
    texts = engine_on(tmp_path).texts
    assert len(texts.chunks(WHOLE)) == 29  # all but the blank one
