"""Notes for the dashboard: figures are those of the answer, and Markdown survives any name."""

from dataclasses import replace
from typing import Any

import numpy as np

from sweep.configuration import Bm25Config, ChunkConfig, Configuration, VectorConfig
from sweep.trials import TrialRecord
from sweep.winner.answer import Answer, make_answer
from sweep.winner.baseline import Baseline
from sweep.winner.counts import Counts
from sweep.winner.figures import Scored
from sweep.winner.front import make_front
from sweep.winner.message import answer_text
from sweep.winner.note import (
    Progress,
    answer_note,
    front_note,
    no_answer_note,
    running_note,
    trial_note,
)

COUNTS = Counts(complete=3, failed=0, infeasible=0, planned=3)
SCORES = np.random.default_rng(5).random((3, 40)) * 0.2 + np.array([[0.2], [0.5], [0.7]])


def trial(number: int, **keys: Any) -> TrialRecord:
    value = float(SCORES[number].mean())
    given: dict[str, Any] = {
        "number": number,
        "state": "COMPLETE",
        "configuration": Configuration(
            mode="bm25", chunk=ChunkConfig(size=10 + number), bm25=Bm25Config()
        ),
        "values": (value,),
        "metrics": {
            "ndcg@10": value,
            "context_tokens": 1234.4,
            "latency_p95_ms": 0.123,
            "index_bytes": 2_345_678.0,
        },
        "intervals": {"ndcg@10": (value - 0.1, value + 0.1)},
        **keys,
    }
    return TrialRecord(**given)


def answer(**keys: Any) -> Answer:
    trials = tuple(trial(n) for n in range(3))
    baseline = Baseline(trial=trials[0], values=trials[0].values, search=SCORES[0])
    scored = Scored(
        trials=trials,
        scores=SCORES,
        maximize=True,
        scale=1.0,
        confirm={},
        **{"baseline": baseline, **keys},
    )
    return make_answer("mine", "ndcg@10", scored, pick="recommended", counts=COUNTS)


def lines(note: str) -> list[str]:
    return [line.replace("\u00a0", "") for line in note.splitlines()]


def test_the_answer_says_what_to_use_and_what_comes_next() -> None:
    found = answer()
    roles = {2: ["recommended", "best"], 0: ["baseline"]}
    note = answer_note(found, roles=roles, storage=None)
    shown = lines(note)
    assert shown[0] == "## Use #2: bm25, tokens 12/0, top 10"
    assert answer_text(found) in note
    assert found.confirm is not None
    mean = f"{found.confirm.mean:.3f}".removeprefix("0")
    assert shown[2].startswith(f"**ndcg@10 {mean} [")
    for part in ("(cross-validated)", "baseline #0", "1,234 context tokens", "p95 0.12 ms"):
        assert part in shown[2]
    assert "no gain is shown" not in shown[2]
    table = [line for line in shown if line.startswith("| ")]
    assert [row.split(" | ")[:2] for row in table[2:]] == [
        ["| 2", "recommended, best"],
        ["| 1", ""],
        ["| 0", "baseline"],
    ]
    assert len({row.count("|") for row in table}) == 1
    commands = [line for line in shown if line.startswith("sweep ")]
    assert commands == [
        "sweep best mine",
        "sweep show mine 2",
        "sweep compare mine recommended baseline",
        "sweep export mine --out winner/mine",
    ]


def test_a_score_that_is_not_honest_is_not_called_so() -> None:
    note = answer_note(answer(adaptive="tpe"), roles={}, storage=None)
    assert "on the 40 queries that chose it**" in note
    assert "cross-validated" not in note


def test_a_gain_that_is_not_shown_is_called_so() -> None:
    found = answer()
    assert found.difference is not None
    close = replace(found, difference=replace(found.difference, mean=0.1, interval=(0.0, 0.2)))
    told = lines(answer_note(close, roles={}, storage=None))[2]
    assert "+.100 [+.000, +.200] against the baseline #0 (no gain is shown)" in told


def test_an_unfinished_study_says_so_and_commands_name_the_storage() -> None:
    note = answer_note(
        answer(), roles={}, storage="my studies.db", ending="stopped by --trials after 3"
    )
    assert "**Not finished**: stopped by --trials after 3. The same `sweep run` command" in note
    assert "sweep export mine --out winner/mine --storage 'my studies.db'" in note


def test_a_front_lists_its_trials() -> None:
    trials = [trial(n, values=(0.5 + n / 10, 100.0 * n)) for n in range(3)]
    trials.append(replace(trial(0, values=(0.1, 300.0)), number=3))
    front = make_front(
        "mine",
        ["ndcg@10", "work"],
        [True, False],
        trials,
        baseline=None,
        counts=COUNTS,
    )
    front_shown = lines(front_note(front, roles={}, storage=None))
    assert front_shown[0] == "## Choose one of 3: none is beaten in ndcg@10 and work at once"
    rows = [line for line in front_shown if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == ["| 2", "| 1", "| 0"]
    assert "sweep export mine --trial 2 --out winner/mine" in front_shown
    assert rows[0].split(" | ")[5] == "200"


def test_a_run_says_how_far_it_is() -> None:
    progress = Progress(
        study="mine", tried=3, planned=1200, failed=1, as_of="noon", doing="embed a_b 1 of 2"
    )
    note = lines(running_note(progress, [trial(2)], ["ndcg@10"]))
    assert note[0] == "## Running: 3 of 1,200 configurations, 1 failed"
    assert any(line.startswith("As of noon. ") for line in note)
    assert "Working on: embed a\\_b 1 of 2" in note
    assert note[-1].startswith("| 2 | ")
    quiet = Progress(study="mine", tried=0, planned=2, failed=0, as_of="noon")
    assert "|" not in running_note(quiet, [], ["ndcg@10"])


def test_names_mean_nothing_in_markdown() -> None:
    odd = Configuration(mode="vector", vector=VectorConfig(model="a|b_c*d<e>"))
    note = trial_note(
        trial(1, configuration=odd),
        study="my study",
        objectives=["ndcg@10"],
        roles=["tied"],
        storage=None,
    )
    assert "a\\|b\\_c\\*d\\<e\\>" in note
    assert note.startswith("**tied** · vector")
    assert "sweep show 'my study' 1" in note
    shown = lines(note)
    assert "| index MB | 2.3 |  |" in shown
    assert "|---|---|---|" in [line.replace(" ", "") for line in shown]
    reason = no_answer_note("mine", "`x <= 5` is met by 0_0", storage=None)
    assert "\\`x \\<= 5\\` is met by 0\\_0" in reason


def test_a_run_file_stands_below_the_leaders_and_in_the_headline() -> None:
    run = Baseline(
        run="prod_1.trec",
        facts={"name": "prod_1.trec", "intervals": {"ndcg@10": [0.2, 0.4]}},
        values=(0.3,),
        search=SCORES[0],
    )
    shown = lines(answer_note(answer(baseline=run), roles={}, storage=None))
    assert "against prod\\_1.trec" in shown[2]
    rows = [line for line in shown if line.startswith("| ")]
    cells = ["", "baseline", "prod\\_1.trec (a run file)", ".300", ".200 to .400"]
    assert [cell.strip() for cell in rows[-1].split("|")[1:-1]] == [*cells, *["unknown"] * 3]
    assert "sweep compare mine recommended baseline" in shown
