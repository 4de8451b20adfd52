"""Running the command in a process of its own, as a person at a shell does."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import optuna
import yaml

import sweep as package
from sweep.study.record import from_optuna
from sweep.study.storage.storage import open_storage

ROOT = Path(package.__file__).resolve().parents[1]
DONE, USER_INPUT, FAILED, INTERRUPTED, TERMINATED = 0, 2, 3, 130, 143
PATIENCE_S = 300  # a hanging command fails its test; far above what any of them needs

Finished = subprocess.CompletedProcess[str]


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return this process's environment without what would steer `sweep`, and with `changes`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SWEEP_", "HF_", "PYTEST"))}
    changes = dict(changes or {})
    paths = [p for p in (changes.pop("PYTHONPATH", None), str(ROOT)) if p]
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), **changes}


def sweep(
    *arguments: object,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = PATIENCE_S,
    **options: Any,
) -> Finished:
    """Run `sweep ARGUMENTS` in a folder and return how it ended."""
    return run_python("-m", "sweep", *arguments, cwd=cwd, env=env, timeout=timeout, **options)


def run_python(
    *arguments: object,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float = PATIENCE_S,
    **options: Any,
) -> Finished:
    """Run `python ARGUMENTS` in a folder, with this Python, and return how it ended."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        **options,
    )


def start(*arguments: object, cwd: Path, env: Mapping[str, str] | None = None) -> Any:
    """Start `sweep ARGUMENTS` in a folder; the caller signals it and waits (a context manager)."""
    return subprocess.Popen(
        [sys.executable, "-m", "sweep", *map(str, arguments)],
        cwd=cwd,
        env=environment(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


def succeed(*arguments: object, cwd: Path, **options: Any) -> Finished:
    """Run `sweep ARGUMENTS`, which must end well."""
    done = sweep(*arguments, cwd=cwd, **options)
    assert done.returncode == DONE, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def read_json(*arguments: object, cwd: Path, **options: Any) -> Any:
    """Run `sweep ARGUMENTS --json`, which must end well, and return what it printed."""
    return json.loads(succeed(*arguments, "--json", cwd=cwd, **options).stdout)


def write_space(path: Path, content: Mapping[str, Any] | str) -> Path:
    """Write a search-space file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else yaml.safe_dump(dict(content), sort_keys=False)
    path.write_text(text, encoding="utf-8")
    return path


def recorded(storage: Path) -> dict[str, int]:
    """Return how many trials of each state a database holds; reads it while others write."""
    if not storage.exists():
        return {}
    connection = sqlite3.connect(f"file:{storage.as_posix()}?mode=ro", uri=True, timeout=10)
    try:
        rows = connection.execute("SELECT state, count(*) FROM trials GROUP BY state").fetchall()
    except sqlite3.OperationalError:  # the tables are being made
        return {}
    finally:
        connection.close()
    return dict(rows)


def trials_of(folder: Path, study: str) -> list[dict[str, Any]]:
    """Return what `sweep trials --json` prints, by number, without a process for it."""
    storage = open_storage(str(folder / "results" / "sweep.db"))
    try:
        frozen = optuna.load_study(study_name=study, storage=storage).get_trials(deepcopy=False)
    finally:
        storage.engine.dispose()
    records = (from_optuna(trial) for trial in frozen)
    return [record.to_json() for record in records if record is not None]


def wait_for_trials(storage: Path, count: int, process: Any) -> None:
    """Return when a running process has recorded at least `count` finished trials."""
    deadline = time.monotonic() + PATIENCE_S
    while recorded(storage).get("COMPLETE", 0) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, f"no {count} trials in {PATIENCE_S} s"
        time.sleep(0.02)


def comparable(trials: list[dict[str, Any]]) -> list[tuple[dict[str, Any], Any, dict[str, Any]]]:
    """Return what must agree between two runs: parameters, value, and metrics without latency."""
    rows = [
        (
            trial["params"],
            trial.get("value"),
            {k: v for k, v in trial["metrics"].items() if not k.startswith("latency_")},
        )
        for trial in trials
    ]
    return sorted(rows, key=lambda row: json.dumps(row[0], sort_keys=True))


def rankings(results: Path, study: str) -> dict[str, bytes]:
    """Return the bytes of every ranking and score file of a study, by path inside its folder."""
    folder = results / study
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.glob("trials/*/*.parquet"))
    }
