"""Letting something happen while a trial is evaluated."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from sweep.configuration import Configuration
from sweep.engine.stages.scoring import Scorer
from sweep.records import RankedLists, ScoreTable
from sweep.study.rules import make_scorer

Events = dict[int, Callable[[], Any]]  # what happens during the n-th evaluation


class Eventful(Scorer):
    """Scores as always, but first lets happen what is due."""

    events: Events = {}
    count = 0

    def score(self, configuration: Configuration, output: RankedLists) -> ScoreTable:
        type(self).count += 1
        self.events.get(self.count, lambda: None)()
        return super().score(configuration, output)


def make_eventful(*arguments: Any) -> Scorer:
    """Return an `Eventful` in place of what `make_scorer` makes."""
    with patch("sweep.engine.stages.scoring.Scorer", Eventful):
        return make_scorer(*arguments)
