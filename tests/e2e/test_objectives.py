"""Several objectives and constraints: the front, what is feasible, and what cannot be had."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import optuna
import optuna_dashboard
import pytest

from tests.e2e.command import USER_INPUT, trials_of, write_space
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import write_island

pytestmark = pytest.mark.slow

GRID = {
    "name": "several",
    "corpus": "island",
    "objective": ["ndcg@5", "context_tokens"],
    "constraints": ["context_tokens <= 100", "recall@5 >= 0.6"],
    "baseline": {"mode": "bm25", "top_k": 5, "chunk": {"splitter": "words", "size": 14}},
    "space": {
        "mode": "bm25",
        "top_k": [1, 5],
        "chunk": {"splitter": "words", "size": [6, 12, 48]},
    },
}
RUN = ("run", "several.yaml", "--threads", 1)


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder of a finished study of two objectives, and what its run printed."""
    folder = tmp_path_factory.mktemp("several")
    write_island(folder / "island")
    write_space(folder / "several.yaml", GRID)
    return folder, call_well(*RUN, cwd=folder).stdout


def optuna_study(folder: Path) -> optuna.Study:
    storage = f"sqlite:///{folder / 'results' / 'sweep.db'}"
    return optuna.load_study(study_name="several", storage=storage)


def test_a_run_ends_with_the_front(several: tuple[Path, str]) -> None:
    folder, printed = several
    best = call_json("best", cwd=folder)
    assert best["objectives"] == [
        {"metric": "ndcg@5", "direction": "maximize"},
        {"metric": "context_tokens", "direction": "minimize"},
    ]
    numbers = {trial["number"] for trial in best["front"]}
    assert f"FRONT {len(numbers)} of " in printed
    assert "sweep export several --trial N" in printed
    assert f"the baseline #{best['baseline']['number']} is beaten by #" in printed
    assert numbers == {trial.number for trial in optuna_study(folder).best_trials}
    assert all(trial["feasible"] for trial in best["front"])
    assert call_well("best", cwd=folder).stdout == printed


def test_what_violates_a_constraint_is_marked_everywhere(several: tuple[Path, str]) -> None:
    folder, _ = several
    trials = trials_of(folder, "several")
    infeasible = {trial["number"] for trial in trials if not trial["feasible"]}
    assert 0 < len(infeasible) < len(trials)
    for trial in trials:
        tokens, recall = (trial["metrics"][name] for name in ("context_tokens", "recall@5"))
        assert trial["feasible"] is (tokens <= 100 and recall >= 0.6)
        first, second = trial["constraints"].values()
        assert first == pytest.approx((tokens - 100) / 100)
        assert second == pytest.approx((0.6 - recall) / 0.6)
    shown = call_well("trials", cwd=folder).stdout
    assert shown.count("violates a constraint") == len(infeasible)
    rows = call_well("trials", "--csv", cwd=folder).stdout.splitlines()
    assert rows[0].endswith(",feasible")
    assert sum(row.endswith(",False") for row in rows) == len(infeasible)
    for frozen in optuna_study(folder).get_trials():
        assert any(v > 0 for v in frozen.constraints.values()) is (frozen.number in infeasible)


def test_the_dashboard_knows_what_violates_a_constraint(several: tuple[Path, str]) -> None:
    folder, _ = several
    app: Callable[..., Any] = optuna_dashboard.wsgi(f"sqlite:///{folder / 'results' / 'sweep.db'}")
    environ: dict[str, Any] = {"PATH_INFO": "/api/studies/1", "QUERY_STRING": "after=0"}
    setup_testing_defaults(environ)
    status: list[str] = []
    answer = b"".join(app(environ, lambda code, headers, *rest: status.append(code)))
    content: Mapping[str, Any] = json.loads(answer)
    assert status == ["200 OK"]
    ours = {t["number"]: list(t["constraints"].values()) for t in trials_of(folder, "several")}
    assert {t["number"]: t["constraints"] for t in content["trials"]} == ours


def test_no_winner_is_picked_from_several_objectives(several: tuple[Path, str]) -> None:
    folder, _ = several
    refused = call("export", "--out", "out", cwd=folder)
    assert refused.returncode == USER_INPUT
    assert "one objective is needed to pick a winner, got ndcg@5, context_tokens" in refused.stderr
    assert "--trial" in refused.stderr
    assert not (folder / "out").exists()
    picked = call("best", "--pick", "best", cwd=folder)
    assert picked.returncode == USER_INPUT
    assert "--pick needs one objective" in picked.stderr
    number = call_json("best", cwd=folder)["front"][0]["number"]
    call_well("export", "--out", "out", "--trial", number, cwd=folder)
    assert (folder / "out" / "config.yaml").is_file()


def test_no_feasible_trial_is_told_and_nothing_is_recommended(several: tuple[Path, str]) -> None:
    folder, _ = several
    for name, objective in (("one", "ndcg@5"), ("two", ["ndcg@5", "context_tokens"])):
        space = GRID | {"name": name, "objective": objective, "constraints": ["ndcg@5 >= 2"]}
        write_space(folder / "hard.yaml", space)
        done = call("run", "hard.yaml", "--threads", 1, cwd=folder)
        assert done.returncode == USER_INPUT
        assert done.stdout == ""
        assert "meets every constraint, got none of 7: `ndcg@5 >= 2` is met by 0" in done.stderr
        assert "(closest: #" in done.stderr
        assert len(trials_of(folder, name)) == 7
    refused = call("export", "one", "--out", "never", cwd=folder)
    assert refused.returncode == USER_INPUT
    assert not (folder / "never").exists()


def test_a_run_that_ends_early_says_what_is_left_and_how_to_go_on(tmp_path: Path) -> None:
    write_island(tmp_path / "island")
    space = {"mode": "vector", "chunk": {"splitter": "words", "size": [6, 12]}}
    write_space(tmp_path / "vector.yaml", {"corpus": "island", "objective": "rr", "space": space})
    early = call_well("run", "vector.yaml", "--timeout", 1e-9, cwd=tmp_path)
    assert early.stdout == ""
    assert "must have a finished trial, got none yet" in early.stderr
    assert "stopped by --timeout after 0 new trials; 2 of 2 configurations" in early.stderr
    write_space(tmp_path / "several.yaml", GRID | {"objective": "ndcg@5"})
    some = call_json(*RUN, "--trials", 5, cwd=tmp_path)
    assert some["stopped"] == {"why": "--trials", "new": 5, "left": 2, "planned": 7}
    told = call_well(*RUN, "--trials", 1, cwd=tmp_path)
    assert "6 of 7 configurations evaluated: NOT FINISHED" in told.stdout
    assert "go on with: sweep run several.yaml --threads 1 --trials 1" in told.stderr
    assert "stopped" not in call_well(*RUN, "--trials", 9, cwd=tmp_path).stderr
