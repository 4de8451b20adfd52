"""Which processes have a file open, to say who is in the way."""

import os
from pathlib import Path

MOST = 3  # processes that a message names


def processes_with(path: Path) -> list[str]:
    """Return the other processes that have a file open, `process NUMBER (NAME)`.

    Processes that cannot be looked into are left out; so the list may be empty.
    """
    import psutil

    wanted, found = os.path.realpath(path), []
    for process in psutil.process_iter(["name"]):
        if process.pid == os.getpid():
            continue
        try:
            if any(file.path == wanted for file in process.open_files()):
                found.append(f"process {process.pid} ({process.info['name']})")
        except (psutil.Error, OSError):
            continue
    return found[:MOST]
