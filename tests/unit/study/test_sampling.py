"""Batches of a sampler: what they depend on, what they hold, and what they learn."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweep.configuration import Configuration
from sweep.study.driver.sampling import BATCH, CHANCES, Sampling
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord
from tests.unit.study.sampled import by_chance, prints, run_sampler
from tests.unit.study.space_files import make_space

WIDE = {
    "mode": ["bm25", "vector", "hybrid"],
    "top_k": [5, 10],
    "chunk": {"size": {"low": 32, "high": 512}, "overlap": {"low": 0, "high": 0.5}},
    "bm25": {"b": {"low": 0, "high": 1}, "analyzer": ["auto", "english"]},
    "hybrid": {"fusion": ["rrf", "weighted"], "weight": {"low": 0, "high": 1, "step": 0.1}},
}
TWELVE = {
    "mode": "bm25",
    "bm25": {"k1": [0.9, 1.2, 1.5], "b": {"low": 0.2, "high": 0.8, "step": 0.2}},
}
SAMPLERS = ("random", "tpe", "nsga2")


def sampled(folder: Path, kind: str, space: Any = WIDE, *, seed: int = 7, **keys: Any) -> Any:
    return make_space(folder, space, sampler={"kind": kind, "seed": seed}, **keys)


@pytest.mark.parametrize("kind", SAMPLERS)
def test_the_first_batch_depends_on_the_seed_only(tmp_path: Path, kind: str) -> None:
    def first(seed: int) -> list[str]:
        draws = Sampling(sampled(tmp_path, kind, seed=seed), [True]).draw(0, [])
        assert [draw.place for draw in draws] == list(range(BATCH))
        assert {draw.batch for draw in draws} == {0}
        return [draw.configuration.fingerprint() for draw in draws]

    assert first(7) == first(7)
    assert not set(first(7)) & set(first(8))


@pytest.mark.parametrize("kind", SAMPLERS)
def test_bugcase_91_each_batch_has_draws_of_its_own(tmp_path: Path, kind: str) -> None:
    sampling = Sampling(sampled(tmp_path, kind), [True])
    batches = [sampling.draw(batch, []) for batch in range(3)]
    sizes = [[draw.configuration.chunk.size for draw in draws] for draws in batches]
    assert len(set(sum(sizes, []))) > 20  # of 481; equal seeds would give ten


@pytest.mark.parametrize("kind", SAMPLERS)
def test_killed_in_any_batch_a_run_goes_on_with_what_it_would_have_drawn(
    tmp_path: Path, kind: str
) -> None:
    space = sampled(tmp_path, kind)
    unbroken: list[TrialRecord] = []
    broken: list[TrialRecord] = []
    run_sampler(space, unbroken, reach=40)
    for kill in (4, 9, 0, 10, 6):  # in the first batch, before the third, between two ...
        run_sampler(space, broken, reach=40, stop_after=kill)
    run_sampler(space, broken, reach=40)
    assert [(t.fingerprint, t.draw) for t in broken] == [(t.fingerprint, t.draw) for t in unbroken]


@pytest.mark.parametrize(("kind", "looks"), [("random", False), ("tpe", True), ("nsga2", True)])
def test_later_batches_depend_on_results_where_the_sampler_looks_at_them(
    tmp_path: Path, kind: str, looks: bool
) -> None:
    space = sampled(tmp_path, kind)

    def trials(value: Callable[[Configuration], float]) -> list[str]:
        found: list[TrialRecord] = []
        run_sampler(space, found, reach=30, value=value)
        return prints(found)

    forwards, backwards = trials(by_chance), trials(lambda c: -by_chance(c))
    assert forwards[:BATCH] == backwards[:BATCH]
    assert (forwards != backwards) is looks
    assert len(set(forwards)) == 30


def towards_one_corner(c: Configuration) -> float:
    """Be best for small overlapping chunks, hybrid with a high weight; smooth in all of them."""
    assert c.chunk.size is not None
    value = -abs(np.log2(c.chunk.size / 64)) - 4 * abs(c.chunk.overlap - 0.3)
    if c.hybrid is not None:
        value += 1 + (0 if c.hybrid.weight is None else 2 * c.hybrid.weight)
    return float(value)


@pytest.mark.parametrize("kind", ["tpe", "nsga2"])
def test_an_adaptive_sampler_learns(tmp_path: Path, kind: str) -> None:
    """A smooth objective: the fifth batch is far better than the first, drawn at random."""
    found: list[TrialRecord] = []
    run_sampler(sampled(tmp_path, kind), found, reach=60, value=towards_one_corner)
    values = np.array([trial.values[0] for trial in found])
    assert values[50:].mean() > values[:10].mean() + 1
    assert values.argmax() >= 10


@pytest.mark.parametrize("kind", ["tpe", "nsga2"])
def test_a_sampler_keeps_away_from_what_violates_a_constraint(tmp_path: Path, kind: str) -> None:
    """Large chunks are best but forbidden."""
    space = sampled(tmp_path, kind)
    sampling, tried, late = Sampling(space, [True]), set(), []
    for batch in range(6):
        trials = []
        for draw in sampling.draw(batch, tried):
            size = draw.configuration.chunk.size or 0
            trials.append(
                TrialRecord(
                    number=0,
                    state="COMPLETE",
                    configuration=draw.configuration,
                    values=(float(size),),
                    constraints={"context_tokens <= 128": (size - 128) / 128},
                    draw={"batch": batch, "place": draw.place, "params": draw.params},
                )
            )
        tried.update(prints(trials))
        sampling.learn(batch, trials)
        late = [trial.values[0] for trial in trials]
    assert np.mean([value <= 128 for value in late]) > 0.5  # one in five by chance


@pytest.mark.parametrize("kind", SAMPLERS)
def test_a_small_space_is_exhausted_and_says_so(tmp_path: Path, kind: str) -> None:
    space = sampled(tmp_path, kind, TWELVE)
    found: list[TrialRecord] = []
    draws = run_sampler(space, found, reach=60)
    assert sorted(prints(found)) == sorted(c.fingerprint() for c in space.configurations)
    assert (
        draws.shortage == "all 12 configurations of the space have been tried: there are no more"
    )
    assert draws.planned == 12
    run_sampler(space, found, reach=60)
    assert len(found) == 12


def test_as_many_trials_as_there_are_configurations_are_no_shortage(tmp_path: Path) -> None:
    found: list[TrialRecord] = []
    draws = run_sampler(sampled(tmp_path, "tpe", TWELVE), found, reach=12)
    assert len(found) == 12
    assert draws.shortage is None


def test_a_space_that_cannot_be_listed_is_given_up_after_many_suggestions(tmp_path: Path) -> None:
    narrow = {"mode": "bm25", "top_k": {"low": 1, "high": 4, "log": True}}
    found: list[TrialRecord] = []
    draws = run_sampler(sampled(tmp_path, "tpe", narrow), found, reach=60)
    assert sorted(trial.configuration.top_k for trial in found) == [1, 2, 3, 4]
    assert draws.shortage is not None
    assert f"in {CHANCES:,} random suggestions: 4 of the space" in draws.shortage
    assert draws.planned == 4


@pytest.mark.parametrize("kind", SAMPLERS)
def test_exclude_and_the_baseline_are_respected(tmp_path: Path, kind: str) -> None:
    baseline = {"mode": "bm25", "bm25": {"k1": 1.2, "b": 0.4}}
    space = sampled(tmp_path, kind, TWELVE, exclude=["bm25.b > 0.7"], baseline=baseline)
    found: list[TrialRecord] = []
    draws = run_sampler(space, found, reach=8)
    assert found[0].configuration == space.baseline  # it is in the space, and one of its nine
    assert found[0].draw == {}
    assert all(trial.configuration.bm25.b < 0.7 for trial in found if trial.configuration.bm25)
    assert len(set(prints(found))) == 9
    assert draws.planned == 9
    run_sampler(space, found, reach=9)
    assert len(found) == 9


def test_what_one_chunking_shares_stands_together(tmp_path: Path) -> None:
    space = sampled(tmp_path, "random", {**WIDE, "chunk": {"size": [64, 128, 256]}})
    for batch in range(5):
        sizes = [draw.configuration.chunk.size for draw in Sampling(space, [True]).draw(batch, [])]
        changes = sum(a != b for a, b in zip(sizes, sizes[1:], strict=False))
        assert changes == len(set(sizes)) - 1


def test_values_of_lists_ranges_and_unions_are_reached(tmp_path: Path) -> None:
    space: SearchSpace = sampled(
        tmp_path,
        "random",
        [
            {"mode": "bm25", "top_k": [20, 5, 10], "bm25": {"variant": ["lucene", "okapi"]}},
            {"mode": "vector", "vector": {"model": ["a", {"name": "b", "query_prefix": "q: "}]}},
            {"mode": "bm25", "chunk": {"size": {"low": 10, "high": 1000, "log": True}},
             "bm25": {"b": {"low": 0.1, "high": 0.5, "step": 0.2}}},
        ],
    )  # fmt: skip
    found: list[TrialRecord] = []
    run_sampler(space, found, reach=300)
    drawn = [trial.configuration for trial in found]
    lists = [c for c in drawn if c.bm25 and c.chunk.size == 192]
    assert {c.top_k for c in lists} == {5, 10, 20}
    assert {c.bm25.variant for c in lists if c.bm25} == {"lucene", "okapi"}
    models = {(c.vector.model, c.vector.query_prefix) for c in drawn if c.vector}
    assert models == {("a", ""), ("b", "q: ")}
    ranges = [c for c in drawn if c.chunk.size != 192]
    assert {c.bm25.b for c in ranges if c.bm25} == {0.1, 0.3, 0.5}
    sizes = [c.chunk.size or 0 for c in ranges]
    assert 10 <= min(sizes) < max(sizes) <= 1000
    assert 0.3 < np.mean([size < 100 for size in sizes]) < 0.7  # even on the logarithmic scale


def test_the_place_of_a_union_is_no_number(tmp_path: Path) -> None:
    space = sampled(tmp_path, "tpe", [WIDE, TWELVE])
    draw = Sampling(space, [True]).draw(0, [])[0]
    assert draw.params["space"] in (0, 1)
    assert any(name.startswith("space[") for name in draw.params)


def test_a_child_of_nsga2_has_every_parameter(tmp_path: Path) -> None:
    space = sampled(tmp_path, "nsga2")
    for draw in Sampling(space, [True]).draw(0, []):
        assert draw.params.keys() == space.domains().keys()
