"""Differences of differences: by hand, their joint level by simulation, and their sentences."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from sweep.winner.insight.interactions import Interaction, Interactions, find_interactions
from sweep.winner.insight.sentences import interaction_sentence

SIZES, OVERLAPS, TOPS = (64, 128, 254), (0.0, 0.2), (5, 10)
GRID: list[dict[str, Any]] = [
    {"size": s, "overlap": o, "top_k": k} for s in SIZES for o in OVERLAPS for k in TOPS
]


def planted(queries: int, seed: int = 0) -> np.ndarray:
    """Overlap .2 gains .03 at size 64 and nothing elsewhere; sizes and top_k add their own."""
    rng = np.random.default_rng(seed)
    gain = 0.03 + 0.04 * rng.standard_normal(queries)
    levels = [0.1 * (f["size"] == 254) + 0.05 * (f["top_k"] == 10) for f in GRID]
    helped = np.array([f["size"] == 64 and f["overlap"] == 0.2 for f in GRID])
    noise = 0.01 * rng.standard_normal((len(GRID), queries))
    return np.array(levels)[:, None] + rng.random(queries) + helped[:, None] * gain + noise


def test_a_planted_interaction_is_found_and_told() -> None:
    scores = planted(100)
    shown = find_interactions(GRID, scores)
    assert (shown.pairs, shown.contrasts, shown.queries) == (3, 3 + 3 + 1, 100)
    (found,) = shown.found
    assert (found.parameter, found.change) == ("overlap", ("0", "0.2"))
    assert (found.moderator, found.at[0], found.blocks) == ("size", "64", 2)
    at = {f"{s}": n for n, s in enumerate(SIZES)}
    cells = scores.reshape(3, 2, 2, 100).mean(axis=2)
    gains = cells[:, 1] - cells[:, 0]
    first, second = (gains[at[value]] for value in found.at)
    assert found.effects == pytest.approx((first.mean(), second.mean()))
    assert found.difference == pytest.approx((first - second).mean())
    paired = stats.ttest_rel(first, second).confidence_interval(0.95)
    low, high = found.interval
    assert low < paired.low < paired.high < high  # wider, for all seven at once
    assert high - low < 1.6 * (paired.high - paired.low)
    assert interaction_sentence(found).startswith(
        f"overlap 0.2 instead of 0 helps at size 64 (+{found.effects[0]:.3f}".replace("+0", "+")
    )


def test_lower_can_be_better() -> None:
    up, down = (find_interactions(GRID, s, maximize=m) for s, m in
                ((planted(100), True), (-planted(100), False)))  # fmt: skip
    (one,), (other,) = up.found, down.found
    assert (one.change, one.at) == (other.change, other.at)
    assert other.difference == pytest.approx(-one.difference)


def test_small_ones_matter_to_nobody() -> None:
    assert find_interactions(GRID, planted(100), scale=10.0).found == ()


def test_additive_scores_have_none() -> None:
    levels = [0.1 * f["size"] + f["overlap"] + 0.3 * f["top_k"] for f in GRID]
    shown = find_interactions(GRID, np.array(levels)[:, None] + np.linspace(0, 1, 30))
    assert (shown.found, shown.contrasts) == ((), 7)


def test_modes_are_moderators_of_what_they_share_only() -> None:
    rng = np.random.default_rng(1)
    params: list[dict[str, Any]] = []
    for size in (64, 128):
        params += [{"mode": "bm25", "analyzer": a, "size": size} for a in ("auto", "english")]
        params.append({"mode": "vector", "size": size})
        params += [
            {"mode": "hybrid", "analyzer": a, "size": size, "weight": w}
            for a in ("auto", "english")
            for w in (0.3, 0.7)
        ]
    bm25 = np.array([f["mode"] == "bm25" and f["analyzer"] == "english" for f in params])
    scores = rng.random(80) + 0.1 * bm25[:, None] + 0.01 * rng.standard_normal((len(params), 80))
    shown = find_interactions(params, scores)
    (found,) = shown.found
    assert (found.moderator, found.at) == ("mode", ("bm25", "hybrid"))
    assert (found.parameter, found.change) == ("analyzer", ("auto", "english"))
    assert found.blocks == 2  # of a size; hybrid's weights are averaged in each
    # mode x analyzer 1, mode x size 3, analyzer x size, analyzer x weight, size x weight
    assert (shown.pairs, shown.contrasts) == (5, 7)


@pytest.mark.parametrize("queries", [12, 40])
def test_all_intervals_hold_at_once(queries: int) -> None:
    """Pure noise, of unlike and dependent sizes: in about 5 % of studies anything is shown."""
    rng = np.random.default_rng(queries)
    shown = 0
    for _ in range(200):
        noise = rng.standard_t(5, (len(GRID), queries)) * rng.uniform(0.2, 2, (len(GRID), 1))
        noise[: len(GRID) // 2] += noise[0]
        shown += bool(find_interactions(GRID, noise, permutations=400).found)
    assert shown <= 20  # P(more than 20 of 200 at a level of .05) < .001


def test_too_few_queries_show_nothing() -> None:
    exact = np.array([[0.5 * (f["size"] == 64 and f["overlap"] == 0.2)] for f in GRID])
    for queries in (1, 2, 4):
        assert find_interactions(GRID, np.repeat(exact, queries, axis=1)).found == ()
    assert len(find_interactions(GRID, np.repeat(exact, 40, axis=1)).found) == 1
    nothing = Interactions(found=(), pairs=0, contrasts=0, queries=0)
    assert find_interactions([], np.empty((0, 0))) == nothing


@pytest.mark.parametrize(
    ("effects", "second", "told"),
    [
        ((0.05, 0.02), (0.01, 0.03), "helps more at size 64 (+.050) than at 254 (+.020)"),
        ((0.05, 0.002), (-0.01, 0.02), "helps at size 64 (+.050) but not at 254 (+.002)"),
        ((0.05, -0.02), (-0.03, -0.01), "helps at size 64 (+.050) and harms at 254 (-.020)"),
    ],
)
def test_sentences(effects: tuple[float, float], second: tuple[float, float], told: str) -> None:
    found = Interaction(
        parameter="overlap",
        change=("0", "0.2"),
        moderator="size",
        at=("64", "254"),
        effects=effects,
        intervals=((0.04, 0.06), second),
        difference=effects[0] - effects[1],
        interval=(0.01, 0.09),
        blocks=2,
    )
    text = interaction_sentence(found)
    assert told in text
    assert text.endswith(f"a difference of +.0{1000 * found.difference:.0f} [+.010, +.090]")
