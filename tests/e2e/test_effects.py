"""`sweep effects`, through the command."""

from pathlib import Path

import pytest

from tests.e2e.command import USER_INPUT, trials_of
from tests.e2e.in_process import call, call_json, call_well

pytestmark = pytest.mark.slow


def test_json_and_text_say_the_same(undisturbed: Path) -> None:
    found = call_json("effects", cwd=undisturbed)
    assert (found["study"], found["metric"], found["queries"]) == ("grid", "ndcg@5", 9)
    effects = {effect["parameter"]: effect for effect in found["effects"]}
    assert set(effects) == {"bm25.k1", "chunk.size"}  # the baseline differs in more than one
    trials = trials_of(undisturbed, "grid")
    for value in effects["bm25.k1"]["values"]:
        own = [
            trial["value"]
            for trial in trials
            if "chunk.size" in trial["params"] and trial["params"]["bm25.k1"] == value["at"]
        ]
        assert value["mean"] == pytest.approx(sum(own) / len(own))
        assert value["configurations"] == len(own) == 2
    assert found["importance"]["reason"] == "5 finished trials are too few, it takes 10"
    assert found["effort"]["configurations"] <= 5
    assert {curve["by"] for curve in found["curves"]} == {"top_k", "tokens"}
    assert len(found["sentences"]) == len(effects) + len(found["curves"]) + 1
    assert found["sentences"][-1].startswith("a random ")
    text = call_well("effects", "grid", cwd=undisturbed).stdout
    assert text.startswith("ndcg@5 on 9 queries, 5 configurations of grid\n")
    for told in (
        "What each parameter does: each value against the mean over its values",
        "Where it depends (1 difference of differences in 1 pair of parameters, 95 % intervals",
        "None: 5 finished trials are too few, it takes 10.",
        "From where on more of the output gains at most .01",
        "How much of it would have found it\n  a random ",
    ):
        assert told in text


def test_any_metric(undisturbed: Path) -> None:
    found = call_json("effects", "--metric", "work", "--importance", "fanova", cwd=undisturbed)
    assert (found["metric"], found["maximize"], found["queries"]) == ("work", False, 1)
    assert found["no_curves"] == "work is a cost: it grows with what is used"
    text = call_well("effects", "--metric", "work", cwd=undisturbed).stdout
    assert text.startswith("work, 5 configurations of grid\n")
    assert "It takes a score for each of several queries." in text
    done = call("effects", "--metric", "mrr", cwd=undisturbed)
    assert (done.returncode, done.stdout) == (USER_INPUT, "")
    assert "Did you mean rr" in done.stderr
