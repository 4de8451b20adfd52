"""Optuna's storage with patience: it outlasts a restart of its server, and writes nothing twice.

What fails for a reason that passes (a server that restarts, a database that another program has
locked) is tried again for a bounded time. A write whose outcome is unknown, because the connection
broke, is looked for before it is written again. Whatever else fails ends in one sentence.
"""

import itertools
import json
import re
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import optuna
from optuna.exceptions import DuplicatedStudyError, StorageInternalError
from optuna.storages import BaseStorage, RDBStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial
from sqlalchemy.exc import SQLAlchemyError

from sweep.errors import StorageError, StudyError
from sweep.study.storage.address import shown, without_secrets
from sweep.study.storage.faults import Fault, Kind, as_fault, own_words
from sweep.study.storage.open_files import processes_with

T = TypeVar("T")
PATIENCE_S: dict[Kind, float] = {"away": 300.0, "busy": 60.0}  # a managed server fails over in 1-2
UNTOLD_S = 20.0  # where nobody is told what is waited for
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 5.0


def patiently(
    action: Callable[[], T],
    storage: str,
    *,
    again: Callable[[], T] | None = None,
    waits: bool = True,
    tell: Callable[[str], None] | None = None,
) -> T:
    """Return what an action on a database returns, trying again what may pass.

    Args:
        action: raises Fault for what may pass.
        storage: path or URL, for messages.
        again: what is done from the second time on; None = the same.
        waits: whether to try again at all.
        tell: told when waiting begins and ends; without it patience is short.

    Raises: StorageError when patience is at its end, or at once for what does not pass.
    """
    start, pause, told = time.monotonic(), FIRST_PAUSE_S, False
    for attempt in itertools.count():
        try:
            result = _translated(again if attempt and again else action, storage)
        except Fault as fault:
            patience = PATIENCE_S.get(fault.kind, 0.0) if waits else 0.0
            patience = patience if tell else min(patience, UNTOLD_S)
            left = start + patience - time.monotonic()
            if left <= 0:
                raise storage_error(fault.kind, str(fault), storage) from fault
            if tell and not told:
                told = True
                tell(_waiting(fault, storage, patience))
            time.sleep(min(pause, left))
            pause = min(2 * pause, LONGEST_PAUSE_S)
        else:
            if tell and told:
                tell("the storage answers again")
            return result
    raise AssertionError("the loop has no end")


def _translated(action: Callable[[], T], storage: str) -> T:
    try:
        return action()
    except (StorageInternalError, SQLAlchemyError) as error:
        if fault := as_fault(error):
            raise fault from error
        words = own_words(error.__cause__ or error)
        raise storage_error("broken", words, storage) from error


def _waiting(fault: Fault, storage: str, patience: float) -> str:
    words = without_secrets(str(fault), storage)
    return f"the storage does not answer ({words}); it is tried again for {patience:g} s"


def storage_error(kind: Kind, words: str, storage: str) -> StorageError:
    """Return the error that says what is wrong with a storage and what to do."""
    name, words = shown(storage), without_secrets(words, storage)
    if kind == "away":
        rule, advice = (
            "its server must answer",
            "See that it runs, and that host and port are right",
        )
    elif kind == "busy":
        holders = "" if "://" in storage else " or ".join(processes_with(Path(storage)))
        rule, advice = "must be free to be written", f"End {holders or 'what else writes to it'}"
    elif kind == "full":
        rule, advice = "must have room to grow", "Free some space"
    elif kind == "read-only":
        rule, advice = "must be writable", "Mend that, or name another with --storage"
    else:
        rule, advice = "must be reachable and sound", _advice(words)
    return StorageError(f"storage: {rule}, got {name!r} ({words}). {advice}.")


def _advice(words: str) -> str:
    if "disk I/O error" in words:  # SQLite's shared memory file finds no room, for one
        return "Check the disk and its free space, or name another with --storage"
    if re.search("authentication failed|no password|no pg_hba", words):
        return "Check the user, and the password in the URL, in PGPASSWORD or in ~/.pgpass"
    if re.search("database .* does not exist", words):
        return "Make it with createdb, or name another with --storage"
    if "permission denied" in words:
        return "Let the user make and write tables there, for example GRANT CREATE ON SCHEMA"
    return "Mend that, or name another with --storage"


def _asking(name: str) -> Callable[..., Any]:
    def method(self: "PatientStorage", *args: Any, **kwargs: Any) -> Any:
        return self.ask(name, *args, **kwargs)

    return method


_INTERFACE = (
    *BaseStorage.__abstractmethods__,  # every method of Optuna's interface
    "get_trial_id_from_study_id_trial_number",
    "get_best_trial",
    "remove_session",
)
_WRITES = ("create_", "set_", "delete_")
_Asking: Any = type("_Asking", (BaseStorage,), {name: _asking(name) for name in _INTERFACE})


class PatientStorage(_Asking):  # type: ignore[misc]
    """A storage for Optuna in a database, with patience.

    Args:
        rdb: the database; its engine raises Fault (`tell_faults_apart`).
        storage: path or URL, for messages.
        path: the file of an SQLite database; None = a server.

    Attributes:
        tell: told when the storage has to be waited for.
        check: raises SweepError, or Fault, when nothing may be written any more.
    """

    def __init__(self, rdb: RDBStorage, storage: str, *, path: Path | None) -> None:
        self._inner = optuna.storages.get_storage(rdb)  # with Optuna's cache
        self._written: dict[tuple[int, str], Any] = {}
        self.engine = rdb.engine
        self.storage = storage
        self.path = path
        self.tell: Callable[[str], None] | None = None
        self.check: Callable[[], None] | None = None
        weakref.finalize(self, rdb.engine.dispose)

    def ask(self, name: str, *args: Any, again: Callable[[], Any] | None = None, **kw: Any) -> Any:
        """Call a method of the storage beneath.

        Args:
            name: of the method.
            *args: its arguments.
            again: what is done instead where the first call failed for a reason that passes.
            **kw: its keyword arguments.
        """
        writes = name.startswith(_WRITES)

        def checked(action: Callable[[], T]) -> T:
            if writes and self.check is not None:
                self.check()
            return action()

        def call() -> Any:
            return getattr(self._inner, name)(*args, **kw)

        return patiently(
            lambda: checked(call),
            self.storage,
            again=None if again is None else lambda: checked(again),
            tell=self.tell,
        )

    def create_new_study(
        self, directions: Sequence[StudyDirection], study_name: str | None = None
    ) -> int:
        """Make a study; one of that name that is there after a broken connection is ours."""

        def again() -> Any:
            try:
                return self._inner.create_new_study(directions, study_name)
            except DuplicatedStudyError:
                assert study_name is not None
                return self._inner.get_study_id_from_name(study_name)

        return int(self.ask("create_new_study", directions, study_name, again=again))

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        """Write a trial, once.

        Raises: StudyError if the study is gone.
        """

        def again() -> Any:
            found = self._find(study_id, template_trial)
            if found is not None:
                return found
            return self._inner.create_new_trial(study_id, template_trial)

        try:
            return int(self.ask("create_new_trial", study_id, template_trial, again=again))
        except KeyError as error:
            raise self._study_gone() from error

    def _find(self, study_id: int, wanted: FrozenTrial | None) -> int | None:
        """Return the id of a trial with the same attributes: ours carry times, none is twice.

        One that is found may have more: what was linked to it since.
        """
        if wanted is None or not wanted.user_attrs | wanted.system_attrs:
            return None
        for trial in reversed(self._inner.get_all_trials(study_id, deepcopy=False)):
            if _holds(trial.user_attrs, wanted.user_attrs) and _holds(
                trial.system_attrs, wanted.system_attrs
            ):
                return self._inner.get_trial_id_from_study_id_trial_number(study_id, trial.number)
        return None

    def delete_study(self, study_id: int) -> None:
        """Delete a study; one that is gone after a broken connection was deleted."""

        def again() -> None:
            with suppress(KeyError):
                self._inner.delete_study(study_id)

        self.ask("delete_study", study_id, again=again)

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:
        """Write an attribute of a study.

        Raises: StudyError if the study is gone.
        """
        try:
            self.ask("set_study_user_attr", study_id, key, value)
        except KeyError as error:
            raise self._study_gone() from error
        self._written[study_id, key] = _json(value)

    def is_as_written(self) -> bool:
        """Return whether the attributes of studies are still what was written here."""
        return all(
            _json(self._inner.get_study_user_attrs(study_id).get(key)) == value
            for (study_id, key), value in self._written.items()
        )

    def _study_gone(self) -> StudyError:
        return StudyError(
            f"storage: the study must stay in {shown(self.storage)!r} while it runs, got it "
            f"deleted. Begin again: what is computed is reused."
        )


def _holds(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    return all(name in found and _json(found[name]) == _json(wanted[name]) for name in wanted)


def _json(content: Any) -> str:
    return json.dumps(content, sort_keys=True)
