"""Tables of the dashboard: the worst queries first, only those that chose, numbers that sort."""

import csv
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sweep.configuration import Bm25Config, Configuration
from sweep.metrics import parse_metric
from sweep.records import Chunks, RankedLists, ScoreTable
from sweep.study.dashboard.tables import LONGEST, leaderboard_csv, trial_tables
from sweep.study.folder import StudyFolder
from sweep.study.metrics import Goal
from sweep.study.tables import write_ranking, write_scores
from sweep.trials import TrialRecord
from sweep.winner.baseline import Baseline
from tests.corpus_files import corpus_of

GOALS = (Goal(metric=parse_metric("ndcg@10"), maximize=True),)
CORPUS = corpus_of(
    ["first text, here", "second text", "x" * 999],
    qrels={"q1": {"d0000": 2}, "q2": {"d0001": 0}, "q3": {"d0002": 1}, "kept apart": {}},
)


def trial(number: int, value: float, **keys: Any) -> TrialRecord:
    given: dict[str, Any] = {
        "number": number,
        "state": "COMPLETE",
        "configuration": Configuration(mode="bm25", bm25=Bm25Config()),
        "values": (value,),
        "intervals": {"ndcg@10": (value - 0.1, value + 0.1)},
        "files": {"scores": "scores.parquet", "ranking": "ranking.parquet"},
        **keys,
    }
    return TrialRecord(**given)


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, bytes]:
    names = ("document_retrieval.holes", "ndcg@10", "recall@5")
    values = np.array([[1, 0.9, 1], [2, 0.125, 0.5], [3, 0.3, float("nan")]])
    table = ScoreTable(query_ids=("q1", "q2", "q3"), metrics=names, values=values)
    write_scores(tmp_path / "scores.parquet", table)
    chunks = Chunks(
        document=np.array([0, 1, 2]),
        start=np.array([0, 7, 0]),
        end=np.array([5, 11, 999]),
        tokens=np.array([1, 1, 1]),
    )
    items = np.array([[0, 1], [1, -1], [2, 0], [0, -1]])
    scores = np.where(items >= 0, 1 / 3, np.nan)
    write_ranking(
        tmp_path / "ranking.parquet", RankedLists(items=items, scores=scores), chunks, CORPUS
    )
    study: Any = SimpleNamespace(folder=StudyFolder(tmp_path), goals=GOALS)
    return trial_tables(study, trial(0, 0.5), CORPUS, ranked=True)


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode())))


def test_scores_by_query(tables: dict[str, bytes]) -> None:
    assert rows_of(tables["scores-by-query.csv"]) == [
        ["query_id", "query", "ndcg@10", "recall@5"],
        ["q2", "about q2", "0.1250", "0.5000"],
        ["q3", "about q3", "0.3000", ""],
        ["q1", "about q1", "0.9000", "1.0000"],
    ]


def test_ranked_lists(tables: dict[str, bytes]) -> None:
    rows = [json.loads(line) for line in tables["ranked-lists.jsonl"].decode().splitlines()]
    assert [(r["query_id"], r["rank"], r["document"], r["label"], r["text"]) for r in rows] == [
        ("q2", 1, "d0001", 0, "text"),
        ("q3", 1, "d0002", 1, "x" * LONGEST + " ..."),
        ("q3", 2, "d0000", "not judged", "first"),
        ("q1", 1, "d0000", 2, "first"),
        ("q1", 2, "d0001", "not judged", "text"),
    ]
    assert {row["score"] for row in rows} == {0.3333}


def test_the_leaderboard_has_verdicts_that_a_trial_cannot_have() -> None:
    trials = [
        trial(3, 0.75, metrics={"context_tokens": 1234.56}),
        trial(1, 0.5, constraints={"work <= 5": 0.1}),
    ]
    content = leaderboard_csv(trials, GOALS, roles={3: ["best"]}, losses={3: (0.0, 0.02)})
    label = trials[0].configuration.label()
    header, first, second = rows_of(content)
    named = dict(zip(header, first, strict=True))
    assert (named["trial"], named["is"], named["configuration"]) == ("3", "best", label)
    assert [named[n] for n in ("ndcg@10", "from", "to")] == ["0.7500", "0.6500", "0.8500"]
    assert [named[n] for n in ("loss", "loss at most")] == ["0.0000", "0.0200"]
    assert (named["context_tokens"], named["violates"]) == ("1234.6", "")
    assert dict(zip(header, second, strict=True))["violates"] == "work <= 5"
    assert "loss" not in rows_of(leaderboard_csv(trials, GOALS, roles={}, losses={}))[0]


def test_a_run_file_is_the_last_row_and_has_no_number() -> None:
    run = Baseline(
        run="prod.trec",
        facts={"name": "prod.trec", "intervals": {"ndcg@10": [0.25, 0.5]}},
        values=(0.375,),
        violated=("recall@5 >= 0.9",),
    )
    content = leaderboard_csv(
        [trial(4, 0.5)], GOALS, roles={}, losses={4: (0.0, 0.1)}, baseline=run
    )
    first, last = csv.DictReader(io.StringIO(content.decode()))
    assert first["trial"] == "4"
    assert (last["trial"], last["is"], last["configuration"]) == (
        "",
        "baseline",
        "prod.trec (a run file)",
    )
    assert [last[name] for name in ("ndcg@10", "from", "to")] == ["0.3750", "0.2500", "0.5000"]
    assert [last[name] for name in ("loss", "context_tokens", "violates")] == [
        "",
        "",
        "recall@5 >= 0.9",
    ]
