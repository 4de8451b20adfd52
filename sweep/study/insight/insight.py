"""Why a study's winner wins: what each parameter does, where it matters, how much was needed."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sweep.engine.measure.report import Report
from sweep.errors import MetricError, StudyError, SweepError
from sweep.metrics import METRIC_NAMES, Metric, parse_metric
from sweep.records import Floats
from sweep.study.insight.curves import curve_metrics, trial_curves
from sweep.study.insight.importance import Importance, Method, parameter_importance
from sweep.study.labels.added_labels import finishing
from sweep.study.reopen import reopen
from sweep.study.study import Study
from sweep.study.tables import read_scores
from sweep.text_lines import shorten
from sweep.trials import TrialRecord
from sweep.winner.insight.curves import Curve
from sweep.winner.insight.effects import MainEffect, main_effects
from sweep.winner.insight.effort import SearchEffort, search_effort
from sweep.winner.insight.interactions import Interactions, find_interactions

MOST_CURVES = 3  # trials beside the recommended one, the best and the baseline


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """What a study says about its parameters.

    Attributes:
        metric: name of the metric that all is about.
        maximize: whether higher is better.
        scale: length of the metric's range; where it has no bound, from the lowest to the highest
            mean of a configuration.
        configurations: finished ones, those that violate a constraint too.
        queries: that have a score; 1 for a metric that has none per query.
        effects: what each parameter does.
        interactions: where that depends on another parameter.
        importance: Optuna's.
        effort: how much of the grid would have been enough, among what keeps the constraints.
        no_effort: why `effort` is None.
    """

    metric: str
    maximize: bool
    scale: float
    configurations: int
    queries: int
    effects: tuple[MainEffect, ...]
    interactions: Interactions
    importance: Importance
    effort: SearchEffort | None
    no_effort: str | None

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return asdict(self)


def study_insight(
    study: Study, *, metric: str | None = None, method: Method = "ped-anova"
) -> Insight:
    """Return what a study says about its parameters.

    Args:
        study: with at least one finished trial.
        metric: a metric that was recorded; None = the first objective.
        method: how Optuna is asked for the importance.

    Raises:
        MetricError: for a metric that was not recorded.
        StudyError: if no trial is finished, or a table is gone or damaged.
    """
    if not study.complete:
        raise StudyError(
            f"study {study.name!r}: must have a finished trial, got none yet. Let "
            f"{finishing(study)} go on, or see `sweep trials {study.name}` for what failed."
        )
    goal = study.goals[0]
    name, found = _metric(study, metric)
    maximize = goal.maximize if name == goal.name else found.higher_is_better
    scores = metric_scores(study, study.complete, name)
    means = scores.mean(axis=1)
    scale = found.scale or float(np.ptp(means)) or 1.0
    values = dict(zip((t.number for t in study.complete), means.tolist(), strict=True))
    params = [trial.configuration.flat() for trial in study.complete]
    effort, reason = _effort(study, means, scale=scale, maximize=maximize)
    return Insight(
        metric=name,
        maximize=maximize,
        scale=scale,
        configurations=len(params),
        queries=scores.shape[1],
        effects=main_effects(params, scores),
        interactions=find_interactions(params, scores, scale=scale, maximize=maximize),
        importance=parameter_importance(study, values, maximize=maximize, method=method),
        effort=effort,
        no_effort=reason,
    )


def metric_scores(study: Study, trials: tuple[TrialRecord, ...], name: str) -> Floats:
    """Return a metric's scores, (N, Q); of what is no mean over queries, the values, (N, 1)."""
    if trials and parse_metric(name).per_query:
        return study.score_matrix(trials, name)[1]
    return np.array([[trial.numbers[name]] for trial in trials], dtype=np.float64)


def top_k_effects(trials: tuple[TrialRecord, ...], scores: Floats) -> dict[str, MainEffect]:
    """Return what top_k does within each mode that has several, by mode.

    Args:
        trials: N finished trials.
        scores: shape (N, Q), of these trials.
    """
    found: dict[str, MainEffect] = {}
    for mode in dict.fromkeys(trial.configuration.mode for trial in trials):
        rows = [row for row, trial in enumerate(trials) if trial.configuration.mode == mode]
        params = [trials[row].configuration.flat() for row in rows]
        effects = main_effects(params, scores[rows], names=("top_k",))
        if effects:  # of several groups of values that nothing joins, the largest
            found[mode] = max(effects, key=lambda effect: len(effect.values))
    return found


def leading_trials(study: Study) -> tuple[TrialRecord, ...]:
    """Return the trials that people look at: recommended, best, baseline, and the next ones.

    Raises: SweepError where nothing can be recommended.
    """
    if len(study.goals) > 1:
        front = study.front()
        named = (*front.trials[:MOST_CURVES], front.baseline)
    else:
        answer = study.answer()
        best = study.trial(answer.compared[answer.recommendation.best])
        named = (answer.trial, best, answer.baseline, *answer.leaderboard[:MOST_CURVES])
    return tuple({t.number: t for t in named if t is not None}.values())


def study_curves(
    study: Study,
    *,
    metric: str | None = None,
    store: Path | None = None,
    report: Report | None = None,
) -> tuple[tuple[Curve, ...], str | None]:
    """Return the curves of the leading trials; without them, why there are none.

    Args:
        study: with a finished trial.
        metric: as of `study_insight`.
        store: folder of reusable stage outputs; None = the default.
        report: told what is worked on.

    Raises: MetricError for a metric that was not recorded.
    """
    name, found = _metric(study, metric)
    if found.family == "cost":
        return (), f"{name} is a cost: it grows with what is used"
    try:
        trials = leading_trials(study)
        engine = study.engine or reopen(study, store=store, report=report or Report())
        return trial_curves(study, trials, engine.texts, metrics=curve_metrics(found)), None
    except SweepError as error:
        return (), str(error)


def _metric(study: Study, name: str | None) -> tuple[str, Metric]:
    """Return a recorded metric by its canonical name."""
    if name is None:
        return study.goals[0].name, study.goals[0].metric
    metric = parse_metric(name)
    known: list[str] = []
    for trial in study.complete[:1]:
        known += read_scores(study.folder.path / trial.files["scores"]).metrics
        known += [name for name in METRIC_NAMES if name in trial.numbers and name not in known]
    if str(metric) not in known:
        raise MetricError(
            f"--metric: must be one that the study recorded, got {shorten(name)}. It has "
            f"{', '.join(known)}."
        )
    return str(metric), metric


def _effort(
    study: Study, means: Floats, *, scale: float, maximize: bool
) -> tuple[SearchEffort | None, str | None]:
    if study.adaptive:
        return None, f"{study.adaptive} chose what to try by its scores: no part of it is random"
    rows = [row for row, trial in enumerate(study.complete) if not trial.violated]
    if not rows:
        return None, "no finished trial keeps the constraints"
    recommended = None
    if len(study.goals) == 1:
        number = study.answer().trial.number
        recommended = next(i for i, r in enumerate(rows) if study.complete[r].number == number)
    found = search_effort(means[rows], recommended=recommended, scale=scale, maximize=maximize)
    return found, None
