"""Ctrl-C and SIGTERM end a command by an exception in the main thread, wherever that is.

Python may be in a finaliser just then (SQLAlchemy's weak references have some), where exceptions
are dropped. Such a one is raised again a moment later, so that no signal is lost.
"""

import signal
import sys
from types import FrameType
from typing import Any

TERMINATED = 143
AGAIN_S = 0.01  # later the finaliser is over; if another one has begun, it is tried again

_wanted: BaseException | None = None  # what the signal that came was to raise


def raise_on_signals() -> None:
    """Make SIGTERM raise SystemExit(143), and Ctrl-C KeyboardInterrupt; a second one kills."""
    signal.signal(signal.SIGTERM, _terminate)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not ignored, as by nohup
        signal.signal(signal.SIGINT, _interrupt)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _again)
        sys.unraisablehook = _unraisable


def _terminate(signum: int, frame: FrameType | None) -> None:
    _raise(signum, SystemExit(TERMINATED))


def _interrupt(signum: int, frame: FrameType | None) -> None:
    _raise(signum, KeyboardInterrupt())


def _raise(signum: int, error: BaseException) -> None:
    global _wanted
    signal.signal(signum, signal.SIG_DFL)
    _wanted = error
    raise error


def _unraisable(dropped: Any) -> None:
    if _wanted is not None and dropped.exc_value is _wanted:
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    else:
        sys.__unraisablehook__(dropped)


def _again(signum: int, frame: FrameType | None) -> None:
    if _wanted is not None:
        raise _wanted
