"""How much of a grid would have found it: against every subset, and SciPy's hypergeometric."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sweep.errors import WinnerError
from sweep.winner.insight.effort import expected_best, hit_chance, search_effort
from sweep.winner.insight.sentences import effort_sentence

MEANS = np.array([0.5, 0.7, 0.6, 0.695, 0.2, 0.69, 0.6])


@pytest.mark.parametrize("tried", range(1, 8))
@pytest.mark.parametrize("maximize", [True, False])
def test_every_subset_was_counted(tried: int, maximize: bool) -> None:
    turned = MEANS if maximize else -MEANS
    found = [max(turned[list(rows)]) for rows in combinations(range(7), tried)]
    assert expected_best(turned, tried) == pytest.approx(float(np.mean(found)))
    near = turned >= turned.max() - 0.01 - 1e-9
    share = float(np.mean([v >= turned.max() - 0.01 - 1e-9 for v in found]))
    assert hit_chance(7, int(near.sum()), tried) == pytest.approx(share)


@pytest.mark.parametrize(("count", "good", "tried"), [(96, 3, 12), (1000, 20, 200), (5, 5, 1)])
def test_chances_are_hypergeometric(count: int, good: int, tried: int) -> None:
    expected = stats.hypergeom(count, good, tried).sf(0)
    assert hit_chance(count, good, tried) == pytest.approx(expected)


def test_by_hand() -> None:
    """Three of seven are within .01 of .7: a random 4 miss them in 4/35 x 1/4 = 1/35."""
    found = search_effort(MEANS, recommended=5)
    assert (found.configurations, found.near, found.enough) == (7, 3, 4)
    assert (found.best, found.recommended) == (0.7, 0.69)
    assert found.recommended_share == pytest.approx(0.69 / 0.7)
    assert [subset.tried for subset in found.subsets] == [1, 2, 4, 5, 7]
    four, everything = found.subsets[2], found.subsets[-1]
    assert four.close == four.as_good == pytest.approx(34 / 35)
    assert (everything.expected, everything.share, everything.close) == (0.7, 1.0, 1.0)
    told = effort_sentence(found)
    assert told.startswith(
        "a random 4 of the 7 would have come within .010 of the best in 90% of cases (3 of them "
        "are that close); the recommended one has 98.6% of the best score; a random 2 would find"
    )


def test_lower_can_be_better_and_one_is_all() -> None:
    found = search_effort(MEANS, maximize=False)
    assert (found.best, found.near, found.enough) == (0.2, 1, 7)
    assert found.subsets[0].share is None
    alone = search_effort(np.array([0.4]))
    assert (alone.enough, alone.subsets[0].expected) == (1, 0.4)
    assert "nothing to search" in effort_sentence(alone)


@pytest.mark.parametrize(
    ("means", "options"),
    [([], {}), ([0.1, np.nan], {}), ([0.1], {"scale": 0.0})],
)
def test_bad_input(means: list[float], options: dict[str, float]) -> None:
    with pytest.raises(WinnerError, match="search_effort: >= 1 finite score"):
        search_effort(np.array(means), **options)  # type: ignore[arg-type]
