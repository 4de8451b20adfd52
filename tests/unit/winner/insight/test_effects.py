"""Main effects worked by hand, against SciPy's intervals, and what must not pass for an effect."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from sweep.winner.insight.effects import MainEffect, ValueEffect, main_effects
from sweep.winner.insight.sentences import effect_sentence
from sweep.winner.statistics.bootstrap import bootstrap_interval

QUERIES = np.array([0.0, 0.1, 0.4, 0.5])  # how easy each query is


def rows(*levels: float) -> np.ndarray:
    """Return a configuration's scores: its own level on top of each query's."""
    return np.array([level + QUERIES for level in levels])


def by_name(found: tuple[MainEffect, ...]) -> dict[str, MainEffect]:
    assert len({effect.parameter for effect in found}) == len(found)
    return {effect.parameter: effect for effect in found}


def differences(effect: MainEffect) -> dict[str, float]:
    return {value.value: pytest.approx(value.difference, abs=1e-12) for value in effect.values}


def test_two_by_two_by_hand() -> None:
    """Size 128 is .1 better, top_k does nothing; means over queries are .25 + level."""
    params = [{"size": s, "top_k": k} for s in (64, 128) for k in (5, 10)]
    size, top_k = main_effects(params, rows(0.0, 0.0, 0.1, 0.1))
    assert (size.parameter, size.matched, size.blocks, size.left_out) == ("size", True, 2, 0)
    assert [value.value for value in size.values] == ["64", "128"]
    assert [value.mean for value in size.values] == pytest.approx([0.25, 0.35])
    assert [value.difference for value in size.values] == pytest.approx([-0.05, 0.05])
    assert size.values[1].interval == pytest.approx((0.05, 0.05))  # the same on every query
    assert size.size == pytest.approx(0.1)
    assert [value.configurations for value in size.values] == [2, 2]
    assert top_k.size == 0.0
    assert top_k.values[0].interval == (0.0, 0.0)


def test_an_unbalanced_grid_is_no_effect() -> None:
    """Weight .7 was tried with the good size only: by plain averages it would look .1 better."""
    params = [{"size": 64, "w": 0.5}, {"size": 128, "w": 0.5}, {"size": 128, "w": 0.7}]
    found = by_name(main_effects(params, rows(0.0, 0.2, 0.2)))
    assert found["w"].size == 0.0
    assert found["w"].left_out == 1  # size 64 has no counterpart
    assert found["size"].size == pytest.approx(0.2)


def test_a_mode_is_compared_over_what_both_have() -> None:
    """Hybrid's two weights are averaged before they meet bm25 in the block of one size."""
    params = [
        {"mode": "bm25", "size": 64},
        {"mode": "hybrid", "size": 64, "weight": 0.3},
        {"mode": "hybrid", "size": 64, "weight": 0.7},
    ]
    found = by_name(main_effects(params, rows(0.0, 0.1, 0.3)))
    assert [value.mean for value in found["mode"].values] == pytest.approx([0.25, 0.45])
    assert [value.configurations for value in found["mode"].values] == [1, 2]
    assert found["weight"].size == pytest.approx(0.2)
    assert "size" not in found


def test_modes_are_compared_with_equal_analyzers_though_one_has_fewer() -> None:
    """BM25 was tried with two analyzers, hybrid with the good one: it is no better for that."""
    params = [
        {"mode": "bm25", "analyzer": "auto"},
        {"mode": "bm25", "analyzer": "english"},
        {"mode": "hybrid", "analyzer": "english"},
        {"mode": "vector"},  # has no analyzer: compared with both
    ]
    found = by_name(main_effects(params, rows(0.0, 0.2, 0.2, 0.1)))
    mode = found["mode"]
    assert mode.matched
    one = dict(zip([v.value for v in mode.values], mode.values, strict=True))
    # bm25 = hybrid at english, bm25's mean = vector, hybrid - vector .1 at english's level: the
    # three pairs weigh alike, least squares: (0 + 0) / 3, (0 + .1) / 3, (0 - .1) / 3.
    assert one["bm25"].difference == pytest.approx(0.0, abs=1e-12)
    assert one["hybrid"].difference == pytest.approx(0.1 / 3)
    assert one["vector"].difference == pytest.approx(-0.1 / 3)


def test_a_baseline_outside_the_grid_changes_nothing() -> None:
    params = [{"mode": "bm25", "size": s, "top_k": k} for s in (64, 128) for k in (5, 10)]
    scores = rows(0.0, 0.1, 0.2, 0.4)
    alone = main_effects(params, scores)
    baseline = {"mode": "hybrid", "size": 999, "top_k": 1, "weight": 0.5}
    beside = main_effects([*params, baseline], np.vstack([scores, rows(-0.5)]))
    assert [differences(e) for e in beside] == [differences(e) for e in alone]
    assert [e.left_out for e in beside] == [1, 1]


def test_values_that_never_meet_are_compared_through_others() -> None:
    """64 meets 128 with top_k 5, 128 meets 256 with top_k 10."""
    params = [
        {"size": 64, "top_k": 5},
        {"size": 128, "top_k": 5},
        {"size": 128, "top_k": 10},
        {"size": 256, "top_k": 10},
    ]
    size = by_name(main_effects(params, rows(0.0, 0.1, 0.4, 0.6)))["size"]
    assert differences(size) == {"64": -0.4 / 3, "128": -0.1 / 3, "256": 0.5 / 3}
    assert size.blocks == 1


def test_values_that_nothing_joins_are_effects_of_their_own() -> None:
    """Sizes in tokens and in words; each unit has its own."""
    params = [
        {"splitter": "tokens", "unit": "t", "size": s, "k": k} for s in (64, 96) for k in (1, 2)
    ]
    params += [
        {"splitter": "words", "unit": "w", "size": s, "k": k} for s in (40, 70) for k in (1, 2)
    ]
    found = main_effects(params, rows(0.0, 0.0, 0.1, 0.1, 0.0, 0.0, 0.3, 0.3))
    sizes = [effect for effect in found if effect.parameter == "size"]
    assert [differences(effect) for effect in sizes] == [
        {"40": -0.15, "70": 0.15},
        {"64": -0.05, "96": 0.05},
    ]
    assert [effect.along for effect in sizes] == [(), ()]


def test_what_changes_along_is_named() -> None:
    """An equal budget: size 64 always with top_k 48, 128 with 24; overlap is varied in both."""
    params = [{"size": s, "top_k": k, "o": o} for s, k in ((64, 48), (128, 24)) for o in (0, 0.2)]
    found = by_name(main_effects(params, rows(0.0, 0.1, 0.2, 0.3)))
    assert (found["size"].along, found["top_k"].along) == (("top_k",), ("size",))
    assert differences(found["size"]) == {"64": -0.1, "128": 0.1}
    assert found["o"].along == ()


def test_one_pair_alone_is_no_link() -> None:
    """A baseline of another mode and size would be compared with anything."""
    params = [{"mode": "vector", "size": 64}, {"mode": "bm25", "size": 128}]
    assert main_effects(params, rows(0.0, 0.5)) == ()


def test_numbers_that_never_recur_are_no_link() -> None:
    """Drawn at random, overlap differs between any two configurations."""
    rng = np.random.default_rng(0)
    params = [{"size": s, "k": k, "o": float(rng.random())} for s in (64, 128) for k in range(5)]
    found = by_name(main_effects(params, rng.random((10, 3)), names=["size"]))
    assert not found["size"].matched


def test_a_unit_follows_its_splitter() -> None:
    params = [
        {"chunk.splitter": "tokens", "chunk.unit": "tokens", "chunk.size": 100},
        {"chunk.splitter": "words", "chunk.unit": "words", "chunk.size": 100},
    ]
    (splitter,) = main_effects(params, rows(0.0, 0.2))
    assert (splitter.parameter, splitter.matched, splitter.along) == ("chunk.splitter", True, ())
    assert splitter.size == pytest.approx(0.2)


def test_without_blocks_plain_means_are_marked() -> None:
    """Two parameters drawn at random: no two configurations differ in one of them only."""
    rng = np.random.default_rng(0)
    params = [{"a": float(a), "b": float(b)} for a, b in rng.random((40, 2))]
    scores = np.array([[flat["a"]] * 3 for flat in params])
    found = by_name(main_effects(params, scores))
    assert [effect.matched for effect in found.values()] == [False, False]
    assert [value.configurations for value in found["a"].values] == [10, 10, 10, 10]
    assert found["a"].values[-1].difference > 0.25
    assert found["a"].blocks == found["a"].left_out == 0


def test_two_that_meet_by_chance_do_not_speak_for_all() -> None:
    rng = np.random.default_rng(0)
    drawn = [{"a": a % 3, "b": float(rng.random())} for a in range(50)]
    params = [*drawn, {"a": 0, "b": 0.5}, {"a": 1, "b": 0.5}]
    found = by_name(main_effects(params, rng.random((52, 3))))
    assert not found["a"].matched
    few = by_name(main_effects(params[-5:], rng.random((5, 3))))
    assert few["a"].matched


def test_a_single_configuration_is_no_plain_mean() -> None:
    rng = np.random.default_rng(0)
    params = [{"m": "x" if n else "y", "b": float(b)} for n, b in enumerate(rng.random(20))]
    assert [e.parameter for e in main_effects(params, rng.random((20, 3)))] == ["b"]


def test_bins_of_a_number_are_matched_where_all_else_is_equal() -> None:
    params = [{"w": w / 20, "k": k} for w in range(20) for k in (1, 2)]
    scores = np.array([[flat["w"] + flat["k"]] for flat in params])
    weight = by_name(main_effects(params, scores))["w"]
    assert weight.matched
    assert [v.at for v in weight.values] == pytest.approx([0.1, 0.35, 0.6, 0.85])
    assert [v.value for v in weight.values] == [
        "0 to 0.2",
        "0.25 to 0.45",
        "0.5 to 0.7",
        "0.75 to 0.95",
    ]
    assert [v.difference for v in weight.values] == pytest.approx([-0.375, -0.125, 0.125, 0.375])
    assert all(math.isnan(bound) for v in weight.values for bound in v.interval)  # one column


def test_the_interval_is_the_paired_t_interval_over_queries() -> None:
    scores = np.random.default_rng(3).random((6, 30))
    (effect,) = main_effects(
        [{"k": row % 3, "n": row // 3} for row in range(6)], scores, names=["k"]
    )
    for row, value in enumerate(effect.values):
        own, everyone = scores[[row, row + 3]].mean(axis=0), scores.mean(axis=0)
        interval = stats.ttest_rel(own, everyone).confidence_interval(0.95)
        assert value.interval == pytest.approx((interval.low, interval.high))
        bootstrap = bootstrap_interval(own - everyone, expanded=True)
        assert value.interval == pytest.approx(bootstrap, abs=0.005)


def test_names_that_read_alike_stay_apart() -> None:
    params = [{"model": "a/mini"}, {"model": "b/mini"}, {"model": ""}]
    (model,) = main_effects(params, np.array([[0.1], [0.2], [0.6]]))
    assert [(v.value, v.mean) for v in model.values] == [
        ("none", pytest.approx(0.6)),
        ("mini", pytest.approx(0.1)),
        ("mini", pytest.approx(0.2)),
    ]


def test_what_was_not_varied_has_no_effect() -> None:
    assert main_effects([{"k": 1}, {"k": 1}], np.ones((2, 4))) == ()
    assert main_effects([], np.empty((0, 0))) == ()


@pytest.mark.parametrize(
    ("low", "changes", "maximize", "told"),
    [
        (0.04, {}, True, "size 128 is best, 64 worst: +.100 between them"),
        (0.04, {}, False, "size 64 is best, 128 worst: -.100 between them"),
        (-0.01, {}, True, "size: no value is shown to be better than the mean of all"),
        (math.nan, {}, True, "size: no value is shown to be better than the mean of all"),
        (
            0.04,
            {"along": ("top_k",)},
            True,
            "size 128 is best, 64 worst: +.100 between them (top_k changes along)",
        ),
        (
            0.04,
            {"matched": False},
            True,
            "size 128 is best, 64 worst: +.100 between them (not matched: other parameters differ "
            "along with it)",
        ),
    ],
)
def test_sentences(low: float, changes: dict[str, Any], maximize: bool, told: str) -> None:
    given = {"matched": True, "blocks": 2, "along": (), "left_out": 0, **changes}
    values = [
        ValueEffect(
            value=str(size),
            at=float(size),
            configurations=2,
            mean=0.5 + sign * 0.05,
            difference=sign * 0.05,
            interval=(low, 0.06) if sign > 0 else (-0.06, -low),
        )
        for size, sign in ((64, -1), (128, 1))
    ]
    effect = MainEffect(parameter="size", values=tuple(values), **given)
    assert effect_sentence(effect, maximize=maximize) == told
