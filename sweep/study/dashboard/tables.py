"""Tables that the dashboard shows: a study's leaderboard, a trial's scores and ranked lists.

They hold the queries that chose only: a look at the others would be one that nobody counts. CSV
fields are text to the dashboard, which orders digits before and after the point as whole numbers:
so numbers of one size have equally many decimals, and no thousands separator.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from sweep.csv_text import csv_text
from sweep.records import Corpus, ScoreTable
from sweep.study.metrics import AZURE, Goal
from sweep.study.study import Study
from sweep.study.tables import read_ranked_chunks, read_scores
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline

MOST_QUERIES = 100  # whose ranked lists are shown: those with the lowest scores
MOST_RANKS = 10
LONGEST = 200  # characters of a query or a chunk
COSTS = ("context_tokens", "latency_p95_ms", "index_bytes", "work")


def leaderboard_csv(
    trials: Sequence[TrialRecord],
    goals: Sequence[Goal],
    *,
    roles: Mapping[int, Sequence[str]],
    losses: Mapping[int, tuple[float, float]],
    baseline: Baseline | None = None,
) -> bytes:
    """Return one row per trial, in the order given.

    Args:
        trials: the finished trials.
        goals: the objectives.
        roles: what is to be said of a trial, by its number.
        losses: observed loss to the best, and what it may be at most, by number; may be empty.
        baseline: a run file, for a row without a number at the end.
    """
    names = [goal.name for goal in goals]
    header = ["trial", "is", "configuration", *(p for n in names for p in (n, "from", "to"))]
    header += ["loss", "loss at most"] if losses else []
    rows = []
    for trial in trials:
        row: list[Any] = [trial.number, ", ".join(roles.get(trial.number, ()))]
        row.append(trial.configuration.label())
        for name, value in zip(names, trial.values, strict=True):
            row += [_number(v) for v in (value, *trial.intervals.get(name, ("", "")))]
        if losses:
            row += [_number(v) for v in losses.get(trial.number, ("", ""))]
        row += [_number(trial.metrics.get(name, "")) for name in COSTS if name not in names]
        rows.append([*row, trial.violations])
    header += [name for name in COSTS if name not in names]
    if baseline is not None:
        row = ["", "baseline", f"{baseline.run} (a run file)"]
        for name, mean in zip(names, baseline.values, strict=True):
            bounds = baseline.intervals.get(name, ("", ""))
            row += [_number(v) for v in ("" if mean is None else mean, *bounds)]
        row += [""] * (len(header) - len(row))
        rows.append([*row, ", ".join(baseline.violated)])
    return csv_text([*header, "violates"], rows).encode()


def trial_tables(
    study: Study,
    trial: TrialRecord,
    corpus: Corpus,
    *,
    ranked: bool,
    texts: Mapping[str, str] | None = None,
) -> dict[str, bytes]:
    """Return the tables of one finished trial by file name, the worst queries first.

    Args:
        study: the trial's.
        trial: a finished trial.
        corpus: the study's.
        ranked: with the ranked lists.
        texts: the queries' texts by id, from `query_texts`, where several trials share them.

    Raises: StudyError if a file of the trial is gone or damaged.
    """
    scores = read_scores(study.folder.path / trial.files["scores"])
    order = _worst_first(scores, study.goals)
    texts = query_texts(corpus) if texts is None else texts
    found = {"scores-by-query.csv": _scores_csv(scores, order, texts, study.goals)}
    if ranked:
        queries = [scores.query_ids[row] for row in order[:MOST_QUERIES]]
        columns = read_ranked_chunks(study.folder.path / trial.files["ranking"])
        found["ranked-lists.jsonl"] = _ranked_jsonl(columns, queries, texts, corpus)
    return found


def query_texts(corpus: Corpus) -> dict[str, str]:
    """Return the queries' texts as tables show them, by id."""
    return {query.id: _short(query.text) for query in corpus.queries}


def _worst_first(scores: ScoreTable, goals: Sequence[Goal]) -> list[int]:
    for goal in goals:
        if goal.name in scores.metrics:
            values = scores.column(goal.name) * (1.0 if goal.maximize else -1.0)
            return [int(row) for row in np.argsort(values, kind="stable")]
    return list(range(len(scores.query_ids)))


def _scores_csv(
    scores: ScoreTable, order: Sequence[int], texts: Mapping[str, str], goals: Sequence[Goal]
) -> bytes:
    first = [goal.name for goal in goals if goal.name in scores.metrics]
    names = list(dict.fromkeys([*first, *(n for n in scores.metrics if n not in AZURE)]))
    columns = [scores.column(name) for name in names]
    rows = [
        [scores.query_ids[row], texts[scores.query_ids[row]], *(_number(c[row]) for c in columns)]
        for row in order
    ]
    return csv_text(["query_id", "query", *names], rows).encode()


def _ranked_jsonl(
    columns: Mapping[str, Sequence[Any]],
    queries: Collection[str],
    texts: Mapping[str, str],
    corpus: Corpus,
) -> bytes:
    documents = {document.id: document for document in corpus.documents}
    lists: dict[str, list[dict[str, Any]]] = {query: [] for query in queries}
    names = ("query_id", "rank", "document_id", "start", "end", "score")
    for row in zip(*(columns[name] for name in names), strict=True):
        query, rank, document, start, end, score = row
        if query in lists and rank <= MOST_RANKS:
            lists[query].append(
                {
                    "query_id": query,
                    "query": texts[query],
                    "rank": rank,
                    "document": document,
                    "label": corpus.qrels.get(query, {}).get(document, "not judged"),
                    "score": round(score, 4),
                    "text": _short(documents[document].text[start:end]),
                    "start": start,
                    "end": end,
                }
            )
    lines = (json.dumps(row, ensure_ascii=False) for rows in lists.values() for row in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _number(value: Any) -> str:
    if isinstance(value, str) or not np.isfinite(value):
        return ""
    return f"{value:.4f}" if abs(value) < 10 else f"{value:.1f}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} ..."
