"""`sweep explain`: what a trial retrieved for a query, why, and where relevant text was lost."""

from collections import Counter
from dataclasses import replace

import numpy as np

from sweep.engine.engine import Engine
from sweep.engine.traces import trace_queries, trace_text
from sweep.errors import StudyError
from sweep.records import Corpus, Query, RankedLists
from sweep.study.diagnosis.bounds import Bounds
from sweep.study.diagnosis.examination import (
    Evaluated,
    Examination,
    evaluated,
)
from sweep.study.diagnosis.targets import Targets
from sweep.study.named import require_finished
from sweep.study.study import Study
from sweep.study.tables import read_scores
from sweep.text_lines import shorten
from sweep.trials import TrialRecord
from sweep.winner.diagnosis.charge import Stage, Target, charge
from sweep.winner.diagnosis.diagnosis import Gold, Returned, meaning
from sweep.winner.diagnosis.explanation import Explanation, where_lost
from sweep.winner.diagnosis.lookup import MOST, Lookup, find_query
from sweep.winner.diagnosis.standing import Standings, places_of

HOW = {
    "words": "the only query of the corpus with these words",
    "spelling": "the only query of the corpus that is spelt like this",
}


def explain(
    study: Study, trial: TrialRecord, engine: Engine, text: str, *, live: bool = False
) -> Explanation:
    """Return what a finished trial retrieves for a query, and what became of its relevant text.

    Args:
        study: the study.
        trial: one of its finished trials.
        engine: over the study's corpus (`sweep.study.reopen`).
        text: a query's id, its text or words of it; any other text is retrieved live.
        live: take the text as it is, whatever queries there are.

    Raises: StudyError if the trial failed, its tables are gone, or several queries may be meant.
    """
    require_finished(study, trial, to_be="diagnosed")
    found = Lookup(how="none", rows=()) if live else find_query(engine.corpus.queries, text)
    if found.how == "none":
        return _live(study, trial, engine, text, found)
    if found.row is None:
        raise _ambiguous(engine.corpus, text, found)
    return _Explaining(study, trial, engine).explanation(found.row, found)


def _live(
    study: Study, trial: TrialRecord, engine: Engine, text: str, found: Lookup
) -> Explanation:
    """Explain a text that is no query of the corpus: nothing is known to be relevant to it."""
    examination = Examination(engine, trial.configuration)
    trace = trace_text(engine, trial.configuration, text)
    notes = ["not a query of the corpus: retrieved live, and without labels nothing is missed"]
    if found.rows:
        near = "; ".join(_named(engine.corpus, row) for row in found.rows)
        notes.append(f"the nearest queries with labels: {near}")
    return Explanation(
        study=study.name,
        trial=trial.number,
        label=trial.configuration.label(),
        query_id=None,
        text=text,
        metric=str(evaluated(study, engine).metric),
        score=None,
        results=examination.returned(
            text,
            *_listed(trace.output, 0),
            judged={},
            standings=examination.standings(trace, 0),
        ),
        relevant=(),
        holes=None,
        meanings={},
        notes=tuple(notes),
    )


class _Explaining:
    """Everything that the explanation of a query of the corpus is made from."""

    def __init__(self, study: Study, trial: TrialRecord, engine: Engine) -> None:
        self.study, self.trial, self.engine = study, trial, engine
        self.judging: Evaluated = evaluated(study, engine)
        self.examination = Examination(engine, trial.configuration)

    def explanation(self, row: int, found: Lookup) -> Explanation:
        """Return the explanation of one query."""
        corpus, configuration = self.engine.corpus, self.trial.configuration
        query = corpus.queries[row]
        trace = trace_queries(self.engine, configuration, np.array([row]))
        standings = self.examination.standings(trace, 0)
        targets = Targets(self.examination, self.judging)
        own = targets.completed(targets.of([row]))
        items, scores = _listed(trace.output, 0)
        judged = corpus.qrels.get(query.id, {})
        matching = Counter(
            chunk for target in own if target.start is not None for chunk in target.chunks
        )
        results = self.examination.returned(
            query.text, items, scores, judged=judged, standings=standings, matching=matching
        )
        relevant = tuple(self._gold(target, standings, items, query) for target in own)
        lost: list[Stage] = [gold.stage for gold in relevant if gold.stage is not None]
        listed = self.examination.pipeline.listed
        documents = {chunk.document_id for chunk in results}
        return Explanation(
            study=self.study.name,
            trial=self.trial.number,
            label=configuration.label(),
            query_id=query.id,
            text=query.text,
            metric=str(self.judging.metric),
            score=self._score(row, trace.output),
            results=results,
            relevant=relevant,
            holes=len(documents - judged.keys()) if judged else None,
            meanings={stage: meaning(stage, configuration, listed) for stage in lost},
            notes=tuple(self._notes(query.id, found, bool(judged), bool(own))),
        )

    def _gold(self, target: Target, standings: Standings, items: list[int], query: Query) -> Gold:
        places = places_of(standings, target.chunks)
        returned = [rank for rank, item in enumerate(items, start=1) if item in target.chunks]
        if returned:
            return self.examination.gold(target, places=places, returned=returned[0])
        stage = charge(target, places, self.examination.pipeline)
        through = self._last_through(stage, standings, query)
        return self.examination.gold(target, places=places, stage=stage, last_through=through)

    def _last_through(self, stage: Stage, standings: Standings, query: Query) -> Returned | None:
        """Return the last chunk that got through where something was lost."""
        cut = where_lost(stage, self.examination.pipeline)
        if cut is None or cut[0] not in standings:
            return None
        name, rank = cut
        by_turn = stage in ("rerank", "top_k") or (
            stage == "fusion" and self.examination.pipeline.rerank_depth is None
        )
        judged = self.engine.corpus.qrels.get(query.id, {})
        last = standings[name].last_through(rank, by_turn=by_turn)
        if last is None:
            return None
        chunk, place = last
        (found,) = self.examination.returned(query.text, [chunk], [place.score], judged=judged)
        return replace(found, rank=place.rank)

    def _score(self, row: int, output: RankedLists) -> float | None:
        corpus = self.engine.corpus
        query = corpus.queries[row]
        if not corpus.qrels.get(query.id):
            return None
        shape = (len(corpus.queries), output.items.shape[1])
        lists = RankedLists(items=np.full(shape, -1), scores=np.full(shape, np.nan))
        lists.items[row], lists.scores[row] = output.items[0], output.scores[0]
        bounds = Bounds(self.engine, self.trial.configuration, self.judging, [query.id], lists)
        return bounds.score if len(bounds.scores) else None

    def _notes(self, query: str, found: Lookup, judged: bool, relevant: bool) -> list[str]:
        notes = [HOW[found.how]] if found.how in HOW else []
        if not judged:
            notes.append("nobody has judged this query: nothing is known to be missed")
        elif not relevant:
            notes.append("no document is judged relevant to this query: it scores 0 whatever is")
        ids = read_scores(self.study.folder.path / self.trial.files["scores"]).query_ids
        if judged and query not in ids:
            notes.append(
                "one of the queries kept to confirm the choice: what you change because of it is "
                "no longer confirmed by it"
            )
        return notes


def _listed(lists: RankedLists, row: int) -> tuple[list[int], list[float]]:
    """Return the chunk rows and scores of one list, without padding."""
    items = [item for item in lists.items[row].tolist() if item >= 0]
    return items, lists.scores[row, : len(items)].tolist()


def _ambiguous(corpus: Corpus, text: str, found: Lookup) -> StudyError:
    error = StudyError(
        f"query: must mean one query of the corpus, got {shorten(text)}, which may be one of "
        f"{len(found.rows)}. Give its id, more of its words, or --live to retrieve it as it is."
    )
    for row in found.rows[:MOST]:
        error.add_note(f"  {_named(corpus, row)}")
    return error


def _named(corpus: Corpus, row: int) -> str:
    query = corpus.queries[row]
    id_ = query.id if query.id.isprintable() else repr(query.id)
    return f"{id_} {' '.join(query.text.split())[:100]!r}"
