"""What a small study says about its parameters: against its own trials, and when it is silent."""

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from sweep.engine.measure.report import Report
from sweep.errors import MetricError, StudyError
from sweep.metrics import parse_metric
from sweep.study.driver.inputs import RunOptions
from sweep.study.driver.run import run
from sweep.study.insight.curves import budgets, curve_metrics, metric_at, tops, trial_curves
from sweep.study.insight.importance import parameter_importance
from sweep.study.insight.insight import (
    leading_trials,
    metric_scores,
    study_curves,
    study_insight,
    top_k_effects,
)
from sweep.study.reopen import reopen
from sweep.study.study import Study
from sweep.trials import TrialRecord
from tests.e2e.island import write_island

SPACE: dict[str, Any] = {
    "name": "isle",
    "corpus": "island",
    "objective": "ndcg@5",
    "baseline": {"mode": "bm25", "top_k": 3, "chunk": {"splitter": "document"}},
    "space": {
        "mode": "bm25",
        "top_k": [1, 2, 4],
        "chunk": {"splitter": "words", "size": [10, 20], "overlap": [0, 0.25]},
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("isle")
    write_island(folder / "island")
    path = folder / "space.yaml"
    path.write_text(yaml.safe_dump(SPACE, sort_keys=False), encoding="utf-8")
    with contextlib.chdir(folder):
        run(path, options=RunOptions(threads=1))
    return folder


@pytest.fixture
def study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    monkeypatch.chdir(folder)
    return Study()


def like(study: Study, trial: TrialRecord, top_k: int) -> TrialRecord:
    """Return the trial that differs in its top_k alone."""
    flat = trial.configuration.flat() | {"top_k": top_k}
    return next(t for t in study.complete if t.configuration.flat() == flat)


def longest(study: Study) -> list[TrialRecord]:
    return [t for t in study.complete if t.configuration.top_k == 4]


def values(study: Study) -> dict[int, float]:
    return {trial.number: trial.values[0] for trial in study.complete}


def test_effects_are_matched_and_the_baseline_is_left_out(study: Study) -> None:
    found = study_insight(study)
    assert (found.metric, found.maximize, found.scale) == ("ndcg@5", True, 1.0)
    assert (found.configurations, found.queries) == (13, 9)
    effects = {effect.parameter: effect for effect in found.effects}
    assert set(effects) == {"top_k", "chunk.size", "chunk.overlap"}
    assert {e.left_out for e in effects.values()} == {0, 1}  # whole documents have an overlap of 0
    means = {
        size: np.mean([t.values[0] for t in study.complete if t.configuration.chunk.size == size])
        for size in (10, 20)
    }
    small, large = effects["chunk.size"].values
    assert (small.mean, large.mean) == (pytest.approx(means[10]), pytest.approx(means[20]))
    assert effects["chunk.size"].blocks == 6
    assert found.interactions.pairs == 3
    assert found.effort is not None
    assert found.effort.configurations == 13


@pytest.mark.parametrize("metric", ["ndcg@5", "recall@5", "span_recall", "holes@10"])
def test_an_output_cut_at_k_scores_as_the_trial_of_that_top_k(study: Study, metric: str) -> None:
    texts = reopen(study, report=Report()).texts
    curves = trial_curves(study, longest(study), texts, metrics=[metric])
    assert len(curves) == 4
    for curve, trial in zip(curves, longest(study), strict=True):
        assert [point.at for point in curve.points] == [1, 2, 3, 4]
        for point in curve.points:
            if point.at != 3:
                other = like(study, trial, point.at)
                assert point.mean == pytest.approx(other.metrics[metric], abs=1e-12)


def test_curves_by_their_own_cut_off_and_by_tokens(study: Study) -> None:
    texts = reopen(study, report=Report()).texts
    trial = longest(study)[0]
    own, fixed = trial_curves(study, [trial], texts, metrics=["p@k", "p@5"])
    assert fixed.points[-1].mean == pytest.approx(trial.metrics["p@5"])
    for one, other in zip(own.points, fixed.points, strict=True):  # as many found, of k, of 5
        assert one.mean * one.at == pytest.approx(other.mean * 5)
    assert trial_curves(study, [trial], texts, metrics=["recall@Ntok"]) == ()  # below 100 tokens


def test_leading_trials_have_curves_and_each_is_there_once(study: Study) -> None:
    trials = leading_trials(study)
    answer = study.answer()
    assert trials[0] == answer.trial
    assert answer.baseline in trials
    assert len({trial.number for trial in trials}) == len(trials)
    curves, reason = study_curves(study)
    assert reason is None
    assert {(c.trial, c.metric) for c in curves} >= {
        (t.number, m) for t in trials for m in ("ndcg@5", "recall@k")
    }


def test_a_corpus_that_is_gone_is_a_reason(study: Study) -> None:
    place = study.about["corpus_folder"]
    study.about["corpus_folder"] = "nowhere"
    curves, reason = study_curves(study)
    study.about["corpus_folder"] = place
    assert curves == ()
    assert reason is not None
    assert "its corpus must still be at" in reason


def test_other_metrics(study: Study) -> None:
    cost = study_insight(study, metric="index_bytes")
    assert (cost.maximize, cost.queries, cost.interactions.found) == (False, 1, ())
    bytes_of = [trial.metrics["index_bytes"] for trial in study.complete]
    assert cost.scale == pytest.approx(max(bytes_of) - min(bytes_of))
    top_k = next(e for e in cost.effects if e.parameter == "top_k")
    assert top_k.size == pytest.approx(0.0)
    assert study_curves(study, metric="index_bytes")[0] == ()
    assert study_insight(study, metric="recall@10").metric == "recall@10"
    with pytest.raises(MetricError, match="--metric: must be one that the study recorded"):
        study_insight(study, metric="ndcg@7")
    with pytest.raises(MetricError, match="a curve needs one that has a score for each query"):
        trial_curves(study, longest(study), reopen(study, report=Report()).texts, metrics=["work"])


def test_top_k_is_an_effect_within_each_mode(study: Study) -> None:
    scores = metric_scores(study, study.complete, "ndcg@5")
    found = top_k_effects(study.complete, scores)
    assert set(found) == {"bm25"}
    assert [value.at for value in found["bm25"].values] == [1, 2, 4]
    assert found["bm25"].matched


@pytest.mark.parametrize("method", ["ped-anova", "fanova"])
def test_importance_sums_to_one(study: Study, method: Any) -> None:
    found = parameter_importance(study, values(study), method=method)
    assert found.reason is None
    assert sum(found.shares.values()) == pytest.approx(1.0)
    assert list(found.shares.values()) == sorted(found.shares.values(), reverse=True)
    assert found.trials == 13
    taken = set(found.shares) | set(found.left_out)
    assert {"top_k", "chunk.size", "chunk.overlap"} <= taken
    if method == "fanova":  # whole documents have no size
        assert "chunk.size" in found.left_out
    again = parameter_importance(study, values(study), method=method)
    assert again == found


def test_what_decides_alone_is_what_is_important(study: Study) -> None:
    by_top_k = {t.number: float(t.configuration.top_k) for t in study.complete}
    for maximize in (True, False):
        found = parameter_importance(study, by_top_k, maximize=maximize)
        assert next(iter(found.shares)) == "top_k"


def test_where_there_is_no_importance_a_reason_is_told(study: Study) -> None:
    few = dict(list(values(study).items())[:9])
    assert parameter_importance(study, few).reason == "9 finished trials are too few, it takes 10"
    same = dict.fromkeys(values(study), 0.5)
    assert parameter_importance(study, same).reason == "all trials score the same"


def with_trials(study: Study, trials: list[TrialRecord]) -> Study:
    """Return the study as if these were its trials."""
    study.__dict__["trials"] = tuple(trials)
    return study


def test_a_study_that_varies_nothing(study: Study) -> None:
    found = study_insight(with_trials(study, list(study.complete[:1])))
    assert (found.configurations, found.effects, found.interactions.pairs) == (1, (), 0)
    assert found.importance.reason is not None
    assert found.effort is not None
    assert (found.effort.configurations, found.effort.enough) == (1, 1)
    with pytest.raises(StudyError, match="must have a finished trial, got none yet"):
        study_insight(with_trials(study, []))


def test_nothing_feasible(study: Study) -> None:
    trials = [replace(trial, constraints={"work <= 1": 5.0}) for trial in study.complete]
    found = study_insight(with_trials(study, trials))
    assert len(found.effects) == 3
    assert (found.effort, found.no_effort) == (None, "no finished trial keeps the constraints")
    curves, reason = study_curves(study)
    assert curves == ()
    assert reason is not None
    assert "must hold a finished trial that meets every constraint" in reason


def test_several_objectives(study: Study) -> None:
    study.about["identity"]["objectives"].append({"metric": "work", "direction": "minimize"})
    trials = [replace(t, values=(t.values[0], t.metrics["work"])) for t in study.complete]
    found = study_insight(with_trials(study, trials))
    assert found.importance.reason is None
    assert found.effort is not None
    assert found.effort.recommended is None
    curves, reason = study_curves(study)
    assert reason is None
    assert {curve.trial for curve in curves} <= {t.number for t in leading_trials(study)}


def test_what_an_adaptive_sampler_tried_is_no_random_part(study: Study) -> None:
    study.about["identity"]["sampler"] = {"kind": "tpe", "seed": 7}
    found = study_insight(study)
    assert found.effort is None
    assert found.no_effort is not None
    assert found.no_effort.startswith("tpe chose what to try")


def test_points_and_names_of_curves() -> None:
    assert tops(3) == (1, 2, 3)
    assert tops(48) == (*range(1, 11), 12, 16, 20, 24, 28, 32, 36, 40, 48)
    assert budgets(99) == ()
    assert budgets(260) == (100, 120, 150, 200, 250)
    assert budgets(1999)[-3:] == (1000, 1200, 1500)
    assert str(metric_at("recall(rel=2)@k", 3)) == "recall(rel=2)@3"
    assert str(metric_at("span_recall@Ntok", 500)) == "span_recall@500tok"
    assert str(metric_at("ndcg@10", 3)) == "ndcg@10"
    expected = {
        "ndcg@10": ("ndcg@10", "recall@k", "ndcg@Ntok"),
        "recall(rel=2)@10": ("recall(rel=2)@10", "recall@k", "recall(rel=2)@Ntok"),
        "span_recall@2000tok": ("span_recall@2000tok", "span_recall", "span_recall@Ntok"),
        "rr": ("rr", "recall@k", "recall@Ntok"),
        "span_recall": ("span_recall", "span_recall@Ntok"),
    }
    assert {name: curve_metrics(parse_metric(name)) for name in expected} == expected
