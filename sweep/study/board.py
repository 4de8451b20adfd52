"""What plots of a study are of: its trials with their roles."""

from collections.abc import Sequence

from sweep.study.metrics import Goal
from sweep.study.verdict import Verdict
from sweep.trials import TrialRecord
from sweep.winner.plots.board import Board


def board_of(trials: Sequence[TrialRecord], goals: Sequence[Goal], verdict: Verdict) -> Board:
    """Return what the plots of finished trials are of."""
    return Board(
        trials=trials,
        objectives=[goal.name for goal in goals],
        maximize=[goal.maximize for goal in goals],
        roles=verdict.roles,
        tied=verdict.tied,
        baseline=verdict.baseline,
    )
