"""A recorded study together with its corpus, for what comes after the run."""

import os
from pathlib import Path
from typing import Any

from sweep.corpus.labels import join_labels
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.measure.report import Report
from sweep.engine.stages.output import first_mode
from sweep.errors import StudyError
from sweep.export.contents import BundleContents
from sweep.records import Corpus
from sweep.study.folder import default_store
from sweep.study.labels.added_labels import added_labels, again, corpus_in_folder
from sweep.study.quick_look import sample_key
from sweep.study.study import Study
from sweep.study.tables import read_ranking
from sweep.trials import TrialRecord


def study_corpus(study: Study) -> Corpus:
    """Return the study's corpus, which must be what it was, with the labels added to it.

    It is read once in the life of `study`.

    Raises: StudyError if the corpus has moved away or changed, or added labels are gone.
    """
    if study.corpus is None:
        study.corpus = _read_corpus(study)
    return study.corpus


def _read_corpus(study: Study) -> Corpus:
    corpus = corpus_in_folder(study)
    added = added_labels(study)
    if not added:
        return corpus
    joined = join_labels(corpus, added)
    if joined.hash != study.about["identity"]["corpus"]:
        raise StudyError(
            f"study {study.name!r}: {study.folder.labels} must hold the labels it was scored "
            f"under, got others. {again(study)}"
        )
    return joined


def reopen(
    study: Study, *, store: Path | None = None, threads: int | None = None, report: Report
) -> Engine:
    """Return an engine over the study's corpus, which must be what it was.

    Raises: StudyError if the corpus has moved away or changed.
    """
    return engine_over(study_corpus(study), study, store=store, threads=threads, report=report)


def engine_over(
    corpus: Corpus, study: Study, *, store: Path | None, threads: int | None, report: Report
) -> Engine:
    """Return an engine with the study's settings over a corpus with the study's texts."""
    options = EngineOptions(
        store=store or default_store(),
        tokenizer=study.about["tokenizer"],
        precision=study.about["identity"]["precision"],
        threads=threads or os.cpu_count() or 1,
    )
    return Engine(corpus, options, report)


def bundle_contents(
    study: Study, trial: TrialRecord, engine: Engine, about: dict[str, Any]
) -> BundleContents:
    """Return what a bundle of one trial is made of."""
    configuration = trial.configuration
    retriever = engine.retriever(configuration)
    searched = first_mode(configuration) in ("vector", "hybrid")
    encoder = retriever.encoder
    reranker = None
    if configuration.rerank is not None and configuration.rerank.model is not None:
        reranker = engine.pool.cross_encoder(configuration.rerank.model)
    return BundleContents(
        configuration=configuration,
        corpus=engine.corpus,
        chunks=engine.texts.chunks(configuration.chunk),
        output=read_ranking(study.folder.path / trial.files["ranking"], engine.corpus),
        terms=retriever.terms,
        index=retriever.index if searched else None,
        rows=retriever.rows if searched else None,
        encoder=encoder.files if encoder else None,
        precision=encoder.precision if encoder else None,
        reranker=reranker.files if reranker else None,
        rerank_precision=reranker.precision if reranker else None,
        about={
            "label": configuration.label(),
            "study": study.name,
            "trial": trial.number,
            "metrics": dict(trial.metrics),
            "intervals": {name: list(pair) for name, pair in trial.intervals.items()},
            "latency": trial.facts.get("latency", {}),
            "index_recall": trial.facts.get("index_recall"),
            "must": trial.facts.get("must", []),
            **sample_key(study),
            **about,
        },
        tokenizer=study.about["tokenizer"],
    )
