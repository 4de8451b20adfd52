"""The studies of a storage, one line each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna

from sweep.study.folder import default_storage
from sweep.study.labels.added_labels import LABELS
from sweep.study.naming import next_name
from sweep.study.quick_look import SAMPLE
from sweep.study.storage.recency import recency
from sweep.study.storage.storage import open_storage
from sweep.study.study import abouts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySummary:
    """One line of `sweep studies`."""

    name: str
    objectives: tuple[str, ...]
    trials: int
    corpus: str
    last_run: str
    sample: dict[str, int] | None = None  # of a search on one: `documents`, `of`


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierStudies:
    """Studies over what a corpus folder held before; they stay as they are.

    Attributes:
        names: the studies, the one that was run last first.
        next_name: the study over what the folder holds now, or a free name for one.
    """

    names: tuple[str, ...]
    next_name: str


def earlier_studies(folder: Path, content: str, *, name: str) -> EarlierStudies | None:
    """Return the studies over other content of a corpus folder; None where there are none.

    Args:
        folder: the corpus folder.
        content: the hash of what it holds now.
        name: that a run gives its study where none is named.
    """
    if not Path(default_storage()).is_file():
        return None
    abouts = abouts_of(open_storage(default_storage()))
    names = [
        known
        for known, about in sorted(abouts.items(), key=lambda a: recency(a[1]), reverse=True)
        if about.get("corpus_folder") == str(folder.resolve()) and _content(about) != content
    ]
    if not names:
        return None
    going_on = [
        known
        for known, about in sorted(abouts.items(), key=lambda a: recency(a[1]), reverse=True)
        if about.get("corpus_folder") == str(folder.resolve())
        and LABELS not in about
        and _content(about) == content
    ]
    free = name if name not in abouts else next_name(name, abouts)
    return EarlierStudies(names=tuple(names), next_name=going_on[0] if going_on else free)


def _content(about: dict[str, Any]) -> str:
    """Return the hash of a study's corpus, without labels that were added to it."""
    return str(about.get(LABELS, {}).get("corpus", about["identity"]["corpus"]))


def list_studies(storage: str | None = None) -> list[StudySummary]:
    """Return the studies of a storage, the one that was run last first."""
    opened = open_storage(storage or default_storage())
    counts = {
        summary.study_name: summary.n_trials
        for summary in optuna.get_all_study_summaries(opened, include_best_trial=False)
    }
    abouts = abouts_of(opened)
    return [
        StudySummary(
            name=name,
            objectives=tuple(o["metric"] for o in about["identity"]["objectives"]),
            trials=counts.get(name, 0),
            corpus=str(about.get("corpus_name")),
            last_run=str(about.get("last_run")),
            sample=_extent(about),
        )
        for name, about in sorted(abouts.items(), key=lambda a: recency(a[1]), reverse=True)
    ]


def _extent(about: dict[str, Any]) -> dict[str, int] | None:
    facts = about.get(SAMPLE)
    return None if facts is None else {name: int(facts[name]) for name in ("documents", "of")}
