"""One configuration -> one finished trial; the only place where a trial may fail."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sweep.configuration import Configuration
from sweep.engine.engine import Engine
from sweep.engine.scoring import Scorer
from sweep.errors import StoreError, StudyError
from sweep.metrics import bootstrap_interval
from sweep.records import RankedLists, ScoreTable
from sweep.study.expression import Constraint
from sweep.study.folder import StudyFolder
from sweep.study.metrics import TIMED, Goal
from sweep.study.record import failure
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What every trial of a study is evaluated with."""

    engine: Engine
    scorer: Scorer
    goals: Sequence[Goal]
    constraints: Sequence[Constraint]
    folder: StudyFolder


def evaluate(study: Evaluation, configuration: Configuration, number: int) -> TrialRecord:
    """Return the trial of a configuration, its files written; a failed one says why.

    Raises: StoreError when the disk refuses: that is no fault of the configuration.
    """
    try:
        return _evaluate(study, configuration, number)
    except StoreError:
        raise
    except Exception as error:
        return failure(number, configuration, error)


def _evaluate(study: Evaluation, configuration: Configuration, number: int) -> TrialRecord:
    start = time.perf_counter()
    engine, scorer = study.engine, study.scorer
    output = engine.output(configuration)
    table = scorer.score(configuration, output)
    metrics = {str(metric): scorer.mean(table, metric) for metric in scorer.metrics}
    metrics |= engine.costs(configuration)
    timings = {"build_s": engine.build_seconds(configuration)}
    known = metrics | timings
    values = tuple(_value(goal, known, scorer) for goal in study.goals)
    violated = [str(c) for c in study.constraints if not _holds(c, known)]
    files = _write(study, configuration, output, table)
    timings["evaluate_s"] = time.perf_counter() - start
    return TrialRecord(
        number=number,
        state="COMPLETE",
        configuration=configuration,
        values=values,
        metrics={name: value for name, value in metrics.items() if math.isfinite(value)},
        intervals=_intervals(scorer, table),
        timings={name: value for name, value in timings.items() if math.isfinite(value)},
        facts=_facts(study, configuration, output, violated),
        files=files,
    )


def _value(goal: Goal, known: dict[str, float], scorer: Scorer) -> float:
    value = known[goal.name]
    if not math.isfinite(value):
        scored = 0 if goal.name in TIMED else int(scorer.defined(goal.metric).sum())
        raise StudyError(
            f"objective {goal.name}: must be a finite number, got {value} over {scored} queries. "
            f"Check that the queries have judgements this metric can use."
        )
    return value


def _holds(constraint: Constraint, known: dict[str, float]) -> bool:
    value = known[constraint.metric]
    return value <= constraint.bound if constraint.op == "<=" else value >= constraint.bound


def _intervals(scorer: Scorer, table: ScoreTable) -> dict[str, tuple[float, float]]:
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
    study: Evaluation, configuration: Configuration, output: RankedLists, violated: list[str]
) -> dict[str, object]:
    facts: dict[str, object] = {
        "chunks": len(study.engine.texts.chunks(configuration.chunk)),
        "queries": len(study.scorer.judgements),
        "without_results": int((~(output.items >= 0).any(axis=1)).sum()),
    }
    if configuration.vector is not None:
        inputs = study.engine.vectors.passage_inputs(configuration.chunk, configuration.vector)
        facts["truncated_chunks"] = inputs.truncated
    if violated:
        facts["violates"] = violated
    return facts


def _write(
    study: Evaluation, configuration: Configuration, output: RankedLists, table: ScoreTable
) -> dict[str, str]:
    fingerprint = configuration.fingerprint()
    scores, ranking = study.folder.scores(fingerprint), study.folder.ranking(fingerprint)
    write_scores(scores, table)
    chunks = study.engine.texts.chunks(configuration.chunk)
    write_ranking(ranking, output, chunks, study.engine.corpus)
    return {
        "scores": scores.relative_to(study.folder.path).as_posix(),
        "ranking": ranking.relative_to(study.folder.path).as_posix(),
    }
