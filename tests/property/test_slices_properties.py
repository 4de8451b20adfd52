"""Slices add up to the whole, and routing is what a plain loop over folds and slices gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.records import Floats
from sweep.winner.insight.division import FEWEST, Division, divide_by_number
from sweep.winner.insight.routing import oracle_gain, routing_gain
from sweep.winner.insight.slices import slice_scores
from sweep.winner.statistics.cross_validation import draw_folds, group_index

REPEATS, FOLDS = 2, 5


def by_hand(division: Division, scores: Floats, groups: list[str] | None) -> Floats:
    """Return the gain per query, mean over repeats, by loops over whole numbers."""
    group_of = group_index(scores.shape[1], groups)
    rng = np.random.default_rng(0)
    held = np.zeros((REPEATS, scores.shape[1]))
    for repeat in range(REPEATS):
        fold_of = draw_folds(group_of, FOLDS, rng)
        for query, fold in enumerate(fold_of.tolist()):
            outside = fold_of != fold
            for_all = int(scores[:, outside].sum(axis=1).argmax())
            (mine,) = (inside for inside in division.members.values() if inside[query])
            sums = scores[:, outside & mine].sum(axis=1)
            route = int(sums.argmax()) if (outside & mine).sum() >= FEWEST else for_all
            if sums[for_all] == sums.max():
                route = for_all
            held[repeat, query] = scores[route, query] - scores[for_all, query]
    return held.mean(axis=0)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 6),
    queries=st.integers(12, 40),
    slices=st.integers(2, 4),
    levels=st.sampled_from([2, 5, 1000]),
    grouped=st.booleans(),
)
def test_routing_is_the_plain_loop(
    seed: int, rows: int, queries: int, slices: int, levels: int, grouped: bool
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, levels, (rows, queries)).astype(np.float64)
    kind = rng.integers(0, slices, queries)
    members = {f"k{n}": kind == n for n in range(slices) if (kind == n).any()}
    division = Division(by="kind", members=members)
    groups = [f"g{n}" for n in rng.integers(0, queries // 2, queries)] if grouped else None
    found = routing_gain(division, scores, groups=groups, folds=FOLDS, repeats=REPEATS)
    if found is None:
        large = sum(inside.sum() >= FEWEST for inside in members.values())
        assert large < 2 or (groups is not None and len(set(groups)) < FOLDS)
        return
    assert found.gain == pytest.approx(by_hand(division, scores, groups).mean(), abs=1e-9)
    assert found.gain <= oracle_gain(scores) + 1e-9
    turned = routing_gain(
        division, -scores, maximize=False, groups=groups, folds=FOLDS, repeats=REPEATS
    )
    assert turned == found


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), rows=st.integers(1, 5), queries=st.integers(2, 40))
def test_slices_of_a_partition_add_up(seed: int, rows: int, queries: int) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.random((rows, queries))
    numbers = rng.permutation(queries).astype(np.float64)
    numbers[0] = np.nan
    division = divide_by_number("n", numbers, none="(none)")
    assert division.is_partition
    found = slice_scores(division, scores, recommended=0, others=[rows - 1])
    assert sum(slice_.queries for slice_ in found) == queries
    for row in {0, rows - 1}:
        total = sum(slice_.queries * slice_.scores[row].mean for slice_ in found)
        assert total / queries == pytest.approx(scores[row].mean())
    for slice_ in found:
        if slice_.winner is None:
            assert slice_.queries < FEWEST
            continue
        inside = division.members[slice_.value]
        means = scores[:, inside].mean(axis=1)
        assert means[slice_.winner] == pytest.approx(means.max())
        assert slice_.lead == pytest.approx(means.max() - means[0])
        assert slice_.tied is not None
        assert 1 <= slice_.tied <= rows
