"""The answer of a study: which configuration to use, how good it honestly is, how sure that is.

Made from records and score tables only. The closing message, `sweep best` and the bundle's README
show the figures of one `Answer`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sweep.errors import WinnerError
from sweep.trials import TrialRecord
from sweep.winner.critical import CriticalSlice, critical_slices
from sweep.winner.figures import (
    Figure,
    Pick,
    Scored,
    difference_figure,
    honest_figure,
    leading,
    row_of,
    search_figure,
)
from sweep.winner.insight.holes import Holes
from sweep.winner.preference import Preference
from sweep.winner.recommendation import Recommendation

LEADERS = 10  # trials of the leaderboard


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many configurations ended how."""

    complete: int
    failed: int
    infeasible: int
    planned: int

    def __str__(self) -> str:
        """Return `47 configurations evaluated, 1 failed`; an unfinished study says so."""
        text = f"{self.complete} configurations evaluated"
        if self.complete + self.failed < self.planned:
            text = (
                f"{self.complete} of {self.planned} configurations evaluated: NOT FINISHED, the "
                f"choice may change"
            )
        if self.failed:
            text += f", {self.failed} failed"
        if self.infeasible:
            text += f", {self.infeasible} violate a constraint"
        return text

    def to_json(self) -> dict[str, int]:
        """Return a JSON-ready form."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a study says.

    Attributes:
        study: its name.
        objective: name of the metric.
        pick: which configuration `trial` is.
        trial: the configuration to use.
        search: its score on the queries that chose.
        confirm: its honest score; None where it cannot be had (see `unconfirmed`).
        baseline: the baseline's trial, if there is one.
        difference: honest difference to the baseline; None for the baseline itself.
        recommendation: the test behind the choice; its rows are those of `compared`.
        compared: trial numbers of the feasible trials.
        leaderboard: the leading trials, best first.
        counts: how many configurations ended how.
        preference: what quality is given away for, and how much.
        adaptive: the sampler that looked at the search queries before each choice, if one did.
        must: what the trial scores on the study's critical slices.
        look: whether the preference is another one than the study's.
        holes: what unjudged documents leave open of the choice; None where nobody can say.
    """

    study: str
    objective: str
    pick: Pick
    trial: TrialRecord
    search: Figure
    confirm: Figure | None
    baseline: TrialRecord | None
    difference: Figure | None
    recommendation: Recommendation
    compared: tuple[int, ...]
    leaderboard: tuple[TrialRecord, ...]
    counts: Counts
    preference: Preference
    adaptive: str | None = None
    must: tuple[CriticalSlice, ...] = ()
    look: bool = False
    holes: Holes | None = None

    @property
    def unconfirmed(self) -> str | None:
        """Return why there is no honest score, None if there is one."""
        if self.confirm is not None:
            return None
        if self.adaptive is None:
            return "one query cannot both choose and confirm"
        return (
            f"{self.adaptive} chose what to try by these queries, and none is left to confirm "
            f"with; `split: {{confirm: 0.3}}` keeps some"
        )

    @property
    def loss_bound(self) -> float:
        """Return what the picked configuration may truly lose to the best, at most (95 %)."""
        row = self.compared.index(self.trial.number)
        return float(self.recommendation.tukey.loss_bound[row])

    @property
    def tied(self) -> tuple[int, ...]:
        """Return the numbers of the trials that are not separable from the best."""
        return tuple(self.compared[row] for row in self.recommendation.tied.tolist())

    def to_json(self) -> dict[str, Any]:
        """Return the shape of `best --json`: the trial's own, with `pick` and `confirm`."""
        found = self.recommendation
        return {
            **self.trial.to_json(),
            "study": self.study,
            "objective": self.objective,
            "pick": self.pick,
            "search": self.search.to_json(),
            "confirm": self.confirm.to_json() if self.confirm else None,
            "unconfirmed": self.unconfirmed,
            "baseline": self.baseline.to_json() if self.baseline else None,
            "difference_to_baseline": self.difference.to_json() if self.difference else None,
            "must": [critical.to_json() for critical in self.must],
            "recommend": {
                "max_loss": self.preference.max_loss,
                "costs": list(self.preference.costs),
                "look": self.look,
            },
            "best": self.compared[found.best],
            "tied": list(self.tied),
            "loss_bound": self.loss_bound,
            "detectable": found.detectable,
            "queries_needed": found.queries_needed,
            "holes": self.holes.to_json() if self.holes else None,
            "trials": self.counts.to_json(),
        }


def make_answer(
    study: str,
    objective: str,
    scored: Scored,
    *,
    baseline: str | None,
    pick: Pick,
    counts: Counts,
    must: Mapping[int, Mapping[str, tuple[float, int]]] | None = None,
    look: bool = False,
) -> Answer:
    """Return the answer of a study.

    Args:
        study: its name.
        objective: the metric's name.
        scored: its feasible trials.
        baseline: the baseline's fingerprint.
        pick: which configuration is asked for.
        counts: how many configurations ended how.
        must: what was confirmed of critical slices, by trial number; see `critical_slices`.
        look: whether the preference is another one than the study's.

    Raises: WinnerError if there is no such configuration.
    """
    found = scored.recommendation()
    base = row_of(scored.trials, baseline)
    row = _picked(found, base, pick, study)
    difference = None
    if base is not None and base != row:
        difference = difference_figure(scored, row, base, pick)
    trial = scored.trials[row]
    return Answer(
        study=study,
        objective=objective,
        pick=pick,
        trial=trial,
        search=search_figure(scored, row, objective),
        confirm=honest_figure(scored, row, pick),
        baseline=scored.trials[base] if base is not None else None,
        difference=difference,
        recommendation=found,
        compared=tuple(trial.number for trial in scored.trials),
        leaderboard=leading(scored, LEADERS),
        counts=counts,
        preference=scored.preference,
        adaptive=scored.adaptive,
        must=critical_slices(trial, confirm=(must or {}).get(trial.number)),
        look=look,
    )


def _picked(found: Recommendation, baseline: int | None, pick: Pick, study: str) -> int:
    if pick == "recommended":
        return found.recommended
    if pick == "best":
        return found.best
    if baseline is None:
        raise WinnerError(
            f"--pick baseline: the study must have a feasible baseline, got none in {study!r}. "
            f"Add `baseline:` to the space file, or leave --pick out."
        )
    return baseline
