"""The engine as a whole: one result, whatever the store held, the thread count, and the path."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sweep.configuration import Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.records import RankedLists
from tests.engine_inputs import (
    CHUNK,
    assert_well_formed,
    configurations,
    engine_on,
    trimmed,
)
from tests.toy_models import lookup_model

NAMES = list(configurations("a model"))
Made = dict[str, list[list[tuple[int, float]]]]


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that the tests of this file fill."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def engine(warm: Path) -> Engine:
    return engine_on(warm)


@pytest.fixture(scope="module")
def outputs(engine: Engine, cross_encoder: str) -> dict[str, RankedLists]:
    return {name: engine.output(c) for name, c in configurations(cross_encoder).items()}


def rerun(store: Path, cross_encoder: str, *, threads: int = 1) -> Made:
    engine = engine_on(store, threads=threads)
    found = {n: trimmed(engine.output(c)) for n, c in configurations(cross_encoder).items()}
    assert engine.report.notices == []
    return found


@pytest.mark.parametrize("name", NAMES)
def test_output_is_a_ranking(outputs: dict[str, RankedLists], name: str) -> None:
    output = outputs[name]
    assert output.items.shape == (5, 7)
    assert_well_formed(output)
    found = (output.items >= 0).sum(axis=1).tolist()
    if "bm25" in name or name == "cross-encoder":
        assert found[3] == 0  # no chunk has a word of `zzz qqq`
    else:
        assert found == [7] * 5


@pytest.mark.parametrize("name", NAMES)
def test_batch_path_equals_the_query_path(engine: Engine, cross_encoder: str, name: str) -> None:
    """The study's outputs are those of the retriever that goes into production, bit for bit."""
    assert_paths_agree(engine, configurations(cross_encoder)[name])


@pytest.mark.parametrize("name", ["bm25", "vector", "vector HNSW", "hybrid", "cross-encoder"])
def test_batch_path_equals_the_query_path_in_documents(
    engine: Engine, cross_encoder: str, name: str
) -> None:
    configuration = replace(configurations(cross_encoder)[name], top_k_unit="documents", top_k=4)
    assert_paths_agree(engine, configuration)
    chunks = engine.texts.chunks(configuration.chunk)
    for row in trimmed(engine.output(configuration)):
        assert len({int(chunks.document[item]) for item, _ in row}) <= 4
        assert len(row) >= 4 or "vector" not in name


def assert_paths_agree(engine: Engine, configuration: Configuration) -> None:
    retriever = engine.retriever(configuration)
    together = engine.output(configuration)
    alone = [retriever.rank([query.text]) for query in engine.corpus.queries]
    assert [trimmed(one)[0] for one in alone] == trimmed(together)


def test_retriever_answers_several_queries_at_once(engine: Engine, cross_encoder: str) -> None:
    configuration = configurations(cross_encoder)["bm25"]
    retriever = engine.retriever(configuration)
    several = retriever.rank([query.text for query in engine.corpus.queries])
    assert trimmed(several) == trimmed(engine.output(configuration))
    assert retriever.rank([]).items.shape == (0, 0)


def test_result_is_the_same_from_a_warm_store(
    outputs: dict[str, RankedLists], warm: Path, cross_encoder: str
) -> None:
    expected = {name: trimmed(output) for name, output in outputs.items()}
    assert rerun(warm, cross_encoder) == expected


def test_warm_store_needs_no_weights(
    outputs: dict[str, RankedLists], warm: Path, cross_encoder: str
) -> None:
    engine = engine_on(warm)
    for configuration in configurations(cross_encoder).values():
        engine.output(configuration)
    assert engine.pool.encoder("all-MiniLM-L6-v2")._model is None
    assert engine.pool.cross_encoder(cross_encoder)._model is None
    assert set(engine.report.computed) == {"query_inputs"}  # no store is asked for so little


def test_result_is_the_same_from_half_a_store_and_on_two_threads(
    outputs: dict[str, RankedLists], warm: Path, cross_encoder: str, tmp_path: Path
) -> None:
    store = tmp_path / "store"
    shutil.copytree(warm, store)
    files = sorted(path for path in store.rglob("*") if path.is_file())
    for path in files[::2]:
        path.unlink()
    expected = {name: trimmed(output) for name, output in outputs.items()}
    assert rerun(store, cross_encoder, threads=2) == expected


def test_result_is_the_same_when_hardly_anything_fits_into_memory(
    outputs: dict[str, RankedLists],
    cross_encoder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All arrays in files, everything in small blocks, and segments merged all the time."""
    for name, value in {
        "sweep.engine.store.scratch.SMALL_BYTES": 0,
        "sweep.engine.store.store.MAPPED_BYTES": 0,
        "sweep.engine.store.rows.COPY_BYTES": 2000,
        "sweep.engine.store.segments.MANY_SMALL": 1,
        "sweep.engine.store.cache.HELD_BYTES": 0,
        "sweep.engine.stages.inputs.SEEN_TOKENS": 0,
        "sweep.engine.stages.vectors.BLOCK": 7,
        "sweep.engine.stages.pairs.BLOCK": 5,
        "sweep.chunks.blocks.BLOCK_TOKENS": 40,
        "sweep.chunks.blocks.KEPT_TOKENS": 0,
        "sweep.tokenizer.BLOCK_CHARACTERS": 100,
    }.items():
        monkeypatch.setattr(name, value)
    expected = {name: trimmed(output) for name, output in outputs.items()}
    for _ in ("cold", "warm"):
        assert rerun(tmp_path, cross_encoder) == expected


def test_result_is_the_same_from_a_cold_store_on_two_threads(
    outputs: dict[str, RankedLists], cross_encoder: str, tmp_path: Path
) -> None:
    """In another order of configurations, too."""
    engine = engine_on(tmp_path, threads=2)
    for name, configuration in reversed(configurations(cross_encoder).items()):
        assert trimmed(engine.output(configuration)) == trimmed(outputs[name])


def damaged(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "a flipped byte":
        content[-1] ^= 1
    path.write_bytes(content[: len(content) // 2] if how == "cut short" else content)


@pytest.mark.parametrize("how", ["a flipped byte", "cut short"])
def test_damaged_store_is_told_and_mended(
    outputs: dict[str, RankedLists], warm: Path, cross_encoder: str, tmp_path: Path, how: str
) -> None:
    store = tmp_path / "store"
    shutil.copytree(warm, store)
    files = sorted(path for path in store.rglob("*.safetensors") if "latency" not in str(path))
    for path in files:
        damaged(path, how)
    names = ("bm25", "vector", "rerank")
    first, again = engine_on(store), engine_on(store)
    for name in names:
        output = first.output(configurations(cross_encoder)[name])
        assert trimmed(output) == trimmed(outputs[name])
    assert first.report.notices
    assert all("is damaged" in n and "computed again" in n for n in first.report.notices)
    for name in names:
        assert trimmed(again.output(configurations(cross_encoder)[name])) == trimmed(outputs[name])
    assert again.report.notices == []


def test_deeper_lists_agree_with_shallow_ones(engine: Engine, cross_encoder: str) -> None:
    """Another top_k is a cut of the same list."""
    for name in ("bm25", "vector", "hybrid", "rerank"):
        configuration = configurations(cross_encoder)[name]
        long = trimmed(engine.output(replace(configuration, top_k=150)))
        short = trimmed(engine.output(replace(configuration, top_k=3)))
        assert short == [row[:3] for row in long]


@pytest.mark.parametrize("prepend_title", [True, False])
def test_what_has_no_text_is_never_retrieved(
    engine: Engine, cross_encoder: str, prepend_title: bool
) -> None:
    """Vector search would rank an empty text somewhere; a document's title is text enough."""
    configuration = replace(
        configurations(cross_encoder)["vector"],
        top_k=1000,
        chunk=replace(CHUNK, prepend_title=prepend_title),
    )
    document = engine.texts.chunks(configuration.chunk).document
    ids = [d.id for d in engine.corpus.documents]
    missing = {"holiday-2"} if prepend_title else {"holiday-2", "expenses-4"}
    for row in trimmed(engine.output(configuration)):
        found = {ids[document[item]] for item, _ in row}
        assert found == set(ids) - missing


def test_model_on_candidates_of_bm25_indexes_nothing(
    tmp_path: Path, cross_encoder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Late interaction embeds the candidates only; the corpus is not embedded for it."""
    engine = engine_on(tmp_path / "store")
    model = lookup_model(tmp_path / "model", {"parking": [1, 0], "holiday": [0, 1]})

    def refuse(*args: object) -> Iterator[None]:
        raise AssertionError("the corpus was embedded")

    monkeypatch.setattr(engine.vectors, "passage_vectors", refuse)
    configuration = replace(
        configurations(cross_encoder)["maxsim on bm25"], vector=VectorConfig(model=model)
    )
    engine.output(configuration)
    assert engine.retriever(configuration).index is None
    assert engine.costs(configuration)["index_bytes"] > 0


def test_build_seconds_are_those_of_one_configuration(tmp_path: Path, cross_encoder: str) -> None:
    """What other configurations of the study took does not enter, nor whether it is stored."""
    cold = engine_on(tmp_path)
    bm25 = configurations(cross_encoder)["bm25"]
    other: Configuration = replace(bm25, chunk=replace(bm25.chunk, size=5))
    cold.output(bm25)
    seconds = cold.build_seconds(bm25)
    assert seconds > 0
    cold.output(other)
    assert cold.build_seconds(bm25) == seconds
    assert engine_on(tmp_path).build_seconds(bm25) == seconds
