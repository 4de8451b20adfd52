"""What plots of a study are of: its trials with roles, and what each parameter does."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sweep.records import Floats
from sweep.study.metrics import Goal
from sweep.study.study import Study
from sweep.study.verdict import Verdict
from sweep.trials import TrialRecord
from sweep.winner.plots.board import Board

if TYPE_CHECKING:  # it loads scipy, which a board can do without
    from sweep.winner.insight.effects import Effect


def board_of(trials: Sequence[TrialRecord], goals: Sequence[Goal], verdict: Verdict) -> Board:
    """Return what the plots of finished trials are of."""
    return Board(
        trials=trials,
        objectives=[goal.name for goal in goals],
        maximize=[goal.maximize for goal in goals],
        roles=verdict.roles,
        tied=verdict.tied,
    )


def effects_of(study: Study) -> Mapping[str, Sequence["Effect"]]:
    """Return what each parameter does to the first objective."""
    from sweep.winner.insight.effects import parameter_effects

    trials = _comparable(study)
    flat = [trial.configuration.flat() for trial in trials]
    return parameter_effects(flat, _scores(study, trials))


def _comparable(study: Study) -> tuple[TrialRecord, ...]:
    """Return the finished trials, less a baseline that shares some value with no other trial."""
    others = [trial for trial in study.complete if trial.fingerprint != study.baseline]
    known = {item for trial in others for item in trial.configuration.flat().items()}
    return tuple(
        trial
        for trial in study.complete
        if trial.fingerprint != study.baseline or known >= set(trial.configuration.flat().items())
    )


def _scores(study: Study, trials: tuple[TrialRecord, ...]) -> Floats:
    """Return the first objective, (N, Q); of what is no mean over queries, the values, (N, 1)."""
    goal = study.goals[0]
    if not trials or not goal.metric.per_query:
        return np.array([[trial.values[0]] for trial in trials], dtype=np.float64)
    return study.score_matrix(trials, goal.name)[1]
