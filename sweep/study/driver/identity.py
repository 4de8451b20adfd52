"""What makes a study this study; a resumed run must agree with it."""

import json
import re
import shlex
from typing import Any

from sweep.engine.store.store import write_whole
from sweep.errors import StudyError
from sweep.records import Corpus
from sweep.study.folder import StudyFolder
from sweep.study.labels.added_labels import MARK
from sweep.study.metrics import METRICS_VERSION, goals_of
from sweep.study.naming import next_name
from sweep.study.ownership import add_owner, is_foreign, other_owners, owners, storage_name
from sweep.study.quick_look import SUFFIX
from sweep.study.space.search_space import BaselineRun, SearchSpace, compare_axes
from sweep.study.space.space_file import NAME_PATTERN
from sweep.study.storage.patient import PatientStorage

FEW = 3  # differences that an error spells out


def check_name(name: str) -> None:
    """Refuse a name that no run may give its study.

    Raises: StudyError; of a name `NAME@HASH` it says what such a study is.
    """
    if re.fullmatch(NAME_PATTERN, name) is not None:
        return
    advice = "Rename it."
    if MARK in name:
        advice = (
            f"NAME{SUFFIX} is the search of a quick look: run NAME. A study "
            f"NAME{MARK}HASH holds the trials of NAME, scored again under added labels "
            f"(`sweep pool NAME --apply FILE`): nothing is run in it. Choose another name."
        )
    raise StudyError(f"--study: must have no slash, colon or @, got {name!r}. {advice}")


def study_identity(space: SearchSpace, corpus: Corpus, precision: str) -> dict[str, Any]:
    """Return one JSON-ready entry per thing that must not change between runs of a study."""
    identity = space.identity()
    identity["objectives"] = [
        {"metric": goal.name, "direction": "maximize" if goal.maximize else "minimize"}
        for goal in goals_of(space)
    ]
    return {
        **identity,
        "corpus": corpus.hash,
        "metrics version": METRICS_VERSION,
        "precision": precision,
    }


def check_identity(
    name: str,
    old: dict[str, Any],
    new: dict[str, Any],
    *,
    axes: tuple[Any, Any],
    space: SearchSpace,
    storage: PatientStorage,
) -> None:
    """Refuse to go on with a study that was begun with something else.

    Args:
        name: of the study.
        old: what it was begun with.
        new: what it would go on with.
        axes: every value of every parameter, old and new.
        space: the search space; its file is named in the command that starts another study.
        storage: whose studies have names that the other one cannot have.

    Raises: StudyError that names every entry that differs and how to start another study.
    """
    lines = []
    for entry in dict.fromkeys((*new, *old)):
        if old.get(entry) == new.get(entry):
            continue
        if entry == "configurations":
            if _kind(old) != _kind(new):
                continue  # the sampler's line says it
            order = "" if _kind(new) == "grid" else "the order of values, "
            changed = compare_axes(*axes) or [f"{order}exclude or folding changed"]
            lines += [f"the space differs ({line})" for line in changed]
        elif entry == "corpus":
            lines.append(f"the corpus differs (was {_short(old)}, is {_short(new)})")
        elif entry == "baseline" and isinstance(space.baseline, BaselineRun):
            told = _run_difference(old.get(entry), new[entry])
            lines.append(f"the baseline {space.baseline.path.name} differs ({told})")
        else:
            lines.append(f"{entry} differs ({_difference(old.get(entry), new.get(entry))})")
    if len(lines) > FEW:
        lines = [*lines[:FEW], f"and {len(lines) - FEW} more"]
    if lines:
        taken = {known.study_name.removesuffix(SUFFIX) for known in storage.get_all_studies()}
        other = next_name(name.removesuffix(SUFFIX), taken)
        command = shlex.join(["sweep", "run", str(space.path), "--study", other])
        raise StudyError(
            f"study {name!r}: must go on with what it began with, got: {'; '.join(lines)}. Start "
            f"another: {command} (what is already computed is reused, of a changed corpus for "
            f"the texts that are the same; {name!r} stays as it is)."
        )


def _kind(identity: dict[str, Any]) -> Any:
    return identity.get("sampler", {}).get("kind")


def _run_difference(old: Any, new: dict[str, str]) -> str:
    """Return how a baseline that is a run file differs from what was the baseline."""
    if not isinstance(old, dict) or "run" not in old:
        return "the study was begun without it"
    return f"its content was {old['run'][:12]}, is {new['run'][:12]}"


def _difference(old: Any, new: Any) -> str:
    """Return what differs; of two mappings only the entries that do."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
        return ", ".join(f"{name}: was {old.get(name)}, is {new.get(name)}" for name in names)
    return f"was {old}, is {new}"


def claim_folder(
    folder: StudyFolder, name: str, identity: dict[str, Any], storage: PatientStorage
) -> None:
    """Make a new study the owner of its folder.

    Studies of one name in two storages would share `results/<name>/` and overwrite each other's
    tables. A folder that was begun with the same things holds what this study would write, and
    one without tables was left by a process that was killed while it began a study.

    Raises: StudyError if the folder is another study's.
    """
    check_folder(folder, name, identity)
    others = other_owners(folder, storage) if folder.trials.exists() else ()
    if others and storage_name(storage, folder.path) not in owners(folder) and storage.tell:
        storage.tell(
            f"{folder.path} is shared from now on with study {name!r} in {', '.join(others)}, "
            f"which began with the same things: its tables are used"
        )
    write_whole(folder.identity, _to_bytes(identity))
    add_owner(folder, storage)


def check_folder(folder: StudyFolder, name: str, identity: dict[str, Any]) -> None:
    """Refuse a folder that is another study's (see `claim_folder`); nothing is written."""
    if is_foreign(folder, identity):
        known = owners(folder)
        recorded = f" (recorded in {', '.join(known)})" if known else ""
        rename = "" if MARK in name else "Choose another name with --study NAME. "
        raise StudyError(
            f"study {name!r}: its folder must be its own, got {folder.path} with the tables of "
            f"another study of that name{recorded}. {rename}If that study is gone, remove the "
            f"folder."
        )


def _to_bytes(identity: dict[str, Any]) -> bytes:
    return json.dumps(identity, sort_keys=True, ensure_ascii=False).encode()


def _short(identity: dict[str, Any]) -> str:
    return str(identity.get("corpus"))[:12]
