"""The finals of a quick look: which configurations of its search are tried on all documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sweep.configuration import Configuration
from sweep.study.driver.draws import GridDraws, Recorded
from sweep.study.driver.queue import in_order
from sweep.study.driver.sampling import Draw
from sweep.study.study import Study
from sweep.text_lines import counted
from sweep.trials import TrialRecord

if TYPE_CHECKING:  # it loads scipy
    from sweep.winner.recommendation import Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Finals:
    """What the study over the whole corpus may evaluate.

    Attributes:
        ranking: the feasible trials of the search, in the order in which they become finalists.
        count: of them that are finalists at first, and of each further portion.
        others: what is evaluated beside them: the finalists of earlier runs, the baseline.
    """

    ranking: tuple[TrialRecord, ...]
    count: int
    others: tuple[Configuration, ...] = ()


class FinalsDraws(GridDraws):
    """Finalists, and further ones as long as none of them keeps every constraint.

    Constraints on index size, work or latency are easier to keep on a sample, so that all the
    first finalists may violate one on all documents. What comes next follows from what is
    recorded: a run that was killed goes on as one that was not.

    Args:
        finals: what may be evaluated.
        listed: see `GridDraws`.
    """

    def __init__(self, finals: Finals, *, listed: bool) -> None:
        self.finals = finals
        self.on_more: Callable[[str], None] = lambda notice: None  # told of further finalists
        self._count = finals.count
        super().__init__(self._queue(), more=None, listed=listed)

    @property
    def picked(self) -> tuple[TrialRecord, ...]:
        """Return the trials of the search that are finalists so far."""
        return self.finals.ranking[: self._count]

    def facts(self) -> dict[str, Any]:
        """Return number and values in the search of each finalist, by fingerprint."""
        return {
            trial.fingerprint: {"number": trial.number, "values": list(trial.values)}
            for trial in self.picked
        }

    def portions(self, recorded: Recorded) -> Iterator[list[Draw]]:
        """Yield the first finalists, then portions of further ones until one is feasible."""
        given: set[str] = set()  # what failed is tried again, but once a run
        while True:
            new = [c for c in self.queue if c.fingerprint() not in given]
            given.update(c.fingerprint() for c in new)
            if portion := next(GridDraws(new, more=None).portions(recorded)):
                yield portion
            if self._has_answer(recorded) or len(self.picked) == len(self.finals.ranking):
                return
            self._go_on()

    def _has_answer(self, recorded: Recorded) -> bool:
        prints = {trial.fingerprint for trial in self.picked}
        return any(t.fingerprint in prints and not t.violated for t in recorded.finished())

    def _go_on(self) -> None:
        before, ranked = len(self.picked), len(self.finals.ranking)
        self._count += self.finals.count
        self.queue = self._queue()
        new = len(self.picked) - before
        self.on_more(
            f"none of {counted(before, 'finalist')} keeps every constraint on all documents: "
            f"{counted(new, 'further finalist')} of the {ranked:,} configurations that keep them "
            f"on the sample"
        )

    def _queue(self) -> list[Configuration]:
        picked = (trial.configuration for trial in self.picked)
        return in_order(dict.fromkeys((*self.finals.others, *picked)))


def finals_ranking(search: Study, count: int) -> list[TrialRecord]:
    """Return all feasible trials of a search: the `count` finalists, then the next best ones.

    Args:
        search: finished, with a feasible trial.
        count: how many finalists are picked at first, >= 1.
    """
    first = pick_finalists(search, count)
    return list({trial.number: trial for trial in (*first, *_best_first(search))}.values())


def pick_finalists(search: Study, count: int) -> list[TrialRecord]:
    """Return the configurations of a search that are evaluated on the whole corpus.

    What the search recommends and, for half of the places, the best feasible ones by the
    objective (equal ones by number); for the others, what is cheaper than everything that scores
    more, the best of these first, and then the next best again. Of several objectives those that
    no other beats in all at once come first, spread evenly along the first objective where there
    are more than `count` of them; then the best by the first.

    Args:
        search: finished, with a feasible trial.
        count: how many, >= 1.
    """
    ranked = _best_first(search)
    if len(search.goals) > 1:
        front = spread(search.front().trials, count)
        picked = {trial.number: trial for trial in (*front, *ranked)}
        return list(picked.values())[:count]
    scored = search.scored()
    costs = dict(zip((trial.number for trial in scored.trials), scored.costs(), strict=True))
    chosen = (scored.trials[scored.chosen()], *ranked[: -(-count // 2)])
    cheaper = cheaper_ones(ranked, costs)
    picked = {trial.number: trial for trial in (*chosen, *cheaper, *ranked)}
    return list(picked.values())[:count]


def cheaper_ones(
    ranked: Sequence[TrialRecord], costs: "Mapping[int, tuple[Cost, ...]]"
) -> list[TrialRecord]:
    """Return the trials that cost less than every one before them.

    Args:
        ranked: best first.
        costs: by number, compared from left to right; of a measured time its highest value.
    """
    found: list[TrialRecord] = []
    least: tuple[float, ...] = ()
    for trial in ranked:
        cost = tuple(c[1] if isinstance(c, tuple) else c for c in costs[trial.number])
        if not found or cost < least:
            found.append(trial)
            least = cost
    return found


def spread(front: Sequence[TrialRecord], count: int) -> list[TrialRecord]:
    """Return at most `count` trials of a front, both ends with them, at even steps of rank."""
    if len(front) <= count:
        return list(front)
    if count == 1:
        return [front[0]]
    return [front[place * (len(front) - 1) // (count - 1)] for place in range(count)]


def _best_first(search: Study) -> list[TrialRecord]:
    """Return the feasible trials by the first objective, equal ones by number."""
    sign = -1.0 if search.goals[0].maximize else 1.0
    return sorted(search.feasible, key=lambda trial: (sign * trial.values[0], trial.number))
