"""The report of a study: gathers what it is made of, and writes it."""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import sweep
from sweep.engine.measure.report import Report as Progress
from sweep.errors import StudyError, SweepError
from sweep.study.board import board_of
from sweep.study.diagnosis.diagnosis import diagnose
from sweep.study.driver.confirm import count_looks
from sweep.study.insight.insight import metric_scores, study_curves, study_insight, top_k_effects
from sweep.study.insight.slices import slices_of
from sweep.study.labels.added_labels import finishing
from sweep.study.quick_look import quick_look_of
from sweep.study.reopen import reopen
from sweep.study.study import Study
from sweep.study.verdict import named_storage, verdict_of
from sweep.trials import TrialRecord, json_ready
from sweep.winner.answer import Answer
from sweep.winner.diagnosis.diagnosis import Diagnosis
from sweep.winner.front import Front
from sweep.winner.insight.slices import StudySlices
from sweep.winner.report.build import build_report
from sweep.winner.report.content import Report
from sweep.winner.report.html import to_html
from sweep.winner.report.markdown import to_markdown
from sweep.winner.report.material import Insights, Material, Origin

WORST = 5  # queries that are shown as examples
Format = Literal["html", "md", "json"]


def make_report(
    study: Study, *, store: Path | None = None, progress: Progress | None = None
) -> Report:
    """Return everything that is to be said of a study; that nothing can be recommended, too.

    Args:
        study: with a trial.
        store: folder of reusable stage outputs; None = the default.
        progress: told what is worked on.

    Raises: StudyError if no configuration of the study has been evaluated, nor has failed.
    """
    if not study.trials:
        raise StudyError(
            f"study {study.name!r}: must have a trial to report on, got none yet. Let "
            f"{finishing(study)} go on."
        )
    progress = progress or Progress()
    if study.engine is None:
        with suppress(SweepError):  # what needs it says why there is none
            study.engine = reopen(study, store=store, report=progress)
    found: Answer | Front | None = None
    reason = ""
    try:
        found = study.front() if len(study.goals) > 1 else study.answer()
    except SweepError as error:
        reason = str(error)
    verdict = verdict_of(study)
    diagnosis, no_diagnosis = _diagnosis(study, found, store, progress)
    return build_report(
        Material(
            study=study.name,
            found=found,
            reason=reason,
            board=board_of(study.complete, study.goals, verdict),
            failed=_failed(study),
            counts=study.counts(),
            losses=verdict.losses,
            explanation=_explanation(study, store, progress),
            slices=_slices(study) if isinstance(found, Answer) else None,
            diagnosis=diagnosis,
            no_diagnosis=no_diagnosis,
            origin=_origin(study),
            sample=quick_look_of(study),
        )
    )


def render(report: Report, how: Format) -> str:
    """Return the report as a file holds it."""
    if how == "html":
        return to_html(report)
    if how == "md":
        return to_markdown(report)
    return json.dumps(json_ready(report.to_json()), ensure_ascii=False, indent=2) + "\n"


def _failed(study: Study) -> tuple[TrialRecord, ...]:
    """Return the last failed trial of every configuration that has no finished one."""
    done = {trial.fingerprint for trial in study.complete}
    last = {t.fingerprint: t for t in study.trials if t.fingerprint not in done}
    return tuple(sorted(last.values(), key=lambda trial: trial.number))


def _explanation(study: Study, store: Path | None, progress: Progress) -> Insights | None:
    if not study.complete:
        return None
    try:
        found = study_insight(study)
        curves, reason = study_curves(study, store=store, report=progress)
        scores = metric_scores(study, study.complete, found.metric)
    except SweepError:  # a table is gone, which the answer tells
        return None
    return Insights(
        effects=found.effects,
        top_k=top_k_effects(study.complete, scores),
        interactions=found.interactions,
        effort=found.effort,
        importance=found.importance.shares,
        importance_method=found.importance.method,
        curves=curves,
        no_curves=reason,
    )


def _slices(study: Study) -> StudySlices | None:
    try:
        return slices_of(study)
    except SweepError:  # the corpus has gone, which the diagnosis tells
        return None


def _diagnosis(
    study: Study, found: Answer | Front | None, store: Path | None, progress: Progress
) -> tuple[Diagnosis | None, str]:
    """Return the diagnosis of the trial to use, or of the first of the front; else why not."""
    if found is None:
        return None, ""
    trial = found.trial if isinstance(found, Answer) else found.trials[0]
    try:
        engine = study.engine or reopen(study, store=store, report=progress)
        return diagnose(study, trial, engine, worst=WORST), ""
    except SweepError as error:
        return None, str(error)


def _origin(study: Study) -> Origin:
    about: Mapping[str, Any] = study.about
    identity: Mapping[str, Any] = about["identity"]
    path = study.folder.space
    return Origin(
        corpus=str(about["corpus_name"]),
        corpus_hash=str(identity["corpus"]),
        corpus_folder=str(about["corpus_folder"]),
        split=about.get("split", {}),
        sampler=identity.get("sampler", {}),
        constraints=tuple(identity.get("constraints", ())),
        evaluation=identity.get("evaluation", {}),
        metrics_version=int(identity.get("metrics version", 0)),
        tokenizer=str(about["tokenizer"]),
        precision=str(identity["precision"]),
        space=path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None,
        space_path=path.as_posix(),
        made_with=about.get("made_with", {}),
        last_run=str(about.get("last_run")),
        looks=count_looks(study.folder.confirm),
        storage=named_storage(study),
        version=sweep.__version__,
    )
