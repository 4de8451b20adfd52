"""Properties of sampled trials: however a study is cut into runs, its trials are the same."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sweep.configuration import Configuration
from sweep.errors import SpaceError
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord
from tests.property.test_search_space import SPACES, read
from tests.unit.study.sampled import by_chance, prints, run_sampler

KINDS = st.sampled_from(["random", "tpe", "nsga2"])
OPEN = st.fixed_dictionaries(
    {
        "mode": st.sampled_from(["bm25", "hybrid", ["bm25", "vector", "rerank"]]),
        "chunk": st.just({"size": {"low": 16, "high": 300}, "overlap": {"low": 0, "high": 0.5}}),
        "hybrid": st.just({"fusion": ["rrf", "weighted"], "weight": {"low": 0, "high": 1}}),
    }
)
KILLS = st.lists(st.integers(0, 14), max_size=5)  # trials between two kills
FEW = settings(max_examples=50, deadline=None)
BASELINE = {"mode": "bm25", "chunk": {"size": 128}}


def sampled(space: Any, kind: str, seed: int, **keys: Any) -> SearchSpace:
    return read(space, sampler={"kind": kind, "seed": seed}, **keys)


def whole(space: SearchSpace, reach: int) -> list[TrialRecord]:
    trials: list[TrialRecord] = []
    run_sampler(space, trials, reach=reach)
    return trials


@FEW
@given(SPACES | OPEN, KINDS, st.integers(0, 10**6), KILLS, st.booleans())
def test_any_kill_gives_the_trials_of_an_unbroken_run(
    written: Any, kind: str, seed: int, kills: list[int], baseline: bool
) -> None:
    space = sampled(written, kind, seed, **({"baseline": BASELINE} if baseline else {}))
    broken: list[TrialRecord] = []
    for kill in kills:
        run_sampler(space, broken, reach=25, stop_after=kill)
    run_sampler(space, broken, reach=25)
    unbroken = whole(space, 25)
    assert [(t.fingerprint, t.draw) for t in broken] == [(t.fingerprint, t.draw) for t in unbroken]


@FEW
@given(SPACES | OPEN, KINDS, st.integers(0, 10**6), st.lists(st.integers(1, 12), max_size=4))
def test_more_trials_in_later_runs_are_those_of_one_run(
    written: Any, kind: str, seed: int, portions: list[int]
) -> None:
    space, reach = sampled(written, kind, seed), 0
    trials: list[TrialRecord] = []
    for portion in portions:
        reach += portion
        run_sampler(space, trials, reach=reach)
    assert prints(trials) == prints(whole(space, reach))


def _unreliable() -> Callable[[Configuration], float | None]:
    """Return values that fail for one configuration in eight always, for one in four at first."""
    seen: set[str] = set()

    def value(configuration: Configuration) -> float | None:
        fingerprint, chance = configuration.fingerprint(), by_chance(configuration)
        first = fingerprint not in seen
        seen.add(fingerprint)
        return None if chance < 0.125 or (chance < 0.375 and first) else chance

    return value


@FEW
@given(SPACES | OPEN, KINDS, st.integers(0, 10**6), KILLS)
def test_whatever_fails_nothing_is_finished_twice_and_nothing_is_lost(
    written: Any, kind: str, seed: int, kills: list[int]
) -> None:
    try:
        space = sampled(written, kind, seed, exclude=["top_k == 5"])
    except SpaceError:
        reject()  # that was all of it
    trials: list[TrialRecord] = []
    value = _unreliable()
    for kill in [*kills, None, None]:
        draws = run_sampler(space, trials, reach=22, value=value, stop_after=kill)
    finished = [trial.fingerprint for trial in trials if trial.state == "COMPLETE"]
    tried = set(prints(trials))
    assert len(set(finished)) == len(finished)
    assert len(tried) == draws.planned
    assert all(space.allows(trial.configuration) for trial in trials)
    if space.configurations:
        assert tried <= {c.fingerprint() for c in space.configurations}
        assert len(tried) == min(22, len(space.configurations))
    else:
        assert len(tried) == 22
    hopeless = {t.fingerprint for t in trials if by_chance(t.configuration) < 0.125}
    assert tried - set(finished) == hopeless  # the others were tried again
