"""Vectors of chunks and queries: each model input embedded once, and never another model's."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweep.configuration import ChunkConfig, Configuration, VectorConfig
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine
from sweep.engine.measure.report import Report
from sweep.engine.stages import vectors
from sweep.engine.stages.scoring import Scorer
from sweep.index.embed import Encoder, Role
from sweep.metrics import parse_metric
from sweep.records import Corpus
from sweep.study.driver.preflight import preflight
from tests.engine_inputs import corpus_with, engine_on, trimmed
from tests.shared_data import bugcase
from tests.toy_models import lookup_model
from tests.unit.study.space_files import make_space

WHOLE = ChunkConfig(splitter="document", size=None)
WORDS = {"ant": [1.0, 0.0], "bee": [0.0, 1.0], "cat": [0.6, 0.8], "query": [1.0, 0.0]}


class RecordingEncoder(Encoder):
    """Notes how many inputs it embeds for each role."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__(encoder.files, precision=encoder.precision, threads=encoder.threads)
        self.embedded: dict[Role, int] = {"query": 0, "passage": 0}

    def _batches(self, inputs: Sequence[np.ndarray], *, role: Role) -> Iterator[Any]:
        self.embedded[role] += len(inputs)
        return super()._batches(inputs, role=role)


def recorded(engine: Engine, model: str) -> RecordingEncoder:
    """Put a recording encoder in the place of the engine's own."""
    encoder = RecordingEncoder(engine.pool.encoder(model))
    engine.pool.encoder = lambda name: encoder  # type: ignore[method-assign]
    return encoder


def searched(model: str, **vector: Any) -> Configuration:
    return Configuration(
        mode="vector", top_k=2, chunk=WHOLE, vector=VectorConfig(model=model, **vector)
    )


def first_ids(engine: Engine, configuration: Configuration) -> list[str]:
    """Return the best document of each query."""
    chunks = engine.texts.chunks(configuration.chunk)
    return [
        engine.corpus.documents[chunks.document[row[0][0]]].id
        for row in trimmed(engine.output(configuration))
    ]


def ndcg_at_1(engine: Engine, configuration: Configuration) -> float:
    metric = parse_metric("ndcg@1")
    scorer = Scorer(engine.texts, [metric], [query.id for query in engine.corpus.queries])
    return scorer.mean(scorer.score(configuration, engine.output(configuration)), metric)


def test_case_76_two_models_of_one_dimension_in_one_store(tmp_path: Path) -> None:
    case = bugcase("76")
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))["expect"]
    engine = engine_on(tmp_path / "store", read_case(case, "corpus.jsonl", tmp_path))
    for name in "AB":
        table = json.loads((case / f"model_{name}.json").read_text(encoding="utf-8"))
        table["two"] = table.pop("bee two")
        configuration = searched(lookup_model(tmp_path / name, table))
        assert first_ids(engine, configuration) == [expected[name]["first"]]
        assert ndcg_at_1(engine, configuration) == expected[name]["ndcg@1"]
    first = searched(str(tmp_path / "A"))
    changed = engine_on(
        tmp_path / "store", read_case(case, "corpus_changed.jsonl", tmp_path / "changed")
    )
    encoder = recorded(changed, str(tmp_path / "A"))
    assert first_ids(changed, first) == ["d1"]
    assert encoder.embedded == {"query": 0, "passage": expected["new_encodes_after_change"]}


def read_case(case: Path, documents: str, folder: Path) -> Corpus:
    """Read a bug case's corpus with one of its document files."""
    folder.mkdir(exist_ok=True)
    for name in ("queries.jsonl", "qrels.tsv"):
        shutil.copy(case / name, folder / name)
    shutil.copy(case / documents, folder / "corpus.jsonl")
    return read_corpus(folder)


def test_equal_inputs_are_embedded_once_whatever_they_belong_to(tmp_path: Path) -> None:
    """Equal texts of several documents, chunkings and studies; queries on their own."""
    texts = {"d1": "ant bee", "d2": "ant bee", "d3": "cat"}
    model = lookup_model(tmp_path / "model", WORDS)
    engine = engine_on(tmp_path, corpus_with(texts, {"q1": "cat", "q2": "cat"}), tokenizer=model)
    encoder = recorded(engine, model)
    configuration = searched(model)
    engine.output(configuration)
    assert encoder.embedded == {"query": 1, "passage": 2}
    small = replace(configuration, chunk=ChunkConfig(splitter="words", size=1, unit="words"))
    engine.output(small)
    assert encoder.embedded == {"query": 1, "passage": 4}  # ant, bee; cat is known
    engine.output(searched(model, index="HNSW4"))
    other = engine_on(tmp_path, corpus_with({"x": "bee", "y": "dog"}, {"q": "ant"}))
    later = recorded(other, model)
    other.output(configuration)
    assert encoder.embedded == {"query": 1, "passage": 4}
    assert later.embedded == {"query": 1, "passage": 1}


def test_prefixes_and_roles_are_told_apart(tmp_path: Path) -> None:
    table = {**WORDS, "q": [0.0, 1.0], "p": [-1.0, 0.0]}
    model = lookup_model(tmp_path / "model", table)
    engine = engine_on(tmp_path, corpus_with({"d1": "ant", "d2": "bee"}, {"q1": "query"}))
    plain = trimmed(engine.output(searched(model)))
    prefixed = trimmed(engine.output(searched(model, query_prefix="q q q ")))
    both = searched(model, query_prefix="q q q ", passage_prefix="p p ")
    assert plain == [[(0, 1.0), (1, 0.0)]]
    assert [item for item, _ in prefixed[0]] == [1, 0]
    clean = engine_on(tmp_path / "clean", engine.corpus).output(both)
    assert trimmed(engine.output(both)) == trimmed(clean)
    assert trimmed(clean) != prefixed


def test_case_72_truncation_is_counted_and_told(tmp_path: Path) -> None:
    corpus = read_corpus(bugcase("72"))
    report = Report()
    engine = engine_on(tmp_path / "store", corpus, report=report)
    space = make_space(
        tmp_path,
        {
            "mode": "vector",
            "top_k": 2,
            "chunk": {"splitter": "words", "size": [64, 2000]},
            "vector": {"model": "all-MiniLM-L6-v2"},
        },
        objective="ndcg@1",
    )
    preflight(space, engine)
    notices = [notice for notice in report.notices if "max_seq_length" in notice]
    assert len(notices) == 1
    assert notices[0].startswith(
        "2 of 2 chunks (words 2000) exceed max_seq_length 256 of all-MiniLM-L6-v2; "
    )
    for configuration in space.configurations:
        assert configuration.vector is not None
        inputs = engine.vectors.passage_inputs(configuration.chunk, configuration.vector)
        if configuration.chunk.size == 64:
            assert (inputs.truncated, inputs.lost) == (0, 0.0)
            assert ndcg_at_1(engine, configuration) == 1.0
        else:
            assert inputs.truncated == 2
            assert 0.3 < inputs.lost < 0.9


def test_long_chunks_with_one_beginning_are_embedded_once(tmp_path: Path) -> None:
    """What the model sees of them is the same."""
    model = lookup_model(tmp_path / "model", WORDS)  # its window: 512 tokens
    beginning = "ant bee " * 256
    texts = {"d1": beginning + "cat", "d2": beginning + "bee bee", "d3": beginning}
    engine = engine_on(tmp_path, corpus_with(texts, {"q": "ant"}))
    encoder = recorded(engine, model)
    assert len(trimmed(engine.output(searched(model)))[0]) == 2
    assert encoder.embedded["passage"] == 1
    inputs = engine.vectors.passage_inputs(WHOLE, VectorConfig(model=model))
    assert inputs.full.tolist() == [513, 514, 512]
    assert inputs.truncated == 2
    assert inputs.lost == pytest.approx(3 / 1539)


def test_title_is_embedded_with_every_chunk_of_its_document(tmp_path: Path) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with({"d1": "bee", "d2": "bee"}, {"q": "ant"})
    titled = replace(corpus.documents[1], title="ant")
    corpus = replace(corpus, documents=(corpus.documents[0], titled))
    engine = engine_on(tmp_path, corpus)
    configuration = searched(model)
    assert first_ids(engine, configuration) == ["d2"]
    plain = replace(configuration, chunk=replace(WHOLE, prepend_title=False))
    assert first_ids(engine, plain) == ["d1"]


def test_speed_is_measured_on_a_long_stage_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    engine = engine_on(tmp_path, corpus_with({"d1": "ant", "d2": "bee"}, {"q": "ant"}))
    engine.output(searched(model))
    assert np.isnan(engine.vectors.embedding_rate(model))
    monkeypatch.setattr(vectors, "BLOCK", 2)
    other = engine_on(tmp_path, corpus_with({"d1": "cat", "d2": "bee cat"}, {"q": "ant"}))
    other.output(searched(model))
    rate = other.vectors.embedding_rate(model)
    assert rate > 0
    assert engine_on(tmp_path, engine.corpus).vectors.embedding_rate(model) == rate


def test_notice_of_an_index_is_passed_on(tmp_path: Path) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    engine = engine_on(tmp_path, corpus_with({"d1": "ant", "d2": "bee"}, {"q": "ant"}))
    output = engine.output(searched(model, index="IVF256,Flat"))
    assert trimmed(output) == [[(0, 1.0), (1, 0.0)]]
    assert engine.report.notices == [
        "vector.index: IVF256,Flat over 2 vectors: 1 lists instead of 256"
    ]


def test_progress_is_told_while_embedding(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    model = lookup_model(tmp_path / "model", WORDS)
    report = Report(on_progress=lambda *step: told.append(step))
    engine = engine_on(tmp_path, corpus_with({"d1": "ant"}, {"q": "ant"}), report=report)
    engine.output(searched(model))
    assert (f"embed {model}", 1, 1) in told
    assert ("embed queries", 1, 1) in told
