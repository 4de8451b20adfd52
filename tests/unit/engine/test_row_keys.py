"""Vectors and scores are known by all that can change a bit of them, and by nothing else."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sweep.configuration import RerankConfig, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages import pairs, vectors
from sweep.engine.store import keys
from sweep.index import embed
from sweep.machine import version_of
from sweep.models import find_model
from sweep.rankings import rerank
from tests.engine_inputs import CHUNK, configurations, engine_on, handbook, trimmed
from tests.toy_models import lookup_model

WORDS = {"parking": [1.0, 0.0], "forms": [0.0, 1.0]}
ALL = {"passage", "query", "maxsim", "cross-encoder", "inputs"}
BI = ALL - {"cross-encoder"}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return Path(lookup_model(tmp_path / "model", WORDS))


def names(engine: Engine, model: Path, cross_encoder: str) -> dict[str, str]:
    """Return under which name each kind of row, and the inputs of a chunking, are kept."""
    find_model.cache_clear()
    config = VectorConfig(model=str(model))
    encoder = engine.pool.encoder(str(model))
    cross = RerankConfig(kind="cross-encoder", model=cross_encoder)
    return {
        "passage": engine.vectors.rows(encoder, "passage").folder.name,
        "query": engine.vectors.rows(encoder, "query").folder.name,
        "maxsim": engine.pairs.rows(RerankConfig(), config).folder.name,
        "cross-encoder": engine.pairs.rows(cross, None).folder.name,
        "inputs": engine.vectors._inputs_key(CHUNK, config),
    }


def test_all_names_differ(tmp_path: Path, model: Path, cross_encoder: str) -> None:
    assert len(set(names(engine_on(tmp_path), model, cross_encoder).values())) == 5


def test_place_of_model_and_store_is_no_part(
    tmp_path: Path, model: Path, cross_encoder: str
) -> None:
    first = names(engine_on(tmp_path / "store"), model, cross_encoder)
    moved = shutil.copytree(model, tmp_path / "elsewhere" / "renamed")
    (moved / "README.md").write_text("now with a model card", encoding="utf-8")
    engine = engine_on(tmp_path / "other store", threads=2)
    assert names(engine, moved, cross_encoder) == first


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "modules.json"])
def test_changed_file_of_a_model(
    tmp_path: Path, model: Path, cross_encoder: str, file: str
) -> None:
    first = names(engine_on(tmp_path), model, cross_encoder)
    path = next(model.rglob(file))
    path.write_bytes(path.read_bytes() + b"\n")
    second = names(engine_on(tmp_path), model, cross_encoder)
    assert {name for name in ALL if first[name] != second[name]} == BI


def test_precision(tmp_path: Path, model: Path, cross_encoder: str) -> None:
    first = names(engine_on(tmp_path), model, cross_encoder)
    second = names(engine_on(tmp_path, precision="bf16"), model, cross_encoder)
    assert {name for name in ALL if first[name] != second[name]} == ALL - {"inputs"}


Change = Callable[[pytest.MonkeyPatch], None]


def version(*modules: object, library: str) -> Change:
    def changed(package: str) -> str:
        return "0" if package == library else version_of(package)

    def change(patch: pytest.MonkeyPatch) -> None:
        for module in modules:
            patch.setattr(module, "version_of", changed)

    return change


def number(module: object, name: str) -> Change:
    return lambda patch: patch.setattr(module, name, getattr(module, name) * 2)


def stage(name: str) -> Change:
    return lambda patch: patch.setitem(keys.VERSIONS, name, 99)


EVERYWHERE = (embed, rerank, vectors, pairs)


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (version(*EVERYWHERE, library="torch"), ALL - {"inputs"}),
        (version(*EVERYWHERE, library="transformers"), ALL),
        (version(*EVERYWHERE, library="tokenizers"), {"inputs"}),
        (version(pairs, library="numpy"), {"maxsim"}),
        (number(embed, "PASSAGE_STEP"), BI - {"inputs"}),
        (number(embed, "QUERY_STEP"), BI - {"inputs"}),
        (number(embed, "BATCH_TOKENS"), BI - {"inputs"}),
        (number(embed, "SPECIAL"), BI - {"inputs"}),
        (number(rerank, "STEP"), {"cross-encoder"}),
        (stage("vectors"), {"passage", "query"}),
        (stage("pairs"), {"maxsim", "cross-encoder"}),
        (stage("inputs"), {"inputs"}),
        (stage("chunks"), {"inputs"}),
        (stage("index"), set()),
    ],
    ids=[
        "torch",
        "transformers",
        "tokenizers",
        "numpy",
        "passage step",
        "query step",
        "batch tokens",
        "special",
        "rerank step",
        "vectors",
        "pairs",
        "inputs",
        "chunks",
        "index",
    ],
)
def test_what_can_change_a_bit(
    tmp_path: Path,
    model: Path,
    cross_encoder: str,
    monkeypatch: pytest.MonkeyPatch,
    change: Change,
    changed: set[str],
) -> None:
    first = names(engine_on(tmp_path), model, cross_encoder)
    change(monkeypatch)
    second = names(engine_on(tmp_path), model, cross_encoder)
    assert {name for name in ALL if first[name] != second[name]} == changed


def test_moved_store_stays_warm(tmp_path: Path, model: Path) -> None:
    """Of the same corpus, wherever it was read from; the model has moved, too."""
    made = {
        name: configuration
        for name, configuration in configurations("none").items()
        if name != "cross-encoder"
    }

    def output(store: Path, folder: Path) -> tuple[Engine, list[object]]:
        engine = engine_on(store, handbook())
        found = []
        for configuration in made.values():
            if configuration.vector is not None:
                vector = replace(configuration.vector, model=str(folder))
                configuration = replace(configuration, vector=vector)
            found.append(trimmed(engine.output(configuration)))
        return engine, found

    _, expected = output(tmp_path / "store", model)
    moved = shutil.move(tmp_path / "store", tmp_path / "a" / "store")
    engine, found = output(Path(moved), Path(shutil.move(model, tmp_path / "b")))
    assert found == expected
    assert set(engine.report.computed) == {"query_inputs"}
