"""An objective that is no number fails its trial with a reason, and never wins."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweep.configuration import Configuration
from sweep.engine.stages.scoring import Scorer
from sweep.records import RankedLists, ScoreTable
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from sweep.study.study import Study
from tests.corpus_files import write_corpus
from tests.shared_data import bugcase


class FakeScorer(Scorer):
    """Gives every query the value that the test wants for a chunk size and top_k."""

    wanted: dict[tuple[int, int], float] = {}

    def score(self, configuration: Configuration, output: RankedLists) -> ScoreTable:
        table = super().score(configuration, output)
        values = table.values.copy()
        size = configuration.chunk.size
        assert size is not None
        values[:, table.metrics.index("ndcg@3")] = self.wanted[size, configuration.top_k]
        return replace(table, values=values)


def run_with(
    folder: Path,
    wanted: dict[tuple[int, int], float],
    monkeypatch: pytest.MonkeyPatch,
    **keys: Any,
) -> Study:
    space = {
        "corpus": "corpus",
        "objective": "ndcg@3",
        "space": {
            "mode": "bm25",
            "top_k": sorted({k for _, k in wanted}),
            "chunk": {"splitter": "words", "size": sorted({size for size, _ in wanted})},
        },
        **keys,
    }
    (folder / "space.yaml").write_text(yaml.safe_dump(space), encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(FakeScorer, "wanted", wanted)
    monkeypatch.setattr("sweep.engine.stages.scoring.Scorer", FakeScorer)
    return run(folder / "space.yaml", options=RunOptions(threads=1, max_failures=1.0))


def write_case(folder: Path) -> None:
    case = bugcase("87")
    write_corpus(
        folder / "corpus",
        corpus=(case / "corpus.jsonl").read_bytes(),
        queries=(case / "queries.jsonl").read_bytes(),
        qrels=(case / "qrels.tsv").read_bytes(),
    )


def by_settings(study: Study) -> dict[tuple[Any, Any], Any]:
    return {(t.configuration.chunk.size, t.configuration.top_k): t for t in study.trials}


def test_bugcase_87_nan_and_infinity_fail_their_trials(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_case(tmp_path)
    wanted = {(2, 1): math.nan, (2, 3): 0.3, (4, 1): 0.9, (4, 3): math.inf}
    study = run_with(tmp_path, wanted, monkeypatch)
    trials = by_settings(study)
    assert {key: trial.state for key, trial in trials.items()} == {
        (2, 1): "FAIL", (2, 3): "COMPLETE", (4, 1): "COMPLETE", (4, 3): "FAIL",
    }  # fmt: skip
    nan, infinite = trials[2, 1].error["message"], trials[4, 3].error["message"]
    assert nan.startswith("objective ndcg@3: must be a finite number, got nan over 3 queries")
    assert infinite.startswith("objective ndcg@3: must be a finite number, got inf over 3 queries")
    assert not trials[2, 1].values
    assert not trials[2, 1].metrics
    answer = study.answer("best")
    assert answer.trial.number == trials[4, 1].number
    assert answer.trial.values == (0.9,)
    assert answer.counts.failed == 2


def test_a_constraint_that_cannot_be_checked_fails_its_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_case(tmp_path)
    wanted = {(2, 3): math.nan, (4, 3): 0.3}
    keys = {"objective": "rr", "constraints": ["ndcg@3 >= 0.2", "ndcg@3 <= 0.4"]}
    trials = by_settings(run_with(tmp_path, wanted, monkeypatch, **keys))
    assert {key: trial.state for key, trial in trials.items()} == {
        (2, 3): "FAIL", (4, 3): "COMPLETE",
    }  # fmt: skip
    assert (
        trials[2, 3]
        .error["message"]
        .startswith("constraint ndcg@3 >= 0.2: ndcg@3 must be a finite number, got nan.")
    )
    assert trials[4, 3].constraints == {
        "ndcg@3 >= 0.2": pytest.approx(-0.5),  # half of the bound to spare
        "ndcg@3 <= 0.4": pytest.approx(-0.25),
    }
    assert trials[4, 3].violated == ()
