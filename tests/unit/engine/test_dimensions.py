"""Vectors cut to their first numbers: what is searched, what is shared, what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import ChunkConfig, Configuration, VectorConfig
from sweep.errors import IndexingError, SpaceError
from sweep.index.exact import prepare_vectors
from sweep.index.vectors import build_index, load_index, save_index, search_vectors
from sweep.study.driver.preflight import preflight
from tests.engine_inputs import corpus_with, engine_on
from tests.toy_models import lookup_model
from tests.unit.study.space_files import make_space

WHOLE = ChunkConfig(splitter="document", size=None)
WORDS = {"ant": [1.0, 0.0, 0.0], "bee": [0.6, 0.8, 0.0], "cat": [0.0, 0.6, 0.8]}


def test_rows_keep_their_length_whatever_the_similarity() -> None:
    vectors = np.array([[3, 4, 12], [0, 0, 5], [0, 0, 0]], dtype=np.float32)
    assert prepare_vectors(vectors, "cosine", 2).tolist() == pytest.approx(
        np.array([[0.6, 0.8], [0, 0], [0, 0]])
    )
    for similarity in ("ip", "l2"):
        cut = prepare_vectors(vectors, similarity, 2)  # type: ignore[arg-type]
        assert cut == pytest.approx(np.array([[13 * 0.6, 13 * 0.8], [0, 0], [0, 0]]))
    assert prepare_vectors(vectors, "ip", 3).tolist() == vectors.tolist()


def test_more_numbers_than_there_are_is_refused() -> None:
    with pytest.raises(IndexingError, match=r"vector\.dimensions: must be at most 3, .* got 4"):
        prepare_vectors(np.ones((1, 3), dtype=np.float32), "cosine", 4)


@pytest.mark.parametrize("factory", ["Flat", "HNSW8"])
def test_an_index_cuts_queries_as_it_cuts_chunks(tmp_path: Path, factory: str) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(40, 8)).astype(np.float32)
    queries = rng.normal(size=(5, 8)).astype(np.float32)
    config = VectorConfig(dimensions=4, index=factory)
    index = build_index(vectors, config)
    assert index.vectors.shape == (40, 4)
    found = search_vectors(index, queries, depth=1)
    units = [rows[:, :4] / np.linalg.norm(rows[:, :4], axis=1, keepdims=True) for rows in
             (queries, vectors)]  # fmt: skip
    assert found.items[:, 0].tolist() == (units[0] @ units[1].T).argmax(axis=1).tolist()
    save_index(index, tmp_path / "index.faiss")
    again = load_index(tmp_path / "index.faiss", config)
    assert search_vectors(again, queries, depth=1).items.tolist() == found.items.tolist()


def test_every_dimension_shares_one_embedding(tmp_path: Path) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with({"d1": "ant", "d2": "bee", "d3": "cat"}, {"q": "cat"})
    engine = engine_on(tmp_path / "store", corpus, tokenizer=model)
    full = Configuration(mode="vector", top_k=3, chunk=WHOLE, vector=VectorConfig(model=model))
    assert full.vector is not None
    cut = replace(full, vector=replace(full.vector, dimensions=2))
    encoder = engine.pool.encoder(model)
    assert engine.output(full).items.tolist() == [[2, 1, 0]]
    count = len(list((tmp_path / "store").rglob("*.safetensors")))
    encoder.embed = None  # type: ignore[method-assign, assignment]  a second pass would fail
    # (0, .6) is all that is left of the query: at right angles to the first, near the second.
    assert engine.output(cut).items.tolist() == [[2, 1, 0]]
    assert engine.output(cut).scores[0].tolist() == pytest.approx([1, 0.8, 0])
    assert engine.output(full).scores[0].tolist() == pytest.approx([1, 0.48, 0])
    assert len(list((tmp_path / "store").rglob("*.safetensors"))) == count + 1  # its list
    assert engine.costs(cut)["index_bytes"] == 3 * 2 * 4


def test_dimensions_of_no_model_are_refused_before_the_run(tmp_path: Path) -> None:
    model = lookup_model(tmp_path / "model", WORDS)
    corpus = corpus_with({"d1": "ant"}, {"q": "cat"})
    engine = engine_on(tmp_path / "store", corpus, tokenizer=model)
    vector = {"model": model, "dimensions": [2, 4]}
    space = make_space(tmp_path, {"mode": "vector", "vector": vector})
    with pytest.raises(SpaceError, match=r"must be at most 3, .* got 4\. Lower it"):
        preflight(space, engine)
