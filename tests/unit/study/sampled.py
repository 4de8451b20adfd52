"""Running a sampler without an engine: each draw gets the value that a test wants."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

from sweep.configuration import Configuration
from sweep.study.driver.draws import Recorded, SampledDraws
from sweep.study.driver.sampling import Draw
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord

Value = Callable[[Configuration], float | None]


def by_chance(configuration: Configuration) -> float:
    """Return a number in [0, 1) that has nothing to do with what the parameters mean."""
    digits = hashlib.sha256(configuration.fingerprint().encode()).hexdigest()[:8]
    return int(digits, 16) / 2**32


def run_sampler(
    space: SearchSpace,
    trials: list[TrialRecord],
    *,
    reach: int,
    value: Value = by_chance,
    stop_after: int | None = None,
    maximize: Sequence[bool] = (True,),
) -> SampledDraws:
    """Evaluate draws until `reach` configurations are tried; add what is recorded to `trials`.

    Args:
        space: with a sampler.
        trials: what earlier runs have recorded.
        reach: how many configurations are tried in all.
        value: of a configuration; None fails its trial.
        stop_after: trials after which the run is killed.
        maximize: per objective; all get the same value.
    """
    recorded = Recorded(trials)
    draws = SampledDraws(space, maximize, trials=reach, planned=reach)
    left = stop_after
    for portion in draws.portions(recorded):
        for draw in portion:
            if left == 0:
                return draws
            record = _evaluate(draw, len(trials), value(draw.configuration), len(maximize))
            trials.append(record)
            recorded.add(record)
            left = None if left is None else left - 1
    return draws


def _evaluate(draw: Draw, number: int, value: float | None, objectives: int) -> TrialRecord:
    record = TrialRecord(
        number=number,
        state="FAIL" if value is None else "COMPLETE",
        configuration=draw.configuration,
        values=() if value is None else (value,) * objectives,
    )
    if draw.batch is None:
        return record
    origin = {"batch": draw.batch, "place": draw.place, "params": dict(draw.params)}
    return replace(record, draw=origin)


def prints(trials: Sequence[TrialRecord]) -> list[str]:
    """Return the fingerprints of trials, in order."""
    return [trial.fingerprint for trial in trials]
