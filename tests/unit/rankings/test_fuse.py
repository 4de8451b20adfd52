"""Fusion and blending with numbers worked by hand, and the collected bug cases 63-69."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from sweep.configuration import HybridConfig
from sweep.errors import RankingError
from sweep.rankings.fuse import blend_lists, fuse_lists
from sweep.records import RankedLists
from tests.shared_data import bugcase

RRF = HybridConfig(fusion="rrf", rrf_k=60)
HALF = HybridConfig(fusion="weighted", rrf_k=None, weight=0.5)


def lists(*rows: Sequence[tuple[int, float]], width: int | None = None) -> RankedLists:
    """Return padded lists from rows of (item, score)."""
    width = max(map(len, rows)) if width is None else width
    items = np.full((len(rows), width), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    for number, row in enumerate(rows):
        for place, (item, score) in enumerate(row):
            items[number, place], scores[number, place] = item, score
    return RankedLists(items=items, scores=scores)


def from_names(scores: Mapping[str, float]) -> RankedLists:
    """Return one list, score descending, ties by name; `a` is row 0, `b` row 1 ..."""
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return lists([(ord(name) - ord("a"), score) for name, score in ordered])


def row(ranked: RankedLists, number: int = 0) -> list[tuple[int, float]]:
    """Return one list without its padding."""
    length = int((ranked.items[number] >= 0).sum())
    assert (ranked.items[number, length:] == -1).all()
    assert np.isnan(ranked.scores[number, length:]).all()
    pairs = zip(ranked.items[number, :length], ranked.scores[number, :length], strict=True)
    return [(int(item), float(score)) for item, score in pairs]


def read_case(number: str) -> tuple[Any, Any]:
    folder = bugcase(number)
    given, expected = (
        json.loads((folder / f"{n}.json").read_text()) for n in ("lists", "expected")
    )
    return given, expected["expect"]


def test_rrf_by_hand() -> None:
    fused = fuse_lists(lists([(7, 0.9), (3, 0.8)]), lists([(3, 5.0), (1, 4.0), (7, 1.0)]), RRF)
    assert row(fused) == [
        (3, 1 / 62 + 1 / 61),
        (7, 1 / 61 + 1 / 63),
        (1, 1 / 62),
    ]
    assert fused.items.shape == (1, 5)


def test_rrf_does_not_care_which_list_is_which() -> None:
    left, right = lists([(7, 0.9), (3, 0.8), (9, 0.1)]), lists([(3, 5.0), (1, 4.0), (7, 1.0)])
    one, other = fuse_lists(left, right, RRF), fuse_lists(right, left, RRF)
    assert one.items.tobytes() == other.items.tobytes()
    assert one.scores.tobytes() == other.scores.tobytes()


def test_lists_are_cut_before_they_are_normalised() -> None:
    """At depth 2 the tie of rows 4 and 5 is settled by the list's own order: 5 is cut off."""
    config = HybridConfig(fusion="weighted", rrf_k=None, weight=0.3, depth=2)
    fused = fuse_lists(
        lists([(1, 0.9), (4, 0.5), (5, 0.5), (6, 0.1)]), lists([(5, 8.0), (4, 2.0)]), config
    )
    assert row(fused) == [(5, 0.7), (1, 0.3), (4, 0.0)]


def test_weighted_by_hand() -> None:
    config = HybridConfig(fusion="weighted", rrf_k=None, weight=0.75)
    fused = fuse_lists(lists([(0, 3.0), (1, 2.0), (2, 1.0)]), lists([(1, 9.0), (3, 5.0)]), config)
    assert row(fused) == [(0, 0.75), (1, 0.75 * 0.5 + 0.25), (2, 0.0), (3, 0.0)]


def test_zscore_by_hand() -> None:
    """Vector: z of 3, 2, 1 is sqrt(1.5), 0, -sqrt(1.5); bm25: 1, -1. Missing = the lowest."""
    config = HybridConfig(fusion="zscore", rrf_k=None, weight=0.5)
    fused = fuse_lists(lists([(0, 3.0), (1, 2.0), (2, 1.0)]), lists([(1, 9.0), (3, 5.0)]), config)
    z = math.sqrt(1.5)
    expected = {1: 0.5, 0: 0.5 * z - 0.5, 2: -0.5 * z - 0.5, 3: -0.5 * z - 0.5}
    assert [item for item, _ in row(fused)] == list(expected)
    assert [score for _, score in row(fused)] == pytest.approx(list(expected.values()), abs=1e-15)


@pytest.mark.parametrize("fusion", ["weighted", "zscore"])
def test_constant_and_empty_lists(fusion: Any) -> None:
    config = HybridConfig(fusion=fusion, rrf_k=None, weight=0.5)
    vector = lists([(4, 0.1), (5, 0.1), (6, 0.1)], [(4, 0.3)], [])
    bm25 = lists([(5, 2.0), (9, 1.0)], [], [], width=2)
    fused = fuse_lists(vector, bm25, config)
    own = 0.25 if fusion == "weighted" else 0.0
    missing = 0.0 if fusion == "weighted" else -0.5
    assert row(fused) == [
        (5, own + 0.5),
        *([(4, own), (6, own), (9, 0.0)] if own else [(4, missing), (6, missing), (9, missing)]),
    ]
    assert row(fused, 1) == [(4, own)]
    assert row(fused, 2) == []


def test_tiny_spread_is_no_constant() -> None:
    config = HybridConfig(fusion="zscore", rrf_k=None, weight=1.0)
    fused = fuse_lists(lists([(0, 2e-300), (1, 1e-300)]), lists([], width=1), config)
    assert row(fused) == [(0, 1.0), (1, -1.0)]


def test_lists_of_width_zero() -> None:
    nothing = lists([], [], width=0)
    for config in (RRF, HALF):
        assert fuse_lists(nothing, nothing, config).items.shape == (2, 0)
        assert row(fuse_lists(lists([(1, 2.0)], []), nothing, config), 0)[0][0] == 1


def test_a_score_that_is_no_number_is_an_error() -> None:
    broken = lists([(0, math.inf), (1, math.nan)])
    with pytest.raises(RankingError, match="must be finite, got NaN or infinity for 2 chunks"):
        fuse_lists(broken, lists([(0, 1.0)]), HALF)


def test_case_63_constant_lists() -> None:
    given, expected = read_case("63")
    fused = row(fuse_lists(*map(from_names, given["first"].values()), HALF))
    assert ["abc"[item] for item, _ in fused] == expected["first"]["order"]
    assert fused[0][1] - fused[1][1] == expected["first"]["difference_b_c"]
    assert fused[1][1] - fused[2][1] == expected["first"]["difference_c_a"]
    both = row(fuse_lists(*map(from_names, given["both"].values()), HALF))
    assert both == [(0, 0.5), (1, 0.5)]
    empty = fuse_lists(from_names(given["empty"]["dense"]), lists([], width=0), HALF)
    assert ["ab"[item] for item, _ in row(empty)] == expected["empty"]["order"]


def test_case_65_missing_is_zero() -> None:
    given, expected = read_case("65")
    fused = row(fuse_lists(from_names(given["dense"]), from_names(given["bm25"]), HALF))
    assert {"abc"[item]: score for item, score in fused} == pytest.approx(expected["fused"])
    assert [item for item, _ in fused] == [0, 2, 1]  # a and c tie, and keep their rows' order
    assert min(score for _, score in fused) >= expected["min_fused"]


@pytest.mark.parametrize("number", ["66", "69"])
def test_cases_66_and_69_reciprocal_ranks(number: str) -> None:
    """Chunks are told apart by row: two of case 69 have the same text."""
    given, expected = read_case(number)
    names = sorted({*given["dense"], *given["bm25"]})
    left, right = (
        lists([(names.index(name), -float(rank)) for rank, name in enumerate(given[part])])
        for part in ("dense", "bm25")
    )
    for pair in ((left, right), (right, left)):
        fused = row(fuse_lists(*pair, RRF))
        assert {names[item]: score for item, score in fused} == pytest.approx(
            expected["rrf60"], abs=1e-11
        )
        order = [names[item] for item, _ in fused]
        if number == "69":
            assert order == expected["order"]
        else:
            assert order == [name for group in expected["order_groups"] for name in sorted(group)]


CANDIDATES = lists([(8, 0.9), (6, 0.7), (4, 0.5), (2, 0.5), (0, 0.1)])


def test_blend_one_is_the_reranker_alone() -> None:
    logits = np.array([[-2.0, 17.9, 18.5, 25.0, 99.0]])
    blended = row(blend_lists(CANDIDATES, logits, depth=4, blend=1.0))
    assert [item for item, _ in blended] == [2, 4, 6, 8, 0]
    assert [score for _, score in blended] == pytest.approx([1, 20.5 / 27, 19.9 / 27, 0, -1])


def test_blend_one_orders_by_raw_scores() -> None:
    """Scaled by a far lowest, neighbours become equal; their order is still the reranker's."""
    close = np.array([[1.0, np.nextafter(1.0, 2.0), -1e9, 0.0, 0.0]])
    blended = row(blend_lists(CANDIDATES, close, depth=3, blend=1.0))
    assert [item for item, _ in blended] == [6, 8, 4, 2, 0]
    assert blended[0][1] == blended[1][1] == 1.0


def test_blend_by_hand() -> None:
    """First stage of the first three: 1, .5, 0; reranker: 0, 1, .75. Share .25."""
    raw = np.array([[1.0, 5.0, 4.0, np.nan, np.nan]])
    blended = row(blend_lists(CANDIDATES, raw, depth=3, blend=0.25))
    assert [item for item, _ in blended] == [8, 6, 4, 2, 0]
    assert [score for _, score in blended] == pytest.approx([0.75, 0.625, 0.1875, -1.0, -1.4])


def test_equal_scores_keep_the_first_stage_order() -> None:
    same = np.full((1, 5), 3.0)
    blended = row(blend_lists(CANDIDATES, same, depth=5, blend=1.0))
    assert blended == [(8, 0.5), (6, 0.5), (4, 0.5), (2, 0.5), (0, 0.5)]


def test_blend_of_short_and_empty_lists() -> None:
    candidates = lists([(3, 2.0)], [], [(1, 2.0), (0, 1.0)])
    scores = np.array([[1.0, np.nan], [np.nan, np.nan], [1.0, 2.0]])
    blended = blend_lists(candidates, scores, depth=50, blend=0.5)
    assert [row(blended, number) for number in range(3)] == [
        [(3, 0.5)],
        [],
        [(1, 0.5), (0, 0.5)],
    ]


def test_a_rerank_score_that_is_no_number_is_an_error() -> None:
    with pytest.raises(RankingError, match="for 1 chunks"):
        blend_lists(CANDIDATES, np.array([[1.0, np.nan, 2, 3, 4]]), depth=2, blend=0.5)


def test_case_74_saturated_reranker() -> None:
    """First stage d, c, b, a; logits whose float32 sigmoid is 1.0 for a, b and c."""
    first = lists([(3, 4.0), (2, 3.0), (1, 2.0), (0, 1.0)])
    blended = blend_lists(first, np.array([[-2.0, 17.9, 18.5, 25.0]]), depth=4, blend=1.0)
    assert blended.items.tolist() == [[0, 1, 2, 3]]
