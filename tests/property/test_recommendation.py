"""The fast choice inside a cross-validation is the full recommendation's, to the index."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.winner.recommendation import choose, recommend

ALPHAS = (0.05, 0.3, 0.9)


@settings(max_examples=150)
@given(
    seed=st.integers(0, 10_000),
    rows=st.integers(1, 12),
    queries=st.integers(1, 30),
    levels=st.sampled_from([2, 5, 1000]),
    spread=st.sampled_from([0.0, 0.02, 0.5]),
    max_loss=st.sampled_from([0.0, 0.01, 0.1, 2.0]),
    alpha=st.sampled_from(ALPHAS),
    maximize=st.booleans(),
)
def test_choose_is_recommend(
    seed: int,
    rows: int,
    queries: int,
    levels: int,
    spread: float,
    max_loss: float,
    alpha: float,
    maximize: bool,
) -> None:
    rng = np.random.default_rng(seed)
    easy = rng.integers(0, levels, queries) / levels
    scores = easy + spread * rng.integers(0, levels, (rows, queries)) / levels
    costs = [(float(cost),) for cost in rng.integers(0, 3, rows)]
    options = {"max_loss": max_loss, "alpha": alpha, "permutations": 300, "maximize": maximize}
    full = recommend(scores, costs, **options)  # type: ignore[arg-type]
    assert choose(scores, costs, **options) == full.recommended  # type: ignore[arg-type]
