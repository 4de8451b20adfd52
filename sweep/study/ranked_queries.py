"""What a recorded trial returned for each query, joined from its stored ranking and the corpus.

Nothing is retrieved again, and neither store nor model is needed.
"""

from pathlib import Path

import numpy as np

from sweep.errors import StudyError
from sweep.export.ranked_lists import RankedChunk, RankedQuery
from sweep.rankings.documents import to_documents
from sweep.records import Corpus, RankedLists
from sweep.study.reopen import study_corpus
from sweep.study.study import Study
from sweep.study.tables import read_ranked_chunks, read_ranking, read_scores
from sweep.trials import TrialRecord


def ranked_queries(
    study: Study, trial: TrialRecord, *, search_only: bool = False
) -> list[RankedQuery]:
    """Return a trial's output, in the order of the corpus's queries.

    Args:
        study: the study; its corpus must be what it was.
        trial: a finished trial of it.
        search_only: leave out all but the judged queries that the trial's metrics are means of.

    Raises: StudyError if the trial failed, or its corpus or ranking is gone or changed.
    """
    if trial.state != "COMPLETE":
        raise StudyError(
            f"study {study.name!r}: only a finished trial has ranked lists, got #{trial.number}, "
            f"which failed. See `sweep show {study.name} {trial.number}`."
        )
    corpus = study_corpus(study)
    path = study.folder.path / trial.files["ranking"]
    chunks = _chunks(path, corpus)
    documents = _documents(path, corpus, aggregate=trial.configuration.aggregate)
    kept = {query.id for query in corpus.queries}
    if search_only:
        kept = set(read_scores(study.folder.path / trial.files["scores"]).query_ids)
    return [
        RankedQuery(
            query=query,
            judged=corpus.qrels.get(query.id, {}),
            chunks=chunks.get(query.id, []),
            documents=documents[row],
        )
        for row, query in enumerate(corpus.queries)
        if query.id in kept
    ]


def _chunks(path: Path, corpus: Corpus) -> dict[str, list[RankedChunk]]:
    """Return the ranked chunks, best first, by query id."""
    texts = {document.id: document.text for document in corpus.documents}
    columns = read_ranked_chunks(path)
    names = ("query_id", "chunk", "document_id", "start", "end", "score")
    found: dict[str, list[RankedChunk]] = {}
    for query, chunk, document, start, end, score in zip(
        *(columns[name] for name in names), strict=True
    ):
        found.setdefault(query, []).append(
            RankedChunk(
                chunk=chunk,
                document_id=document,
                start=start,
                end=end,
                score=score,
                text=texts[document][start:end],
            )
        )
    return found


def _documents(path: Path, corpus: Corpus, *, aggregate: str) -> list[list[tuple[str, float]]]:
    """Return the ranked documents, best first, of every query of the corpus."""
    columns = read_ranked_chunks(path)
    place = {document.id: row for row, document in enumerate(corpus.documents)}
    chunk_document = np.zeros(max(columns["chunk"], default=-1) + 1, dtype=np.int64)
    chunk_document[columns["chunk"]] = [place[id_] for id_ in columns["document_id"]]
    lists = to_documents(read_ranking(path, corpus), chunk_document, aggregate=aggregate)
    return [_pairs(lists, row, corpus) for row in range(len(corpus.queries))]


def _pairs(lists: RankedLists, row: int, corpus: Corpus) -> list[tuple[str, float]]:
    listed = zip(lists.items[row].tolist(), lists.scores[row].tolist(), strict=True)
    return [(corpus.documents[item].id, score) for item, score in listed if item >= 0]
