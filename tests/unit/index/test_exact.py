"""Exact search: the order of float64 scores, whatever float32 makes of them."""

import json
from pathlib import Path

import numpy as np
import pytest

from sweep.configuration import Similarity, VectorConfig
from sweep.errors import IndexingError
from sweep.index import exact
from sweep.index.exact import prepare_vectors, search_exact
from sweep.index.vectors import build_index, search_vectors
from sweep.records import RankedLists, Vectors
from tests.shared_data import bugcase


def search(
    vectors: Vectors, queries: Vectors, similarity: Similarity = "cosine", depth: int = 10
) -> RankedLists:
    index = build_index(vectors, VectorConfig(similarity=similarity))
    return search_vectors(index, queries, depth=depth)


def made(*rows: tuple[float, ...]) -> Vectors:
    return np.array(rows, dtype=np.float32)


@pytest.mark.parametrize("similarity", ["cosine", "ip", "l2"])
def test_case_49_each_similarity_has_its_own_order(similarity: Similarity) -> None:
    """Scores rise with likeness, so L2 is minus the squared distance."""
    case = bugcase("49")
    table = json.loads((case / "vectors.json").read_text(encoding="utf-8"))
    names = ["short", "long", "mid"]
    ranked = search(made(*(table[n] for n in names)), made(table["q"]), similarity)
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))["expect"]
    wanted = expected["l2_squared" if similarity == "l2" else similarity]
    sign = -1 if similarity == "l2" else 1
    assert [names[item] for item in ranked.items[0]] == list(wanted)
    assert ranked.scores[0] == pytest.approx([sign * v for v in wanted.values()], abs=1e-7)


def test_case_47_more_asked_for_than_there_is() -> None:
    case = bugcase("47")
    table = json.loads((case / "vectors.json").read_text(encoding="utf-8"))
    ranked = search(made(*table.values()), made(table["ant"]), depth=10)
    assert ranked.items.tolist() == [[0, 1, 2]]
    expected = json.loads((case / "expected.json").read_text(encoding="utf-8"))["expect"]
    assert ranked.scores[0] == pytest.approx(expected["scores"], abs=1e-7)


def test_equal_vectors_are_ordered_by_row() -> None:
    """More copies than the depth holds."""
    vectors = np.repeat(made((0.6, 0.8), (1, 0)), 200, axis=0)
    ranked = search(vectors, made((0.6, 0.8), (1, 0)), depth=10)
    assert ranked.items.tolist() == [list(range(10)), list(range(200, 210))]
    assert np.ptp(ranked.scores, axis=1).tolist() == [0, 0]


@pytest.mark.parametrize("rising", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_more_ties_than_are_held_at_once(
    monkeypatch: pytest.MonkeyPatch, rising: bool, threads: int
) -> None:
    """Every block brings as many again that float32 cannot tell apart, or better ones."""
    monkeypatch.setattr(exact, "BLOCK_SCORES", 40)
    steps = np.arange(500) // (5 if rising else 500)
    vectors = np.stack([np.ones(500), np.where(rising, steps, -steps) * 1e-9], axis=1)
    vectors = vectors.astype(np.float32)
    ranked = search_exact(vectors, made((1, 1), (1, 0)), similarity="ip", depth=3, threads=threads)
    assert ranked.items.tolist() == [[495, 496, 497] if rising else [0, 1, 2], [0, 1, 2]]


def test_matrix_may_lie_in_a_file(tmp_path: Path) -> None:
    vectors = np.random.default_rng(4).normal(size=(70, 8)).astype(np.float32)
    np.save(tmp_path / "vectors.npy", vectors)
    mapped = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    one, other = (
        search_exact(v, vectors[:3], similarity="l2", depth=5) for v in (vectors, mapped)
    )
    assert one.items.tolist() == other.items.tolist()
    assert one.scores.tolist() == other.scores.tolist()


@pytest.mark.parametrize("similarity", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e30])
def test_numbers_that_cannot_be_compared_are_named(similarity: Similarity, bad: float) -> None:
    with pytest.raises(IndexingError, match=r"got 1 vectors .* try --precision fp32"):
        search(made((1, 2), (3, bad)), made((1, 2)), similarity, depth=1)
    with pytest.raises(IndexingError, match="vectors: numbers must be finite"):
        search(made((1, 2), (3, 4)), made((1, bad)), similarity, depth=1)


def test_score_of_a_query_does_not_depend_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(300, 48)).astype(np.float32)
    queries = np.concatenate([vectors[:20], rng.normal(size=(13, 48)).astype(np.float32)])
    together = search(vectors, queries)
    for row, query in enumerate(queries):
        alone = search(vectors, query[None, :])
        assert alone.items[0].tolist() == together.items[row].tolist()
        assert alone.scores[0].tolist() == together.scores[row].tolist()
    monkeypatch.setattr(exact, "BLOCK_SCORES", 700)
    monkeypatch.setattr(exact, "BLOCK_FLOATS", 480)
    for threads in (1, 3):
        index = build_index(vectors, VectorConfig())
        blocks = search_vectors(index, queries, depth=10, threads=threads)
        assert blocks.items.tolist() == together.items.tolist()
        assert blocks.scores.tolist() == together.scores.tolist()


@pytest.mark.parametrize("similarity", ["ip", "l2"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_order_is_exact_where_float32_is_lost_in_rounding(
    similarity: Similarity, scale: float
) -> None:
    """Far from the origin and close together, float32 products differ by rounding alone."""
    rng = np.random.default_rng(2)
    far = np.full(16, 1e6)
    vectors = ((far + rng.normal(size=(600, 16))) * scale).astype(np.float32)
    direction = rng.normal(size=(4, 16))
    if similarity == "ip":  # at right angles to where the vectors lie
        direction -= direction.mean(axis=1, keepdims=True)
    queries = (direction * scale + (far * scale if similarity == "l2" else 0)).astype(np.float32)
    ranked = search(vectors, queries, similarity, depth=5)
    wide, asked = vectors.astype(np.float64), queries.astype(np.float64)
    if similarity == "ip":
        scores = asked @ wide.T
    else:
        scores = -((wide[None] - asked[:, None]) ** 2).sum(axis=2)
    assert ranked.items.tolist() == np.argsort(-scores, axis=1, kind="stable")[:, :5].tolist()
    best = np.sort(scores, axis=1)[:, ::-1][:, :5]
    np.testing.assert_allclose(ranked.scores, best, rtol=1e-7, atol=1e-9 * np.abs(scores).max())


def test_vectors_below_float32s_normal_numbers() -> None:
    """Their products are 0 in float32: every row is a candidate."""
    rng = np.random.default_rng(3)
    vectors = (rng.normal(size=(100, 4)) * 1e-25).astype(np.float32)
    query = (rng.normal(size=(1, 4)) * 1e-25).astype(np.float32)
    ranked = search_exact(vectors, query, similarity="ip", depth=3)
    scores = vectors.astype(np.float64) @ query[0].astype(np.float64)
    assert ranked.items[0].tolist() == np.argsort(-scores, kind="stable")[:3].tolist()


def test_prepared_vectors_are_unit_vectors_for_cosine_only() -> None:
    vectors = made((3, 4), (0, 0))
    assert prepare_vectors(vectors, "cosine").tolist() == made((0.6, 0.8), (0, 0)).tolist()
    assert prepare_vectors(vectors, "ip").tolist() == vectors.tolist()
    assert prepare_vectors(vectors[:0], "cosine").shape == (0, 2)


def test_vector_zero_is_like_nothing_and_an_error_to_nobody() -> None:
    ranked = search(made((0, 0), (1, 0), (-1, 0)), made((1, 0), (0, 0)), depth=3)
    assert ranked.items.tolist() == [[1, 0, 2], [0, 1, 2]]
    assert ranked.scores.tolist() == [[1, 0, -1], [0, 0, 0]]
