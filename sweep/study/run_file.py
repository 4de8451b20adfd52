"""A TREC run file as a retriever that is known by its ranked documents only.

It is what is in production today (`baseline: {run: FILE}`), or what a trial is compared with. It
has no chunks: metrics of spans, of context budgets and of costs cannot be computed from it.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sweep.errors import MetricError, StudyError
from sweep.metrics import (
    CHUNK_SEPARATOR,
    Metric,
    best_chunks,
    judgements_from_qrels,
    lists_from_run,
    score_lists,
)
from sweep.records import Corpus, RankedLists, ScoreTable
from sweep.trec import is_json, read_trec_run

NAMED = 3  # ids in a notice

Run = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunFile:
    """The ranked documents of a run for the queries of a corpus.

    Attributes:
        path: the file.
        sha256: of its bytes.
        lists: document positions in `document_ids`, one list per query of the corpus, by
            trec_eval's rule of order; empty for a query that the run lacks.
        document_ids: the corpus's documents, then ids of the run that the corpus does not have:
            they keep their ranks and count as not judged.
        counts: `queries` that it is scored on, `missing` of them in the run; `unknown_queries` and
            `unknown_documents` of the run, which the corpus does not have.
        notices: what should be known, each naming the file.
    """

    path: Path
    sha256: str
    lists: RankedLists
    document_ids: tuple[str, ...]
    counts: Mapping[str, int]
    notices: tuple[str, ...]

    @property
    def name(self) -> str:
        """Return the file's name."""
        return self.path.name


def computable(metric: Metric) -> bool:
    """Return whether a metric can be computed from ranked documents alone."""
    return metric.family == "document" and metric.budget_tokens is None


def read_run_file(
    path: Path, corpus: Corpus, query_ids: Collection[str], *, sha256: str | None = None
) -> RunFile:
    """Read a TREC or BEIR run and check its ids against a corpus.

    Args:
        path: the file. Its ids may be those of chunks, `document#rest`, if none is a document's
            and one is when cut: each document then takes its best chunk's score.
        corpus: what its ids must belong to.
        query_ids: the queries that it is to be scored on.
        sha256: of the bytes that it must hold; None = any.

    Raises:
        MetricError: for a line that cannot be read, or a run that shares no document or none of
            the queries with the corpus.
        StudyError: if its bytes are not those of `sha256`.
    """
    found = _checked_hash(path, sha256)
    known = {document.id for document in corpus.documents}
    run, notices = _as_documents(path, read_trec_run(path), known)
    _check_shared(path, run, known, set(query_ids))
    asked = {query.id for query in corpus.queries}
    missing = [query for query in query_ids if query not in run]
    strangers = [query for query in run if query not in asked]
    unknown = sorted({id_ for listed in run.values() for id_ in listed} - known)
    oddities = {
        f"of {len(query_ids):,} judged queries are not in it and score 0": missing,
        "of its queries are not in the corpus and are left out": strangers,
        "of its ids are no documents of the corpus: they keep their ranks, as holes": unknown,
    }
    notices += _tell(path.name, oddities)
    ids = (*(document.id for document in corpus.documents), *unknown)
    return RunFile(
        path=path,
        sha256=found,
        lists=lists_from_run(run, ids, query_ids=[query.id for query in corpus.queries]),
        document_ids=ids,
        counts={
            "queries": len(query_ids),
            "missing": len(missing),
            "unknown_queries": len(strangers),
            "unknown_documents": len(unknown),
        },
        notices=tuple(notices),
    )


def score_run_file(
    run: RunFile,
    corpus: Corpus,
    metrics: Sequence[Metric],
    query_ids: Collection[str],
    *,
    relevance: int,
    labels: tuple[int, int],
) -> ScoreTable:
    """Return the scores of a run on some judged queries, in corpus order.

    Args:
        run: of this corpus.
        corpus: its judgements of other queries are not even looked at.
        metrics: what to compute; those that are not `computable` are left out.
        query_ids: the judged queries.
        relevance: level of metrics that name none.
        labels: the judgements' range.

    Raises: MetricError if a label lies outside `labels`.
    """
    qrels = {query: grades for query, grades in corpus.qrels.items() if query in query_ids}
    judgements = judgements_from_qrels(
        qrels, run.document_ids, query_ids=[query.id for query in corpus.queries]
    )
    kept = [metric for metric in metrics if computable(metric)]
    return score_lists(kept, judgements, run.lists, relevance=relevance, labels=labels)


def _checked_hash(path: Path, wanted: str | None) -> str:
    if is_json(path):
        raise MetricError(
            f"{path}: must be a TREC or BEIR run, got JSON Lines. Write lines of query, Q0, "
            f"document, rank, score, tag; `sweep evaluate` reads JSON Lines."
        )
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if wanted not in (None, found):
        raise StudyError(
            f"{path}: must not change while it is read, got other content than a moment ago. Run "
            f"again."
        )
    return found


def _as_documents(path: Path, run: Run, known: set[str]) -> tuple[Run, list[str]]:
    """Return the run on documents; chunks are merged where its ids can be nothing else."""
    ids = {id_ for listed in run.values() for id_ in listed}
    cut = {id_.rpartition(CHUNK_SEPARATOR)[0] for id_ in ids}
    if not known.isdisjoint(ids) or known.isdisjoint(cut):
        return run, []
    merged = {query: best_chunks(listed, CHUNK_SEPARATOR) for query, listed in run.items()}
    counts = [sum(map(len, side.values())) for side in (run, merged)]
    return merged, [
        f"{path.name}: {counts[0]:,} chunks merged into {counts[1]:,} documents, each at its best "
        f"chunk's place"
    ]


def _check_shared(path: Path, run: Run, known: set[str], query_ids: set[str]) -> None:
    """Refuse a run of another corpus: constant zeros would look like a measurement."""
    listed = {id_ for found in run.values() for id_ in found}
    for what, theirs, ours in (
        ("judged query", set(run), query_ids),
        ("document", listed, known),
    ):
        if theirs.isdisjoint(ours):
            raise MetricError(
                f"{path}: must share a {what} with the corpus, got none: its ids look like "
                f"{_examples(sorted(theirs))}, the corpus's like {_examples(sorted(ours))}. Write "
                f"ids as in the corpus."
            )


def _tell(name: str, oddities: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for text, ids in oddities.items():
        if ids:
            yield f"{name}: {len(ids):,} {text} ({_examples(ids)})"


def _examples(ids: Sequence[str]) -> str:
    return ", ".join(map(repr, ids[:NAMED])) + (", ..." if len(ids) > NAMED else "")
