"""Which configurations a study evaluates next, given what it has recorded: a grid, or a sampler's.

Both give portions of draws, one after another; a portion is asked for when the one before it has
been evaluated. What is finished is never given again; what failed is, once a run.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence

from sweep.configuration import Configuration
from sweep.study.driver.sampling import BATCH, CHANCES, Draw, Sampling
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord


class Recorded:
    """The trials of a study by configuration, kept up to date while it runs.

    Args:
        trials: in the order of their numbers.
    """

    def __init__(self, trials: Iterable[TrialRecord] = ()) -> None:
        self._latest: dict[str, TrialRecord] = {}
        self._batches: dict[int, dict[int, str]] = {}
        for trial in trials:
            self.add(trial)

    def add(self, trial: TrialRecord) -> None:
        """Take in a trial; a finished one is never replaced."""
        if not self.is_finished(trial.fingerprint):
            self._latest[trial.fingerprint] = trial
        if trial.draw:
            places = self._batches.setdefault(trial.draw["batch"], {})
            places[trial.draw["place"]] = trial.fingerprint

    def is_finished(self, fingerprint: str) -> bool:
        """Return whether a configuration has a finished trial."""
        known = self._latest.get(fingerprint)
        return known is not None and known.state == "COMPLETE"

    def is_tried(self, fingerprint: str) -> bool:
        """Return whether a configuration has a trial, finished or failed."""
        return fingerprint in self._latest

    def finished(self) -> list[TrialRecord]:
        """Return the finished trials."""
        return [trial for trial in self._latest.values() if trial.state == "COMPLETE"]

    def configurations(self) -> list[Configuration]:
        """Return the configurations that have been tried, in the order of their first trials."""
        return [trial.configuration for trial in self._latest.values()]

    def batch(self, number: int) -> list[TrialRecord]:
        """Return the trials of a sampler's batch, in the order of its draws."""
        places = self._batches.get(number, {})
        return [self._latest[places[place]] for place in sorted(places)]

    def drawn(self) -> int:
        """Return how many configurations a sampler's batches have tried."""
        return sum(len(places) for places in self._batches.values())

    def __len__(self) -> int:
        """Return how many configurations have been tried."""
        return len(self._latest)


class GridDraws:
    """Every configuration of a space once, in an order that shares work.

    Args:
        queue: the configurations in that order, the baseline with them.
        more: how many that have not been tried yet are given at most; None = all.
        listed: whether there is no range among the study's parameters: finalists may come from
            a sampler's search.
    """

    def __init__(
        self, queue: Sequence[Configuration], *, more: int | None, listed: bool = True
    ) -> None:
        self.queue = queue
        self.listed = listed
        self.more = more
        self.shortage: str | None = None  # a grid is never short of configurations

    @property
    def planned(self) -> int:
        """Return how many configurations the finished study has."""
        return len(self.queue)

    def portions(self, recorded: Recorded) -> Iterator[list[Draw]]:
        """Yield what has not been tried, then what failed."""
        prints = [(c, c.fingerprint()) for c in self.queue]
        untried = [c for c, own in prints if not recorded.is_tried(own)]
        failed = [
            c for c, own in prints if recorded.is_tried(own) and not recorded.is_finished(own)
        ]
        yield [Draw(configuration=c) for c in (*untried[: self.more], *failed)]


class SampledDraws:
    """The baseline, then the batches of a sampler.

    Args:
        space: with the sampler random, tpe or nsga2.
        maximize: per objective, whether higher is better.
        trials: how many configurations are tried in all, beside the baseline.
        planned: how many the finished study tries; `trials`, or more.
    """

    def __init__(
        self, space: SearchSpace, maximize: Sequence[bool], *, trials: int, planned: int
    ) -> None:
        baseline = space.baseline
        self.space = space
        self.maximize = maximize
        self.trials = trials
        self.baseline = baseline if isinstance(baseline, Configuration) else None
        self.listed = False
        self.shortage: str | None = None
        self._planned = planned
        if space.configurations:
            others = sum(c != self.baseline for c in space.configurations)
            self._planned = min(planned, others)

    @property
    def planned(self) -> int:
        """Return how many configurations the finished study has, as far as that is known."""
        return self._planned + (self.baseline is not None)

    def portions(self, recorded: Recorded) -> Iterator[list[Draw]]:
        """Yield the baseline, then batch after batch until `trials` configurations are tried.

        A batch that was begun is completed first. Where the space holds no more, `shortage` says
        so afterwards.
        """
        tried: set[str] = set()
        if self.baseline is not None:
            tried.add(self.baseline.fingerprint())
            yield _unfinished([Draw(configuration=self.baseline)], recorded)
        sampling = Sampling(self.space, self.maximize)
        count = 0
        for batch in itertools.count():
            draws = self._batch(sampling, batch, recorded, tried, self.trials - count)
            yield _unfinished(draws, recorded)
            count += len(draws)
            if count >= self.trials or len(draws) < BATCH:
                if count < self.trials:
                    self.shortage, self._planned = self._no_more(count), count
                return
            tried.update(draw.configuration.fingerprint() for draw in draws)
            sampling.learn(batch, recorded.batch(batch))

    def _no_more(self, count: int) -> str:
        if listed := len(self.space.configurations):
            if listed == 1:
                return "the only configuration of the space has been tried: there are no more"
            return f"all {listed:,} configurations of the space have been tried: there are no more"
        return (
            f"no other configuration was found in {CHANCES:,} random suggestions: {count:,} of "
            f"the space have been tried, and there seem to be no more"
        )

    def _batch(
        self, sampling: Sampling, batch: int, recorded: Recorded, tried: set[str], most: int
    ) -> list[Draw]:
        """Return up to `most` draws of a batch: those that are recorded, and new ones after them.

        What the sampler draws again agrees with the record, unless a trial that had failed has
        ended well meanwhile and taught it something; then what is recorded stays.
        """
        known = [
            Draw(configuration=trial.configuration, **trial.draw)
            for trial in recorded.batch(batch)
        ]
        if len(known) >= min(BATCH, most):
            return known[:most]
        prints = {draw.configuration.fingerprint() for draw in known}
        others = [
            draw
            for draw in sampling.draw(batch, tried)
            if draw.configuration.fingerprint() not in prints
        ]
        place = len(known)
        new = [
            Draw(configuration=d.configuration, batch=batch, place=place + i, params=d.params)
            for i, d in enumerate(others[: BATCH - place])
        ]
        return [*known, *new][:most]


def _unfinished(draws: Iterable[Draw], recorded: Recorded) -> list[Draw]:
    return [d for d in draws if not recorded.is_finished(d.configuration.fingerprint())]
