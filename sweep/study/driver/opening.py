"""Opening the Optuna study that a run records into, and what it was begun with."""

import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import optuna

from sweep.configuration import Configuration
from sweep.errors import StudyError
from sweep.records import Corpus
from sweep.study.driver.draws import Recorded
from sweep.study.driver.identity import check_identity, claim_folder
from sweep.study.driver.split import StudySplit
from sweep.study.folder import study_folder
from sweep.study.metrics import Goal, goals_of, musts_of
from sweep.study.record import from_optuna
from sweep.study.space.search_space import SearchSpace
from sweep.study.storage.address import sqlite_path
from sweep.study.storage.server import check_server
from sweep.study.storage.storage import check_storage, open_storage
from sweep.study.study import ABOUT


def existing_storage(storage: str) -> Any:
    """Return Optuna's storage object, or None where no run has made a storage yet."""
    path = sqlite_path(storage)
    if path is None:
        return open_storage(storage) if check_server(storage) else None
    check_storage(storage)
    return open_storage(storage) if path.exists() and path.stat().st_size else None


def open_study(
    name: str,
    storage: Any,
    space: SearchSpace,
    identity: dict[str, Any],
    axes: dict[str, list[Any]],
) -> optuna.Study:
    """Return the study of a name: a new one, or one that was begun with the same things.

    Raises: StudyError if it was begun with something else, or is another program's.
    """
    study = find_study(name, storage, space, identity, axes)
    claim_folder(study_folder(name), name, identity, storage)
    if study is not None and ABOUT in study.user_attrs:
        return study
    if study is not None:  # a process was killed while it began the study
        optuna.delete_study(study_name=name, storage=storage)
    return begin_study(name, storage, goals_of(space))


def begin_study(name: str, storage: Any, goals: Sequence[Goal]) -> optuna.Study:
    """Return a new study with these objectives."""
    directions: list[Literal["minimize", "maximize"]] = [
        "maximize" if goal.maximize else "minimize" for goal in goals
    ]
    study = optuna.create_study(study_name=name, storage=storage, directions=directions)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.set_metric_names([goal.name for goal in goals])
    return study


def find_study(
    name: str,
    storage: Any,
    space: SearchSpace,
    identity: dict[str, Any],
    axes: dict[str, list[Any]],
) -> optuna.Study | None:
    """Return the study of a name that was begun with the same things, None if there is none.

    Raises: StudyError if it was begun with something else, or is another program's.
    """
    try:
        study = optuna.load_study(study_name=name, storage=storage)
    except KeyError:
        return None
    about = study.user_attrs.get(ABOUT)
    if about is None and (study.user_attrs or study.get_trials(deepcopy=False)):
        raise StudyError(
            f"study {name!r}: must be one of sweep's, got another program's study of that name. "
            f"Choose another with --study NAME."
        )
    if about is not None:
        both = (about["axes"], axes)
        check_identity(name, about["identity"], identity, axes=both, space=space, storage=storage)
    return study


def read_recorded(study: optuna.Study) -> Recorded:
    """Return the trials of a study."""
    records = (from_optuna(trial) for trial in study.get_trials(deepcopy=False))
    return Recorded(record for record in records if record is not None)


def describe(
    space: SearchSpace,
    identity: dict[str, Any],
    corpus: Corpus,
    corpus_folder: Path,
    split: StudySplit,
) -> dict[str, Any]:
    """Return what a study remembers of what it was begun with, JSON-ready."""
    baseline = space.baseline
    return {
        "identity": identity,
        "corpus_name": corpus.name,
        "corpus_folder": str(corpus_folder.resolve()),
        "baseline": baseline.fingerprint() if isinstance(baseline, Configuration) else None,
        "split": split.to_json(),
        "fold_groups": split.fold_groups(corpus),
        "must": [asdict(must) for must in musts_of(space)],
        "recommend": asdict(space.recommend),
        "tokenizer": space.tokenizer,
        "metrics": list(space.metrics),
    }
