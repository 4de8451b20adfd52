"""Running the command in forks of a process that has everything loaded: many runs in little time.

A fork is a process like any other to the system, to locks and to databases.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

from sweep.cli import main
from tests.corpus_files import write_corpus
from tests.e2e.in_process import call_well


def preload() -> None:
    """Run a sweep that needs no model, which loads what others need too."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpus(folder / "corpus")
        space = '{"corpus": "corpus", "objective": "ndcg@5", "space": {"mode": "bm25"}}'
        (folder / "space.yaml").write_text(space, encoding="utf-8")
        call_well("run", "space.yaml", "--threads", 1, cwd=folder)


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
