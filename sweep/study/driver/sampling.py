"""What a sampler tries next: batches of configurations, drawn from a seed and from results.

Optuna's samplers make the suggestions, in a study that lives in memory only. Batch b is drawn from
(seed, b) and from the results of earlier batches; nothing else has a say, so that a run that was
stopped draws again what it had drawn. Within a batch, what has been asked for counts as running:
TPE takes it for bad (its constant liar) and looks elsewhere.
"""

import itertools
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import BaseSampler, NSGAIISampler, RandomSampler, TPESampler
from optuna.trial import FrozenTrial, TrialState, create_trial

from sweep.configuration import Configuration, Scalar
from sweep.study.space.domains import Choices, Domain
from sweep.study.space.search_space import SearchSpace
from sweep.trials import TrialRecord

BATCH = 10  # drawn together; NSGA-II's population; TPE's random start is 10 trials as well
ASKS = 50  # suggestions per batch after which a sampler that repeats itself is left for chance
CHANCES = 1000  # random suggestions per batch after which the space counts as exhausted
IN_BATCH = "batch"  # attribute of a trial in memory

optuna.logging.set_verbosity(optuna.logging.ERROR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One configuration to evaluate.

    Attributes:
        batch, place: where it stands among a sampler's draws; None in a grid.
        params: what the sampler suggested, under its own names and in its own terms; empty for a
            configuration that no sampler suggested.
    """

    configuration: Configuration
    batch: int | None = None
    place: int | None = None
    params: Mapping[str, Scalar] = field(default_factory=dict)


class Sampling:
    """Draws batches of configurations that have not been tried.

    Args:
        space: a space whose sampler is random, tpe or nsga2.
        maximize: per objective, whether higher is better.
    """

    def __init__(self, space: SearchSpace, maximize: Sequence[bool]) -> None:
        self.space = space
        self._domains = space.domains()
        self._distributions = {n: _distribution(n, d) for n, d in self._domains.items()}
        self._study = optuna.create_study(
            directions=["maximize" if up else "minimize" for up in maximize]
        )

    def learn(self, batch: int, trials: Iterable[TrialRecord]) -> None:
        """Take in the results of a batch; batches come in order, each once.

        Args:
            batch: its number.
            trials: in the order of the draws. A failed trial teaches nothing.
        """
        if self.space.sampler.kind == "random":
            return
        for trial in trials:
            params = trial.draw.get("params")
            if trial.state == "COMPLETE" and params:
                self._study.add_trial(self._in_memory(batch, trial, params))
        if self.space.sampler.kind == "nsga2":  # a long chain of parents, link by link
            _Generations(batch + 1, seed=0).get_parent_population(self._study, batch + 1)

    def draw(self, batch: int, tried: Collection[str]) -> list[Draw]:
        """Return the next configurations, in the order in which they are to be evaluated.

        Args:
            batch: its number, from 0 on; every batch before it has been learnt.
            tried: fingerprints of what was tried before this batch.

        Returns: BATCH draws; fewer, or none, only if the space holds no others (or, where it
            cannot be listed, CHANCES random suggestions found no other).
        """
        seen = set(tried)
        found = self._suggested(self._sampler(batch), BATCH, ASKS, seen)
        # Chance finds new ones where many are left; the last of a listed space are just taken.
        if len(found) < BATCH and (not self._listed or self._rest(seen, BATCH + 1)[BATCH:]):
            chance = RandomSampler(seed=self._seed(batch, 1))
            found += self._suggested(chance, BATCH - len(found), CHANCES, seen)
        found += self._rest(seen, BATCH - len(found))
        return [replace(d, batch=batch, place=i) for i, d in enumerate(_together(found))]

    def _rest(self, seen: Collection[str], most: int) -> list[Draw]:
        """Return up to `most` configurations of a listed space that are not in `seen`."""
        unseen = (c for fingerprint, c in self._listed.items() if fingerprint not in seen)
        return [Draw(configuration=c) for c in itertools.islice(unseen, most)]

    @cached_property
    def _listed(self) -> dict[str, Configuration]:
        return {c.fingerprint(): c for c in self.space.configurations}

    def _suggested(
        self, sampler: BaseSampler, count: int, asks: int, seen: set[str]
    ) -> list[Draw]:
        """Return up to `count` draws that are allowed and not in `seen`, which they join."""
        self._study.sampler = sampler
        # A child of NSGA-II inherits from both parents, so it has every parameter, used or not.
        genome = self._distributions if self.space.sampler.kind == "nsga2" else None
        asked: list[optuna.Trial] = []
        found: list[Draw] = []
        while len(found) < count and len(asked) < asks:
            trial = self._study.ask(fixed_distributions=genome)
            asked.append(trial)
            configuration = self.space.suggest(partial(self._choose, trial))
            fingerprint = configuration.fingerprint()
            if fingerprint not in seen and self.space.allows(configuration):
                seen.add(fingerprint)
                found.append(Draw(configuration=configuration, params=trial.params))
        for trial in asked:  # so that it no longer counts as running
            self._study.tell(trial, state=TrialState.FAIL)
        return found

    def _choose(self, trial: optuna.Trial, name: str, domain: Domain) -> Scalar:
        match self._distributions[name]:
            case FloatDistribution() as d:
                return trial.suggest_float(name, d.low, d.high, log=d.log)
            case IntDistribution() as d:
                return _meant(domain, trial.suggest_int(name, d.low, d.high, log=d.log))
            case CategoricalDistribution() as d:
                chosen: Any = trial.suggest_categorical(name, d.choices)
                return cast(Scalar, chosen)
            case other:
                raise AssertionError(other)

    def _sampler(self, batch: int) -> BaseSampler:
        seed, kind = self._seed(batch), self.space.sampler.kind
        if kind == "random":
            return RandomSampler(seed=seed)
        if kind == "nsga2":
            return _Generations(batch, seed=seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            # Parameters that apply together are modelled together.
            return TPESampler(seed=seed, multivariate=True, group=True, constant_liar=True)

    def _seed(self, *of: int) -> int:
        return int(np.random.SeedSequence([self.space.sampler.seed, *of]).generate_state(1)[0])

    def _in_memory(
        self, batch: int, trial: TrialRecord, params: Mapping[str, Scalar]
    ) -> FrozenTrial:
        return create_trial(
            values=list(trial.values),
            params=dict(params),
            distributions={name: self._distributions[name] for name in params},
            constraints=dict(trial.constraints),
            user_attrs={IN_BATCH: batch},
        )


class _Generations(NSGAIISampler):
    """NSGA-II in which a batch is a generation.

    Optuna counts finished trials to tell generations apart, and would begin the next one in the
    middle of a batch when a trial has failed.
    """

    def __init__(self, batch: int, *, seed: int) -> None:
        super().__init__(population_size=BATCH, seed=seed)
        self.batch = batch

    def get_trial_generation(self, study: optuna.Study, trial: FrozenTrial) -> int:
        return self.batch

    def get_population(self, study: optuna.Study, generation: int) -> list[FrozenTrial]:
        complete = study.get_trials(deepcopy=False, states=[TrialState.COMPLETE])
        return [trial for trial in complete if trial.user_attrs[IN_BATCH] == generation]

    def select_parent(self, study: optuna.Study, generation: int) -> list[FrozenTrial]:
        parents = super().select_parent(study, generation)
        return parents if len(parents) > 1 else []  # one alone has no children: draw at random


def _distribution(name: str, domain: Domain) -> BaseDistribution:
    """Return how Optuna sees a domain: numbers of a list and steps of a range by their rank."""
    if isinstance(domain, Choices):
        labels: list[Any] = [option.label for option in domain.options]
        if name == "space" or not _are_numbers(labels):
            return CategoricalDistribution(labels)
        return IntDistribution(0, len(labels) - 1)
    if domain.step is not None:
        count = domain.count()
        assert count is not None
        return IntDistribution(0, count - 1)
    if isinstance(domain.low, int):
        return IntDistribution(domain.low, int(domain.high), log=domain.log)
    return FloatDistribution(domain.low, domain.high, log=domain.log)


def _meant(domain: Domain, number: int) -> Scalar:
    """Return the value that a whole number of `_distribution` stands for."""
    if isinstance(domain, Choices):
        labels: list[Any] = [option.label for option in domain.options]
        ranked: Scalar = sorted(labels)[number]
        return ranked
    return number if domain.step is None else domain.at(number)


def _are_numbers(labels: Iterable[Any]) -> bool:
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in labels)


def _together(draws: Sequence[Draw]) -> list[Draw]:
    """Put the draws of one chunking, and of one index in it, together; the first drawn leads."""
    first: dict[Any, int] = {}
    for position, draw in enumerate(draws):
        c = draw.configuration
        first.setdefault(c.chunk, position)
        first.setdefault((c.chunk, c.vector), position)
    return sorted(
        draws,
        key=lambda d: (
            first[d.configuration.chunk],
            first[d.configuration.chunk, d.configuration.vector],
        ),
    )
