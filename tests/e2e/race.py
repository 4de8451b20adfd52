"""Eight runs of one study at the same instant; a program of its own, since it forks.

    python -m tests.e2e.race FOLDER STORAGE [STORAGE ...]

One round for each storage, of the space `FOLDER/grid.yaml`. The run that gets the study waits
until the others have ended, so that they cannot follow one another. Prints what came of each
round as one JSON line.
"""

import collections
import json
import sys
import time
from pathlib import Path
from typing import Any

import sweep.study.driver.run
from sweep.study.driver.queue import evaluate_queue
from tests.forked import fork_command, preload, wait

RUNS = 8


def main() -> None:
    folder = Path(sys.argv[1])
    preload()
    for number, storage in enumerate(sys.argv[2:]):
        others_ended = folder / f"others-ended-{number}"

        def wait_and_evaluate(*arguments: Any, gate: Path = others_ended, **options: Any) -> None:
            while not gate.exists():
                time.sleep(0.005)
            evaluate_queue(*arguments, **options)

        sweep.study.driver.run.evaluate_queue = wait_and_evaluate
        log = folder / f"round-{number}.log"
        arguments = ("run", "grid.yaml", "--threads", 1, "--storage", storage)
        running = [fork_command(*arguments, cwd=folder, log=log) for _ in range(RUNS)]
        codes: list[int] = []
        while running:
            if len(running) == 1:
                others_ended.touch()
            for process in list(running):
                code = wait(process, 0.01)
                if code is not None:
                    running.remove(process)
                    codes.append(code)
        counts = collections.Counter(codes)
        line = {"codes": dict(counts), "text": log.read_text(encoding="utf-8")}
        sys.stdout.write(f"{json.dumps(line)}\n")


if __name__ == "__main__":
    main()
