"""A signal ends a command also where it comes in the middle of a finaliser."""

import signal
import subprocess
import sys

import pytest

SCRIPT = """
import os, sys, time, weakref
from sweep.cli.interruption import raise_on_signals

class Thing:
    pass

def finaliser(_):
    os.kill(os.getpid(), int(sys.argv[1]))
    for _ in range(1000):
        pass  # the signal is handled in here, and what it raises is dropped

raise_on_signals()
try:
    thing = Thing()
    kept = weakref.ref(thing, finaliser)
    del thing
    time.sleep(60)
except (KeyboardInterrupt, SystemExit) as error:
    print("ended by", type(error).__name__)
    raise
"""


@pytest.mark.parametrize(
    ("number", "name", "code"),
    [(signal.SIGTERM, "SystemExit", 143), (signal.SIGINT, "KeyboardInterrupt", -signal.SIGINT)],
    ids=["SIGTERM", "SIGINT"],
)
def test_a_signal_in_a_finaliser_is_not_lost(number: int, name: str, code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(int(number))],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.stdout == f"ended by {name}\n"
    assert done.returncode == code
    assert "ignored" not in done.stderr


def test_other_errors_in_finalisers_are_told_as_ever() -> None:
    script = SCRIPT.replace("os.kill(os.getpid(), int(sys.argv[1]))", "1 / 0").replace("60", "0")
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0
    assert "ZeroDivisionError" in done.stderr
