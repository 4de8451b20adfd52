"""What a run would do, and what it would take, without doing it: `sweep run --dry-run`.

The store gains what any run needs first: chunks, their tokens, what a look at every text told,
and how fast models are here. No study, trial or study folder is written, and a storage that does
not exist is not made.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.measure.report import Report
from sweep.engine.plan.calibrate import Calibration
from sweep.engine.plan.forecast import forecast
from sweep.engine.plan.memory import run_memory
from sweep.engine.plan.plan import Plan, make_plan
from sweep.errors import SpaceError
from sweep.study.driver.draws import GridDraws, Recorded
from sweep.study.driver.identity import check_folder, study_identity
from sweep.study.driver.inputs import Inputs, RunOptions, read_inputs, start_engine
from sweep.study.driver.opening import existing_storage, find_study, read_recorded
from sweep.study.driver.queue import axes_of, planned
from sweep.study.driver.quick_look import planned_part
from sweep.study.driver.run import draws_of, make_evaluation
from sweep.study.driver.split import study_split
from sweep.study.driver.trial_cost import TrialCost, trial_cost
from sweep.study.folder import default_storage, study_folder
from sweep.study.study import ABOUT

COSTS_S = 0.006  # per trial: joining lists, work and index size
MADE = ("chunks", "inputs", "terms", "bm25_list")  # what a plan may add to the store


@dataclass(frozen=True, slots=True, kw_only=True)
class Trials:
    """Configurations of a study.

    Attributes:
        planned: in all.
        finished: with a finished trial.
        to_run: that the run would evaluate.
        drawn: whether a sampler draws them while it runs: the plan is then of every configuration
            that it may draw.
    """

    planned: int
    finished: int
    to_run: int
    drawn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What a run would do and take.

    Attributes:
        study, corpus: their names.
        trials: configurations.
        plan: what the engine would do.
        made: outputs that were made for the plan and stay in the store, by kind.
        calibrated: what had to be measured for it.
        seconds: by stage, in the order of the flow; `start` comes before the first.
        store_bytes, study_bytes, storage_bytes: that the run adds to each.
        memory_bytes: the run's peak.
        threads, precisions: of models, by model name.
        sample: of a search on a sample: its `documents`, `of` how many, how many are `judged`,
            and how many `finalists` there are at most, which are not planned yet.
    """

    study: str
    corpus: str
    trials: Trials
    plan: Plan
    made: Mapping[str, int]
    calibrated: tuple[str, ...]
    seconds: Mapping[str, float]
    store_bytes: int
    study_bytes: int
    storage_bytes: int
    memory_bytes: int
    threads: int
    precisions: Mapping[str, str]
    sample: Mapping[str, int] | None = None

    @property
    def expected_s(self) -> float:
        """Return the seconds of the whole run."""
        return sum(self.seconds.values())

    @property
    def expected_bytes(self) -> int:
        """Return the bytes that the run adds to the disk."""
        return self.store_bytes + self.study_bytes + self.storage_bytes

    def to_json(self) -> dict[str, Any]:
        """Return the plan, JSON-ready."""
        return {
            "study": self.study,
            "corpus": self.corpus,
            "trials": asdict(self.trials),
            "sample": None if self.sample is None else dict(self.sample),
            "stages": [asdict(stage) | {"to_do": stage.to_do} for stage in self.plan.stages],
            "embed": [work.to_json() for work in self.plan.encoders],
            "rerank": [work.to_json() for work in self.plan.rerankers],
            "seconds": {"total": self.expected_s, **self.seconds},
            "bytes": {
                "total": self.expected_bytes,
                "store": self.store_bytes,
                "study": self.study_bytes,
                "storage": self.storage_bytes,
            },
            "peak_memory_bytes": self.memory_bytes,
            "threads": self.threads,
            "precision": dict(self.precisions),
            "made_for_the_plan": {kind: count for kind, count in self.made.items() if count},
            "measured_for_the_plan": list(self.calibrated),
        }


def dry_run(
    space: Path | str,
    *,
    corpus: Path | str | None = None,
    options: RunOptions | None = None,
    report: Report | None = None,
) -> DryRun:
    """Return what `driver.run.run` would do with the same arguments, and what it would take.

    Args:
        space: see `run`; a grid of any size may be planned.
        corpus: see `run`.
        options: see `run`.
        report: see `run`.

    Raises: SweepError for whatever `run` would refuse.
    """
    options, report = options or RunOptions(), report or Report()
    imported_s, start = time.process_time(), time.perf_counter()
    inputs, sample = planned_part(read_inputs(space, corpus, options, report), options)
    storage = existing_storage(options.storage or default_storage())
    start_s = imported_s + time.perf_counter() - start
    engine = start_engine(inputs, options, report)
    trials, configurations = _to_run(inputs, storage, engine, options)
    plan = make_plan(engine, configurations)
    calibration = Calibration(engine)
    ahead = forecast(engine, plan, calibration)
    cost = _trial_cost(inputs, engine, configurations, trials)
    return DryRun(
        study=inputs.study,
        corpus=inputs.corpus.name,
        trials=trials,
        plan=plan,
        made={stage: engine.report.computed.get(stage, 0) for stage in MADE},
        calibrated=tuple(calibration.tried),
        seconds={
            "start": start_s,
            **ahead.seconds,
            "score": cost.score_s,
            "costs": trials.to_run * COSTS_S,
            "write": cost.write_s,
        },
        store_bytes=ahead.store_bytes,
        study_bytes=cost.table_bytes,
        storage_bytes=cost.record_bytes + (0 if storage else cost.new_storage_bytes),
        memory_bytes=run_memory(engine, plan, ahead),
        threads=engine.options.threads,
        precisions=_precisions(engine, plan),
        sample=sample,
    )


def _trial_cost(
    inputs: Inputs,
    engine: Engine,
    configurations: Sequence[Configuration],
    trials: Trials,
) -> TrialCost:
    """Return what the trials take beside retrieval; a sampler's are as those it may draw."""
    split = study_split(inputs.space.split, engine.corpus)
    evaluation = make_evaluation(inputs, engine, split)
    cost = trial_cost(evaluation, configurations, axes_of(inputs.space))
    return cost.share(trials.to_run / max(1, len(configurations)))


def _to_run(
    inputs: Inputs, storage: Any, engine: Engine, options: RunOptions
) -> tuple[Trials, list[Configuration]]:
    """Return the trials, and the configurations that are, or may be, evaluated."""
    space, about = inputs.space, {}
    recorded = Recorded()
    axes = axes_of(space) if space.sampler.kind == "grid" else space.axes()
    identity = study_identity(space, engine.corpus, engine.options.precision)
    study = find_study(inputs.study, storage, space, identity, axes) if storage else None
    if study is None:
        check_folder(study_folder(inputs.study), inputs.study, identity)
    else:
        recorded, about = read_recorded(study), study.user_attrs.get(ABOUT, {})
    draws, _ = draws_of(inputs, recorded, options, about)
    finished = len(recorded.finished())
    if isinstance(draws, GridDraws):
        queue = [draw.configuration for draw in next(draws.portions(recorded), [])]
        return Trials(planned=draws.planned, finished=finished, to_run=len(queue)), queue
    if not space.configurations:
        raise SpaceError(
            f"{space.path.name}: --dry-run needs a space that can be listed, got one that the "
            f"sampler {space.sampler.kind} draws from freely. Give every range a step."
        )
    left = [c for c in planned(space) if not recorded.is_finished(c.fingerprint())]
    to_run = min(len(left), max(0, draws.planned - finished))
    trials = Trials(planned=draws.planned, finished=finished, to_run=to_run, drawn=True)
    return trials, left if to_run else []


def _precisions(engine: Engine, plan: Plan) -> dict[str, str]:
    models = [c.vector.model for c in plan.configurations if c.vector is not None]
    crossed = [c.rerank.model for c in plan.configurations if c.rerank and c.rerank.model]
    return {
        **{name: engine.pool.encoder(name).precision for name in models},
        **{name: engine.pool.cross_encoder(name).precision for name in crossed},
    }
