"""What can be compared: a finished trial of a study, or a run file scored on its queries.

A side is written `12`, `recommended`, `best`, `baseline`, as a run file's path, or with the study
in front of it: `mine:12`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sweep.errors import StudyError
from sweep.metrics import parse_metric
from sweep.records import ScoreTable
from sweep.study.labels.added_labels import finishing
from sweep.study.metrics import label_range
from sweep.study.named import PICKS, named_trial, names_trial, require_finished
from sweep.study.reopen import study_corpus
from sweep.study.rules import evaluation_of
from sweep.study.run_file import computable, read_run_file, score_run_file
from sweep.study.study import Study
from sweep.study.tables import read_scores
from sweep.text_lines import shorten
from sweep.trials import TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """One of the two that are compared.

    Attributes:
        study: whose queries it is scored on.
        trial: the trial; None for a run file.
        run: what is known of a run file: `name`, `sha256`, `counts`; empty for a trial.
        table: scores per query, of the queries that choose.
        chosen: whether these queries chose it, so that its scores on them are flattered.
        notices: what should be known.
    """

    study: Study
    trial: TrialRecord | None = None
    run: Mapping[str, Any] = field(default_factory=dict)
    table: ScoreTable
    chosen: bool = False
    notices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return `#12`, or the run's file name."""
        return str(self.run["name"]) if self.trial is None else f"#{self.trial.number}"

    @property
    def label(self) -> str:
        """Return what it is, in a line."""
        if self.trial is not None:
            return f"{self.name} of {self.study.name}: {self.trial.configuration.label()}"
        return f"{self.name}: a run file, scored on the queries of {self.study.name}"

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        if self.trial is None:
            return {"study": self.study.name, "run": dict(self.run)}
        label = self.trial.configuration.label()
        return {
            "study": self.study.name,
            "number": self.trial.number,
            "configuration": label,
        }


def read_sides(
    texts: Sequence[str], *, study: str | None, storage: str | None, whole: bool = False
) -> tuple[Side, Side]:
    """Return the two sides that two texts name.

    Args:
        texts: two sides. One that names no study belongs to `study`, without that to the study of
            the other one, without that to the study that was run last.
        study: name of the study.
        storage: where studies are recorded.
        whole: a text without a colon names a study, and stands for what it recommends.

    Raises: SweepError if there is no such side.
    """
    if whole:
        texts = [text if ":" in text else f"{text}:recommended" for text in texts]
    pairs = [_split(text) for text in texts]
    named = [name for name, _ in pairs if name is not None]
    default = study or (named[0] if named else None)
    opened: dict[str | None, Study] = {}
    sides = []
    for name, what in pairs:
        key = name or default
        if key not in opened:
            opened[key] = Study(key, storage)
        sides.append(_read_side(opened[key], what))
    return sides[0], sides[1]


def _split(text: str) -> tuple[str | None, str]:
    """Return the study that a text names, if it does, and what of it."""
    name, colon, what = text.partition(":")
    if not colon or _is_file(text):
        return None, text
    if not name or not what:
        raise StudyError(
            f"compare: a side of a study is written STUDY:TRIAL, got {shorten(text)}. Write "
            "for example mine:12 or mine:recommended."
        )
    return name, what


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or a null character
        return False


def _read_side(study: Study, text: str) -> Side:
    if text == "baseline":
        return _baseline_side(study)
    if names_trial(text):
        return _trial_side(study, named_trial(study, text), chosen=text in PICKS)
    if _is_file(text):
        return _run_side(study, Path(text))
    raise StudyError(
        f"study {study.name!r}: a trial must be a number, recommended, best or baseline, or a run "
        f"file, got {shorten(text)}. See `sweep trials {study.name}`."
    )


def _trial_side(study: Study, trial: TrialRecord, *, chosen: bool = False) -> Side:
    require_finished(study, trial, to_be="compared")
    table = read_scores(study.folder.path / trial.files["scores"])
    return Side(study=study, trial=trial, table=table, chosen=chosen)


def _baseline_side(study: Study) -> Side:
    """Return the baseline, also one that violates a constraint."""
    if study.baseline_run is not None:
        run = {name: study.baseline_run[name] for name in ("name", "sha256", "counts")}
        return Side(study=study, run=run, table=read_scores(study.folder.baseline_scores))
    return _trial_side(study, named_trial(study, "baseline"))


def _run_side(study: Study, path: Path) -> Side:
    """Return a run file, scored as the trials of a study are, on their queries."""
    if not study.complete:
        raise StudyError(
            f"study {study.name!r}: must have a finished trial to compare with, got none yet. Let "
            f"{finishing(study)} go on."
        )
    trial = _trial_side(study, study.complete[0]).table
    corpus, rules = study_corpus(study), evaluation_of(study)
    run = read_run_file(path, corpus, trial.query_ids)
    table = score_run_file(
        run,
        corpus,
        [metric for name in trial.metrics if computable(metric := parse_metric(name))],
        trial.query_ids,
        relevance=rules.relevance,
        labels=label_range(rules, corpus),
    )
    facts = {"name": run.name, "sha256": run.sha256, "counts": dict(run.counts)}
    return Side(study=study, run=facts, table=table, notices=run.notices)
