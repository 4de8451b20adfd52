"""Run a study: what to evaluate next, evaluate, record; resume where an earlier run stopped."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import optuna

from sweep.engine.engine import Engine
from sweep.engine.measure.report import Report
from sweep.engine.store.store import write_whole
from sweep.errors import StorageError, StoreError
from sweep.records import ScoreTable
from sweep.study.dashboard.showcase import Showcase, show_ended
from sweep.study.driver.baseline import baseline_facts
from sweep.study.driver.budget import Deadline, OutOfTime, Stopped, trials_to_reach
from sweep.study.driver.confirm import confirm
from sweep.study.driver.critical import critical_queries
from sweep.study.driver.draws import GridDraws, Recorded, SampledDraws
from sweep.study.driver.evaluate import Evaluation
from sweep.study.driver.finals import FinalsDraws
from sweep.study.driver.identity import study_identity
from sweep.study.driver.inputs import Inputs, RunOptions, check_size, read_inputs, start_engine
from sweep.study.driver.notes import NOTES, notes_once, told_before
from sweep.study.driver.opening import describe, open_study, read_recorded
from sweep.study.driver.queue import TooManyFailures, axes_of, evaluate_queue, planned
from sweep.study.driver.restore import clear_halves, restore_tables
from sweep.study.driver.split import StudySplit, study_split
from sweep.study.driver.surroundings import surroundings
from sweep.study.folder import default_storage, study_folder
from sweep.study.metrics import constraints_of, goals_of, musts_of, recorded_metrics
from sweep.study.quick_look import FINALS, quick_look_of
from sweep.study.rules import make_scorer
from sweep.study.storage.lock import running
from sweep.study.storage.recency import stamp
from sweep.study.storage.storage import check_storage, open_storage
from sweep.study.study import ABOUT, Study, abouts_of
from sweep.study.tables import write_scores


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
    check_size(inputs.space, options)
    check_storage(options.storage or default_storage())
    if inputs.space.sample is not None:
        from sweep.study.driver.quick_look import run_quick_look  # runs two studies, by this file

        return run_quick_look(inputs, options, report, deadline)
    return run_study(*begin(inputs, options, report), options, deadline)


def begin(
    inputs: Inputs, options: RunOptions, report: Report, *first: str
) -> tuple[Inputs, Engine]:
    """Return what a study is made from, all of it checked, and an engine over its corpus.

    Args:
        inputs: what the study is made from.
        options: names, places.
        report: told what should be known, in one line if it is what was told before.
        first: what is to be told beside that.
    """
    told = len(report.notices)
    storage = options.storage or default_storage()
    with notes_once(report, inputs.study, told_before(inputs.study, storage)):
        for notice in first:
            report.notice(notice)
        engine = start_engine(inputs, options, report)
    return replace(inputs, notes=tuple(report.notices[told:])), engine


def run_study(inputs: Inputs, engine: Engine, options: RunOptions, deadline: Deadline) -> Study:
    """Evaluate what has no finished trial yet in one study; see `run`.

    Args:
        inputs: what the study is made from.
        engine: over its corpus.
        options: names, places, how far to go.
        deadline: when to stop.
    """
    name, report = inputs.study, engine.report
    engine.store.clear_abandoned()
    storage = open_storage(options.storage or default_storage(), create=True)
    storage.tell = report.notice
    with running(study_folder(name).lock, name, storage), _nothing_lost():
        try:
            stopped = _run_locked(inputs, storage, engine, options, deadline)
        except TooManyFailures as error:
            show_ended(_opened(name, options, engine), inputs.corpus, report, ending=str(error))
            raise
        study = _opened(name, options, engine)
        study.stopped = stopped
        show_ended(study, inputs.corpus, report, ending=str(stopped or ""))
    engine.store.keep_bound()
    return study


def _opened(name: str, options: RunOptions, engine: Engine) -> Study:
    """Return the study as it is recorded now, for a run that holds its lock."""
    study = Study(name, options.storage)
    study.engine, study.keeps = engine, True
    return study


@contextmanager
def _nothing_lost() -> Iterator[None]:
    """Add to an error of a disk or a database that what is finished is kept."""
    try:
        yield
    except (StoreError, StorageError) as error:
        error.add_note("What is finished is kept.")
        raise


def _run_locked(
    inputs: Inputs, storage: Any, engine: Engine, options: RunOptions, deadline: Deadline
) -> Stopped | None:
    name, space, run_file = inputs.study, inputs.space, inputs.baseline
    split = study_split(space.split, engine.corpus)
    evaluation = make_evaluation(inputs, engine, split)
    run_scores = evaluation.score_run(run_file, split.search) if run_file else None
    values = axes_of(space)
    axes = values if space.sampler.kind == "grid" else space.axes()
    clear_halves(study_folder(name).path)
    identity = study_identity(space, engine.corpus, engine.options.precision)
    study = open_study(name, storage, space, identity, axes)
    before, late = len(recorded := read_recorded(study)), False
    draws, asked = draws_of(inputs, recorded, options, study.user_attrs.get(ABOUT, {}))
    about = describe(space, identity, engine.corpus, inputs.folder, split)
    about |= {"axes": axes, "planned": draws.planned, "asked": asked, NOTES: list(inputs.notes)}
    about["baseline_run"] = baseline_facts(run_file, run_scores)
    _add_part(inputs, draws, study, about, engine.report)
    about |= stamp(abouts_of(storage).values()) | {"made_with": surroundings(engine, values)}
    study.set_user_attr(ABOUT, about)
    _keep_files(inputs, run_scores)
    scope = quick_look_of(Study(name, options.storage)) if inputs.part else None
    showcase = Showcase(storage, name, evaluation.goals, engine.report, scope=scope)
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
    one_goal, is_search = len(evaluation.goals) == 1, inputs.whole is not None
    if stopped is None and split.confirm and one_goal and not is_search:  # finalists confirm
        confirm(Study(name, options.storage), evaluation, split.confirm, run=run_file)
    return stopped


def _add_part(
    inputs: Inputs,
    draws: GridDraws | SampledDraws,
    study: optuna.Study,
    about: dict[str, Any],
    report: Report,
) -> None:
    """Add what is remembered of a quick look: its finalists, and those that join them later."""
    about |= {} if inputs.part is None else inputs.part.about
    if not isinstance(draws, FinalsDraws):
        return
    facts = about[FINALS]
    about[FINALS] = facts | {"finalists": draws.facts()}

    def more(notice: str) -> None:
        report.notice(notice)
        about.update({"planned": draws.planned, FINALS: facts | {"finalists": draws.facts()}})
        study.set_user_attr(ABOUT, about)

    draws.on_more = more


def _keep_files(inputs: Inputs, run_scores: ScoreTable | None) -> None:
    """Keep in the study's folder what it was made from: its space, a baseline that is a run."""
    folder, run_file = study_folder(inputs.study), inputs.baseline
    write_whole(folder.space, inputs.space.path.read_bytes())
    if run_file and run_scores:
        write_scores(folder.baseline_scores, run_scores)
        write_whole(folder.baseline_run, run_file.path.read_bytes())


def _stopped(planned: int, tried: int, *, before: int, late: bool) -> Stopped | None:
    """Return what ended a run early, None where every planned configuration has been tried."""
    if tried >= planned:
        return None
    why: Literal["--timeout", "--trials"] = "--timeout" if late else "--trials"
    return Stopped(why=why, new=tried - before, left=planned - tried, planned=planned)


def draws_of(
    inputs: Inputs, recorded: Recorded, options: RunOptions, about: Mapping[str, Any]
) -> tuple[GridDraws | SampledDraws, dict[str, int]]:
    """Return what to evaluate, and what the study remembers of `--trials`."""
    space = inputs.space
    grid = space.sampler.kind == "grid"
    if inputs.part is not None and inputs.part.finals is not None:
        return FinalsDraws(inputs.part.finals, listed=grid), {}
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


def make_evaluation(inputs: Inputs, engine: Engine, split: StudySplit) -> Evaluation:
    """Return what the trials of a study are evaluated with."""
    space, counts = inputs.space, None
    if inputs.whole is not None:
        whole = len(inputs.whole.documents)
        counts = {"documents": len(inputs.corpus.documents), "of": whole}
    metrics = recorded_metrics(space, engine.corpus)
    return Evaluation(
        engine=engine,
        scorer=make_scorer(engine.texts, metrics, split.search, space.evaluation),
        goals=goals_of(space),
        constraints=constraints_of(space),
        critical=critical_queries(musts_of(space), engine.corpus),
        folder=study_folder(inputs.study),
        sample=counts,
    )
