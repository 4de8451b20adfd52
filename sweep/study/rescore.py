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
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import optuna

from sweep.corpus.labels import Pair, hash_labels, join_labels
from sweep.engine.measure.report import Report
from sweep.engine.stages.scoring import Scorer
from sweep.engine.store.store import write_whole
from sweep.errors import StoreError, StudyError
from sweep.metrics import parse_metric
from sweep.records import Corpus
from sweep.study.added_labels import LABELS, MARK, added_labels, corpus_in_folder, root_name
from sweep.study.dashboard.attributes import DashboardAttributes
from sweep.study.dashboard.showcase import carefully, show_ended
from sweep.study.document_lists import evaluation_of
from sweep.study.driver.confirm import carry_looks, confirm
from sweep.study.driver.critical import CriticalQueries, critical_facts, critical_queries
from sweep.study.driver.evaluate import (
    Evaluation,
    intervals_of,
    missed_by,
    value_of,
    write_tables,
)
from sweep.study.driver.identity import claim_folder
from sweep.study.driver.opening import begin_study
from sweep.study.driver.restore import clear_halves
from sweep.study.driver.split import StudySplit, study_split
from sweep.study.folder import study_folder
from sweep.study.label_files import label_lines
from sweep.study.metrics import label_range, with_standard
from sweep.study.record import distributions, failure, to_optuna
from sweep.study.reopen import engine_over
from sweep.study.space.expression import Constraint, parse_constraint
from sweep.study.space.read import read_space
from sweep.study.space.search_space import Split
from sweep.study.storage.lock import running
from sweep.study.storage.recency import stamp
from sweep.study.study import ABOUT, Study, abouts_of
from sweep.study.tables import read_ranking
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
        folder = study_folder(name)
        clear_halves(folder.path)
        sibling = _open(study, name, labels)
        evaluation = Evaluation(
            engine=engine,
            scorer=_scorer(study, engine.texts, split),
            goals=study.goals,
            constraints=_constraints(study),
            critical=_critical(study, engine.corpus),
            folder=folder,
        )
        with report.run(name, int(study.about["planned"])):
            _score_trials(study, sibling, evaluation)
        opened = Study(name, study.storage)
        _confirm(study, opened, evaluation, split)
        opened = Study(name, study.storage)
        opened.engine = engine
        _introduce(study, opened, labels, report)
        show_ended(opened, labels.corpus, report)
    return opened


def _open(study: Study, name: str, labels: Labelled) -> optuna.Study:
    """Return the sibling in the storage, begun or found, and the one that was run last."""
    storage, folder = study.optuna_storage, study_folder(name)
    identity = {**study.about["identity"], "corpus": labels.corpus.hash}
    claim_folder(folder, name, identity)
    write_whole(folder.labels, label_lines(labels.added))
    if study.folder.space.is_file():
        write_whole(folder.space, study.folder.space.read_bytes())
    abouts = abouts_of(storage)
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


def _scorer(study: Study, texts: Any, split: StudySplit) -> Scorer:
    evaluation, corpus = evaluation_of(study), texts.corpus
    names = [str(c.metric) for c in _constraints(study)] + list(study.about.get("metrics", []))
    names += [c.must.constraint.metric for c in _critical(study, corpus)]
    metrics = [*(goal.metric for goal in study.goals), *map(parse_metric, names)]
    return Scorer(
        texts,
        with_standard(metrics, corpus),
        split.search,
        relevance=evaluation.relevance,
        labels=label_range(evaluation, corpus),
        threshold=evaluation.span_threshold,
        span_rule=evaluation.span_rule,
    )


def _constraints(study: Study) -> tuple[Constraint, ...]:
    found = map(parse_constraint, study.about["identity"]["constraints"])
    return tuple(replace(one, metric=str(parse_metric(one.metric))) for one in found)


def _critical(study: Study, corpus: Corpus) -> tuple[CriticalQueries, ...]:
    """Return the study's critical slices, from its copy of the space file."""
    if not study.about["identity"].get("must"):
        return ()
    return critical_queries(read_space(study.folder.space), corpus)


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


def _scored(trial: TrialRecord, output: Any, evaluation: Evaluation) -> TrialRecord:
    scorer = evaluation.scorer
    table = scorer.score(trial.configuration, output)
    scores = {str(metric): scorer.mean(table, metric) for metric in scorer.metrics}
    known = {**trial.metrics, **scores}
    costs = {name: pair for name, pair in trial.intervals.items() if name not in scores}
    everything = known | {n: v for n, v in trial.timings.items() if isinstance(v, int | float)}
    values = tuple(value_of(goal, everything, scorer) for goal in evaluation.goals)
    constraints = {str(c): missed_by(c, everything[c.metric]) for c in evaluation.constraints}
    critical = critical_facts(evaluation.critical, scorer, table)
    for slice_, fact in zip(evaluation.critical, critical, strict=True):
        constraints[fact["must"]] = missed_by(slice_.must.constraint, fact["value"])
    return replace(
        trial,
        values=values,
        metrics={name: value for name, value in known.items() if math.isfinite(value)},
        intervals=intervals_of(scorer, table) | costs,
        constraints=constraints,
        facts={
            **trial.facts,
            "queries": len(scorer.judgements),
            **({FACT: critical} if critical else {}),
        },
        files=write_tables(evaluation, trial.configuration, output, table),
    )


def _confirm(study: Study, sibling: Study, evaluation: Evaluation, split: StudySplit) -> None:
    """Look at the confirm set, if the study had come so far; earlier looks count."""
    tried = len({trial.fingerprint for trial in sibling.trials})
    finished = tried >= int(sibling.about["planned"])
    if split.confirm and len(sibling.goals) == 1 and finished:
        carry_looks(study.folder.confirm, sibling.folder.confirm)
        confirm(sibling, evaluation, split.confirm)


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
