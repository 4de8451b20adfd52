"""What is said of a study and of its trials at the end of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sweep.errors import SweepError
from sweep.study.folder import default_storage
from sweep.study.storage.address import shown
from sweep.study.study import Study

if TYPE_CHECKING:  # the winner's statistics load scipy
    from sweep.winner.answer import Answer
    from sweep.winner.baseline import Baseline
    from sweep.winner.front import Front


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is said of a study.

    Attributes:
        note: the study's.
        roles: what is to be said of trials, by number; the most important trial first.
        tied: numbers of the trials that are not separable from the best.
        losses: observed loss to the best and the most it may be, by number.
        baseline: what is in production today, if the study has a baseline.
    """

    note: str
    roles: Mapping[int, Sequence[str]]
    tied: frozenset[int] = frozenset()
    losses: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    baseline: "Baseline | None" = None


def verdict_of(study: Study, *, ending: str = "") -> Verdict:
    """Return what a study says; that it cannot say what to use is a verdict too.

    Args:
        study: the study.
        ending: why its last run ended before it was finished.
    """
    from sweep.winner.note import answer_note, front_note, no_answer_note

    storage = named_storage(study)
    try:
        if len(study.goals) > 1:
            front = study.front()
            roles = _front_roles(front)
            note = front_note(front, roles=roles, storage=storage, ending=ending)
            return Verdict(note=note, roles=roles, baseline=front.against)
        answer = study.answer()
    except SweepError as error:
        note = no_answer_note(study.name, str(error), storage=storage, ending=ending)
        return Verdict(note=note, roles={})
    roles = _answer_roles(answer)
    tukey = answer.recommendation.tukey
    pairs = zip(tukey.loss.tolist(), tukey.loss_bound.tolist(), strict=True)
    return Verdict(
        note=answer_note(answer, roles=roles, storage=storage, ending=ending),
        roles=roles,
        tied=frozenset(answer.tied),
        losses=dict(zip(answer.compared, pairs, strict=True)),
        baseline=answer.against,
    )


def _answer_roles(answer: "Answer") -> dict[int, list[str]]:
    """Return what is said of the trials that are looked at, the most important first."""
    from sweep.winner.quick_look import is_searched_only

    roles: dict[int, list[str]] = {answer.trial.number: ["recommended"]}
    if is_searched_only(answer.sample):
        roles[answer.trial.number].append("on the sample only")
    roles.setdefault(answer.compared[answer.recommendation.best], []).append("best")
    if answer.baseline is not None:
        roles.setdefault(answer.baseline.number, []).append("baseline")
        if answer.baseline.violated:
            roles[answer.baseline.number].append("violates a constraint")
    for trial in answer.leaderboard:
        roles.setdefault(trial.number, [])
    for number, said in roles.items():
        if number in answer.tied and "best" not in said:
            said.append("tied")
    return roles


def _front_roles(front: "Front") -> dict[int, list[str]]:
    roles: dict[int, list[str]] = {trial.number: ["front"] for trial in front.trials}
    if front.baseline is not None:
        said = roles.pop(front.baseline.number, [])
        roles = {front.baseline.number: [*said, "baseline"]} | roles
    return roles


def named_storage(study: Study) -> str | None:
    """Return the storage as commands must name it, a password left out; None = the default."""
    return None if study.storage == default_storage() else shown(study.storage)
