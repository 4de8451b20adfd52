"""Kill a sweep with SIGKILL at random moments, resume it, and check that nothing is lost.

    python -m tests.benchmarks.kill_resume [--kills 100] [--storage sqlite postgres] [--small]
        [--sampler grid|random|tpe|nsga2]

A study is killed and resumed until it is finished, then compared with an undisturbed run; then the
next one is begun with an empty folder and store, until there have been enough kills. After each
kill: the database opens and is sound, every trial is finished, no configuration is there twice,
and what was finished before has not changed. Ends with exit code 1 at the first violation.
"""

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna
import yaml

from sweep.engine.measure.report import Report
from sweep.engine.store.files import list_files
from sweep.engine.store.store import Store
from sweep.study.record import from_optuna
from sweep.study.storage.storage import open_storage
from tests.e2e.command import comparable, rankings
from tests.e2e.island import write_island
from tests.forked import fork_command, preload, wait

STUDY = "killed"
SPACE: dict[str, Any] = {
    "name": STUDY,
    "corpus": "../island",
    "objective": "ndcg@5",
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "document"}},
    "space": {
        "mode": ["bm25", "vector"],
        "top_k": [3, 5],
        "chunk": {"splitter": "words", "size": [6, 12, 24], "overlap": [0, 0.25]},
        "bm25": {"k1": [0.9, 1.6], "b": [0.3, 0.9]},
    },
}


@dataclass
class Sweep:
    """One study that is run in forks; `log` is what they print."""

    folder: Path
    storage: str
    log: Path
    before: list[dict[str, Any]] = field(default_factory=list)

    def run(self, kill_after_s: float | None = None) -> int | None:
        """Run the command; return its exit code, or None if it was killed."""
        arguments = ("run", "space.yaml", "--threads", 1, "--storage", self.storage)
        number = fork_command(*arguments, cwd=self.folder, log=self.log)
        code = wait(number, kill_after_s)
        if code is None:
            os.kill(number, signal.SIGKILL)
            wait(number)
        return code

    def trials(self) -> list[dict[str, Any]]:
        """Return every trial in the storage; refuses one that is not finished."""
        storage = open_storage(self.storage, create=True)  # killed before it made its tables
        try:
            frozen = optuna.load_study(study_name=STUDY, storage=storage).get_trials()
        except KeyError:
            return []
        finally:
            storage.engine.dispose()
        records = [from_optuna(trial) for trial in frozen]
        expect(None not in records, f"unfinished trials: {[t.state.name for t in frozen]}")
        return [
            record.to_json() | {"fingerprint": record.fingerprint} for record in records if record
        ]

    def check(self) -> None:
        """See that nothing is lost, doubled or damaged."""
        path = Path(self.storage)
        if "://" not in self.storage:
            if not path.exists():
                expect(not self.before, "the database is gone")
                return
            with closing(sqlite3.connect(path)) as connection:
                (found,) = connection.execute("PRAGMA integrity_check").fetchone()
            expect(found == "ok", f"integrity: {found}")
        now = self.trials()
        expect(now[: len(self.before)] == self.before, "a finished trial has changed")
        finished = [t["fingerprint"] for t in now if t["state"] == "COMPLETE"]
        expect(len(finished) == len(now), "a trial failed")
        expect(len(set(finished)) == len(finished), "a configuration is there twice")
        self.before = now


def expect(holds: bool, message: str) -> None:
    """End the program if something does not hold."""
    if not holds:
        raise SystemExit(f"VIOLATED: {message}")


def begin(folder: Path, storage: str) -> Sweep:
    folder.mkdir(parents=True)
    (folder / "space.yaml").write_text(yaml.safe_dump(SPACE), encoding="utf-8")
    return Sweep(folder, storage, folder.parent / f"{folder.name}.log")


def warm_up(sweep: Sweep, source: Sweep) -> None:
    """Give a sweep what another one has computed."""
    shutil.copytree(
        source.folder / "results" / ".store", sweep.folder / "results" / ".store",
        dirs_exist_ok=True,
    )  # fmt: skip


def check_store(folder: Path) -> int:
    """Read every file of a store, checksums too; return how many there are."""
    damaged: list[str] = []
    store = Store(folder, Report(on_notice=damaged.append))
    files = list_files(folder)
    for file in files:
        store.read_file(file.path)
    expect(not damaged, f"the store is damaged: {damaged}")
    return len(files)


def compare(sweep: Sweep, unbroken: Sweep) -> None:
    """See that a study ended as the undisturbed one did."""
    expect(comparable(sweep.before) == comparable(unbroken.before), "other results")
    if "sampler" in SPACE:
        order = [[trial["fingerprint"] for trial in s.before] for s in (sweep, unbroken)]
        expect(order[0] == order[1], "another order")
    mine, other = (rankings(s.folder / "results", STUDY) for s in (sweep, unbroken))
    expect(mine == other, "other rankings")
    check_store(sweep.folder / "results" / ".store")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="on each storage")
    parser.add_argument("--storage", nargs="+", choices=["sqlite", "postgres"], default=["sqlite"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--sampler", choices=["grid", "random", "tpe", "nsga2"], default="grid", help="40 trials"
    )
    parser.add_argument("--small", action="store_true", help="nine configurations, BM25 only")
    arguments = parser.parse_args()
    if arguments.small:
        small = {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": [6, 12]}}
        SPACE["space"] = SPACE["space"] | small
    if arguments.sampler != "grid":
        SPACE["sampler"] = {"kind": arguments.sampler, "seed": arguments.seed, "trials": 40}
        ranges = {"k1": {"low": 0.5, "high": 2}, "b": {"low": 0, "high": 1}}
        SPACE["space"] = SPACE["space"] | {"bm25": ranges}
    preload()
    root = Path(tempfile.mkdtemp(prefix="sweep-kills-"))
    write_island(root / "island")
    chance = random.Random(arguments.seed)
    for kind in arguments.storage:
        with storages(kind, root / kind) as storage_of:
            done = kill(root / kind, storage_of, arguments.kills, chance)
        print(json.dumps({"storage": kind, **done}), flush=True)
    shutil.rmtree(root)


@contextmanager
def storages(kind: str, root: Path) -> Iterator[Callable[[str], str]]:
    """Give what names an empty storage for a study."""
    root.mkdir()
    shutil.copytree(root.parent / "island", root / "island")
    if kind == "sqlite":
        yield lambda name: str(root / f"{name}.db")
        return
    from tests.postgres_server import start_server

    server = start_server()
    try:
        yield lambda name: server.new_url()
    finally:
        server.remove()


def kill(
    root: Path, storage_of: Callable[[str], str], kills: int, chance: random.Random
) -> dict[str, Any]:
    """Kill as often as wanted and return what was seen."""
    unbroken = begin(root / "unbroken", storage_of("unbroken"))
    start = time.monotonic()
    expect(unbroken.run() == 0, f"the undisturbed run failed: {unbroken.log}")
    whole_s = time.monotonic() - start
    unbroken.check()
    warm = begin(root / "warm", storage_of("warm"))
    warm_up(warm, unbroken)
    start = time.monotonic()
    expect(warm.run() == 0, f"the run on a warm store failed: {warm.log}")
    warm_s = time.monotonic() - start
    warm.check()
    compare(warm, unbroken)
    trials = len(unbroken.before)
    done: dict[str, Any] = {"trials": trials, "kills": 0, "amid_trials": 0, "studies": 0}
    while done["kills"] < kills:
        name = f"study-{done['studies']}"
        sweep = begin(root / name, storage_of(name))
        is_warm = done["studies"] > 0  # else most kills would come while a model is loaded
        if is_warm:
            warm_up(sweep, unbroken)
        code = None
        while code is None:
            evaluated = len(sweep.before) == trials
            to_the_end = done["kills"] >= kills or (evaluated and chance.random() < 0.5)
            longest_s = warm_s if is_warm else whole_s
            code = sweep.run(None if to_the_end else chance.uniform(0, longest_s))
            sweep.check()
            done["kills"] += code is None
            done["amid_trials"] += code is None and 0 < len(sweep.before) < trials
        expect(code == 0, f"exit code {code}: {sweep.log}")
        compare(sweep, unbroken)
        done["studies"] += 1
        shutil.rmtree(sweep.folder)
        print(json.dumps(done), file=sys.stderr)
    return done


if __name__ == "__main__":
    main()
