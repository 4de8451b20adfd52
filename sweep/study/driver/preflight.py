"""Checks before the first trial: what cannot work is refused while nothing has been written."""

from collections.abc import Iterator
from dataclasses import replace

from sweep.configuration import Configuration, VectorConfig
from sweep.engine.engine import Engine
from sweep.errors import CorpusError, SpaceError
from sweep.index.analyzer import make_analyzer
from sweep.index.vectors import check_factory
from sweep.models import find_model
from sweep.records import Corpus
from sweep.study.driver.baseline import baseline_notices
from sweep.study.driver.critical import check_critical
from sweep.study.driver.forewarnings import forewarnings
from sweep.study.driver.split import study_split
from sweep.study.metrics import (
    check_goals,
    depth_notices,
    goals_of,
    recorded_metrics,
    timing_notices,
)
from sweep.study.run_file import RunFile
from sweep.study.space.search_space import SearchSpace

FEW_CONFIRM = 30  # queries: below them an interval of a mean is wider than most gains


def preflight(space: SearchSpace, engine: Engine, run: RunFile | None = None) -> None:
    """Check metrics, models, analyzers, factories and texts; tell what should be known.

    Args:
        space: the search space.
        engine: over its corpus.
        run: its baseline, where that is a run file.

    Raises: SweepError for what no trial could do anything about.
    """
    configurations = _examples(space)
    _check_metrics(space, engine)
    few = check_critical(space, engine.corpus)
    for c in configurations:
        if c.vector is not None:
            find_model(c.vector.model)
        if c.rerank is not None and c.rerank.model is not None:
            engine.pool.cross_encoder(c.rerank.model)  # refuses what is none, loads no weights
    for vector in dict.fromkeys(c.vector for c in configurations if c.vector is not None):
        _check_dimension(vector)
    _check_terms(configurations, engine.corpus)
    told = (
        *few,
        *split_notices(space, engine.corpus),
        *depth_notices(space, configurations),
        *timing_notices(space),
    )
    for notice in (*told, *baseline_notices(space, run)):
        engine.report.notice(notice)
    cut = configurations if space.sampler.kind == "grid" else _longest_chunks(configurations)
    for notice in _truncation_notices(cut, engine):
        engine.report.notice(notice)


def split_notices(space: SearchSpace, corpus: Corpus) -> list[str]:
    """Tell where so few queries confirm that their score says little."""
    split = study_split(space.split, corpus)
    count, total = len(split.confirm), len(split.confirm) + len(split.search)
    if not 0 < count < FEW_CONFIRM:
        return []
    return [
        f"split: {count} of {total} judged queries are kept to confirm with, too few to say much; "
        f"`split: off` uses all of them to choose and cross-validates the choice"
    ]


def forewarn(space: SearchSpace, engine: Engine) -> None:
    """Tell what makes scores of this space on this corpus say less than they seem to."""
    metrics = [goal.metric for goal in goals_of(space)]
    relevance = space.evaluation.relevance
    for notice in forewarnings(engine, _examples(space), metrics, relevance=relevance):
        engine.report.notice(notice)


def _examples(space: SearchSpace) -> list[Configuration]:
    baseline = [space.baseline] if isinstance(space.baseline, Configuration) else []
    return [*space.examples(), *baseline]


def _check_metrics(space: SearchSpace, engine: Engine) -> None:
    check_goals(space, engine.corpus)
    recorded_metrics(space, engine.corpus)


def _check_dimension(vector: VectorConfig) -> None:
    """Refuse more numbers than a model's vectors have, and an index that does not fit."""
    size = find_model(vector.model).dimension
    if size is None:
        return
    if (vector.dimensions or 0) > size:
        raise SpaceError(
            f"vector.dimensions: must be at most {size}, the length of the vectors of "
            f"{vector.model}, got {vector.dimensions}. Lower it; for models of several lengths "
            f"write {{name: {vector.model}, dimensions: [...]}} for each."
        )
    check_factory(vector, vector.dimensions or size)


def _check_terms(configurations: list[Configuration], corpus: Corpus) -> None:
    """Refuse BM25 where no document has a single term."""
    wanted = {(c.bm25.analyzer, c.chunk.prepend_title) for c in configurations if c.bm25}
    for name, with_title in sorted(wanted):
        analyze = make_analyzer(name)
        if not any(
            analyze(document.text) or (with_title and analyze(document.title))
            for document in corpus.documents
        ):
            raise CorpusError(
                f"corpus {corpus.name}: BM25 needs a letter or digit in some document, got no "
                f"indexable text in {len(corpus.documents)} documents. Look at corpus.jsonl, or "
                f"leave BM25 out of the modes."
            )


def _longest_chunks(configurations: list[Configuration]) -> list[Configuration]:
    """Return those with the longest chunks per splitter: a sampler may try a thousand sizes."""
    longest: dict[str, int] = {}
    for c in configurations:
        longest[c.chunk.splitter] = max(c.chunk.size or 0, longest.get(c.chunk.splitter, 0))
    return [c for c in configurations if (c.chunk.size or 0) == longest[c.chunk.splitter]]


def _truncation_notices(configurations: list[Configuration], engine: Engine) -> Iterator[str]:
    """Tell, per model and chunking, how many chunks the model's window cuts off."""
    seen = set()
    for configuration in configurations:
        if configuration.vector is None:
            continue
        key = (configuration.chunk, replace(configuration.vector, index="Flat"))
        if key in seen:
            continue
        seen.add(key)
        inputs = engine.vectors.passage_inputs(configuration.chunk, configuration.vector)
        if inputs.truncated:
            size = configuration.chunk.size
            cut = "whole documents" if size is None else f"{configuration.chunk.splitter} {size}"
            if configuration.chunk.overlap:
                cut += f"/{configuration.chunk.overlap:g}"
            yield (
                f"{inputs.truncated:,} of {len(inputs.full):,} chunks ({cut}) exceed "
                f"max_seq_length {inputs.window} of {configuration.vector.model}; "
                f"{max(inputs.lost, 0.001):.1%} of all tokens are not embedded (titles count; a "
                f"smaller size or chunk.prepend_title: false avoids it)"
            )
