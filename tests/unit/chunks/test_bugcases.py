"""Inputs that broke other chunkers; each folder tells what happened there and what is right."""

import json
from typing import Any

import pytest

from sweep.chunks import window_units
from sweep.configuration import ChunkConfig
from sweep.errors import ChunkError
from tests.chunk_inputs import cut, spans_of, texts_of
from tests.corpus_files import corpus_of
from tests.shared_data import bugcase


def read(number: str) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
    """Return the documents of a case by id, and what is expected."""
    folder = bugcase(number)
    lines = (folder / "corpus.jsonl").read_bytes().split(b"\n")
    records = [json.loads(line) for line in lines if line.strip()]
    expected = json.loads((folder / "expected.json").read_bytes())["expect"]
    return {record["_id"]: record for record in records}, expected


def words(size: int, overlap: float = 0.0) -> ChunkConfig:
    return ChunkConfig(splitter="words", size=size, overlap=overlap)


def test_53_an_overlap_that_is_not_below_size_is_refused() -> None:
    _, expected = read("53")
    folder = bugcase("53")
    grid = json.loads((folder / "config.json").read_bytes())["chunk"]
    valid = []
    for size in grid["size"]:
        for overlap in grid["overlap"]:
            try:
                window_units(words(size, overlap / size))
            except ChunkError:
                continue
            valid.append([size, overlap])
    assert valid == expected["valid_pairs"]
    bad = json.loads((folder / "config_bad.json").read_bytes())["chunk"]
    for size in bad["size"]:
        with pytest.raises(ChunkError):
            window_units(words(size))


@pytest.mark.parametrize(
    ("id_", "key", "size", "overlap"),
    [
        ("d10", "d10_8_4", 8, 0.5),
        ("d8", "d8_8_4", 8, 0.5),
        ("d991", "d991_1024_256", 1024, 0.25),
        ("d9", "d9_3_1", 3, 1 / 3),
    ],
)
def test_55_no_chunk_holds_overlap_only(id_: str, key: str, size: int, overlap: float) -> None:
    documents, expected = read("55")
    text = documents[id_]["text"]
    numbers = [
        [len(text[:start].split()), len(text[:end].split())]
        for start, end in spans_of(text, words(size, overlap))
    ]
    assert numbers == expected[key]


def test_57_an_emoji_is_not_cut() -> None:
    documents, expected = read("57")
    text = documents["d1"]["text"]
    characters = ChunkConfig(splitter="characters", size=3)
    assert texts_of(text, characters) == expected["char_3_0"]
    assert "".join(texts_of(text, ChunkConfig(splitter="tokens", size=1))) == text


def test_59_chinese_without_spaces_is_cut() -> None:
    documents, expected = read("59")
    text = documents["d1"]["text"]
    chunks = texts_of(text, words(100))
    assert len(text) == 2994  # the README rounds
    assert len(chunks) == 30 >= expected["n_chunks_d1_min"]
    assert "".join(chunks) == text
    assert "紫色钥匙" in chunks[-1]


@pytest.mark.parametrize("size", [16, 128])
def test_61_the_title_takes_no_room_in_the_chunk(size: int) -> None:
    documents, _ = read("61")
    corpus = corpus_of(
        [record["text"] for record in documents.values()],
        titles=[record["title"] for record in documents.values()],
    )
    chunks = cut(corpus, words(size))
    first = corpus.documents[0]
    assert len(chunks) == 2
    assert first.text[chunks.start[0] : chunks.end[0]] == "body with needle inside"
