"""`sweep diagnose`: what a trial misses, which stage lost it first, and what to change.

The lists come from the engine: from the store, or computed again. Only the queries that chose are
looked at: a look at those kept to confirm would be one that nobody counts.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from sweep.engine.engine import Engine
from sweep.engine.traces import Trace, trace_queries
from sweep.errors import StudyError
from sweep.records import Ints, RankedLists, Span
from sweep.study.diagnosis.bounds import Bounds
from sweep.study.diagnosis.examination import Evaluated, Examination, evaluated
from sweep.study.diagnosis.targets import Targets
from sweep.study.named import require_finished
from sweep.study.rules import constraints_of_study
from sweep.study.study import Study
from sweep.study.tables import read_ranking, read_scores
from sweep.trials import TrialRecord
from sweep.winner.diagnosis.advice import Evidence, Miss
from sweep.winner.diagnosis.advise import advise
from sweep.winner.diagnosis.charge import STAGES, Target, charge
from sweep.winner.diagnosis.diagnosis import Diagnosis, WorstQuery, count_losses, count_queries
from sweep.winner.diagnosis.standing import places_of

WORST = 10  # queries that are shown
INSTEAD = 3  # chunks of each that are shown


def diagnose(study: Study, trial: TrialRecord, engine: Engine, *, worst: int = WORST) -> Diagnosis:
    """Return what a finished trial misses on the queries that chose.

    Args:
        study: the study.
        trial: one of its finished trials.
        engine: over the study's corpus (`sweep.study.reopen`).
        worst: how many of the worst queries to show.

    Raises: StudyError if the trial failed or its tables are gone.
    """
    require_finished(study, trial, to_be="diagnosed")
    return _Diagnosing(study, trial, engine).diagnosis(worst)


class _Diagnosing:
    """Everything that a diagnosis is made from."""

    def __init__(self, study: Study, trial: TrialRecord, engine: Engine) -> None:
        self.study, self.trial, self.engine = study, trial, engine
        self.judging: Evaluated = evaluated(study, engine)
        self.examination = Examination(engine, trial.configuration)
        self.output = engine.output(trial.configuration)
        ids = read_scores(study.folder.path / trial.files["scores"]).query_ids
        self.bounds = Bounds(engine, trial.configuration, self.judging, ids, self.output)
        place = {query.id: row for row, query in enumerate(engine.corpus.queries)}
        self.rows = [place[id_] for id_ in ids]
        self.targets = Targets(self.examination, self.judging)
        self.all = self.targets.of(self.rows)
        returned = {row: set(self.output.items[row].tolist()) for row in self.rows}
        missed = [t for t in self.all if not returned[t.query] & set(t.chunks)]
        kept = {id(target) for target in missed}
        self.found = [target for target in self.all if id(target) not in kept]
        self.misses = self._charged(self.targets.completed(missed))

    def _charged(self, missed: Sequence[Target]) -> list[Miss]:
        rows = np.array(sorted({target.query for target in missed}), dtype=np.int64)
        if not len(rows):
            return []
        trace: Trace = trace_queries(self.engine, self.trial.configuration, rows)
        own = {row: self.examination.standings(trace, n) for n, row in enumerate(rows.tolist())}
        misses = []
        for target in missed:
            places = places_of(own[target.query], target.chunks)
            stage = charge(target, places, self.examination.pipeline)
            misses.append(Miss(target=target, stage=stage, places=places))
        return misses

    def diagnosis(self, worst: int) -> Diagnosis:
        """Return it."""
        configuration, listed = self.trial.configuration, self.examination.pipeline.listed
        missed = [miss.target for miss in self.misses]
        bounds = self._bounds_by_stage()
        evidence = self._evidence(bounds)
        return Diagnosis(
            study=self.study.name,
            trial=self.trial.number,
            label=configuration.label(),
            metric=str(self.judging.metric),
            score=self.bounds.score,
            queries=len(self.bounds.scores),
            documents=_wholes(self.all),
            spans=evidence.spans,
            missed_documents=_wholes(missed),
            missed_spans=len(missed) - _wholes(missed),
            missed_queries=count_queries(missed),
            split_spans=evidence.split,
            losses=count_losses(self.misses, bounds, configuration, listed),
            order=evidence.order,
            advice=advise(evidence, self.study.complete),
            worst=self._worst(worst),
            notices=self._notices(),
        )

    def _bounds_by_stage(self) -> dict[str, float]:
        found = {}
        for stage in STAGES:
            lost = [miss.target for miss in self.misses if miss.stage == stage]
            if lost and (bound := self.bounds.without_loss(lost)) is not None:
                found[str(stage)] = bound
        return found

    def _evidence(self, bounds: dict[str, float]) -> Evidence:
        spans = self._spans()
        whole = self.targets.matching(spans, rule="containment")
        split = [span for span, chunks in zip(spans, whole, strict=True) if not chunks]
        of_documents = self.judging.metric.family == "document"
        return Evidence(
            configuration=self.trial.configuration,
            metric=str(self.judging.metric),
            score=self.bounds.score,
            targets=len(self.all),
            misses=tuple(self.misses),
            bounds=bounds,
            order=self.bounds.best_order(self.found),
            listed=self.examination.pipeline.listed,
            cutoff=self.judging.metric.cutoff if of_documents else None,
            spans=len(spans),
            split=len(split),
            longest=max(map(self._tokens, split), default=0),
            window=self._window(),
            judged=self.trial.metrics.get("judged@10") if of_documents else None,
            room=_room(self.study, self.trial),
        )

    def _spans(self) -> list[Span]:
        corpus, level = self.engine.corpus, self.judging.relevance
        searched = {corpus.queries[row].id for row in self.rows}
        return [s for s in corpus.spans if s.query_id in searched and s.grade >= level]

    def _tokens(self, span: Span) -> int:
        """Return a passage's length in the study tokenizer."""
        offsets, row = self.engine.texts.offsets, self.targets.position[span.document_id]
        own = slice(offsets.indptr[row], offsets.indptr[row + 1])
        starts: Ints = offsets.starts[own]
        return int(((starts >= span.start) & (starts < span.end)).sum())

    def _window(self) -> int | None:
        vector = self.trial.configuration.vector
        if vector is None:
            return None
        encoder = self.engine.pool.encoder(vector.model)
        return encoder.window - len(encoder.inputs([""])[0][0])

    def _worst(self, count: int) -> tuple[WorstQuery, ...]:
        """Return the queries with the lowest scores, of equal ones those that miss most."""
        missed: defaultdict[int, list[Miss]] = defaultdict(list)
        for miss in self.misses:
            missed[miss.target.query].append(miss)
        scores = dict(zip(self.bounds.rows.tolist(), self.bounds.scores.tolist(), strict=True))
        best = max(scores.values(), default=0.0)
        rows = [row for row in self.rows if row in missed or scores.get(row, best) < best]
        rows.sort(key=lambda row: (scores.get(row, float("inf")), -len(missed[row]), row))
        return tuple(
            self._shown(row, scores.get(row), missed[row]) for row in rows[: max(0, count)]
        )

    def _shown(self, row: int, score: float | None, misses: Sequence[Miss]) -> WorstQuery:
        corpus = self.engine.corpus
        query = corpus.queries[row]
        first = [item for item in self.output.items[row, :INSTEAD].tolist() if item >= 0]
        return WorstQuery(
            query_id=query.id,
            text=query.text,
            score=score,
            missed=tuple(
                self.examination.gold(miss.target, stage=miss.stage, places=miss.places)
                for miss in misses
            ),
            instead=self.examination.returned(
                query.text,
                first,
                self.output.scores[row, : len(first)].tolist(),
                judged=corpus.qrels.get(query.id, {}),
            ),
        )

    def _notices(self) -> tuple[str, ...]:
        """Return a notice where the recorded lists are not the ones that are diagnosed."""
        path = self.study.folder.path / self.trial.files["ranking"]
        try:
            stored = read_ranking(path, self.engine.corpus)
        except StudyError as error:
            return (str(error),)
        differing = _differing(stored, self.output)
        if not differing:
            return ()
        return (
            f"{differing} queries get other lists here than the trial recorded: its machine, its "
            f"libraries or its precision were others",
        )


def _wholes(targets: Sequence[Target]) -> int:
    return sum(target.start is None for target in targets)


def _differing(one: RankedLists, other: RankedLists) -> int:
    """Return how many queries have another list in one than in the other."""
    width = min(one.items.shape[1], other.items.shape[1])
    unlike = (one.items[:, :width] != other.items[:, :width]).any(axis=1)
    for lists in (one, other):
        unlike |= (lists.items[:, width:] >= 0).any(axis=1)
    return int(unlike.sum())


def _room(study: Study, trial: TrialRecord) -> float | None:
    """Return how many times its context a trial may have by the study's constraints."""
    used = trial.metrics.get("context_tokens", 0.0)
    bounds = [
        c.bound
        for c in constraints_of_study(study)
        if c.metric == "context_tokens" and c.op == "<="
    ]
    return min(bounds) / used if bounds and used else None
