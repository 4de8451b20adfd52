"""The pool of a study: unjudged pairs of query and document, the most decisive label first.

First come the pairs that the answer counts ("so many labels could change the choice"): all of
them relevant do it. Then those that could help to: a label "relevant" of theirs favours a
configuration that could pass the recommended one under some labelling. Within these, and within
the others, the order is that of the `effect`: how far this pair alone, turned from irrelevant to
relevant, moves the difference of the means between the recommended configuration and another one,
at most, among those that could pass it or are not separable from the best. The metric itself
discounts low ranks. Equal effects come by the sum of all moves, then by the best rank, then in the
order of the corpus. With several objectives nothing is recommended: the move is then that between
any two trials of the front, in the first objective.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sweep.csv_text import csv_text
from sweep.errors import StudyError
from sweep.metrics import UnjudgedLists
from sweep.records import Corpus, Floats, Ints
from sweep.study.labels.document_lists import StudyHoles, has_holes, study_holes
from sweep.study.labels.holes import decisive_holes, favouring, find_contenders
from sweep.study.labels.label_files import DOCUMENT, LABEL, QUERY
from sweep.study.study import Study
from sweep.study.tables import read_ranked_chunks
from sweep.trials import TrialRecord

if TYPE_CHECKING:
    from sweep.engine.engine import Engine

LONGEST_CELL = 4000  # characters of a passage in CSV: a cell of Excel holds 32,767
COLUMNS = (LABEL, QUERY, "query", DOCUMENT, "title", "passage", "could_change", "trials", "effect")


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolEntry:
    """One unjudged pair.

    Attributes:
        query_id, query: the query.
        document_id, title: the document.
        passage: its chunk that stands highest, in the recommended trial's list if it is there.
        ranks: rank of the document by trial number, of all that return it.
        could_change: whether its label could change the choice; None for several objectives.
        effect: see the module; in the metric's own unit.
    """

    query_id: str
    query: str
    document_id: str
    title: str
    passage: str
    ranks: Mapping[int, int]
    could_change: bool | None
    effect: float

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form, its label empty."""
        return {
            LABEL: None,
            QUERY: self.query_id,
            "query": self.query,
            DOCUMENT: self.document_id,
            "title": self.title,
            "passage": self.passage,
            "ranks": {str(number): rank for number, rank in self.ranks.items()},
            "could_change": self.could_change,
            "effect": self.effect,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The pool of a study.

    Attributes:
        entries: the pairs that are told, the most decisive first.
        total: how many there are.
        could_change: of how many a label could change the choice; None for several objectives.
        labels: lowest and highest label.
    """

    entries: tuple[PoolEntry, ...]
    total: int
    could_change: int | None
    labels: tuple[int, int]


def make_pool(
    study: Study,
    corpus: Corpus,
    *,
    engine: "Engine | None" = None,
    limit: int | None = None,
    depth: int | None = None,
) -> Pool:
    """Return the unjudged pairs that the recommended trial or one beside it returns.

    Args:
        study: the study.
        corpus: the study's.
        engine: over it, where the objective has a token budget.
        limit: most pairs; None = all.
        depth: documents to look at in each list; None = as many as the objective looks at.

    Raises: StudyError if labels of documents do not enter the objective, or a ranking is gone.
    """
    if not has_holes(study, corpus):
        raise StudyError(_no_labels(study))
    trials, chosen, beside = _compared(study)
    holes = study_holes(study, trials, corpus, engine=engine, depth=depth)
    could, counted, passing = _changing(study, holes, chosen)
    if chosen is not None:
        beside = dict.fromkeys([chosen, *beside, *passing])
    rows = list(beside)
    ranks = _ranks(holes.lists)
    held = (ranks[rows] > 0) & (ranks[rows] <= (depth or ranks.max(initial=1)))
    effects, sums = _effects(holes, rows, chosen)
    pairs = np.flatnonzero(held.any(axis=0))
    best = np.where(held, ranks[rows], np.iinfo(np.int32).max).min(axis=0)
    keys = (best, -_tidy(sums), -_tidy(effects), ~could, counted)
    shown = pairs[np.lexsort((pairs, *(key[pairs] for key in keys)))][:limit]
    sources = [rows[s] for s in _sources(held[:, shown], ranks[rows][:, shown])]
    known: list[bool | None] = [None] * len(shown) if chosen is None else could[shown].tolist()
    told = zip(known, _tidy(effects[shown]).tolist(), strict=True)
    entries = _entries(study, holes, corpus, shown, sources, ranks, list(told))
    return Pool(
        entries=entries,
        total=len(pairs),
        could_change=None if chosen is None else int(could[pairs].sum()),
        labels=holes.labels,
    )


def _no_labels(study: Study) -> str:
    """Return why labels of documents do not enter the objective, and what to do."""
    name = study.goals[0].name
    by_document = name.removeprefix("span_") if name.startswith("span_ndcg@") else "ndcg@10"
    advice = "Costs need no label: there is nothing to do."
    if name.startswith("span_"):
        advice = (
            "Spans are judged wherever they are: there is nothing to label. To pool documents, "
            f"run a space with `objective: {by_document}` in place of it."
        )
    return (
        f"study {study.name!r}: its objective must be one that labels of documents enter, got "
        f"{name}. {advice}"
    )


def _compared(study: Study) -> tuple[tuple[TrialRecord, ...], int | None, dict[int, None]]:
    """Return the trials, the row of the recommended one, and the rows of those beside it."""
    if len(study.goals) > 1:
        front = study.front().trials
        numbers = {trial.number for trial in front}
        trials = study.feasible
        rows = [row for row, trial in enumerate(trials) if trial.number in numbers]
        return trials, None, dict.fromkeys(rows)
    answer = study.answer()
    trials = tuple(study.trial(number) for number in answer.compared)
    found = answer.recommendation
    beside = [row for row in found.tied.tolist() if row != found.recommended]
    return trials, found.recommended, dict.fromkeys(beside)


def _changing(
    study: Study, holes: StudyHoles, chosen: int | None
) -> tuple[NDArray[np.bool_], Ints, list[int]]:
    """Return which holes could change the choice, their places among those that are counted.

    Returns: shapes (P,), (P,), P where a hole is not counted; and the rows of the trials that
        could pass the chosen one.
    """
    could = np.zeros(len(holes.lists), dtype=np.bool_)
    counted = np.full(len(holes.lists), len(holes.lists), dtype=np.int64)
    if chosen is None:
        return could, counted, []
    max_loss = study.answer().preference.max_loss
    found = find_contenders(study, holes, chosen, max_loss=max_loss)
    numbers = [trial.number for trial in holes.trials]
    passing = [numbers.index(one.trial) for one in found]
    could = favouring(study, holes, chosen, passing)
    decisive = decisive_holes(study, holes, chosen, passing, max_loss=max_loss)
    counted[decisive] = np.arange(len(decisive))
    return could, counted, passing


def _ranks(lists: UnjudgedLists) -> NDArray[np.int32]:
    """Return the rank of every hole in every list, shape (n, P); 0 where it is not in it."""
    places = np.arange(1, lists.hole.shape[2] + 1, dtype=np.int32)
    return np.stack([lists.spread(row, places) for row in range(len(lists.hole))])


def _effects(holes: StudyHoles, rows: Sequence[int], chosen: int | None) -> tuple[Floats, Floats]:
    """Return the largest move of a difference, and the sum of all, each (P,)."""
    scores, row_of = holes.effects.reported, holes.lists.row
    moves = np.stack([holes.effects.with_one(row) - scores[row][row_of] for row in rows])
    moves /= len(holes.query_ids)
    if chosen is None or len(rows) == 1:
        largest = moves.max(axis=0) - moves.min(axis=0) if len(rows) > 1 else np.abs(moves[0])
        return largest, np.abs(moves).sum(axis=0)
    against = np.abs(moves - moves[rows.index(chosen)])
    return against.max(axis=0), against.sum(axis=0)


def _tidy(values: Floats) -> Floats:
    """Return values without the last bits, which must decide no order."""
    return np.round(values, 12)


def _sources(held: np.ndarray, ranks: NDArray[np.int32]) -> list[int]:
    """Return which row's passage is shown of each pair: the first row's, else the highest."""
    places = np.where(held, ranks, np.iinfo(np.int32).max)
    sources = np.where(held[0], 0, places.argmin(axis=0)) if len(held) else places
    found: list[int] = sources.tolist()
    return found


def _entries(
    study: Study,
    holes: StudyHoles,
    corpus: Corpus,
    pairs: Ints,
    sources: Sequence[int],
    ranks: NDArray[np.int32],
    told: Sequence[tuple[bool | None, float]],
) -> tuple[PoolEntry, ...]:
    """Return the entries of pairs; `told`: could each change the choice, and its effect."""
    texts = {query.id: query.text for query in corpus.queries}
    tops = {row: _top_chunks(study, holes.trials[row]) for row in sorted(set(sources))}
    entries = []
    for pair, source, (could, effect) in zip(pairs.tolist(), sources, told, strict=True):
        query = holes.query_ids[int(holes.lists.row[pair])]
        document = corpus.documents[int(holes.lists.document[pair])]
        start, end = tops[source][query, document.id]
        returning = np.flatnonzero(ranks[:, pair]).tolist()
        entries.append(
            PoolEntry(
                query_id=query,
                query=texts[query],
                document_id=document.id,
                title=document.title,
                passage=document.text[start:end],
                ranks={holes.trials[row].number: int(ranks[row, pair]) for row in returning},
                could_change=could,
                effect=effect,
            )
        )
    return tuple(entries)


def _top_chunks(study: Study, trial: TrialRecord) -> dict[tuple[str, str], tuple[int, int]]:
    """Return where the highest chunk of each document lies, by query and document."""
    columns = read_ranked_chunks(study.folder.path / trial.files["ranking"])
    found: dict[tuple[str, str], tuple[int, int]] = {}
    names = ("query_id", "document_id", "start", "end")
    for query, document, start, end in zip(*(columns[name] for name in names), strict=True):
        found.setdefault((query, document), (start, end))
    return found


def pool_csv(pool: Pool, *, mark: bool) -> bytes:
    """Return the pool as CSV for people, a column for labels first.

    Cells that a spreadsheet would take for formulas are guarded (see `csv_text.guarded`).

    Args:
        pool: the pool.
        mark: begin with the mark by which Excel knows UTF-8.
    """
    rows = []
    for entry in pool.entries:
        passage = entry.passage
        if len(passage) > LONGEST_CELL:
            passage = f"{passage[:LONGEST_CELL]} [...]"
        texts = (entry.query_id, entry.query, entry.document_id, entry.title, passage)
        trials = ", ".join(f"#{number} at {rank}" for number, rank in entry.ranks.items())
        could = {True: "yes", False: "no", None: ""}[entry.could_change]
        rows.append(["", *texts, could, trials, f"{entry.effect:.6f}"])
    return csv_text(COLUMNS, rows, line_end="\r\n", mark=mark).encode()


def pool_jsonl(pool: Pool) -> bytes:
    """Return the pool as JSON Lines for tools."""
    rows = (json.dumps(entry.to_json(), ensure_ascii=False) for entry in pool.entries)
    return "".join(f"{row}\n" for row in rows).encode()
