"""A recorded study together with its corpus, for what comes after the run."""

import os
from pathlib import Path
from typing import Any

from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.measure.report import Report
from sweep.engine.stages.output import first_mode
from sweep.errors import StudyError
from sweep.export.contents import BundleContents
from sweep.records import Corpus
from sweep.study.folder import default_store
from sweep.study.study import Study
from sweep.study.tables import read_ranking
from sweep.trials import TrialRecord


def study_corpus(study: Study) -> Corpus:
    """Return the study's corpus, which must be what it was.

    Raises: StudyError if the corpus has moved away or changed.
    """
    folder = study.corpus_folder
    if not folder.is_dir():
        raise StudyError(
            f"study {study.name!r}: its corpus must still be at {folder}, got nothing there. Put "
            f"it back, or run the sweep again with --corpus: what is computed is reused."
        )
    corpus = read_corpus(folder)
    if corpus.hash != study.about["identity"]["corpus"]:
        raise StudyError(
            f"study {study.name!r}: its corpus must be unchanged, got other content in {folder}. "
            f"Run the sweep again under another name with --study."
        )
    return corpus


def reopen(
    study: Study, *, store: Path | None = None, threads: int | None = None, report: Report
) -> Engine:
    """Return an engine over the study's corpus, which must be what it was.

    Raises: StudyError if the corpus has moved away or changed.
    """
    corpus = study_corpus(study)
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
    reranker = configuration.rerank.model if configuration.rerank else None
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
        reranker=engine.pool.cross_encoder(reranker).files if reranker else None,
        about={
            "label": configuration.label(),
            "study": study.name,
            "trial": trial.number,
            "metrics": dict(trial.metrics),
            "intervals": {name: list(pair) for name, pair in trial.intervals.items()},
            "latency": trial.facts.get("latency", {}),
            "must": trial.facts.get("must", []),
            **about,
        },
        tokenizer=study.about["tokenizer"],
    )
