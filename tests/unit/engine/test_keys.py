"""Keys: equal for equal inputs wherever they lie, different for all that can change a bit."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine
from sweep.engine.measure.latency import latency_key
from sweep.engine.stages import texts
from sweep.engine.store import keys
from sweep.engine.store.keys import documents_key, queries_key, row_key, stage_key
from sweep.machine import version_of
from sweep.models import find_model
from sweep.records import Document, Query
from tests.corpus_files import ANT_AND_BEE, write_corpus
from tests.engine_inputs import configurations, engine_on
from tests.toy_models import lookup_model

CHUNK = ChunkConfig(size=8)
VECTOR = VectorConfig()


def all_keys(engine: Engine, vector: VectorConfig = VECTOR) -> dict[str, str]:
    """Return the key of each stage's output."""
    return {
        "chunks": engine.texts.chunks_key(CHUNK),
        "terms": engine.texts.terms_key(CHUNK, "auto"),
        "index": engine.vectors.index_key(CHUNK, vector),
    }


def test_key_is_a_hash_of_name_version_parameters_and_inputs() -> None:
    key = stage_key("chunks", {"size": 1}, ("a", "b"))
    assert len(key) == 64
    assert key == stage_key("chunks", {"size": 1}, ["a", "b"])
    others = [
        stage_key("terms", {"size": 1}, ("a", "b")),
        stage_key("chunks", {"size": 2}, ("a", "b")),
        stage_key("chunks", {"size": 1}, ("b", "a")),
        stage_key("chunks", {"size": 1}, ("ab",)),
    ]
    assert len({key, *others}) == 5
    assert stage_key("chunks", Bm25Config()) == stage_key("chunks", Bm25Config(k1=1.2))
    assert stage_key("chunks", Bm25Config()) != stage_key("chunks", Bm25Config(k1=1.3))


@pytest.mark.parametrize("stage", sorted(keys.VERSIONS))
def test_key_changes_with_the_stages_version(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stage_key(stage, {})
    monkeypatch.setitem(keys.VERSIONS, stage, keys.VERSIONS[stage] + 1)
    assert stage_key(stage, {}) != before


def test_documents_and_queries_are_known_by_what_is_retrieved() -> None:
    """Labels and metadata change no ranking; borders between fields count."""
    document = Document(id="a", text="text", title="title")
    assert documents_key([document]) == documents_key([replace(document, metadata={"x": 1})])
    different = [
        [document, document],
        [replace(document, text="other")],
        [replace(document, title="")],
        [replace(document, id="b")],
        [replace(document, title="t", text="itletext")],
    ]
    assert len({documents_key(d) for d in [[document], *different]}) == 6
    query = Query(id="q", text="text")
    assert queries_key([query]) == queries_key([replace(query, metadata={"kind": "long"})])
    assert queries_key([query]) != queries_key([replace(query, text="texts")])


def test_moved_corpus_and_store_keep_every_key(tmp_path: Path) -> None:
    here = write_corpus(tmp_path / "here")
    there = tmp_path / "further" / "away"
    shutil.copytree(here, there)
    first = all_keys(engine_on(tmp_path / "store", read_corpus(here)))
    second = all_keys(engine_on(tmp_path / "another", read_corpus(there)))
    assert first == second


def test_changed_document_changes_every_key_a_changed_label_none(tmp_path: Path) -> None:
    corpus = read_corpus(write_corpus(tmp_path / "a"))
    changed = [{**ANT_AND_BEE[0], "text": "ants"}, ANT_AND_BEE[1]]
    other = read_corpus(write_corpus(tmp_path / "b", corpus=changed))
    first = all_keys(engine_on(tmp_path, corpus))
    second = all_keys(engine_on(tmp_path, other))
    assert all(first[name] != second[name] for name in first)
    relabelled = replace(corpus, qrels={"q1": {"d2": 3}}, hash="1" * 64)
    assert all_keys(engine_on(tmp_path, relabelled)) == first


def test_precision_and_model_change_what_depends_on_them(tmp_path: Path) -> None:
    first = all_keys(engine_on(tmp_path))
    half = all_keys(engine_on(tmp_path, precision="bf16"))
    assert {name for name in first if first[name] != half[name]} == {"index"}
    other = VectorConfig(model=lookup_model(tmp_path / "model", {"parking": [1, 0]}))
    another = all_keys(engine_on(tmp_path), other)
    assert {name for name in first if first[name] != another[name]} == {"index"}


def test_tokenizer_changes_every_key(tmp_path: Path) -> None:
    name = lookup_model(tmp_path / "model", {"parking": [1, 0]})
    first = all_keys(engine_on(tmp_path))
    second = all_keys(engine_on(tmp_path, tokenizer=name))
    assert all(first[stage] != second[stage] for stage in first)


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "1_Pooling/config.json"])
def test_changed_model_file_changes_the_encoders_key(tmp_path: Path, file: str) -> None:
    config = VectorConfig(model=lookup_model(tmp_path / "model", {"parking": [1, 0]}))
    first = all_keys(engine_on(tmp_path), config)
    path = tmp_path / "model" / file
    path.write_bytes(path.read_bytes() + b"\n")
    assert all_keys(engine_on(tmp_path), config) == first  # a process looks once
    find_model.cache_clear()
    second = all_keys(engine_on(tmp_path), config)
    assert {name for name in first if first[name] != second[name]} == {"index"}


@pytest.mark.parametrize(
    ("library", "changed"),
    [
        ("sentencex", {"chunks", "terms", "index"}),
        ("regex", {"chunks", "terms", "index"}),
        ("tokenizers", {"chunks", "terms", "index"}),
        ("pystemmer", {"terms"}),
    ],
)
def test_version_of_a_library_changes_what_it_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, changed: set[str]
) -> None:
    first = all_keys(engine_on(tmp_path))
    monkeypatch.setattr(texts, "version_of", lambda p: "0" if p == library else version_of(p))
    second = all_keys(engine_on(tmp_path))
    assert {name for name in first if first[name] != second[name]} == changed


def test_splitter_version_changes_the_chunks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = all_keys(engine_on(tmp_path))
    monkeypatch.setitem(keys.VERSIONS, "chunks", 99)
    second = all_keys(engine_on(tmp_path))
    assert all(first[name] != second[name] for name in first)


def test_title_is_no_part_of_the_chunks_key(tmp_path: Path) -> None:
    """The title is put before a chunk where it is indexed; the cut is the same."""
    engine = engine_on(tmp_path)
    without = replace(CHUNK, prepend_title=False)
    assert engine.texts.chunks_key(CHUNK) == engine.texts.chunks_key(without)
    assert engine.texts.terms_key(CHUNK, "auto") != engine.texts.terms_key(without, "auto")
    index = [engine.vectors.index_key(chunk, VECTOR) for chunk in (CHUNK, without)]
    assert index[0] != index[1]


def test_latency_key_leaves_out_what_takes_no_time(cross_encoder: str) -> None:
    rerank = configurations(cross_encoder)["rerank"]
    assert rerank.rerank is not None

    def key(configuration: Configuration) -> str:
        return latency_key(configuration, ("inputs",))

    assert key(replace(rerank, top_k=3)) == key(rerank)
    assert key(replace(rerank, top_k=300)) != key(rerank)
    assert key(replace(rerank, rerank=replace(rerank.rerank, blend=0.1))) == key(rerank)
    assert key(replace(rerank, rerank=replace(rerank.rerank, depth=50))) != key(rerank)
    bm25 = configurations(cross_encoder)["bm25"]
    assert key(replace(bm25, top_k=3)) != key(bm25)  # a tenth of a millisecond; hits count


@given(st.binary(max_size=40), st.binary(max_size=40))
def test_row_keys_have_16_bytes_and_differ(one: bytes, other: bytes) -> None:
    assert len(row_key(one)) == 16
    assert (row_key(one) == row_key(other)) == (one == other)
