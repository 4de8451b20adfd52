"""A study of one trial, made by hand around an engine, for tests of what looks into trials."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sweep.configuration import Bm25Config, ChunkConfig, Configuration
from sweep.engine.engine import Engine
from sweep.metrics import parse_metric
from sweep.records import Corpus, Document, Query, RankedLists, ScoreTable, Span
from sweep.study.folder import StudyFolder
from sweep.study.metrics import Goal
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord

BM25 = Configuration(
    mode="bm25", bm25=Bm25Config(), chunk=ChunkConfig(splitter="document", size=None), top_k=2
)


def corpus_of_spans(
    texts: dict[str, str],
    queries: dict[str, str],
    qrels: dict[str, dict[str, int]],
    passages: list[tuple[str, str, str]] | None = None,
) -> Corpus:
    """Return a corpus; passages are (query, document, text of the passage), of grade 1."""
    spans = []
    for query, document, text in passages or []:
        start = texts[document].index(text)
        end = start + len(text)
        spans.append(Span(query_id=query, document_id=document, start=start, end=end, grade=1))
    return Corpus(
        documents=tuple(Document(id=id_, text=text) for id_, text in sorted(texts.items())),
        queries=tuple(Query(id=id_, text=text) for id_, text in queries.items()),
        qrels=qrels,
        spans=tuple(sorted(spans, key=lambda s: (s.query_id, s.document_id, s.start))),
        hash="0" * 64,
        name="made",
    )


def study_of(
    folder: Path,
    engine: Engine,
    configuration: Configuration,
    *,
    objective: str = "ndcg@10",
    searched: tuple[str, ...] | None = None,
    recorded: RankedLists | None = None,
    **evaluation: Any,
) -> tuple[Any, TrialRecord]:
    """Return what stands for a study, and its one trial.

    Args:
        folder: where the trial's tables go.
        engine: over the corpus.
        configuration: of the trial.
        objective: metric name.
        searched: the queries that chose; None = all that are judged.
        recorded: the lists that the trial recorded; None = what the engine gives.
        evaluation: what is written in the space's `evaluation`.
    """
    corpus = engine.corpus
    ids = searched or tuple(q.id for q in corpus.queries if corpus.qrels.get(q.id))
    table = ScoreTable(query_ids=ids, metrics=(), values=np.empty((len(ids), 0)))
    write_scores(folder / "scores", table)
    output = engine.output(configuration) if recorded is None else recorded
    write_ranking(folder / "ranking", output, engine.texts.chunks(configuration.chunk), corpus)
    trial = TrialRecord(
        number=3,
        state="COMPLETE",
        configuration=configuration,
        files={"ranking": "ranking", "scores": "scores"},
    )
    written = {"relevance": 1, "label_min": None, "label_max": None, **evaluation}
    metric = parse_metric(objective)
    study = SimpleNamespace(
        name="made",
        about={"identity": {"evaluation": written, "constraints": []}},
        goals=(Goal(metric=metric, maximize=metric.higher_is_better),),
        folder=StudyFolder(folder),
        complete=(trial, replace(trial, number=9, metrics={objective: 0.5})),
    )
    return study, trial
