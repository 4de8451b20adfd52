"""Slices by hand: who leads where, what is shown, what is refused, and whether routing pays."""

import math

import numpy as np
import pytest

from sweep.errors import WinnerError
from sweep.winner.insight.division import Division, divide_by_number, divide_by_value
from sweep.winner.insight.routing import Routing, oracle_gain, routing_gain
from sweep.winner.insight.slices import slice_scores
from sweep.winner.statistics.inference import tukey_hsd

NONE = "(none)"


def kinds(*sizes: int) -> Division:
    """Return a division into a, b, .. of so many queries each, one after another."""
    values = [("abcdefg"[n],) for n, size in enumerate(sizes) for _ in range(size)]
    return divide_by_value("kind", values, last=NONE)


def test_a_slice_per_value_the_largest_first_and_without_the_field_last() -> None:
    values = [("b",), ("a",), (NONE,), (NONE,), (NONE,), ("b",), ("a", "b")]
    found = divide_by_value("tag", values, last=NONE)
    assert {name: inside.nonzero()[0].tolist() for name, inside in found.members.items()} == {
        "b": [0, 5, 6],
        "a": [1, 6],
        NONE: [2, 3, 4],
    }
    assert list(found.members) == ["b", "a", NONE]
    assert not found.is_partition
    assert kinds(3, 2).is_partition


def test_numbers_are_slices_of_their_own_or_bins_of_equal_size() -> None:
    few = divide_by_number("year", np.array([2019, 2018.0, 2019, math.nan]), none=NONE)
    assert {name: int(inside.sum()) for name, inside in few.members.items()} == {
        "2018": 1,
        "2019": 2,
        NONE: 1,
    }
    many = divide_by_number("n", np.arange(40.0), none=NONE)
    assert list(many.members) == ["0 to 9", "10 to 19", "20 to 29", "30 to 39"]
    assert {int(inside.sum()) for inside in many.members.values()} == {10}
    thirds = divide_by_number(
        "words", np.array([3.0, 4, 5, 5, 9, 12]), none=NONE, unit=" words", bins=3
    )
    assert list(thirds.members) == ["3 to 4 words", "5 words", "9 to 12 words"]
    assert thirds.is_partition
    close = divide_by_number("x", np.array([1234567.25, 1234567.5]), none=NONE)
    assert list(close.members) == ["1234567.25", "1234567.5"]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([("a",)] * 6, "there must be two values, got 'a' for all 6"),
        ([(f"id-{n}",) for n in range(9)], r"got 9 different ones in 9 queries \('id-0' ...\)"),
        ([(f"v{n % 60}",) for n in range(600)], "got 60 different ones in 600"),
    ],
)
def test_what_divides_nothing_or_too_finely_is_refused(
    values: list[tuple[str]], says: str
) -> None:
    with pytest.raises(WinnerError, match=says):
        divide_by_value("field", values, last=NONE)


def test_each_slice_names_its_own_winner_by_hand() -> None:
    """Row 1 wins a by .4 on each of 8 queries; b is the same in both; c has too few queries."""
    scores = np.array([[0.2] * 8 + [0.5] * 6 + [0.1] * 4, [0.6] * 8 + [0.5] * 6 + [0.0] * 4])
    a, b, c = slice_scores(kinds(8, 6, 4), scores, recommended=0, others=[1, 0])
    assert (a.value, a.queries, a.winner, a.tied) == ("a", 8, 1, 1)
    assert a.lead == pytest.approx(0.4)
    # All 2^7 sign patterns; only the observed one has a range of .4: 1 / 128, twice by Holm.
    assert a.p_value == pytest.approx(2 / 128)
    assert a.separable
    assert {row: score.mean for row, score in a.scores.items()} == pytest.approx({0: 0.2, 1: 0.6})
    assert a.scores[1].interval == pytest.approx((0.6, 0.6))
    assert (b.winner, b.lead, b.tied, b.p_value) == (0, 0.0, 2, 1.0)  # as good: no other is named
    assert not b.separable
    assert (c.queries, c.winner, c.lead, c.tied, c.p_value) == (4, None, None, None, None)
    assert c.scores[0].mean == pytest.approx(0.1)


def test_lower_is_better_on_request() -> None:
    scores = np.array([[0.2] * 8, [0.6] * 8])
    division = Division(by="k", members={"a": np.arange(8) < 8, "b": np.arange(8) < 2})
    assert slice_scores(division, scores, recommended=1, maximize=False)[0].winner == 0
    assert slice_scores(division, scores, recommended=1)[0].winner == 1
    assert slice_scores(division, scores, recommended=1, maximize=False)[0].lead == pytest.approx(
        0.4
    )


def test_a_slices_test_is_the_projects_own_with_holm_over_slices() -> None:
    rng = np.random.default_rng(3)
    scores = rng.random((5, 30)) + np.linspace(0, 0.3, 5)[:, None]
    division = kinds(12, 10, 8)
    raw = [
        tukey_hsd(scores[:, inside], permutations=1_000).p_values[0]
        for inside in division.members.values()
    ]
    order = np.argsort(raw)
    expected, highest = [0.0] * 3, 0.0
    for place, row in enumerate(order):
        highest = max(highest, min(1.0, (3 - place) * raw[row]))
        expected[row] = highest
    found = slice_scores(division, scores, recommended=0)
    assert [slice_.p_value for slice_ in found] == pytest.approx(expected)


def test_a_group_is_one_piece_of_evidence() -> None:
    scores = np.random.default_rng(1).random((1, 40))
    scores[0, 20:] = scores[0, :20]  # every query twice
    division = Division(by="k", members={"a": np.ones(40, dtype=bool), "b": np.arange(40) < 5})
    groups = [f"g{n % 20}" for n in range(40)]
    alone = slice_scores(division, scores, recommended=0)[0].scores[0].interval
    grouped = slice_scores(division, scores, recommended=0, groups=groups)[0].scores[0].interval
    assert grouped[1] - grouped[0] > 1.2 * (alone[1] - alone[0])


def test_routing_pays_where_each_kind_has_its_own_winner() -> None:
    """Row 0 is right on a, row 1 on b: routed 1 on every query, one of them alone .5 or .6."""
    scores = np.array([[1.0] * 30 + [0.0] * 20, [0.0] * 30 + [1.0] * 20])
    found = routing_gain(kinds(30, 20), scores)
    assert found is not None
    assert found.gain == pytest.approx(0.4)  # the better one alone has .6
    assert found.interval[0] > 0
    assert (found.slices, found.verdict) == (2, "worth a try")
    assert found.text().startswith("routing by kind would gain +.400 [+.")
    assert oracle_gain(scores) == pytest.approx(0.4)
    turned = routing_gain(kinds(30, 20), -scores, maximize=False)
    assert turned is not None
    assert turned.gain == pytest.approx(0.4)


def test_routing_without_a_reason_changes_nothing_and_the_oracle_is_flattered() -> None:
    """Where one configuration is the best of every slice, each slice takes it."""
    same = np.vstack([np.full(40, 0.5), np.full(40, 0.4)])
    found = routing_gain(kinds(20, 20), same)
    assert found is not None
    assert (found.gain, found.interval) == (0.0, (0.0, 0.0))
    assert found.verdict == "not worth it"
    noise = np.random.default_rng(2).random((30, 60))
    assert oracle_gain(noise) > 0.3
    routed = routing_gain(kinds(30, 30), noise)
    assert routed is not None
    assert routed.gain < 0.1
    assert routed.interval[0] < 0


def test_a_slice_that_is_too_small_takes_the_choice_of_all() -> None:
    """In c (4 queries) row 1 is right, but nobody learns it; a and b agree on row 0."""
    scores = np.array([[1.0] * 20 + [0.0] * 4, [0.0] * 20 + [1.0] * 4])
    found = routing_gain(kinds(10, 10, 4), scores)
    assert found is not None
    assert (found.gain, found.slices) == (0.0, 2)


@pytest.mark.parametrize(
    ("division", "groups"),
    [
        (kinds(20, 4), None),
        (Division(by="k", members=dict.fromkeys("ab", np.ones(24, dtype=bool))), None),
        (kinds(12, 12), ["one", "two", "three", "four"] * 6),
    ],
    ids=["one slice", "overlapping", "too few groups"],
)
def test_nothing_is_routed_without_slices_that_can_choose(
    division: Division, groups: list[str] | None
) -> None:
    assert routing_gain(division, np.eye(24)[:2], groups=groups) is None


@pytest.mark.parametrize(
    ("gain", "interval", "says"),
    [
        (0.004, (-0.01, 0.02), "would gain +.004 [-.010, +.020] (cross-validated): no gain is"),
        (-0.004, (-0.02, 0.002), "would gain -.004 [-.020, +.002] (cross-validated): not worth"),
        (0.03, (0.01, 0.05), "would gain +.030 [+.010, +.050] (cross-validated): worth a try"),
    ],
)
def test_the_sentence_on_routing(gain: float, interval: tuple[float, float], says: str) -> None:
    found = Routing(by="kind", gain=gain, interval=interval, slices=2, scale=1.0)
    assert found.text().startswith(f"routing by kind {says}")
