"""Exact search against a float64 argsort, on vectors full of equal and nearly equal ones."""

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sweep.configuration import Similarity, VectorConfig
from sweep.index import exact
from sweep.index.exact import prepare_vectors
from sweep.index.vectors import build_index, search_vectors
from sweep.records import Vectors


@st.composite
def vectors(draw: st.DrawFn) -> tuple[Vectors, Vectors]:
    """Return rows and queries; few distinct ones, some moved by the last bit."""
    seed = draw(st.integers(0, 2**32 - 1))
    count, distinct = draw(st.integers(1, 120)), draw(st.integers(1, 6))
    dimension = draw(st.sampled_from([1, 2, 7, 32]))
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(distinct, dimension)).astype(np.float32)
    rows = base[rng.integers(0, distinct, size=count)]
    moved = rng.random(count) < draw(st.sampled_from([0.0, 0.3]))
    rows[moved] = np.nextafter(rows[moved], np.float32(np.inf))
    queries = np.concatenate([base, rng.normal(size=(2, dimension)).astype(np.float32)])
    return rows, queries


def reference(rows: Vectors, query: Vectors, similarity: Similarity) -> list[float]:
    """Return every row's score: the float64 sum over its own pair."""
    wide = rows.astype(np.float64)
    asked = query.astype(np.float64)
    products = -((wide - asked) ** 2) if similarity == "l2" else wide * asked
    return [float(row.sum()) for row in products]


@given(
    both=vectors(),
    similarity=st.sampled_from(["cosine", "ip", "l2"]),
    depth=st.integers(1, 200),
    block=st.sampled_from([1, 60, exact.BLOCK_SCORES]),
)
def test_exact_search_is_the_float64_order(
    both: tuple[Vectors, Vectors], similarity: Similarity, depth: int, block: int
) -> None:
    rows, queries = both
    index = build_index(rows, VectorConfig(similarity=similarity))
    with mock.patch.object(exact, "BLOCK_SCORES", block):
        ranked = search_vectors(index, queries, depth=depth)
    assert ranked.items.shape == (len(queries), min(depth, len(rows)))
    prepared, asked = prepare_vectors(rows, similarity), prepare_vectors(queries, similarity)
    for query, items, scores in zip(asked, ranked.items, ranked.scores, strict=True):
        expected = np.array(reference(prepared, query, similarity))
        order = np.argsort(-expected, kind="stable")[:depth]
        assert items.tolist() == order.tolist()
        assert scores.tolist() == expected[order].tolist()


@given(both=vectors(), similarity=st.sampled_from(["cosine", "ip", "l2"]))
def test_query_alone_scores_as_in_company(
    both: tuple[Vectors, Vectors], similarity: Similarity
) -> None:
    rows, queries = both
    index = build_index(rows, VectorConfig(similarity=similarity))
    together = search_vectors(index, queries, depth=7)
    for row in range(len(queries)):
        alone = search_vectors(index, queries[row : row + 1], depth=7)
        assert alone.items[0].tolist() == together.items[row].tolist()
        assert alone.scores[0].tolist() == together.scores[row].tolist()
