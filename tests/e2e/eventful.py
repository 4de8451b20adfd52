"""Letting something happen while a trial is evaluated."""

from collections.abc import Callable
from typing import Any

from sweep.configuration import Configuration
from sweep.engine.stages.scoring import Scorer
from sweep.records import RankedLists, ScoreTable

Events = dict[int, Callable[[], Any]]  # what happens during the n-th evaluation


class Eventful(Scorer):
    """Scores as always, but first lets happen what is due."""

    events: Events = {}
    count = 0

    def score(self, configuration: Configuration, output: RankedLists) -> ScoreTable:
        type(self).count += 1
        self.events.get(self.count, lambda: None)()
        return super().score(configuration, output)
