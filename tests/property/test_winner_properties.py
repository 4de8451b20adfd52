"""What inference must satisfy for every table of scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sweep.records import Floats
from sweep.winner.recommendation import recommend
from sweep.winner.statistics.cross_validation import honest_scores
from sweep.winner.statistics.inference import tukey_hsd
from sweep.winner.statistics.paired_tests import (
    benjamini_hochberg,
    bonferroni,
    holm,
    randomisation_p,
)

GRID = st.integers(0, 20).map(lambda n: n / 20)  # ties and coarse values, as metrics have
SHAPES = st.tuples(st.integers(1, 7), st.integers(1, 12))
TABLES = hnp.arrays(np.float64, SHAPES, elements=GRID)
P_VALUES = hnp.arrays(np.float64, st.integers(1, 15), elements=st.floats(0.0, 1.0))


@settings(max_examples=150, deadline=None)
@given(TABLES, st.sampled_from([0.01, 0.05, 0.2, 0.5]), st.booleans())
def test_tied_means_p_above_alpha_means_loss_within_critical(
    scores: Floats, alpha: float, step_down: bool
) -> None:
    result = tukey_hsd(scores, permutations=300, alpha=alpha, step_down=step_down)
    tied = np.isin(np.arange(len(scores)), result.tied)
    assert (tied == (result.p_values > alpha)).all()
    assert result.loss[tied].max() <= result.critical + 1e-12
    if not tied.all():
        assert result.loss[~tied].min() > result.critical - 1e-12
    assert tied[result.best]
    assert result.loss[result.best] == 0.0
    assert (result.loss_bound >= result.loss - 1e-12).all()
    order = np.argsort(result.loss)
    assert (np.diff(result.p_values[order]) <= 0.0).all()


@settings(max_examples=80, deadline=None)
@given(TABLES, st.randoms(use_true_random=False))
def test_query_constants_and_order_of_configurations_change_nothing(
    scores: Floats, random: "np.random.Generator"
) -> None:
    plain = tukey_hsd(scores, permutations=300)
    shifted = tukey_hsd(scores + np.arange(scores.shape[1]) / 4, permutations=300)
    assert shifted.p_values.tolist() == plain.p_values.tolist()
    order = list(range(len(scores)))
    random.shuffle(order)
    moved = tukey_hsd(scores[order], permutations=300)
    assert moved.loss.tolist() == pytest.approx(plain.loss[order].tolist(), abs=1e-11)
    assert moved.critical == pytest.approx(plain.critical, abs=1e-11)
    assert moved.loss_bound == pytest.approx(plain.loss_bound[order], abs=1e-9)


@settings(max_examples=80, deadline=None)
@given(TABLES)
def test_step_down_calls_no_fewer_worse_than_one_step(scores: Floats) -> None:
    stepped = tukey_hsd(scores, permutations=300)
    one = tukey_hsd(scores, permutations=300, step_down=False)
    assert (stepped.p_values <= one.p_values).all()
    assert stepped.critical <= one.critical


@settings(max_examples=80, deadline=None)
@given(hnp.arrays(np.float64, st.tuples(st.just(2), st.integers(1, 10)), elements=GRID))
def test_two_configurations_are_the_paired_randomisation_test(scores: Floats) -> None:
    result = tukey_hsd(scores, permutations=600)
    assert result.p_values.min() == randomisation_p(scores[0] - scores[1])


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(2, 6), st.integers(0, 5))
def test_honest_scores_lie_between_the_configurations(
    scores: Floats, folds: int, seed: int
) -> None:
    honest = honest_scores(scores, folds=folds, repeats=3, seed=seed)
    assert honest.usable == (scores.shape[1] > 1)
    assert honest.chosen.sum() == honest.folds * honest.repeats
    if honest.usable:
        assert (honest.per_query >= scores.min(axis=0) - 1e-12).all()
        assert (honest.per_query <= scores.max(axis=0) + 1e-12).all()
        assert honest.interval[0] <= honest.interval[1]


@settings(max_examples=60, deadline=None)
@given(TABLES, st.data())
def test_the_recommended_is_tied_close_and_none_such_is_cheaper(
    scores: Floats, data: st.DataObject
) -> None:
    costs = data.draw(
        st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 3)),
            min_size=len(scores),
            max_size=len(scores),
        )
    )
    choice = recommend(scores, costs, permutations=200, max_loss=0.05)
    assert choice.recommended in choice.tied
    assert choice.loss_observed <= 0.05 + 1e-8
    close = [i for i in choice.tied if choice.tukey.loss[i] <= 0.05]
    assert all(costs[choice.recommended] <= costs[i] for i in close)


@given(P_VALUES)
def test_adjusted_p_values_keep_their_order_and_rank_of_strictness(p_values: Floats) -> None:
    strict, middle, mild = bonferroni(p_values), holm(p_values), benjamini_hochberg(p_values)
    assert (strict >= middle - 1e-12).all()
    assert (middle >= mild - 1e-12).all()
    assert (mild >= p_values - 1e-12).all()
    order = np.argsort(p_values, kind="stable")
    for adjusted in (strict, middle, mild):
        assert (np.diff(adjusted[order]) >= -1e-12).all()
