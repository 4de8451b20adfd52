"""Ranked lists from elsewhere and judgements -> scores per query, means, and what to know.

A mean is taken over all judged queries: one without a result scores 0 and counts, one without
judgement is listed and left out, one without a relevant document scores 0 and is named.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sweep.errors import MetricError
from sweep.evaluators.chunk_runs import Run, chunks_to_documents
from sweep.evaluators.mapping import Template, parse_values
from sweep.evaluators.ranked_rows import ANY_LABELS, RankedRow, read_ranked_row
from sweep.evaluators.rows import Row, RowError
from sweep.evaluators.trec_files import Qrels
from sweep.metrics import (
    Metric,
    bootstrap_interval,
    judgements_from_qrels,
    lists_from_run,
    parse_metric,
    score_lists,
)
from sweep.records import RankedLists, ScoreTable
from sweep.text_lines import shorten

DEFAULT_METRICS = "ndcg@10,recall@10,p@10,hit@10,rr,map"
_BINARY = ("p", "recall", "hit", "rr", "map", "rprec", "bpref")
_RANGE = {"ground_truth_label_min": 0, "ground_truth_label_max": 4}
_EXPONENTIAL = ("ndcg_exp", "fidelity")
_HIGHEST_EXPONENT = 1000  # above, 2^label is beyond a float
_NAMED = 5  # queries in a notice


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScores:
    """One run, scored.

    Attributes:
        table: one row per judged query, in the order of the judgements; finite.
        counts: `judged` queries, of them `without_result` and `without_relevant`; `unjudged`
            queries of the run, left out; for rows also `rows` and `failed`.
        notices: what a reader should know.
        failures: rows that could not be read, with the reason.
    """

    table: ScoreTable
    counts: Mapping[str, int]
    notices: tuple[str, ...] = ()
    failures: tuple[tuple[Row, RowError], ...] = ()


def parse_metrics(text: str) -> tuple[Metric, ...]:
    """Read comma-separated metric names, each once.

    Raises:
        MetricError: for an unknown name, or one that needs more than lists of documents.
    """
    metrics = tuple(dict.fromkeys(parse_metric(name) for name in text.split(",") if name.strip()))
    if not metrics:
        raise MetricError(f"--metrics: must name a metric, got {shorten(text)}. Write ndcg@10.")
    for metric in metrics:
        if metric.family != "document" or metric.budget_tokens is not None:
            raise MetricError(
                f"--metrics: must be computable from ranked documents, got "
                f"{shorten(str(metric))}. Chunks, tokens and costs are known to `sweep run` "
                "only; write ndcg@10."
            )
    return metrics


def parse_labels(texts: Sequence[str]) -> tuple[int, int]:
    """Read the range of labels from `ground_truth_label_min=0`, `ground_truth_label_max=4`.

    Raises:
        MetricError: for another name, or if the two are not a range of whole numbers.
    """
    given = parse_values(texts, option="--set")
    for name in given:
        if name not in _RANGE:
            raise MetricError(
                f"--set: with metrics, must name one of {', '.join(_RANGE)}, got {shorten(name)}. "
                "Put thresholds into metric names, recall(rel=2)@10."
            )
    low, high = (given.get(name, default) for name, default in _RANGE.items())
    if not isinstance(low, int) or not isinstance(high, int) or low >= high:
        raise MetricError(
            f"--set: the range of labels must be two rising whole numbers, got {shorten(low)} and "
            f"{shorten(high)}. Write ground_truth_label_max=4."
        )
    return low, high


def score_run(
    metrics: Sequence[Metric],
    qrels: Qrels,
    run: Run,
    *,
    labels: tuple[int, int] = (0, 4),
    chunk_separator: str | None = None,
    where: str = "run",
) -> RunScores:
    """Score a run by trec_eval's rule of order (score falling, ties by id falling).

    Args:
        metrics: what to compute; see `parse_metrics`.
        qrels: the judgements.
        run: score by document id, by query id.
        labels: lowest and highest label, for fidelity and the Azure set.
        chunk_separator: ids of the run are chunk ids, `document<separator>rest`, cut at the last
            one; each document takes its best chunk's score. None: only if no id is judged as it
            is, but one is when cut at `#`. Empty: never.
        where: what to name in messages.

    Raises:
        MetricError: if run and judgements share no query, or a label lies outside `labels`.
    """
    shared = [query for query in qrels.graded if query in run]
    if not shared:
        ours, theirs = (next(iter(queries)) for queries in (qrels.graded, run))
        raise MetricError(
            f"{where}: run and qrels must share a query, got {len(run)} and "
            f"{len(qrels.graded)} queries without a common one (for example "
            f"{shorten(theirs)} and {shorten(ours)}). Check the ids."
        )
    if _needs_range(metrics):
        _check_labels(qrels, labels)
    run, notices = chunks_to_documents(qrels, run, chunk_separator)
    queries = list(qrels.graded)
    documents = sorted(
        {id_ for side in (qrels.graded, qrels.binary, run) for one in side.values() for id_ in one}
    )
    lists = lists_from_run(run, documents, query_ids=queries)
    scores = _score(metrics, qrels, documents, lists, labels=labels)
    unjudged = [query for query in run if query not in qrels.graded]
    counts = {**scores.counts, "unjudged": len(unjudged)}
    if unjudged:
        notices = (*notices, f"left out, as they are not judged: {_name(unjudged)}")
    if not any(document in qrels.graded[query] for query in shared for document in run[query]):
        document = next((id_ for query in shared for id_ in run[query]), "")
        notices = (*notices, f"no document of the run is judged (for example {shorten(document)})")
    return dataclasses.replace(scores, counts=counts, notices=(*notices, *scores.notices))


def score_rows(
    metrics: Sequence[Metric],
    rows: Sequence[Row],
    mapping: Mapping[str, Template],
    *,
    labels: tuple[int, int] = (0, 4),
) -> RunScores:
    """Score rows that hold judgements and a ranked list; rows that cannot be read are failures.

    A label outside `labels` is such a failure where the Azure set is asked for.
    """
    bounds = _label_bounds(metrics, labels)
    ranked: dict[str, RankedRow] = {}
    failures = []
    for row in rows:
        try:
            one = read_ranked_row(row, mapping, known=ranked, labels=bounds)
        except RowError as error:
            failures.append((row, error))
            continue
        ranked[one.query] = one
    documents = sorted(
        {
            id_
            for one in ranked.values()
            for side in (one.judged.graded, one.judged.binary, one.retrieved)
            for id_ in side
        }
    )
    qrels = Qrels(
        graded={query: one.judged.graded for query, one in ranked.items()},
        binary={query: one.judged.binary for query, one in ranked.items()},
    )
    lists = _lists_in_order([one.retrieved for one in ranked.values()], documents)
    scores = _score(metrics, qrels, documents, lists, labels=labels)
    counts = {"rows": len(rows), "failed": len(failures), **scores.counts}
    return dataclasses.replace(scores, counts=counts, failures=tuple(failures))


def report_scores(scores: RunScores, *, per_query: bool) -> dict[str, Any]:
    """Return `metrics` (means), `intervals` (95 % bootstrap), `counts`, and `per_query` if asked.

    One query has no interval. Rows that failed are listed under `errors`.
    """
    table = scores.table
    report: dict[str, Any] = {
        "metrics": dict.fromkeys(table.metrics),
        "intervals": dict.fromkeys(table.metrics),
        "counts": dict(scores.counts),
    }
    if table.query_ids:
        report["metrics"] = {name: table.mean(name) for name in table.metrics}
    if len(table.query_ids) > 1:
        bounds = bootstrap_interval(table.values).tolist()
        report["intervals"] = dict(zip(table.metrics, bounds, strict=True))
    if per_query:
        report["per_query"] = {
            query: dict(zip(table.metrics, values, strict=True))
            for query, values in zip(table.query_ids, table.values.tolist(), strict=True)
        }
    if scores.failures:
        report["errors"] = [
            {"row": row.number, "code": error.code, "message": str(error)}
            for row, error in scores.failures
        ]
    return report


def _score(
    metrics: Sequence[Metric],
    qrels: Qrels,
    documents: Sequence[str],
    lists: RankedLists,
    *,
    labels: tuple[int, int],
) -> RunScores:
    graded, binary = (
        judgements_from_qrels(side, documents) for side in (qrels.graded, qrels.binary)
    )
    table = score_lists(metrics, graded, lists, labels=labels)
    columns = [
        place
        for place, metric in enumerate(metrics)
        if metric.name in _BINARY and metric.relevance is None
    ]
    if columns and qrels.binary is not qrels.graded:
        chosen = score_lists([metrics[place] for place in columns], binary, lists)
        table.values[:, columns] = chosen.values
    irrelevant = np.flatnonzero(binary.relevant(1) == 0)
    empty = np.flatnonzero((lists.items >= 0).sum(axis=1) == 0)
    notices = []
    for rows, text in (
        (empty, "score 0, as nothing was retrieved"),
        (irrelevant, "score 0, as no document has a label >= 1"),
    ):
        if rows.size:
            notices.append(f"{text}: {_name([graded.query_ids[row] for row in rows])}")
    counts = {
        "judged": len(graded),
        "without_result": int(empty.size),
        "without_relevant": int(irrelevant.size),
    }
    return RunScores(table=table, counts=counts, notices=tuple(notices))


def _lists_in_order(lists: Sequence[Mapping[str, float]], documents: Sequence[str]) -> RankedLists:
    """Return lists that keep the order they were given in, shape (Q, longest)."""
    position = {document: index for index, document in enumerate(documents)}
    items = np.full((len(lists), max(map(len, lists), default=0)), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    for row, found in enumerate(lists):
        items[row, : len(found)] = [position[document] for document in found]
        scores[row, : len(found)] = list(found.values())
    return RankedLists(items=items, scores=scores)


def _needs_range(metrics: Sequence[Metric]) -> bool:
    return any(metric.name.startswith("document_retrieval.") for metric in metrics)


def _label_bounds(metrics: Sequence[Metric], labels: tuple[int, int]) -> tuple[int, int]:
    """Return the labels that a row may hold so that every metric can be computed."""
    low, high = labels if _needs_range(metrics) else ANY_LABELS
    if _needs_range(metrics) or any(metric.name in _EXPONENTIAL for metric in metrics):
        high = min(high, _HIGHEST_EXPONENT)
    return low, high


def _check_labels(qrels: Qrels, labels: tuple[int, int]) -> None:
    for query, judged in qrels.graded.items():
        for document, label in judged.items():
            if not labels[0] <= label <= labels[1]:
                raise MetricError(
                    f"qrels, query {shorten(query)}, document {shorten(document)}: labels "
                    f"must lie in {labels[0]} to {labels[1]} for document_retrieval, "
                    f"got {label}. Give their range: --set ground_truth_label_max=.."
                )


def _name(queries: Sequence[str]) -> str:
    what = "query" if len(queries) == 1 else "queries"
    more = f" and {len(queries) - _NAMED} more" if len(queries) > _NAMED else ""
    return f"{len(queries)} {what} ({', '.join(map(repr, queries[:_NAMED]))}{more})"
