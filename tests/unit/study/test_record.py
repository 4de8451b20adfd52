"""A trial in Optuna's terms: what people see of it, and that everything comes back."""

from datetime import timedelta

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.study.record import HEADLINES, distributions, failure, from_optuna, to_optuna
from sweep.trials import TrialRecord

CONFIGURATION = Configuration(mode="bm25", chunk=ChunkConfig(overlap=0.2), bm25=Bm25Config())
RECORD = TrialRecord(
    number=0,
    state="COMPLETE",
    configuration=CONFIGURATION,
    values=(0.123456789,),
    metrics={
        "ndcg@10": 0.123456789,
        "recall@10": 2 / 3,
        "context_tokens": 1234.5678,
        "index_bytes": 1_234_567.0,
        "latency_p95_ms": 0.0123456,
        "work": 7.0,
    },
    intervals={"ndcg@10": (0.1, 0.2)},
    timings={"evaluate_s": 2.5, "build_s": 0.1, "stages": {}},
    facts={"chunks": 3},
    files={"scores": "a", "ranking": "b"},
    constraints={"context_tokens <= 1000": 0.23, "work <= 9": -0.2},
    draw={"batch": 1, "place": 2, "params": {"chunk.overlap": 0.2}},
)


def stored(record: TrialRecord) -> optuna.trial.FrozenTrial:
    """Return a trial as a storage gives it back."""
    study = optuna.create_study()
    study.add_trial(to_optuna(record, distributions({"chunk.overlap": [0.0, 0.2]})))
    return study.trials[0]


def test_everything_comes_back() -> None:
    assert from_optuna(stored(RECORD)) == RECORD
    failed = failure(0, CONFIGURATION, ValueError("no"))
    assert from_optuna(stored(failed)) == failed
    assert from_optuna(optuna.create_trial(value=1.0)) is None


def test_people_see_few_rounded_numbers_and_nothing_packed() -> None:
    assert stored(RECORD).user_attrs == {
        "violates": "context_tokens <= 1000",
        "recall@10": 0.6667,
        "context_tokens": 1235.0,
        "latency_p95_ms": 0.0123,
        "index_MB": 1.23,
    }
    assert len(HEADLINES) <= 6
    assert stored(failure(0, CONFIGURATION, ValueError("no"))).user_attrs == {
        "error": "ValueError: no"
    }


def test_a_trial_took_as_long_as_it_took() -> None:
    trial = stored(RECORD)
    assert trial.datetime_complete is not None
    assert trial.datetime_start is not None
    assert trial.datetime_complete - trial.datetime_start == timedelta(seconds=2.5)
    assert trial.duration == timedelta(seconds=2.5)


@pytest.mark.parametrize("listed", [True, False])
def test_a_listed_zero_is_a_choice_and_a_range_stays_a_range(listed: bool) -> None:
    """The dashboard leaves out what is 0 and no choice; drawn values are no choices."""
    axes = {"a": [0, 0.2], "b": [1, 2, 4], "c": list(range(9)), "d": ["x", "y"], "e": [3]}
    found = distributions(axes, listed=listed)
    zero = CategoricalDistribution((0, 0.2)) if listed else FloatDistribution(0.0, 0.2)
    assert found == {
        "a": zero,
        "b": IntDistribution(1, 4),
        "c": IntDistribution(0, 8),
        "d": CategoricalDistribution(("x", "y")),
    }
