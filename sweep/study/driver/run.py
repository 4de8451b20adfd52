"""Run a study: what to evaluate next, evaluate, record; resume where an earlier run stopped."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.measure.report import Report
from sweep.engine.stages.scoring import Scorer
from sweep.engine.store.store import make_folder, write_whole
from sweep.errors import SpaceError, StorageError, StoreError, StudyError
from sweep.records import Corpus
from sweep.study.dashboard.showcase import Showcase, show_ended
from sweep.study.driver.budget import Deadline, OutOfTime, Stopped, trials_to_reach
from sweep.study.driver.confirm import confirm
from sweep.study.driver.draws import GridDraws, Recorded, SampledDraws
from sweep.study.driver.evaluate import Evaluation
from sweep.study.driver.identity import study_identity
from sweep.study.driver.opening import describe, open_study, read_recorded
from sweep.study.driver.preflight import forewarn, preflight
from sweep.study.driver.queue import TooManyFailures, axes_of, evaluate_queue, planned
from sweep.study.driver.restore import clear_halves, restore_tables
from sweep.study.driver.split import StudySplit, study_split
from sweep.study.folder import StudyFolder, default_storage, default_store, study_folder
from sweep.study.metrics import constraints_of, goals_of, label_range, recorded_metrics
from sweep.study.space.read import read_space
from sweep.study.space.search_space import SearchSpace
from sweep.study.space.space_file import NAME_PATTERN
from sweep.study.storage.lock import running
from sweep.study.storage.recency import stamp
from sweep.study.storage.storage import check_storage, open_storage
from sweep.study.study import ABOUT, Study, abouts_of

MANY = 2000  # configurations above which a grid asks for confirmation


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How to run a study.

    Attributes:
        store_max: bytes that the store may take, but for what the run itself uses.
        trials: configurations to try in this run, beyond those that have been; None = as many as
            the space file says, or the whole grid.
        timeout: seconds after which the run stops between two units of work.
        seed: of the sampler, in place of the file's.
        max_failures: share of failed trials that stops the run.
    """

    corpus: Path | None = None
    study: str | None = None
    storage: str | None = None
    store: Path | None = None
    store_max: int | None = None
    threads: int | None = None
    precision: Literal["auto", "fp32", "bf16"] = "auto"
    trials: int | None = None
    timeout: float | None = None
    seed: int | None = None
    max_failures: float = 0.2
    yes: bool = False


def run(
    space: Path | str,
    *,
    corpus: Path | str | None = None,
    options: RunOptions | None = None,
    report: Report | None = None,
) -> Study:
    """Evaluate the configurations of a search space that have no finished trial yet.

    Args:
        space: the search-space file.
        corpus: the corpus folder; overrides the one that the space names.
        options: names, places, threads, precision, how far to go.
        report: told about progress.

    Returns: the study; its `stopped` says whether the run ended before the study was finished.

    Raises: SweepError for whatever the user can mend; TooManyFailures when trials keep failing.
    """
    options = options or RunOptions()
    report = report or Report()
    deadline = Deadline(options.timeout)
    inputs = read_inputs(space, corpus, options, report)
    name, loaded = inputs.study, inputs.space
    _check_size(loaded, options)
    check_storage(options.storage or default_storage())
    engine = start_engine(inputs, options, report)
    engine.store.clear_abandoned()
    storage = open_storage(options.storage or default_storage(), create=True)
    storage.tell = report.notice
    with running(study_folder(name).lock, name, storage), _nothing_lost():
        try:
            stopped = _run_locked(name, storage, loaded, engine, inputs.folder, options, deadline)
        except TooManyFailures as error:
            show_ended(Study(name, options.storage), inputs.corpus, report, ending=str(error))
            raise
        study = Study(name, options.storage)
        study.stopped = stopped
        show_ended(study, inputs.corpus, report, ending=str(stopped or ""))
    engine.store.keep_bound()
    return study


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a study is made from: its name, the space, the corpus and the corpus's folder."""

    study: str
    space: SearchSpace
    corpus: Corpus
    folder: Path


def read_inputs(
    space: Path | str, corpus: Path | str | None, options: RunOptions, report: Report
) -> Inputs:
    """Read the space and the corpus; see `run`.

    Raises: SweepError if one of them, or the study's name, is not valid.
    """
    loaded = _with_options(read_space(Path(space), download=True), options, report)
    folder = Path(corpus) if corpus else options.corpus or loaded.corpus
    if folder is None:
        raise SpaceError(
            f"{space}: must name a corpus, got none. Add `corpus: FOLDER`, or give --corpus."
        )
    read = read_corpus(folder)
    name = options.study or loaded.name
    if re.fullmatch(NAME_PATTERN, name) is None:
        raise StudyError(f"--study: must have no slash, colon or @, got {name!r}. Rename it.")
    return Inputs(study=name, space=loaded, corpus=read, folder=folder)


def start_engine(inputs: Inputs, options: RunOptions, report: Report) -> Engine:
    """Return an engine over the corpus, all that can be checked beforehand checked.

    Raises: SweepError for what no trial could do anything about.
    """
    engine = _engine(inputs.space, inputs.corpus, options, report)
    for notice in (*inputs.corpus.notices, *inputs.space.notices):
        report.notice(str(notice))
    preflight(inputs.space, engine)
    make_folder(engine.options.store)
    forewarn(inputs.space, engine)
    return engine


@contextmanager
def _nothing_lost() -> Iterator[None]:
    """Add to an error of a disk or a database that what is finished is kept."""
    try:
        yield
    except (StoreError, StorageError) as error:
        error.add_note("What is finished is kept.")
        raise


def _run_locked(
    name: str,
    storage: Any,
    space: SearchSpace,
    engine: Engine,
    corpus_folder: Path,
    options: RunOptions,
    deadline: Deadline,
) -> Stopped | None:
    split = study_split(space.split, engine.corpus)
    values = axes_of(space)
    axes = values if space.sampler.kind == "grid" else space.axes()
    clear_halves(study_folder(name).path)
    identity = study_identity(space, engine.corpus, engine.options.precision)
    study = open_study(name, storage, space, identity, axes)
    recorded = read_recorded(study)
    draws, asked = draws_of(space, recorded, options, study.user_attrs.get(ABOUT, {}))
    about = describe(space, identity, engine.corpus, corpus_folder, split)
    about |= {"axes": axes, "planned": draws.planned, "asked": asked}
    about |= stamp(abouts_of(storage).values())
    study.set_user_attr(ABOUT, about)
    write_whole(study_folder(name).space, space.path.read_bytes())
    evaluation = make_evaluation(space, engine, split, study_folder(name))
    before, late = len(recorded), False
    showcase = Showcase(storage, name, evaluation.goals, engine.report)
    showcase.introduce(space, split, engine.corpus)
    try:
        with deadline.kept_by(engine.report), engine.report.run(name, draws.planned):
            restore_tables(evaluation, recorded)
            with showcase.following(recorded, lambda: draws.planned):
                evaluate_queue(study, evaluation, draws, recorded, values, options.max_failures)
    except OutOfTime:
        late = True
    if draws.shortage:
        engine.report.notice(draws.shortage)
        study.set_user_attr(ABOUT, about | {"planned": draws.planned})
    stopped = _stopped(draws.planned, len(recorded), before=before, late=late)
    if stopped is None and split.confirm and len(evaluation.goals) == 1:
        confirm(Study(name, options.storage), evaluation, split.confirm)
    return stopped


def _stopped(planned: int, tried: int, *, before: int, late: bool) -> Stopped | None:
    """Return what ended a run early, None where every planned configuration has been tried."""
    if tried >= planned:
        return None
    why: Literal["--timeout", "--trials"] = "--timeout" if late else "--trials"
    return Stopped(why=why, new=tried - before, left=planned - tried, planned=planned)


def draws_of(
    space: SearchSpace, recorded: Recorded, options: RunOptions, about: Mapping[str, Any]
) -> tuple[GridDraws | SampledDraws, dict[str, int]]:
    """Return what to evaluate, and what the study remembers of `--trials`."""
    grid = space.sampler.kind == "grid"
    tried = len(recorded) if grid else recorded.drawn()
    asked, reach = {}, space.trials
    if options.trials is not None:
        reach = trials_to_reach(tried, options.trials, about.get("asked", {}))
        asked = {"more": options.trials, "reach": reach}
    if grid:
        more = None if options.trials is None or reach is None else reach - tried
        return GridDraws(planned(space), more=more), asked
    assert reach is not None, "read_inputs refuses a sampler without a number of trials"
    maximize = [goal.maximize for goal in goals_of(space)]
    whole = max(reach, space.trials or 0)
    return SampledDraws(space, maximize, trials=reach, planned=whole), asked


def make_evaluation(
    space: SearchSpace, engine: Engine, split: StudySplit, folder: StudyFolder
) -> Evaluation:
    """Return what the trials of a study are evaluated with."""
    scorer = Scorer(
        engine.texts,
        recorded_metrics(space, engine.corpus),
        split.search,
        relevance=space.evaluation.relevance,
        labels=label_range(space, engine.corpus),
        threshold=space.evaluation.span_threshold,
        span_rule=space.evaluation.span_rule,
    )
    return Evaluation(
        engine=engine,
        scorer=scorer,
        goals=goals_of(space),
        constraints=constraints_of(space),
        folder=folder,
    )


def _with_options(space: SearchSpace, options: RunOptions, report: Report) -> SearchSpace:
    kind = space.sampler.kind
    if kind != "grid" and space.trials is None and options.trials is None:
        raise SpaceError(
            f"{space.path.name}: sampler.trials: must say how many configurations {kind} tries, "
            f"got nothing. Write for example trials: 60 there, or give --trials 60."
        )
    if options.seed is None:
        return space
    if kind == "grid":
        report.notice("--seed is not used: a grid runs everything")
    return replace(space, sampler=replace(space.sampler, seed=options.seed))


def _engine(space: SearchSpace, corpus: Corpus, options: RunOptions, report: Report) -> Engine:
    return Engine(
        corpus,
        EngineOptions(
            store=options.store or default_store(),
            store_max=options.store_max,
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
    count = len(space.configurations) if space.sampler.kind == "grid" else 0
    if count > MANY and not options.yes:
        raise SpaceError(
            f"{space.path.name}: a grid of more than {MANY:,} configurations needs a yes, got "
            f"{count:,}. Give --yes, or narrow the space."
        )
