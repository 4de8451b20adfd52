"""The answer of a study: which configuration to use, how good it honestly is, how sure that is.

Made from records and score tables only. The closing message, `sweep best` and the bundle's README
show the figures of one `Answer`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from sweep.errors import WinnerError
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.critical import CriticalSlice, critical_slices
from sweep.winner.figures import (
    Figure,
    Pick,
    Scored,
    difference_figure,
    honest_figure,
    leading,
    search_figure,
)
from sweep.winner.insight.holes import Holes
from sweep.winner.preference import Preference
from sweep.winner.quick_look import FLATTERED, QuickLook, is_searched_only
from sweep.winner.recommendation import Recommendation

Gain = Literal["gain", "none", "loss"]  # what an interval shows: it may hold 0
LEADERS = 10  # trials of the leaderboard


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
        against: what is in production today, if the study has a baseline.
        difference: honest difference to the baseline; None for the baseline itself, and where it
            cannot be had.
        best_difference: that of the best configuration, where the recommended one shows no gain.
        maximize: whether higher is better.
        recommendation: the test behind the choice; its rows are those of `compared`.
        compared: trial numbers of the feasible trials.
        leaderboard: the leading trials, best first.
        counts: how many configurations ended how.
        preference: what quality is given away for, and how much.
        adaptive: the sampler that looked at the search queries before each choice, if one did.
        must: what the trial scores on the study's critical slices.
        look: whether the preference is another one than the study's.
        holes: what unjudged documents leave open of the choice; None where nobody can say.
        sample: what the study has to do with a quick look, if anything.
    """

    study: str
    objective: str
    pick: Pick
    trial: TrialRecord
    search: Figure
    confirm: Figure | None
    against: Baseline | None
    difference: Figure | None
    best_difference: Figure | None
    maximize: bool
    recommendation: Recommendation
    compared: tuple[int, ...]
    leaderboard: tuple[TrialRecord, ...]
    counts: Counts
    preference: Preference
    adaptive: str | None = None
    must: tuple[CriticalSlice, ...] = ()
    look: bool = False
    holes: Holes | None = None
    sample: QuickLook | None = None

    @property
    def baseline(self) -> TrialRecord | None:
        """Return the baseline's trial, if it is a configuration and has a finished one."""
        return None if self.against is None else self.against.trial

    @property
    def is_baseline(self) -> bool:
        """Return whether the configuration to use is the one that is in production."""
        return self.baseline is not None and self.baseline.number == self.trial.number

    @property
    def gain(self) -> Gain | None:
        """Return what is shown against the baseline; None where no honest difference is known."""
        return None if self.difference is None else self._shown(self.difference)

    @property
    def best_gains(self) -> bool:
        """Return whether the best configuration shows a gain that the recommended one does not."""
        found = self.best_difference
        return found is not None and self._shown(found) == "gain"

    def _shown(self, difference: Figure) -> Gain:
        if not difference.is_shown:
            return "none"
        return "gain" if (difference.mean > 0) is self.maximize else "loss"

    @property
    def unconfirmed(self) -> str | None:
        """Return why there is no honest score, None if there is one."""
        if self.confirm is not None:
            return None
        if is_searched_only(self.sample):
            return FLATTERED
        if self.adaptive is None:
            return "one query cannot both choose and confirm"
        if self.counts.left > 0:
            return (
                f"{self.adaptive} chose what to try by these queries; a confirm set (`split`) is "
                f"opened when the study is finished"
            )
        return (
            f"{self.adaptive} chose what to try by these queries, and none is left to confirm "
            f"with; `split: {{confirm: 0.3}}` keeps some"
        )

    def within(self, sample: QuickLook | None) -> "Answer":
        """Return the answer as part of a quick look: of a search, no figure is honest."""
        if sample is None or not sample.is_search:
            return replace(self, sample=sample)
        return replace(self, sample=sample, confirm=None, difference=None, best_difference=None)

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
            "baseline": self.against.to_json() if self.against else None,
            "difference_to_baseline": self.difference.to_json() if self.difference else None,
            "must": [critical.to_json() for critical in self.must],
            "recommend": {
                "max_loss": self.preference.max_loss,
                "costs": list(self.preference.costs),
                "look": self.look,
            },
            "beats_baseline": self._beats(),
            "best": self.compared[found.best],
            "tied": list(self.tied),
            "loss_bound": self.loss_bound,
            "detectable": found.detectable,
            "queries_needed": found.queries_needed,
            "holes": self.holes.to_json() if self.holes else None,
            "sample": self.sample.to_json() if self.sample else None,
            "trials": self.counts.to_json(),
        }

    def _beats(self) -> bool | None:
        """Return whether a gain over the baseline is shown; None where that is not known."""
        if self.is_baseline:
            return False
        return None if self.gain is None else self.gain == "gain"


def make_answer(
    study: str,
    objective: str,
    scored: Scored,
    *,
    pick: Pick,
    counts: Counts,
    must: Mapping[int, Mapping[str, tuple[float, int]]] | None = None,
    look: bool = False,
) -> Answer:
    """Return the answer of a study.

    Args:
        study: its name.
        objective: the metric's name.
        scored: its feasible trials, and its baseline.
        pick: which configuration is asked for.
        counts: how many configurations ended how.
        must: what was confirmed of critical slices, by trial number; see `critical_slices`.
        look: whether the preference is another one than the study's.

    Raises: WinnerError if there is no such configuration.
    """
    found = scored.recommendation()
    base = scored.baseline
    number = None if base is None or base.trial is None else base.trial.number
    row = _picked(found, scored, pick, study)
    trial = scored.trials[row]
    different = trial.number != number
    answer = Answer(
        study=study,
        objective=objective,
        pick=pick,
        trial=trial,
        search=search_figure(scored, row, objective),
        confirm=honest_figure(scored, row, pick),
        against=base,
        difference=difference_figure(scored, row, pick) if different else None,
        best_difference=None,
        maximize=scored.maximize,
        recommendation=found,
        compared=tuple(trial.number for trial in scored.trials),
        leaderboard=leading(scored, LEADERS),
        counts=counts,
        preference=scored.preference,
        adaptive=scored.adaptive,
        must=critical_slices(trial, confirm=(must or {}).get(trial.number)),
        look=look,
    )
    return _with_best(answer, scored, number) if pick == "recommended" else answer


def _with_best(answer: Answer, scored: Scored, baseline: int | None) -> Answer:
    """Add what the best gains over the baseline, where the recommended is not shown to gain."""
    row = answer.recommendation.best
    if answer.gain in (None, "gain"):
        return answer
    if scored.trials[row].number in (baseline, answer.trial.number):
        return answer
    return replace(answer, best_difference=difference_figure(scored, row, "best"))


def _picked(found: Recommendation, scored: Scored, pick: Pick, study: str) -> int:
    if pick == "recommended":
        return found.recommended
    if pick == "best":
        return found.best
    base = scored.baseline
    if base is not None and base.run is not None:
        raise WinnerError(
            f"--pick baseline: must be a configuration, got the run file {base.run} in {study!r}: "
            f"its ranked lists do not tell how to retrieve. Leave --pick out, or compare with it: "
            f"`sweep compare {study} recommended baseline`."
        )
    rows = {trial.number: row for row, trial in enumerate(scored.trials)}
    if base is not None and base.trial is not None and base.trial.number in rows:
        return rows[base.trial.number]
    got = "none"
    if base is not None:
        got = base.full_name if base.trial is not None else f"{base.name}, which {base.missing}"
    raise WinnerError(
        f"--pick baseline: the study must have a feasible baseline, got {got} in {study!r}. "
        + ("Name it with --trial." if got != "none" else "Add `baseline:` to the space file.")
    )
