"""Cross-validated selection is for grid and random: an adaptive sampler has seen every query."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sweep.corpus import read_corpus
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.preflight import split_notices
from sweep.study.driver.run import run
from sweep.study.space.read import read_space
from sweep.study.study import Study
from sweep.winner.message import answer_text
from tests.e2e.island import write_island


def study_with(
    folder: Path, monkeypatch: pytest.MonkeyPatch, kind: str, split: Any = "off"
) -> Study:
    monkeypatch.chdir(folder)
    write_island(folder / "island")
    content = {
        "name": "honest",
        "corpus": "island",
        "objective": "ndcg@5",
        "split": split,
        "sampler": {"kind": kind, **({} if kind == "grid" else {"trials": 4})},
        "baseline": {"mode": "bm25", "top_k": 1, "chunk": {"splitter": "words", "size": 3}},
        "space": {
            "mode": "bm25",
            "top_k": 5,
            "chunk": {"splitter": "words", "size": [6, 12, 24, 30]},
        },
    }
    (folder / "space.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return run(folder / "space.yaml", options=RunOptions(threads=1))


@pytest.mark.parametrize("kind", ["grid", "random"])
def test_what_looks_at_no_result_is_cross_validated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    answer = study_with(tmp_path, monkeypatch, kind).answer()
    assert answer.confirm is not None
    assert answer.confirm.how == "cross-validated"
    assert answer.difference is not None
    assert answer.unconfirmed is None
    assert "no honest" not in answer_text(answer)


@pytest.mark.parametrize("kind", ["tpe", "nsga2"])
def test_what_looks_at_results_has_no_honest_score_without_a_confirm_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    study = study_with(tmp_path, monkeypatch, kind)
    answer = study.answer()
    assert answer.confirm is None
    assert answer.difference is None
    assert answer.baseline is not None
    text = answer_text(answer)
    assert f"no honest score: {kind} chose what to try by these queries" in text
    assert "`split: {confirm: 0.3}`" in text
    gain = answer.trial.values[0] - answer.baseline.values[0]
    assert f"+{gain:.3f}".replace("+0.", "+.") in text
    assert "no honest difference either" in text
    assert answer.to_json()["unconfirmed"] == answer.unconfirmed
    best = study.answer("best")
    assert best.confirm is None
    baseline = study.answer("baseline")
    assert baseline.confirm is not None
    assert baseline.confirm.how == "named before looking"


def test_a_confirm_set_gives_an_adaptive_sampler_its_honest_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_with(tmp_path, monkeypatch, "tpe", {"confirm": 0.5, "seed": 5})
    answer = study.answer("best")
    assert answer.confirm is not None
    assert answer.confirm.how == "confirm set"
    assert answer.difference is not None
    assert answer.unconfirmed is None


def test_a_confirm_set_that_says_little_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = study_with(tmp_path, monkeypatch, "grid", {"confirm": 0.5, "seed": 5})
    kept, searched = (study.about["split"][name] for name in ("confirm", "search"))
    told = split_notices(read_space(tmp_path / "space.yaml"), read_corpus(tmp_path / "island"))
    assert told == [
        f"split: {kept} of {kept + searched} judged queries are kept to confirm with, too few to "
        f"say much; `split: off` uses all of them to choose and cross-validates the choice"
    ]
    monkeypatch.setattr("sweep.study.driver.preflight.FEW_CONFIRM", kept)
    space = read_space(tmp_path / "space.yaml")
    assert split_notices(space, read_corpus(tmp_path / "island")) == []
