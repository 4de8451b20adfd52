"""Would another rule of when a chunk matches a span have made another trial win?

Every finished trial is scored again from its stored ranking, under each rule and threshold;
nothing is retrieved again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sweep.engine.engine import Engine
from sweep.errors import StudyError
from sweep.metrics import MATCHING, SPAN_RULES, SpanRule
from sweep.records import Floats
from sweep.study.metrics import Goal
from sweep.study.rules import evaluation_of, make_scorer
from sweep.study.study import Study
from sweep.study.tables import read_ranking, read_scores
from sweep.trials import TrialRecord
from sweep.winner.statistics.scores import oriented, whole_numbers

THRESHOLDS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The objective under one rule.

    Attributes:
        rule, threshold: when a chunk matches a span; no threshold for containment.
        own: whether this is the rule that the study was run with.
        best: number of the trial with the best mean; the study's own winner where it is among
            those with equal means.
        score: its mean over the search queries.
        score_of_winner: mean of the study's own winner under this rule.
        differs: whether `best` is another trial than the study's own winner.
    """

    rule: SpanRule
    threshold: float | None
    own: bool
    best: int
    score: float
    score_of_winner: float
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """What the rules of span relevance make of a study; `winner` is its own best trial."""

    objective: str
    winner: int
    queries: int
    readings: tuple[Reading, ...]

    @property
    def changes(self) -> int:
        """Return under how many rules another trial wins."""
        return sum(reading.differs for reading in self.readings)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "objective": self.objective,
            "winner": self.winner,
            "queries": self.queries,
            "changes": self.changes,
            "readings": [
                {
                    "rule": reading.rule,
                    "threshold": reading.threshold,
                    "own": reading.own,
                    "best": reading.best,
                    "score": reading.score,
                    "score_of_winner": reading.score_of_winner,
                    "differs": reading.differs,
                }
                for reading in self.readings
            ],
        }


def span_sensitivity(study: Study, engine: Engine) -> Sensitivity:
    """Return which trial has the best mean on the search queries, under each rule.

    The rules are coverage and IoU at .25, .5 and .75, containment, and the study's own. Trials
    that violate a constraint (under the study's own rule) take no part.

    Raises: StudyError if the objective does not depend on which chunks match a span, there are
        several objectives, no trial to compare, or a ranking is gone.
    """
    goal = _goal(study)
    trials = study.feasible
    if not trials:
        raise StudyError(
            f"study {study.name!r}: must hold a finished trial that meets every constraint, got "
            f"none. See `sweep trials {study.name}`."
        )
    rules = _rules(study)
    scores = _scores(study, goal, trials, engine, rules)
    winner = _best(scores[0], goal)
    readings = []
    for (rule, threshold), matrix in zip(rules, scores, strict=True):
        best = _best(matrix, goal, preferred=winner)
        readings.append(
            Reading(
                rule=rule,
                threshold=None if rule == "containment" else threshold,
                own=(rule, threshold) == rules[0],
                best=trials[best].number,
                score=float(matrix[best].mean()),
                score_of_winner=float(matrix[winner].mean()),
                differs=best != winner,
            )
        )
    return Sensitivity(
        objective=goal.name,
        winner=trials[winner].number,
        queries=scores[0].shape[1],
        readings=tuple(sorted(readings, key=_place)),
    )


def _place(reading: Reading) -> tuple[int, float]:
    return SPAN_RULES.index(reading.rule), reading.threshold or 0.0


def _goal(study: Study) -> Goal:
    goals = study.goals
    if len(goals) > 1 or goals[0].metric.name not in MATCHING:
        names = ", ".join(goal.name for goal in goals)
        raise StudyError(
            f"study {study.name!r}: the objective must be one that asks whether a chunk matches a "
            f"span ({', '.join(MATCHING)}), got {names}. No rule of span relevance enters it."
        )
    return goals[0]


def _rules(study: Study) -> list[tuple[SpanRule, float]]:
    """Return rules with thresholds: the study's own first, each once."""
    evaluation = study.about["identity"]["evaluation"]
    rule: SpanRule = evaluation.get("span_rule", "coverage")
    threshold = 1.0 if rule == "containment" else float(evaluation.get("span_threshold", 0.5))
    rules: list[tuple[SpanRule, float]] = [(rule, threshold)]
    rules += [("coverage", share) for share in THRESHOLDS]
    rules += [("iou", share) for share in THRESHOLDS]
    rules.append(("containment", 1.0))  # the threshold is not used
    return list(dict.fromkeys(rules))


def _scores(
    study: Study,
    goal: Goal,
    trials: Sequence[TrialRecord],
    engine: Engine,
    rules: Sequence[tuple[SpanRule, float]],
) -> list[Floats]:
    """Return the trials' scores under each rule, shape (N, Q), on queries that have spans."""
    folder = study.folder.path
    queries = read_scores(folder / trials[0].files["scores"]).query_ids
    own = evaluation_of(study)
    scorers = [
        make_scorer(
            engine.texts,
            [goal.metric],
            queries,
            replace(own, span_threshold=threshold, span_rule=rule),
        )
        for rule, threshold in rules
    ]
    rows: list[list[Floats]] = [[] for _ in rules]
    for trial in trials:
        lists = read_ranking(folder / trial.files["ranking"], engine.corpus)
        for scorer, found in zip(scorers, rows, strict=True):
            found.append(scorer.values(scorer.score(trial.configuration, lists), goal.metric))
    return [np.vstack(found) for found in rows]


def _best(scores: Floats, goal: Goal, *, preferred: int | None = None) -> int:
    """Return the row with the best mean; of equal ones `preferred`, else the lowest."""
    numbers, _ = whole_numbers(oriented(scores, maximize=goal.maximize, where="sensitivity"))
    sums = numbers.sum(axis=1)
    if preferred is not None and sums[preferred] == sums.max():
        return preferred
    return int(sums.argmax())
