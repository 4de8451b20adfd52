"""Running the command in forks of a process that has everything loaded: many runs in little time.

A fork is a process like any other to the system, to locks and to databases.
"""

import os
import pkgutil
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

import sweep


def preload() -> None:
    """Load every module of sweep, and what the first database loads beside."""
    for module in pkgutil.walk_packages(sweep.__path__, "sweep."):
        if module.name != "sweep.__main__":
            import_module(module.name)
    from sweep.study.storage import open_storage

    with tempfile.TemporaryDirectory() as folder:
        open_storage(f"{folder}/x.db", create=True).engine.dispose()


def fork_command(*arguments: object, cwd: Path, log: Path) -> int:
    """Start `sweep ARGUMENTS` in a fork and return its process number.

    Args:
        *arguments: of the command.
        cwd: the folder to run it in.
        log: where both of its outputs are appended.
    """
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        os.chdir(cwd)
        handle = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for stream in (1, 2):
            os.dup2(handle, stream)
        sys.argv = ["sweep", *map(str, arguments)]
        from sweep.cli import main

        main()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def wait(number: int, timeout_s: float | None = None) -> int | None:
    """Wait for a process and return its exit code (negative: the signal that ended it).

    Args:
        number: of the process.
        timeout_s: how long to wait at most; None = for ever.

    Returns: None if it still runs.
    """
    end = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        found, status = os.waitpid(number, 0 if end is None else os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if end is not None and time.monotonic() >= end:
            return None
        time.sleep(0.001)
