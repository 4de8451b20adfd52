"""A storage that waits for what passes, writes nothing twice, and says what is wrong."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import optuna
import pytest
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState, create_trial

from sweep.errors import StorageError, StudyError
from sweep.study.storage.faults import Fault
from sweep.study.storage.patient import PATIENCE_S, UNTOLD_S, PatientStorage, patiently
from sweep.study.storage.storage import open_storage


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[PatientStorage]:
    opened = open_storage(str(tmp_path / "x.db"), create=True)
    yield opened
    opened.engine.dispose()


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that were asked for, on a clock that nothing else moves; none is made."""
    made: list[float] = []
    monkeypatch.setattr(time, "sleep", made.append)  # Optuna's too
    clock = SimpleNamespace(sleep=made.append, monotonic=lambda: sum(made))
    monkeypatch.setattr("sweep.study.storage.patient.time", clock)
    return made


def trial(number: int = 0, **attributes: Any) -> FrozenTrial:
    return create_trial(
        state=TrialState.COMPLETE, value=0.5, user_attrs={"number": number, **attributes}
    )


def failing(fault: Fault, times: int) -> Callable[[], int]:
    """Return an action that fails some times and then returns how often it was called."""
    calls = 0

    def action() -> int:
        nonlocal calls
        calls += 1
        if calls <= times:
            raise fault
        return calls

    return action


def test_what_passes_is_waited_for_and_told(pauses: list[float]) -> None:
    told: list[str] = []
    action = failing(Fault("away", "connection refused"), 8)
    assert patiently(action, "x.db", tell=told.append) == 9
    assert told == [
        "the storage does not answer (connection refused); it is tried again for 300 s",
        "the storage answers again",
    ]
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_patience_ends(pauses: list[float]) -> None:
    storage = "postgresql://user:secret-word@host/db"
    told: list[str] = []
    with pytest.raises(StorageError) as caught:
        patiently(failing(Fault("away", "gone, secret-word"), 1000), storage, tell=told.append)
    assert sum(pauses) == pytest.approx(PATIENCE_S["away"])
    assert len(told) == 1
    assert str(caught.value) == (
        "storage: its server must answer, got 'postgresql://user:***@host/db' (gone, ***). See "
        "that it runs, and that host and port are right."
    )


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault("full", "database or disk is full"), "must have room to grow"),
        (Fault("read-only", "attempt to write a readonly database"), "must be writable"),
        (Fault("broken", "database disk image is malformed"), "must be reachable and sound"),
    ],
)
def test_what_does_not_pass_is_told_at_once(fault: Fault, told: str) -> None:
    with pytest.raises(StorageError, match=told):
        patiently(failing(fault, 1), "x.db")


def test_nobody_waits_long_for_what_is_not_told(pauses: list[float]) -> None:
    storage_away = failing(Fault("away", "connection refused"), 10_000)
    with pytest.raises(StorageError, match="its server must answer"):
        patiently(storage_away, "x.db")
    assert sum(pauses) == pytest.approx(UNTOLD_S)
    assert PATIENCE_S["away"] > UNTOLD_S


def test_a_server_that_was_never_there_is_not_waited_for() -> None:
    with pytest.raises(StorageError, match="its server must answer"):
        patiently(failing(Fault("away", "connection refused"), 1), "x.db", waits=False)


def break_after(storage: PatientStorage, name: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a write be done and its answer be lost, once; return a list that counts the writes."""
    done: list[int] = []
    write = getattr(storage._inner, name)

    def lossy(*arguments: Any, **options: Any) -> Any:
        result = write(*arguments, **options)
        done.append(1)
        if len(done) == 1:
            raise Fault("away", "the connection broke")
        return result

    monkeypatch.setattr(storage._inner, name, lossy)
    return done


def break_before(storage: PatientStorage, name: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let a write fail before it is done, once; return a list that counts the writes."""
    done: list[int] = []
    write = getattr(storage._inner, name)
    failures = [Fault("away", "the connection broke")]

    def lossy(*arguments: Any, **options: Any) -> Any:
        if failures:
            raise failures.pop()
        done.append(1)
        return write(*arguments, **options)

    monkeypatch.setattr(storage._inner, name, lossy)
    return done


def test_a_trial_whose_answer_was_lost_is_not_written_again(
    storage: PatientStorage, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    study.add_trial(trial(0))
    done = break_after(storage, "create_new_trial", monkeypatch)
    study.add_trial(trial(1, nested={"b": [1, 2.5], "a": None}))
    study.add_trial(trial(2))
    assert len(done) == 2
    assert [t.user_attrs["number"] for t in study.trials] == [0, 1, 2]


def test_a_trial_that_only_looks_the_same_to_people_is_written(
    storage: PatientStorage, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    one, other = (trial(0) for _ in range(2))
    one.system_attrs["record"], other.system_attrs["record"] = {"s": 0.1}, {"s": 0.2}
    study.add_trial(one)
    done = break_before(storage, "create_new_trial", monkeypatch)
    study.add_trial(other)
    assert len(done) == 1
    assert [t.system_attrs["record"]["s"] for t in study.trials] == [0.1, 0.2]


def test_a_study_whose_answer_was_lost_is_ours(
    storage: PatientStorage, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    break_after(storage, "create_new_study", monkeypatch)
    study = optuna.create_study(study_name="s", storage=storage)
    assert study.study_name == "s"
    with pytest.raises(optuna.exceptions.DuplicatedStudyError):
        storage.create_new_study([StudyDirection.MINIMIZE], "s")


def test_a_deletion_whose_answer_was_lost_is_done(
    storage: PatientStorage, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    optuna.create_study(study_name="s", storage=storage)
    break_after(storage, "delete_study", monkeypatch)
    optuna.delete_study(study_name="s", storage=storage)
    assert storage.get_all_studies() == []


def test_a_check_precedes_every_write_and_no_read(storage: PatientStorage) -> None:
    study = optuna.create_study(study_name="s", storage=storage)

    def refuse() -> None:
        raise StudyError("not any more")

    storage.check = refuse
    assert study.get_trials() == []
    for write in (lambda: study.add_trial(trial()), lambda: study.set_user_attr("a", 1)):
        with pytest.raises(StudyError, match="not any more"):
            write()
    storage.check = None
    assert study.get_trials() == []


def test_attributes_that_somebody_else_wrote_are_noticed(storage: PatientStorage) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    study.set_user_attr("sweep", {"turn": 1, "axes": {"a": (1, 2.5)}})
    assert storage.is_as_written()
    other = open_storage(storage.storage)
    optuna.load_study(study_name="s", storage=other).set_user_attr("sweep", {"turn": 2})
    assert not storage.is_as_written()


def test_a_study_that_is_deleted_meanwhile_is_told(storage: PatientStorage) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    other = open_storage(storage.storage)
    optuna.delete_study(study_name="s", storage=other)
    for write in (lambda: study.add_trial(trial()), lambda: study.set_user_attr("a", 1)):
        with pytest.raises(StudyError, match=r"the study must stay in '.*x\.db' while it runs"):
            write()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_database_that_is_removed_or_replaced_is_told(
    storage: PatientStorage, tmp_path: Path, replaced: bool
) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    path = tmp_path / "x.db"
    path.unlink()
    if replaced:
        open_storage(str(path), create=True)
    with pytest.raises(StudyError, match="must stay where it is while a study runs"):
        study.add_trial(trial())


def test_a_full_disk_is_told_at_once(storage: PatientStorage, pauses: list[float]) -> None:
    """SQLite says the same of a database that has reached its number of pages."""
    study = optuna.create_study(study_name="s", storage=storage)
    with storage.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")

    def fill() -> None:
        for number in range(100):
            study.add_trial(trial(number, text="x" * 4000))

    with pytest.raises(StorageError, match=r"must have room to grow, .*database or disk is full"):
        fill()
    assert pauses == [], "Optuna's own blind retries sleep"
    finished = optuna.load_study(study_name="s", storage=open_storage(storage.storage)).trials
    assert [t.user_attrs["number"] for t in finished] == list(range(len(finished)))
    assert all(t.state == TrialState.COMPLETE for t in finished)


@pytest.fixture
def locked(tmp_path: Path, storage: PatientStorage) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    yield connection
    connection.close()


def test_a_locked_database_is_waited_for(
    storage: PatientStorage, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    with storage.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    locked.execute("BEGIN IMMEDIATE")
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            locked.execute("COMMIT")

    monkeypatch.setattr("sweep.study.storage.patient.time.sleep", pause)
    study.add_trial(trial())
    assert len(pauses) == 3
    assert len(study.trials) == 1


def test_a_database_that_stays_locked_is_told(
    storage: PatientStorage, locked: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = optuna.create_study(study_name="s", storage=storage)
    with storage.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    locked.execute("BEGIN IMMEDIATE")
    monkeypatch.setitem(PATIENCE_S, "busy", 0.1)
    with pytest.raises(StorageError, match="must be free to be written, .*database is locked"):
        study.add_trial(trial())
    assert study.trials == []
