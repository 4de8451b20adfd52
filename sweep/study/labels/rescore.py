"""A study scored again under added labels: a sibling `NAME@HASH`, nothing retrieved again.

The sibling has the same configurations, trial by trial with the same numbers, and their costs and
latencies; what depends on labels is computed from the stored rankings. Its identity is that of a
run over a corpus that holds the labels. The study it comes from is not touched. Trials are written
one by one, so that a process that is killed leaves whole ones, and the same command goes on.

The queries that choose and those that confirm stay what they were: labels do not move a query
from one to the other. The confirm set is looked at once more, under the new labels, and that is
counted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import optuna

from sweep.corpus.labels import Pair, hash_labels, join_labels
from sweep.engine.engine import Engine
from sweep.engine.measure.report import Report
from sweep.engine.store.store import write_whole
from sweep.errors import StoreError, StudyError
from sweep.records import Corpus, RankedLists
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.dashboard.showcase import carefully, show_ended
from sweep.study.driver.baseline import baseline_facts
from sweep.study.driver.confirm import carry_looks, confirm
from sweep.study.driver.critical import critical_facts, critical_queries
from sweep.study.driver.evaluate import (
    Evaluation,
    intervals_of,
    missed_bounds,
    value_of,
    write_tables,
)
from sweep.study.driver.identity import claim_folder
from sweep.study.driver.opening import begin_study
from sweep.study.driver.restore import clear_halves
from sweep.study.driver.split import StudySplit, study_split
from sweep.study.folder import StudyFolder, study_folder
from sweep.study.labels.added_labels import (
    LABELS,
    MARK,
    added_labels,
    corpus_in_folder,
    root_name,
)
from sweep.study.labels.label_files import label_lines
from sweep.study.labels.sibling import check_sibling
from sweep.study.quick_look import SAMPLE
from sweep.study.record import distributions, failure, to_optuna
from sweep.study.reopen import engine_over
from sweep.study.rules import (
    constraints_of_study,
    metrics_of_study,
    musts_of_study,
    scorer_of,
)
from sweep.study.run_file import RunFile, read_run_file
from sweep.study.space.search_space import Split
from sweep.study.storage.lock import running
from sweep.study.storage.recency import stamp
from sweep.study.study import ABOUT, Study, abouts_of
from sweep.study.tables import read_ranking, write_scores
from sweep.trials import TrialRecord
from sweep.winner.critical import FACT

ORIGIN = "rescored"  # fact of a trial: the study and the number it was scored again from


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A study's corpus with all labels: its own corpus's and what was added before and now."""

    root: Corpus
    corpus: Corpus
    added: Mapping[Pair, int]

    @property
    def hash(self) -> str:
        """Return the short hash that names the sibling."""
        return hash_labels(self.corpus)[:8]


def labelled(study: Study, new: Mapping[Pair, int]) -> Labelled:
    """Return a study's corpus with labels added.

    Args:
        study: run, or scored again itself.
        new: labels of pairs that its corpus has none for.
    """
    root = corpus_in_folder(study)
    added = {**added_labels(study), **new}
    return Labelled(root=root, corpus=join_labels(root, added), added=added)


def rescore(
    study: Study,
    new: Mapping[Pair, int],
    *,
    store: Path | None = None,
    threads: int | None = None,
    report: Report,
) -> Study:
    """Return the sibling of a study under added labels, made or completed.

    Args:
        study: whose finished trials are scored again.
        new: labels by query and document, of pairs without one.
        store: where chunks are kept; None = the default.
        threads: of what has to be computed.
        report: told about progress.

    Raises: StudyError if the corpus has changed, a ranking is gone, or another process does the
        same.
    """
    labels = labelled(study, new)
    name = f"{root_name(study)}{MARK}{labels.hash}"
    if name == study.name:
        raise StudyError(
            f"labels: must hold one that study {study.name!r} lacks, got none. Fill in others."
        )
    engine = engine_over(labels.corpus, study, store=store, threads=threads, report=report)
    split = study_split(Split(**study.about["identity"]["split"]), labels.root)
    storage = study.optuna_storage
    with running(study_folder(name).lock, name, storage):
        clear_halves(study_folder(name).path)
        sibling = _open(study, name, labels)
        evaluation = _evaluation(study, labels, engine, split, study_folder(name))
        run = _baseline(study, sibling, evaluation, split.search)
        with report.run(name, int(study.about["planned"])):
            _score_trials(study, sibling, evaluation)
        opened = Study(name, study.storage)
        _confirm(study, opened, evaluation, split, run)
        opened = Study(name, study.storage)
        opened.engine, opened.keeps = engine, True
        _introduce(study, opened, labels, report)
        show_ended(opened, labels.corpus, report)
    return opened


def _evaluation(
    study: Study, labels: Labelled, engine: Engine, split: StudySplit, folder: StudyFolder
) -> Evaluation:
    """Return what the study's trials are scored with, over the corpus with all labels."""
    metrics = metrics_of_study(study, labels.corpus)
    return Evaluation(
        engine=engine,
        scorer=scorer_of(study, engine.texts, metrics, split.search),
        goals=study.goals,
        constraints=constraints_of_study(study),
        critical=critical_queries(musts_of_study(study), labels.corpus),
        folder=folder,
    )


def _open(study: Study, name: str, labels: Labelled) -> optuna.Study:
    """Return the sibling in the storage, begun or found, and the one that was run last."""
    storage, folder = study.optuna_storage, study_folder(name)
    identity = {**study.about["identity"], "corpus": labels.corpus.hash}
    abouts = abouts_of(storage)
    if name in abouts:
        check_sibling(study, Study(name, study.storage, unread=True), identity)
    claim_folder(folder, name, identity, storage)
    write_whole(folder.labels, label_lines(labels.added))
    if study.folder.space.is_file():
        write_whole(folder.space, study.folder.space.read_bytes())
    if name in abouts:
        sibling = optuna.load_study(study_name=name, storage=storage)
    else:
        names = {frozen.study_name for frozen in storage.get_all_studies()}
        if name in names:  # a process was killed while it began the study
            optuna.delete_study(study_name=name, storage=storage)
        sibling = begin_study(name, storage, study.goals)
    remembered = {
        "of": root_name(study),
        "corpus": labels.root.hash,
        "count": len(labels.added),
    }
    about = {**study.about, "identity": identity, LABELS: remembered}
    sibling.set_user_attr(ABOUT, about | stamp(abouts.values()))
    return sibling


def _baseline(
    study: Study, sibling: optuna.Study, evaluation: Evaluation, queries: Sequence[str]
) -> RunFile | None:
    """Return the baseline where it is a run file, scored anew for the sibling."""
    facts = study.baseline_run
    if facts is None:
        return None
    path = study.folder.baseline_run
    run = read_run_file(path, evaluation.engine.corpus, queries, sha256=facts["sha256"])
    table = evaluation.score_run(run, queries)
    write_whole(evaluation.folder.baseline_run, path.read_bytes())
    write_scores(evaluation.folder.baseline_scores, table)
    about = sibling.user_attrs[ABOUT]
    told = {**facts, **(baseline_facts(run, table) or {}), "name": facts["name"]}
    sibling.set_user_attr(ABOUT, {**about, "baseline_run": told})
    return run


def _score_trials(study: Study, sibling: optuna.Study, evaluation: Evaluation) -> None:
    """Score what the sibling lacks, in the order of the study's trials."""
    report = evaluation.engine.report
    grid = study.about["identity"]["sampler"]["kind"] == "grid"
    space = distributions(study.about["axes"], listed=grid)
    done = len(sibling.get_trials(deepcopy=False))
    for number, trial in enumerate(study.trials):
        report.on_progress("trials", number, len(study.trials))
        if number < done:
            _restore_tables(study, trial, evaluation)
            continue
        record = replace(_rescored(study, trial, evaluation), number=number)
        sibling.add_trial(to_optuna(record, space))
        report.on_event("trial", record.to_json())
        if record.state == "FAIL" and trial.state == "COMPLETE":
            report.notice(f"trial {number} failed: {record.error['message']}")
    report.on_progress("trials", len(study.trials), len(study.trials))


def _restore_tables(study: Study, trial: TrialRecord, evaluation: Evaluation) -> None:
    """Make the tables of a trial that has been scored again where they are missing here."""
    folder, fingerprint = evaluation.folder, trial.fingerprint
    paths = (folder.scores(fingerprint), folder.ranking(fingerprint))
    if trial.state == "COMPLETE" and not all(path.is_file() for path in paths):
        ranking = study.folder.path / trial.files["ranking"]
        output = read_ranking(ranking, evaluation.engine.corpus)
        table = evaluation.scorer.score(trial.configuration, output)
        write_tables(evaluation, trial.configuration, output, table)


def _rescored(study: Study, trial: TrialRecord, evaluation: Evaluation) -> TrialRecord:
    origin = {ORIGIN: {"study": study.name, "trial": trial.number}}
    if trial.state != "COMPLETE":
        return replace(trial, facts={**trial.facts, **origin})
    path = study.folder.path / trial.files["ranking"]
    output = read_ranking(path, evaluation.engine.corpus)
    try:
        record = _scored(trial, output, evaluation)
    except StoreError:
        raise
    except Exception as error:
        record = failure(trial.number, trial.configuration, error)
    return replace(record, draw=trial.draw, facts={**record.facts, **origin})


def _scored(trial: TrialRecord, output: RankedLists, evaluation: Evaluation) -> TrialRecord:
    scorer = evaluation.scorer
    table = scorer.score(trial.configuration, output)
    scores = {str(metric): scorer.mean(table, metric) for metric in scorer.metrics}
    known = {**trial.metrics, **scores}
    costs = {name: pair for name, pair in trial.intervals.items() if name not in scores}
    everything = known | {n: v for n, v in trial.timings.items() if isinstance(v, int | float)}
    values = tuple(value_of(goal, everything, scorer) for goal in evaluation.goals)
    critical = critical_facts(evaluation.critical, scorer, table)
    constraints = missed_bounds(evaluation, everything, critical)
    facts = {**trial.facts, "queries": len(scorer.judgements)}
    if critical:
        facts[FACT] = critical
    return replace(
        trial,
        values=values,
        metrics={name: value for name, value in known.items() if math.isfinite(value)},
        intervals=intervals_of(scorer, table) | costs,
        constraints=constraints,
        facts=facts,
        files=write_tables(evaluation, trial.configuration, output, table),
    )


def _confirm(
    study: Study, sibling: Study, evaluation: Evaluation, split: StudySplit, run: RunFile | None
) -> None:
    """Look at the confirm set, if the study had come so far; earlier looks count."""
    tried = len({trial.fingerprint for trial in sibling.trials})
    finished = tried >= int(sibling.about["planned"])
    kept = bool(split.confirm) and SAMPLE not in sibling.about  # a search does not look at it
    if kept and len(sibling.goals) == 1 and finished:
        carry_looks(study.folder.confirm, sibling.folder.confirm)
        confirm(sibling, evaluation, split.confirm, run=run)


def _introduce(study: Study, sibling: Study, labels: Labelled, report: Report) -> None:
    """Write what the sibling is about where the dashboard shows it."""
    facts = study.optuna_storage.get_study_user_attrs(
        study.optuna_storage.get_study_id_from_name(study.name)
    )
    with carefully(report):
        attributes = DashboardAttributes(sibling.optuna_storage, sibling.name)
        for fact, text in facts.items():
            if fact != ABOUT and isinstance(text, str):
                attributes.write_fact(fact, text)
        count = f"{len(labels.added):,} added to those of the corpus"
        attributes.write_fact("labels", f"{count}; scored again from {root_name(study)}")
