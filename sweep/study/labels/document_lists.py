"""The document lists of a study's trials, from their stored rankings: what is judged, what is not.

Only the queries that chose are looked at; those kept to confirm with are not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sweep.errors import StudyError
from sweep.metrics import (
    LabelEffects,
    Metric,
    UnjudgedLists,
    at_of,
    find_holes,
    judgements_from_qrels,
    label_effects,
    labelled_metric,
    relevant_scores,
)
from sweep.rankings.documents import first_within_budget, to_documents
from sweep.records import Corpus, Floats, Ints, RankedLists
from sweep.study.rules import evaluation_of
from sweep.study.study import Study
from sweep.study.tables import read_positions, read_scores
from sweep.trials import TrialRecord

if TYPE_CHECKING:
    from sweep.engine.engine import Engine


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyHoles:
    """The holes of some trials, and what their labels can do to the objective.

    Attributes:
        trials: n trials; rows of everything below.
        query_ids: the Q queries that chose.
        lists: their document lists.
        effects: of labels on the objective.
        metric: the objective, or what it equals.
        labels: lowest and highest label that a hole may get.
        relevance: from which label on a document is relevant, where the metric does not say.
    """

    trials: tuple[TrialRecord, ...]
    query_ids: tuple[str, ...]
    lists: UnjudgedLists
    effects: LabelEffects
    metric: Metric
    labels: tuple[int, int]
    relevance: int

    def own_relevant(self, rows: Ints) -> Floats:
        """Return the scores of trials whose own holes are all relevant, shape (B, Q)."""
        at = at_of(self.metric, relevance=self.relevance, labels=self.labels)
        return relevant_scores(self.metric, self.lists, rows, at=at, top=self.labels[1])


def hole_labels(study: Study, corpus: Corpus) -> tuple[int, int]:
    """Return the lowest and the highest label that a hole may get.

    The range that the space file writes; without one, from 0 (or the lowest label there is) to the
    highest label that the corpus holds. The highest is a relevant one.
    """
    evaluation = evaluation_of(study)
    grades = [grade for judged in corpus.qrels.values() for grade in judged.values()]
    if evaluation.label_min is not None and evaluation.label_max is not None:
        low, high = evaluation.label_min, evaluation.label_max
    else:
        low, high = min([0, *grades]), max([1, *grades])
    relevance = study.goals[0].metric.relevance or evaluation.relevance
    return low, max(high, relevance)


def has_holes(study: Study, corpus: Corpus) -> bool:
    """Return whether labels of documents can enter the study's first objective."""
    return labelled_metric(study.goals[0].metric, hole_labels(study, corpus)) is not None


def study_holes(
    study: Study,
    trials: Sequence[TrialRecord],
    corpus: Corpus,
    *,
    engine: "Engine | None" = None,
    scores: Floats | None = None,
    depth: int | None = None,
) -> StudyHoles:
    """Return the holes in the lists of some trials, at the depth of the first objective.

    Args:
        study: theirs; its first objective is a document metric (see `has_holes`).
        trials: n finished trials.
        corpus: the study's.
        engine: over that corpus, where the objective has a token budget.
        scores: shape (n, Q), the trials' scores of the objective; None = read them.
        depth: documents to look at, where that is more than the objective looks at.

    Raises: StudyError if a ranking is gone or damaged, or the engine that is needed is missing.
    """
    goal, labels = study.goals[0].metric, hole_labels(study, corpus)
    metric = labelled_metric(goal, labels)
    assert metric is not None, "see has_holes"
    ids = read_scores(study.folder.path / trials[0].files["scores"]).query_ids
    cutoff = None if metric.cutoff is None else max(metric.cutoff, depth or 0)
    items = _items(study, trials, corpus, ids, metric=metric, cutoff=cutoff, engine=engine)
    seen = {query: corpus.qrels.get(query, {}) for query in ids}
    judgements = judgements_from_qrels(seen, [d.id for d in corpus.documents], query_ids=ids)
    lists = find_holes(judgements, items)
    relevance = evaluation_of(study).relevance
    if scores is None:
        scores = study.score_matrix(tuple(trials), str(goal))[1]
    effects = label_effects(
        metric,
        lists,
        scores,
        at=at_of(metric, relevance=relevance, labels=labels),
        top=labels[1],
    )
    return StudyHoles(
        trials=tuple(trials),
        query_ids=ids,
        lists=lists,
        effects=effects,
        metric=metric,
        labels=labels,
        relevance=relevance,
    )


def _items(
    study: Study,
    trials: Sequence[TrialRecord],
    corpus: Corpus,
    ids: Sequence[str],
    *,
    metric: Metric,
    cutoff: int | None,
    engine: "Engine | None",
) -> Ints:
    """Return document positions, shape (n, Q, K), -1 where a list has ended."""
    queries = {query: row for row, query in enumerate(ids)}
    documents = {document.id: row for row, document in enumerate(corpus.documents)}
    found = []
    for trial in trials:
        path = study.folder.path / trial.files["ranking"]
        lists, chunk_document = read_positions(path, queries, documents)
        if metric.budget_tokens is not None:
            lists = _within(lists, trial, metric.budget_tokens, engine)
        aggregate = trial.configuration.aggregate
        ranked = to_documents(lists, chunk_document, aggregate=aggregate).items[:, :cutoff]
        used = (ranked >= 0).any(axis=0)
        found.append(ranked[:, : int(used.sum())])
    items = np.full((len(trials), len(ids), max(one.shape[1] for one in found)), -1)
    for row, one in enumerate(found):
        items[row, :, : one.shape[1]] = one
    return items


def _within(
    lists: RankedLists, trial: TrialRecord, budget: int, engine: "Engine | None"
) -> RankedLists:
    if engine is None:
        raise StudyError(
            f"holes of trial #{trial.number}: the tokens of its chunks are needed, got no store "
            f"to take them from. Run the study again."
        )
    tokens = engine.texts.chunks(trial.configuration.chunk).tokens
    return first_within_budget(lists, tokens, budget=budget)
