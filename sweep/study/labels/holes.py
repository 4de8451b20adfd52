"""What holes leave open of a study's answer, from its stored rankings and its corpus's labels.

A run keeps it in the study's folder, so that later commands need neither corpus nor rankings.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sweep.engine.store.store import write_whole
from sweep.errors import SweepError
from sweep.records import Corpus, Floats, Ints
from sweep.study.labels.document_lists import StudyHoles, has_holes, study_holes
from sweep.study.study import Study
from sweep.winner.answer import Answer
from sweep.winner.insight.holes import (
    Contender,
    HoleFigure,
    Holes,
    allowed_lead,
    holes_from_json,
    labels_enough,
    passing,
)

VERSION = 1  # of what is kept
_BLOCK_CELLS = 400_000  # trials x queries x ranks looked at in one go: some 100 MB


def answer_holes(study: Study, answer: Answer, scores: Floats) -> Holes | None:
    """Return what holes leave open of an answer; None where nobody can say.

    That is so for objectives that no label of a document enters (spans, costs, counts of labels),
    and where the corpus or a ranking is gone and no run has kept it.

    Args:
        study: the study.
        answer: its own.
        scores: shape (N, Q), of the trials that it compares.
    """
    key = _key(study, answer)
    kept = _read(study, key)
    if kept is not None:
        return holes_from_json(kept) if kept else None
    engine = study.engine
    from sweep.study.reopen import study_corpus  # loads the engine, which what is kept needs not

    try:
        corpus = study_corpus(study) if engine is None else engine.corpus
        found = _find(study, answer, corpus, scores) if has_holes(study, corpus) else None
    except SweepError:
        return None  # an answer does not fail for it; `sweep pool` says what is missing
    if study.keeps:
        content = {"version": VERSION, "key": key, "holes": found.to_json() if found else {}}
        write_whole(study.folder.holes, json.dumps(content, allow_nan=False).encode())
    return found


def _find(study: Study, answer: Answer, corpus: Corpus, scores: Floats) -> Holes:
    trials = [study.trial(number) for number in answer.compared]
    holes = study_holes(study, trials, corpus, engine=study.engine, scores=scores)
    found = answer.recommendation
    contenders = find_contenders(
        study, holes, found.recommended, max_loss=answer.preference.max_loss
    )
    numbers = list(answer.compared)
    rows = [numbers.index(one.trial) for one in contenders]
    goal = study.goals[0]
    shown = dict.fromkeys([found.recommended, found.best])
    named = [answer.baseline] if answer.baseline is not None else []
    told = [t.number for t in (*named, *answer.leaderboard) if t.number in numbers]
    shown |= dict.fromkeys(map(numbers.index, told))
    shares = holes.lists.judged_share().tolist()
    enough, nearest = _enough(
        study, holes, found.recommended, rows, max_loss=answer.preference.max_loss
    )
    return Holes(
        objective=goal.name,
        depth=depth_name(study),
        relevant=holes.labels[1],
        recommended=numbers[found.recommended],
        pairs=len(holes.lists),
        contenders=contenders,
        labels=int(favouring(study, holes, found.recommended, rows).sum()),
        enough=enough,
        nearest=nearest,
        attained=holes.effects.attained,
        judged=dict(zip(numbers, shares, strict=True)),
        figures=_figures(holes, list(shown)),
    )


def depth_name(study: Study) -> str:
    """Return the metric `judged` at the first objective's depth."""
    metric = study.goals[0].metric
    if metric.budget_tokens is not None:
        return f"judged@{metric.budget_tokens}tok"
    alike = {"top1_relevance": 1, "top3_max_relevance": 3}.get(metric.name.partition(".")[2])
    cutoff = metric.cutoff or alike
    return "judged" if cutoff is None else f"judged@{cutoff}"


def find_contenders(
    study: Study, holes: StudyHoles, recommended: int, *, max_loss: float
) -> tuple[Contender, ...]:
    """Return the trials that could pass the recommended one under some labelling.

    Args:
        study: the study.
        holes: of its feasible trials.
        recommended: row of the recommended trial.
        max_loss: the observed loss that is given away, as a share of the metric's scale.
    """
    chosen = np.array([recommended])
    everyone = np.arange(len(holes.trials))
    leads = [sided(study, some, chosen, holes) for some in _blocks(holes, everyone)]
    return passing(
        [trial.number for trial in holes.trials],
        np.concatenate(leads),
        recommended=holes.trials[recommended].number,
        allowed=_allowed(study, max_loss),
    )


def sided(study: Study, rows: Ints, chosen: Ints, holes: StudyHoles) -> Floats:
    """Return the largest leads of some trials over the chosen one, (B, Q)."""
    pair = (rows, chosen) if study.goals[0].maximize else (chosen, rows)
    return holes.effects.largest_difference(*pair)


def _allowed(study: Study, max_loss: float) -> float:
    return allowed_lead(max_loss, study.goals[0].metric.scale or 1.0)


def favouring(
    study: Study, holes: StudyHoles, recommended: int, rows: Sequence[int]
) -> np.ndarray:
    """Return the holes of which a label "relevant" favours one of some trials, shape (P,)."""
    favouring = np.zeros(len(holes.lists), dtype=np.bool_)
    for row in rows:
        pair = (row, recommended) if study.goals[0].maximize else (recommended, row)
        favouring |= holes.effects.favours(*pair)
    return favouring


def decisive_holes(
    study: Study, holes: StudyHoles, recommended: int, rows: Sequence[int], *, max_loss: float
) -> list[int]:
    """Return the holes whose labels the answer says are enough, the largest step first.

    All of them relevant let one of some trials pass; none where so many are not known. See
    `_enough`, which counts them.
    """
    enough, nearest = _enough(study, holes, recommended, rows, max_loss=max_loss)
    if enough is None:
        return []
    row = next(row for row in rows if holes.trials[row].number == nearest)
    first, second = (row, recommended) if study.goals[0].maximize else (recommended, row)
    steps = holes.effects.steps(np.array([first]), np.array([second]))
    assert steps is not None, "they were counted"
    order = np.argsort(-np.round(steps[0], 12).ravel(), kind="stable")[:enough]
    found: list[int] = holes.effects.step_holes(first, second).ravel()[order].tolist()
    return [hole for hole in found if hole >= 0]


def _enough(
    study: Study, holes: StudyHoles, recommended: int, rows: Sequence[int], *, max_loss: float
) -> tuple[int | None, int | None]:
    """Return how many labels are enough for one of some trials to pass, and its number."""
    scores, maximize = holes.effects.reported, study.goals[0].maximize
    known = []
    for some in _blocks(holes, np.array(rows, dtype=np.int64)):
        pair = (some, np.array([recommended]))
        steps = holes.effects.steps(*(pair if maximize else pair[::-1]))
        if steps is None:
            return None, None
        leads = (scores[some] - scores[recommended]).mean(axis=1) * (1.0 if maximize else -1.0)
        counts = labels_enough(steps, leads, allowed=_allowed(study, max_loss))
        numbers = [holes.trials[row].number for row in some.tolist()]
        known += [(c, n) for c, n in zip(counts, numbers, strict=True) if c is not None]
    return min(known, default=(None, None))


def _blocks(holes: StudyHoles, rows: Ints) -> Iterator[Ints]:
    """Yield rows in portions that fit in memory."""
    size = max(1, _BLOCK_CELLS // max(1, int(np.prod(holes.lists.hole.shape[1:]))))
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _figures(holes: StudyHoles, rows: Sequence[int]) -> tuple[HoleFigure, ...]:
    shown = np.array(rows)
    low, high = (side.mean(axis=1) for side in holes.effects.bounds(shown))
    reported = holes.effects.reported[shown].mean(axis=1)
    relevant = holes.own_relevant(shown).mean(axis=1)
    shares = holes.lists.judged_share()[shown]
    return tuple(
        HoleFigure(
            trial=holes.trials[row].number,
            judged=float(shares[place]),
            reported=float(reported[place]),
            own_relevant=float(relevant[place]),
            low=float(low[place]) + 0.0,
            high=float(high[place]),
        )
        for place, row in enumerate(rows)
    )


def _key(study: Study, answer: Answer) -> str:
    """Return what the holes of an answer follow from: labels, trials, objective, choice."""
    shown = [trial.number for trial in answer.leaderboard]
    baseline = answer.baseline.number if answer.baseline else None
    parts = [
        study.about["identity"]["corpus"],
        answer.objective,
        answer.preference.max_loss,
        [study.trial(number).fingerprint for number in answer.compared],
        list(answer.compared),
        answer.recommendation.recommended,
        answer.recommendation.best,
        baseline,
        shown,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _read(study: Study, key: str) -> dict[str, Any] | None:
    """Return what a run has kept, empty where labels do not matter; None if nothing fits."""
    try:
        content = json.loads(study.folder.holes.read_text(encoding="utf-8"))
        if content["version"] == VERSION and content["key"] == key:
            kept: dict[str, Any] = content["holes"]
            return kept
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None
