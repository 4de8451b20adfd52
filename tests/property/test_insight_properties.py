"""What holds for effects and interactions of any part of a grid."""

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sweep.winner.insight.effects import main_effects
from sweep.winner.insight.interactions import find_interactions

SIZES, TOPS, OVERLAPS = (64, 128, 256), (5, 10), (0.0, 0.1, 0.2)
GRID: list[dict[str, Any]] = [
    {"size": s, "top_k": k, "overlap": o} for s in SIZES for k in TOPS for o in OVERLAPS
]
LEVELS = st.lists(st.floats(-1, 1), min_size=8, max_size=8)
PARTS = st.sets(st.integers(0, len(GRID) - 1), min_size=2)
QUERIES = np.array([0.0, 0.3, 0.9])


def additive(levels: list[float], rows: list[int]) -> np.ndarray:
    """Return scores that are sums of the values' own levels, and of the queries'."""
    own = dict(zip((*SIZES, *(-k for k in TOPS), *OVERLAPS), levels, strict=True))
    sums = [
        own[f["size"]] + own[-f["top_k"]] + own[f["overlap"]] for f in (GRID[row] for row in rows)
    ]
    return np.array(sums)[:, None] + QUERIES


@given(levels=LEVELS, part=PARTS, order=st.randoms(use_true_random=False))
def test_any_part_of_a_grid_gives_the_true_differences(
    levels: list[float], part: set[int], order: Any
) -> None:
    """However unbalanced: where values are compared at all, their difference is their own."""
    rows = sorted(part)
    order.shuffle(rows)
    scores = additive(levels, rows)
    true = dict(zip(map(str, SIZES), levels[:3], strict=True))
    for effect in main_effects([GRID[row] for row in rows], scores, names=["size"]):
        if not effect.matched or effect.along:
            continue
        found = {value.value: value.difference for value in effect.values}
        centre = np.mean([true[value] for value in found])
        expected = {value: true[value] - centre for value in found}
        assert found == pytest.approx(expected, abs=1e-9)
        assert sum(found.values()) == pytest.approx(0.0, abs=1e-9)
        took_part = sum(value.configurations for value in effect.values)
        assert took_part + effect.left_out <= len(rows)


@given(levels=LEVELS, part=PARTS)
def test_no_part_of_an_additive_grid_has_an_interaction(
    levels: list[float], part: set[int]
) -> None:
    rows = sorted(part)
    shown = find_interactions([GRID[row] for row in rows], additive(levels, rows), permutations=50)
    assert shown.found == ()


@example(part={2, 3, 4, 8, 9}, seed=0, shift=0.0)  # overlap twice: along with top_k, and alone
@given(part=PARTS, seed=st.integers(0, 99), shift=st.floats(-1, 1))
def test_a_constant_changes_no_effect(part: set[int], seed: int, shift: float) -> None:
    params = [GRID[row] for row in sorted(part)]
    scores = np.random.default_rng(seed).random((len(params), 4))
    one, other = main_effects(params, scores), main_effects(params, scores + shift)
    same = {(e.parameter, e.along, e.values[0].value): e for e in other}
    assert len(same) == len(one)
    for effect in one:
        key = effect.parameter, effect.along, effect.values[0].value
        for value, moved in zip(effect.values, same[key].values, strict=True):
            assert value.difference == pytest.approx(moved.difference, abs=1e-9)
            assert value.mean + shift == pytest.approx(moved.mean, abs=1e-9)
