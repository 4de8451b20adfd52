"""Figures of an answer: means over queries with their intervals, and where they come from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sweep.errors import WinnerError
from sweep.records import Floats
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline
from sweep.winner.preference import TIMES, Preference
from sweep.winner.recommendation import Cost, Recommendation, choose, recommend
from sweep.winner.statistics.bootstrap import bootstrap_interval
from sweep.winner.statistics.cross_validation import honest_scores
from sweep.winner.statistics.inference import planned_comparison
from sweep.winner.statistics.paired_tests import randomisation_p
from sweep.winner.statistics.scores import highest_mean

Pick = Literal["recommended", "best", "baseline"]
FOLD_PERMUTATIONS = 500  # of the test inside each fold of a cross-validated recommendation
SEARCHED = "the queries that chose it"
CONFIRMED = "confirm set"
CROSS_VALIDATED = "cross-validated"
LEVEL = 0.05  # of the paired test beside a difference's interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over queries with its 95 % interval, and how it was obtained.

    `p_value`, of a difference, is that of the paired randomisation test: where few queries differ
    and all in one direction, no resampling reaches 0, and only the test tells that it is chance.
    """

    mean: float
    interval: tuple[float, float]
    queries: int
    how: str
    p_value: float | None = None

    @property
    def excludes_zero(self) -> bool:
        """Return whether the interval leaves out 0."""
        return self.interval[0] > 0 or self.interval[1] < 0

    @property
    def is_shown(self) -> bool:
        """Return whether a difference is shown: by its interval, and by the paired test."""
        return self.excludes_zero and (self.p_value is None or self.p_value <= LEVEL)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        found = {
            "mean": self.mean,
            "interval": list(self.interval),
            "queries": self.queries,
            "how": self.how,
        }
        return found if self.p_value is None else {**found, "p_value": self.p_value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Feasible trials and their scores of the objective.

    Attributes:
        trials: N trials.
        scores: shape (N, Q), on the search queries.
        maximize: whether higher is better.
        scale: length of the metric's range.
        confirm: scores on the confirm set by trial number, for those that were confirmed.
        adaptive: the sampler, if it chose what to try by the scores of earlier trials: then no
            query is left that did not choose, and cross-validated selection would be flattered.
        groups: the group of each query (its gold document), where several share one: such queries
            are no independent evidence, and are never divided between choosing and scoring.
        preference: what quality is given away for, and how much.
        budget: tokens of context that the objective looks at, if it names a budget.
        baseline: what is in production today, if the study has a baseline.
    """

    trials: tuple[TrialRecord, ...]
    scores: Floats
    maximize: bool
    scale: float
    confirm: Mapping[int, Floats]
    adaptive: str | None = None
    groups: tuple[str, ...] | None = None
    preference: Preference = Preference()
    budget: int | None = None
    baseline: Baseline | None = None

    def __post_init__(self) -> None:
        """Refuse to choose among nothing."""
        if not self.trials:
            raise WinnerError(
                "study: must hold a finished trial that meets every constraint, got none. Loosen "
                "the constraints, or see `sweep trials` for what failed."
            )

    def costs(self) -> list[tuple[Cost, ...]]:
        """Return what each trial costs, comparable from left to right.

        Where the objective looks at a token budget, `context_tokens` counts what fits into it:
        that is the context that the scores are about, and a longer output is no worse for it.
        """
        names = [self._recorded(name) for name in self.preference.costs]
        return [tuple(_cost(trial, name) for name in names) for trial in self.trials]

    def _recorded(self, cost: str) -> str:
        within = f"{cost}@{self.budget}tok"
        # A study that was begun before this was recorded has it for no trial, or for some.
        return within if all(within in trial.metrics for trial in self.trials) else cost

    def chosen(self) -> int:
        """Return the row of the recommended trial, in a fraction of `recommendation`'s time."""
        return choose(
            self.scores,
            self.costs(),
            max_loss=self.preference.max_loss,
            scale=self.scale,
            maximize=self.maximize,
        )

    def recommendation(self) -> Recommendation:
        """Return the recommendation over all search queries."""
        return recommend(
            self.scores,
            self.costs(),
            max_loss=self.preference.max_loss,
            scale=self.scale,
            maximize=self.maximize,
        )


def _cost(trial: TrialRecord, name: str) -> Cost:
    """Return one cost of a trial; infinite where it was not measured."""
    value = trial.metrics.get(name, float("inf"))
    return trial.intervals.get(name, value) if name in TIMES else value


def search_figure(scored: Scored, row: int, objective: str) -> Figure:
    """Return the score on the queries that chose; for the winner it is flattered by its luck."""
    values = scored.scores[row]
    return Figure(
        mean=float(values.mean()),
        interval=scored.trials[row].intervals[objective],
        queries=len(values),
        how=SEARCHED,
    )


def honest_figure(scored: Scored, row: int, pick: Pick) -> Figure | None:
    """Return the score freed of the luck that made a configuration win; None if it cannot be had.

    On the confirm set where the trial was confirmed; else by cross-validated selection: choose on
    four folds by the same rule, score on the fifth, repeated. The baseline was named before
    looking, so its score on the search queries is honest as it is. Where an adaptive sampler chose
    what to try, only a confirm set gives an honest score.
    """
    confirmed = scored.confirm.get(scored.trials[row].number)
    if confirmed is not None:
        return _plain_figure(confirmed, CONFIRMED)
    if pick == "baseline":
        return _plain_figure(scored.scores[row], "named before looking", scored.groups)
    return _cross_validated(scored, scored.scores, pick)


def difference_figure(scored: Scored, row: int, pick: Pick) -> Figure | None:
    """Return the honest difference to the baseline, on the same queries.

    The baseline need be no candidate: a run file is none, nor is what violates a constraint.
    """
    base = scored.baseline
    if base is None or base.search is None:
        return None
    confirmed = scored.confirm.get(scored.trials[row].number)
    if confirmed is not None and base.confirm is not None:
        comparison = planned_comparison(base.confirm, confirmed)
        return Figure(
            mean=comparison.difference,
            interval=comparison.interval,
            queries=len(confirmed),
            how=CONFIRMED,
            p_value=comparison.p_value,
        )
    # Less the baseline's scores everywhere: no choice changes, and the gain gets its own interval.
    return _cross_validated(scored, scored.scores - base.search, pick, test=True)


def _cross_validated(
    scored: Scored, scores: Floats, pick: Pick, *, test: bool = False
) -> Figure | None:
    if scored.adaptive is not None:
        return None
    costs = scored.costs()

    def recommended(some: Floats) -> int:
        return choose(
            some,
            costs,
            max_loss=scored.preference.max_loss,
            scale=scored.scale,
            permutations=FOLD_PERMUTATIONS,
        )

    rule = highest_mean if pick == "best" else recommended
    honest = honest_scores(scores, rule=rule, groups=scored.groups, maximize=scored.maximize)
    if not honest.usable:
        return None
    return Figure(
        mean=honest.mean,
        interval=honest.interval,
        queries=scores.shape[1],
        how=CROSS_VALIDATED,
        p_value=randomisation_p(honest.per_query) if test else None,
    )


def _plain_figure(values: Floats, how: str, groups: Sequence[str] | None = None) -> Figure:
    return Figure(
        mean=float(values.mean()),
        interval=bootstrap_interval(values, groups=groups, expanded=True),
        queries=len(values),
        how=how,
    )


def leading(scored: Scored, count: int) -> tuple[TrialRecord, ...]:
    """Return the first trials by mean score, best first."""
    sign = -1.0 if scored.maximize else 1.0
    order = np.argsort(sign * scored.scores.mean(axis=1), kind="stable")
    return tuple(scored.trials[row] for row in order[:count].tolist())
