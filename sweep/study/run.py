"""Run a study: enumerate, evaluate, record; resume where an earlier run stopped."""

import os
import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import optuna

from sweep.configuration import Configuration
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.report import Report
from sweep.engine.scoring import Scorer
from sweep.engine.store import make_folder, write_whole
from sweep.errors import SpaceError, StudyError
from sweep.records import Corpus
from sweep.study.confirm import confirm
from sweep.study.evaluate import Evaluation
from sweep.study.folder import default_storage, default_store, study_folder
from sweep.study.identity import check_identity, claim_folder, study_identity
from sweep.study.lock import running
from sweep.study.metrics import goals_of, label_range, recorded_metrics
from sweep.study.preflight import preflight
from sweep.study.queue import axes_of, evaluate_queue, planned
from sweep.study.search_space import SearchSpace
from sweep.study.space import read_space
from sweep.study.space_file import NAME_PATTERN
from sweep.study.split import StudySplit, study_split
from sweep.study.storage import check_storage, open_storage
from sweep.study.study import ABOUT, Study, now

MANY = 2000  # configurations above which a grid asks for confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run a study; nothing here changes a result except `precision`."""

    corpus: Path | None = None
    study: str | None = None
    storage: str | None = None
    store: Path | None = None
    threads: int | None = None
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    max_failures: float = 0.2
    yes: bool = False


def run(
    space: Path | str,
    *,
    corpus: Path | str | None = None,
    options: RunOptions | None = None,
    report: Report | None = None,
) -> Study:
    """Evaluate every configuration of a search space that has no finished trial yet.

    Args:
        space: the search-space file.
        corpus: the corpus folder; overrides the one that the space names.
        options: names, places, threads, precision.
        report: told about progress.

    Returns: the study, all its trials recorded.

    Raises: SweepError for whatever the user can mend; TooManyFailures when trials keep failing.
    """
    options = options or RunOptions()
    report = report or Report()
    loaded = read_space(Path(space))
    folder = Path(corpus) if corpus else options.corpus or loaded.corpus
    if folder is None:
        raise SpaceError(
            f"{space}: must name a corpus, got none. Add `corpus: FOLDER`, or give --corpus."
        )
    read = read_corpus(folder)
    name = options.study or loaded.name
    if re.fullmatch(NAME_PATTERN, name) is None:
        raise StudyError(f"--study: must have no slash, colon or @, got {name!r}. Rename it.")
    _check_size(loaded, options)
    check_storage(options.storage or default_storage())
    engine = _engine(loaded, read, options, report)
    for notice in (*read.notices, *loaded.notices):
        report.notice(str(notice))
    preflight(loaded, engine)
    make_folder(engine.options.store)
    storage = open_storage(options.storage or default_storage(), create=True)
    with running(study_folder(name).lock, name):
        _run_locked(name, storage, loaded, engine, folder, options)
    return Study(name, options.storage)


def _run_locked(
    name: str,
    storage: Any,
    space: SearchSpace,
    engine: Engine,
    corpus_folder: Path,
    options: RunOptions,
) -> None:
    split = study_split(space.split, engine.corpus)
    queue = planned(space)
    axes = axes_of(queue)
    study = _open_study(name, storage, space, engine, axes)
    _describe(study, space, engine, corpus_folder, split, axes)
    folder = study_folder(name)
    write_whole(folder.space, space.path.read_bytes())
    scorer = Scorer(
        engine.texts,
        recorded_metrics(space, engine.corpus),
        split.search,
        relevance=space.evaluation.relevance,
        labels=label_range(space, engine.corpus),
        threshold=space.evaluation.span_threshold,
        span_rule=space.evaluation.span_rule,
    )
    evaluation = Evaluation(
        engine=engine,
        scorer=scorer,
        goals=goals_of(space),
        constraints=space.constraints,
        folder=folder,
    )
    evaluate_queue(study, evaluation, queue, axes, options.max_failures)
    if split.confirm and len(evaluation.goals) == 1:
        confirm(Study(name, options.storage), evaluation, split.confirm)


def _open_study(
    name: str, storage: Any, space: SearchSpace, engine: Engine, axes: dict[str, list[Any]]
) -> optuna.Study:
    identity = study_identity(space, engine.corpus, engine.options.precision)
    directions: list[Literal["minimize", "maximize"]] = [
        "maximize" if goal.maximize else "minimize" for goal in goals_of(space)
    ]
    try:
        study = optuna.load_study(study_name=name, storage=storage)
    except KeyError:
        claim_folder(study_folder(name), name, identity)
        study = optuna.create_study(study_name=name, storage=storage, directions=directions)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            study.set_metric_names([goal.name for goal in goals_of(space)])
        return study
    about = study.user_attrs.get(ABOUT)
    if about is None and study.get_trials(deepcopy=False):
        raise StudyError(
            f"study {name!r}: must be one of sweep's, got another program's study of that name. "
            f"Choose another with --study NAME."
        )
    if about is not None:
        check_identity(name, about["identity"], identity, about["axes"], axes)
    return study


def _describe(
    study: optuna.Study,
    space: SearchSpace,
    engine: Engine,
    corpus_folder: Path,
    split: StudySplit,
    axes: dict[str, list[Any]],
) -> None:
    baseline = space.baseline
    corpus = engine.corpus
    study.set_user_attr(
        ABOUT,
        {
            "identity": study_identity(space, corpus, engine.options.precision),
            "axes": axes,
            "corpus_name": corpus.name,
            "corpus_folder": str(corpus_folder.resolve()),
            "baseline": baseline.fingerprint() if isinstance(baseline, Configuration) else None,
            "split": split.to_json(),
            "tokenizer": space.tokenizer,
            "metrics": list(space.metrics),
            "planned": len(planned(space)),
            "last_run": now(),
        },
    )


def _engine(space: SearchSpace, corpus: Corpus, options: RunOptions, report: Report) -> Engine:
    return Engine(
        corpus,
        EngineOptions(
            store=options.store or default_store(),
            tokenizer=space.tokenizer,
            precision=options.precision,
            threads=options.threads or _processors(),
        ),
        report,
    )


def _processors() -> int:
    import psutil

    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def _check_size(space: SearchSpace, options: RunOptions) -> None:
    count = len(space.configurations)
    if count > MANY and not options.yes:
        raise SpaceError(
            f"{space.path.name}: a grid of more than {MANY:,} configurations needs a yes, got "
            f"{count:,}. Give --yes, or narrow the space."
        )
