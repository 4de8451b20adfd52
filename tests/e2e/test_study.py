"""From a corpus to a recommendation, and every command that reads the study afterwards."""

import csv
import io
import math
from typing import Any

import pytest

from tests.e2e.command import USER_INPUT, read_json, succeed, sweep
from tests.e2e.island import CONFIGURATIONS, Island

pytestmark = pytest.mark.slow

HEADLINES = {"ndcg@5", "ndcg@10", "recall@10", "context_tokens", "work", "index_bytes"}


def test_a_run_ends_with_what_to_use_and_what_to_do_next(island: Island) -> None:
    assert "USE   #" in island.run.stdout
    assert "NEXT  sweep" in island.run.stdout
    assert f"{CONFIGURATIONS} configurations evaluated" in island.run.stdout
    assert f"trials {CONFIGURATIONS}/{CONFIGURATIONS}" in island.run.stderr


def test_trials_json_has_the_shape_that_others_rely_on(island: Island) -> None:
    assert sorted(trial["number"] for trial in island.trials) == list(range(CONFIGURATIONS))
    for trial in island.trials:
        assert {"number", "state", "params", "value", "metrics"} <= trial.keys()
        assert trial["state"] == "COMPLETE"
        assert trial["metrics"].keys() >= HEADLINES
        assert trial["value"] == trial["metrics"]["ndcg@5"]
        assert all(math.isfinite(value) for value in trial["metrics"].values())
        low, high = trial["intervals"]["ndcg@5"]
        assert low <= trial["value"] <= high
    values = [trial["value"] for trial in island.trials]
    assert values == sorted(values, reverse=True)


def test_a_configuration_holds_only_what_its_mode_uses(island: Island) -> None:
    groups = {
        trial["params"]["mode"]: {name.split(".")[0] for name in trial["params"] if "." in name}
        for trial in island.trials
    }
    assert groups == {
        "bm25": {"chunk", "bm25"},
        "vector": {"chunk", "vector"},
        "hybrid": {"chunk", "bm25", "vector", "hybrid"},
        "rerank": {"chunk", "bm25", "vector", "hybrid", "rerank"},
    }
    rrf = [t["params"] for t in island.trials if t["params"].get("hybrid.fusion") == "rrf"]
    assert rrf
    assert not any("hybrid.weight" in params for params in rrf)


def test_spans_are_scored_where_the_corpus_has_them(island: Island) -> None:
    assert all("span_recall" in trial["metrics"] for trial in island.trials)


def test_trials_csv_is_the_same_table(island: Island) -> None:
    text = succeed("trials", "--csv", cwd=island.folder).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["number"]) for row in rows] == [t["number"] for t in island.trials]
    for row, trial in zip(rows, island.trials, strict=True):
        assert row["mode"] == trial["params"]["mode"]
        assert float(row["ndcg@5"]) == trial["value"]
        assert row.get("hybrid.fusion", "") == trial["params"].get("hybrid.fusion", "")


def test_trials_shows_the_metrics_asked_for(island: Island) -> None:
    done = succeed("trials", "island", "--metric", "rr@10", "--metric", "hit@5", cwd=island.folder)
    assert "rr@10" in done.stdout
    assert "hit@5" in done.stdout
    assert "(baseline)" in done.stdout
    unknown = sweep("trials", "--metric", "ndgc@10", cwd=island.folder)
    assert unknown.returncode == USER_INPUT
    assert "ndgc@10" in unknown.stderr


@pytest.mark.parametrize("pick", ["recommended", "best", "baseline"])
def test_best_json_is_a_trial_with_pick_and_confirm(island: Island, pick: str) -> None:
    best = read_json("best", "--pick", pick, cwd=island.folder)
    assert best["pick"] == pick
    trial = next(t for t in island.trials if t["number"] == best["number"])
    assert {name: best[name] for name in trial} == trial
    confirm = best["confirm"]
    assert confirm["queries"] == 9
    assert confirm["how"]
    assert confirm["interval"][0] <= confirm["mean"] <= confirm["interval"][1]
    if pick == "best":
        assert best["value"] == island.trials[0]["value"]
    if pick == "baseline":
        assert best["params"]["chunk.splitter"] == "words"


def test_best_picks_the_recommended_one_by_default_and_prints_it(island: Island) -> None:
    done = succeed("best", cwd=island.folder)
    assert island.run.stdout.strip() in done.stdout
    assert read_json("best", cwd=island.folder)["pick"] == "recommended"


def test_show_says_what_a_study_was_begun_with(island: Island) -> None:
    shown = read_json("show", "island", cwd=island.folder)
    assert shown["corpus"] == "island corpus"
    assert shown["objectives"] == ["ndcg@5 (maximize)"]
    assert shown["trials"] == {"complete": CONFIGURATIONS, "failed": 0}
    assert "island corpus" in succeed("show", cwd=island.folder).stdout


def test_show_says_everything_about_one_trial(island: Island) -> None:
    number = island.number("hybrid")
    shown: dict[str, Any] = read_json("show", number, cwd=island.folder)
    assert shown["params"]["mode"] == "hybrid"
    assert all((island.folder / path).is_file() for path in shown["files"].values())
    assert (
        f"trial {number} of island" in succeed("show", "island", number, cwd=island.folder).stdout
    )


def test_studies_lists_the_study(island: Island) -> None:
    (study,) = read_json("studies", cwd=island.folder)
    assert study["name"] == "island"
    assert study["trials"] == CONFIGURATIONS
    assert "island" in succeed("studies", cwd=island.folder).stdout


def test_query_asks_a_study(island: Island) -> None:
    number = island.number("bm25")
    arguments = ("query", "island", "storm petrels in the boulder field", "--trial", number)
    hits = read_json(*arguments, cwd=island.folder, env=island.env)
    assert hits[0]["document_id"] == "birds"
    assert len(read_json(*arguments, "-k", 1, cwd=island.folder, env=island.env)) == 1
    assert not (island.folder / "results" / ".store").exists()


def test_corpus_inspect_describes_the_corpus(island: Island) -> None:
    facts = read_json("corpus", "inspect", "island corpus", cwd=island.folder)
    assert facts["documents"]["count"] == 10, facts
