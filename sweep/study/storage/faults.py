"""What goes wrong in a database, told apart: what passes by itself, and what a person must mend.

Optuna tries some writes again by itself, blindly: after a connection that broke during a commit it
would write the trial twice. So errors of these kinds leave the database engine as `Fault`, which
Optuna lets through.
"""

import re
import sqlite3
from typing import Literal

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, IntegrityError, InterfaceError, OperationalError

Kind = Literal["away", "busy", "full", "read-only", "broken"]
LONGEST_TEXT = 300  # characters of a database's own words that a message repeats

_SQLITE: dict[int, Kind] = {
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_IOERR: "broken",
    sqlite3.SQLITE_CORRUPT: "broken",
    sqlite3.SQLITE_CANTOPEN: "broken",
    sqlite3.SQLITE_NOTADB: "broken",
}
_SERVER: dict[str, Kind] = {  # SQLSTATE, or its class
    "08": "away",  # connection lost
    "57P": "away",  # shut down, crashed, starting
    "53300": "away",  # too many connections
    "25006": "away",  # read-only: a standby that takes over
    "40": "busy",  # deadlock, serialization
    "55P03": "busy",
    "53": "full",
}
_REFUSED = re.compile("authentication failed|does not exist|no pg_hba.conf entry|no password")


class Fault(Exception):
    """An error of the database under Optuna; its text is the database's own."""

    def __init__(self, kind: Kind, text: str) -> None:
        super().__init__(text)
        self.kind: Kind = kind


def tell_faults_apart(engine: Engine) -> None:
    """Make an engine raise Fault for what is told apart here."""
    event.listen(engine, "handle_error", _translate)


def as_fault(error: BaseException) -> Fault | None:
    """Return the fault behind an error of Optuna or SQLAlchemy; None if there is none."""
    wrapped = error if isinstance(error, DBAPIError) else error.__cause__
    if not isinstance(wrapped, DBAPIError) or wrapped.orig is None:
        return None
    kind = classify(wrapped.orig, wrapped)
    return None if kind is None else Fault(kind, own_words(wrapped.orig))


def own_words(error: BaseException) -> str:
    """Return what a database says, on one line."""
    if isinstance(error, DBAPIError) and error.orig is not None:
        error = error.orig  # without the statement
    text = " ".join(str(error).split())
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} ..."


def _translate(context: ExceptionContext) -> Fault | None:
    wrapped = context.sqlalchemy_exception
    if context.is_pre_ping or isinstance(wrapped, IntegrityError):
        return None
    kind = classify(context.original_exception, wrapped)
    return None if kind is None else Fault(kind, own_words(context.original_exception))


def classify(error: BaseException, wrapped: BaseException | None) -> Kind | None:
    """Return what kind of error it is; None for any other.

    Args:
        error: the driver's.
        wrapped: SQLAlchemy's, which says what class of error the driver's is.
    """
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        return None if code is None else _SQLITE.get(code & 0xFF)
    state = getattr(error, "sqlstate", None)
    if state is not None:
        return next((_SERVER[s] for s in (state, state[:3], state[:2]) if s in _SERVER), None)
    if isinstance(wrapped, OperationalError | InterfaceError):
        return None if _REFUSED.search(str(error)) else "away"
    if isinstance(wrapped, DBAPIError) and wrapped.connection_invalidated:
        return "away"
    return None
