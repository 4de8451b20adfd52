"""Splitters, analysers, prefixes and dimensions, from a space file into a bundle."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import USER_INPUT, write_space
from tests.e2e.in_process import call, call_json, call_well
from tests.e2e.island import write_island

pytestmark = pytest.mark.slow

SPACE = {
    "name": "texts",
    "corpus": "island",
    "objective": "ndcg@5",
    "split": "off",
    "space": [
        {
            "mode": "bm25",
            "top_k": 5,
            "chunk": {"splitter": ["recursive", "markdown"], "size": 24},
            "bm25": {"analyzer": ["auto", "english+identifiers"]},
        },
        {
            "mode": "hybrid",
            "top_k": 5,
            "chunk": {"splitter": "markdown", "size": 24},
            "bm25": {"analyzer": "english+identifiers"},
            "vector": {
                "model": {"name": "all-MiniLM-L6-v2", "query_prefix": "query: "},
                "dimensions": [64, 384],
            },
        },
    ],
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, store: Path) -> tuple[Path, dict[str, str]]:
    """Return the folder of a finished study, and what makes commands find its store."""
    folder = tmp_path_factory.mktemp("texts")
    write_island(folder / "island")
    write_space(folder / "texts.yaml", SPACE)
    env = {"SWEEP_STORE": str(store)}
    done = call_well("run", "texts.yaml", "--threads", 1, cwd=folder, env=env)
    assert "STUDY texts: 6 configurations evaluated" in done.stdout
    return folder, env


def test_every_value_is_a_parameter_of_its_trials(
    finished: tuple[Path, dict[str, str]],
) -> None:
    folder, env = finished
    trials = call_json("trials", cwd=folder, env=env)
    found = {
        (
            t["params"]["chunk.splitter"],
            t["params"]["bm25.analyzer"],
            t["params"].get("vector.dimensions"),
        )
        for t in trials
    }
    assert found == {
        ("recursive", "auto", None),
        ("recursive", "english+identifiers", None),
        ("markdown", "auto", None),
        ("markdown", "english+identifiers", None),
        ("markdown", "english+identifiers", 64),
        ("markdown", "english+identifiers", 384),
    }
    size = {t["params"].get("vector.dimensions"): t["metrics"]["index_bytes"] for t in trials}
    chunks = (size[384] - size[64]) / (4 * (384 - 64))  # four bytes a number
    assert chunks == int(chunks) > 10


def test_a_bundle_of_them_returns_what_the_trial_returned(
    finished: tuple[Path, dict[str, str]],
) -> None:
    folder, env = finished
    number = cut_trial(call_json("trials", cwd=folder, env=env))
    call_well("export", "--trial", number, "--out", "winner", cwd=folder, env=env)
    call_well("verify", "winner", cwd=folder, env=env)
    manifest = json.loads((folder / "winner" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["dimension"] == 64
    assert manifest["models"]["encoder"]["dimension"] == 384
    readme = (folder / "winner" / "README.md").read_text(encoding="utf-8")
    assert '`"query: "` is put before queries; the bundle does it itself.' in readme
    assert "| `vector.dimensions` | `64` |" in readme
    assert "| `bm25.analyzer` | `english+identifiers` |" in readme
    hits = call_json("query", "winner", "error e17 on GX-40", "-k", 1, cwd=folder, env=env)
    assert "generator" in json.dumps(hits)


def test_a_bundle_says_at_once_which_library_it_lacks(
    finished: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, env = finished
    number = cut_trial(call_json("trials", cwd=folder, env=env))
    call_well("export", "--trial", number, "--out", "other", cwd=folder, env=env)
    path = folder / "other" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["configuration"]["bm25.analyzer"] = "jieba"
    path.write_text(json.dumps(manifest), encoding="utf-8")
    monkeypatch.setattr("sweep.index.segmenters._MAKERS", {"jieba": missing})
    done = call("query", "other", "anything", cwd=folder, env=env)
    assert done.returncode == USER_INPUT
    assert "Run: pip install 'retrieval-sweep[jieba]'" in done.stderr


def cut_trial(trials: list[dict[str, Any]]) -> int:
    """Return the number of the trial with the fewest dimensions."""
    return next(int(t["number"]) for t in trials if t["params"].get("vector.dimensions") == 64)


def missing() -> None:
    raise ImportError("No module named 'jieba'")
