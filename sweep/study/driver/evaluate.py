"""One configuration -> one finished trial; the only place where a trial may fail."""

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.measure.load import peak_memory
from sweep.engine.stages.scoring import Scorer
from sweep.errors import StoreError, StudyError
from sweep.metrics import bootstrap_interval
from sweep.records import RankedLists, ScoreTable
from sweep.study.driver.critical import CriticalQueries, critical_facts
from sweep.study.folder import StudyFolder
from sweep.study.metrics import Goal
from sweep.study.quick_look import SAMPLE
from sweep.study.record import failure
from sweep.study.run_file import RunFile, score_run_file
from sweep.study.space.expression import Constraint
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord
from sweep.winner.critical import FACT
from sweep.winner.preference import TIMED

TINY = 1e-9  # a bound that nothing can sensibly be a share of


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What every trial of a study is evaluated with."""

    engine: Engine
    scorer: Scorer
    goals: Sequence[Goal]
    constraints: Sequence[Constraint]
    critical: Sequence[CriticalQueries]
    folder: StudyFolder
    sample: Mapping[str, int] | None = None  # of a search: what a trial remembers of its corpus

    def score_run(self, run: RunFile, query_ids: Collection[str]) -> ScoreTable:
        """Return what a run file scores on some judged queries, by the rules of the trials."""
        return score_run_file(
            run,
            self.engine.corpus,
            self.scorer.metrics,
            query_ids,
            relevance=self.scorer.relevance,
            labels=self.scorer.labels,
        )


def evaluate(study: Evaluation, configuration: Configuration, number: int) -> TrialRecord:
    """Return the trial of a configuration, its files written; a failed one says why.

    Raises: StoreError when the disk refuses: that is no fault of the configuration.
    """
    report = study.engine.report
    shared = report.take_shared()
    start = time.perf_counter()
    with report.trial(number) as account:
        try:
            record = _evaluate(study, configuration, number)
        except StoreError:
            raise
        except Exception as error:
            record = failure(number, configuration, error)
    timings = {
        **record.timings,
        "evaluate_s": time.perf_counter() - start,
        "peak_memory_bytes": peak_memory(),
        "stages": account.to_json(),
    }
    if shared is not None:
        timings["shared"] = shared.to_json()
    return replace(record, timings=timings)


def _evaluate(study: Evaluation, configuration: Configuration, number: int) -> TrialRecord:
    engine, scorer, report = study.engine, study.scorer, study.engine.report
    output = engine.output(configuration)
    with report.stage("score"):
        table = scorer.score(configuration, output)
        metrics = {str(metric): scorer.mean(table, metric) for metric in scorer.metrics}
        _check_finite(study, metrics)
        critical = critical_facts(study.critical, scorer, table)
        intervals = intervals_of(scorer, table)
    latency = engine.latency(configuration)
    metrics |= engine.costs(configuration) | latency.metrics
    timings = {"build_s": engine.build_seconds(configuration)}
    known = metrics | timings
    values = tuple(value_of(goal, known, scorer) for goal in study.goals)
    constraints = missed_bounds(study, known, critical)
    facts = {"latency": latency.conditions, **({FACT: critical} if critical else {})}
    facts |= {SAMPLE: dict(study.sample)} if study.sample else {}
    with report.stage("write"):
        files = write_tables(study, configuration, output, table)
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=configuration,
        values=values,
        metrics={name: value for name, value in metrics.items() if math.isfinite(value)},
        intervals=intervals | latency.intervals,
        timings={name: value for name, value in timings.items() if math.isfinite(value)},
        facts=_facts(study, configuration, output) | facts,
        files=files,
        constraints=constraints,
    )


def _check_finite(study: Evaluation, metrics: dict[str, float]) -> None:
    """Tell a NaN that decides before what follows stumbles over it."""
    for goal in study.goals:
        if goal.name in metrics:
            value_of(goal, metrics, study.scorer)
    for constraint in study.constraints:
        if constraint.metric in metrics:
            _missed(constraint, metrics[constraint.metric])


def value_of(goal: Goal, known: dict[str, float], scorer: Scorer) -> float:
    """Return what a trial has of an objective.

    Raises: StudyError if it is not finite.
    """
    value = known[goal.name]
    if not math.isfinite(value):
        scored = 0 if goal.name in TIMED else int(scorer.defined(goal.metric).sum())
        raise StudyError(
            f"objective {goal.name}: must be a finite number, got {value} over {scored} queries. "
            f"Check that the queries have judgements this metric can use."
        )
    return value


def missed_bounds(
    study: Evaluation, known: Mapping[str, float], critical: Sequence[Mapping[str, Any]]
) -> dict[str, float]:
    """Return by how much each constraint is missed, and each bound on a critical slice.

    Args:
        study: whose constraints they are.
        known: metrics and timings of a trial.
        critical: its facts about the critical slices, see `critical_facts`.

    Raises: StudyError if what is constrained was not measured.
    """
    missed = {str(c): _missed(c, known[c.metric]) for c in study.constraints}
    for slice_, fact in zip(study.critical, critical, strict=True):
        missed[fact["must"]] = _missed(slice_.must.constraint, fact["value"])
    return missed


def _missed(constraint: Constraint, value: float) -> float:
    """Return by how much a constraint is missed; <= 0 where it is kept.

    It is a share of the bound, so that a sampler can add up what is measured in unlike units.
    """
    if not math.isfinite(value):
        raise StudyError(
            f"constraint {constraint}: {constraint.metric} must be a finite number, got {value}. "
            f"It was not measured here. Leave the constraint out, or constrain something else."
        )
    missed = value - constraint.bound if constraint.op == "<=" else constraint.bound - value
    return missed / (abs(constraint.bound) if abs(constraint.bound) > TINY else 1.0)


def intervals_of(scorer: Scorer, table: ScoreTable) -> dict[str, tuple[float, float]]:
    """Return the bootstrap interval of every metric that is defined for some query."""
    intervals: dict[str, tuple[float, float]] = {}
    groups: dict[bytes, list[str]] = {}
    for metric in scorer.metrics:
        groups.setdefault(scorer.defined(metric).tobytes(), []).append(str(metric))
    for mask, names in groups.items():
        rows = np.frombuffer(mask, dtype=np.bool_)
        if not rows.any():
            continue
        values = np.column_stack([table.column(name)[rows] for name in names])
        for name, (low, high) in zip(names, bootstrap_interval(values).tolist(), strict=True):
            intervals[name] = (low, high)
    return intervals


def _facts(
    study: Evaluation, configuration: Configuration, output: RankedLists
) -> dict[str, object]:
    facts: dict[str, object] = {
        "chunks": len(study.engine.texts.chunks(configuration.chunk)),
        "queries": len(study.scorer.judgements),
        "without_results": int((~(output.items >= 0).any(axis=1)).sum()),
    }
    if configuration.vector is not None:
        inputs = study.engine.vectors.passage_inputs(configuration.chunk, configuration.vector)
        facts["truncated_chunks"] = inputs.truncated
    if index_recall := study.engine.index_recall(configuration):
        facts["index_recall"] = index_recall
    if precisions := study.engine.precisions(configuration):
        facts["precisions"] = precisions
    return facts


def write_tables(
    study: Evaluation, configuration: Configuration, output: RankedLists, table: ScoreTable
) -> dict[str, str]:
    """Write a trial's tables and return their names inside the study's folder."""
    fingerprint = configuration.fingerprint()
    scores, ranking = study.folder.scores(fingerprint), study.folder.ranking(fingerprint)
    write_scores(scores, table)
    chunks = study.engine.texts.chunks(configuration.chunk)
    write_ranking(ranking, output, chunks, study.engine.corpus)
    return {
        "scores": scores.relative_to(study.folder.path).as_posix(),
        "ranking": ranking.relative_to(study.folder.path).as_posix(),
    }
