"""What an approximate index loses to exact search is recorded, and told wherever it is chosen."""

import json
from pathlib import Path

import pytest

from tests.e2e.command import write_space
from tests.e2e.in_process import call_json, call_well
from tests.e2e.island import write_island

pytestmark = pytest.mark.slow

SPACE = {
    "name": "near",
    "corpus": "island",
    "objective": "ndcg@5",
    "constraints": ["index_bytes >= 1"],
    "split": "off",
    "space": {
        "mode": "vector",
        "top_k": 5,
        "chunk": {"splitter": "words", "size": 12},
        "vector": {"index": ["Flat", {"factory": "HNSW2", "ef_search": 1}]},
    },
}


def test_the_recall_of_the_index_is_told(tmp_path: Path, store: Path) -> None:
    write_island(tmp_path / "island")
    write_space(tmp_path / "near.yaml", SPACE)
    env = {"SWEEP_STORE": str(store)}
    plan = call_json("run", "near.yaml", "--dry-run", "--threads", 1, cwd=tmp_path, env=env)
    call_well("run", "near.yaml", "--threads", 1, cwd=tmp_path, env=env)
    trials = {t["params"]["vector.index"]: t for t in call_json("trials", cwd=tmp_path, env=env)}
    exact, near = trials["Flat"], trials["HNSW2"]
    assert next(s["unique"] for s in plan["stages"] if s["kind"] == "deep vector lists") == 2
    assert "index_recall" not in exact["facts"]
    assert exact["facts"]["precisions"].keys() == {"all-MiniLM-L6-v2"}
    found = near["facts"]["index_recall"]
    assert found["depth"] == 5
    assert 0 < found["recall"] < 1
    told = f"{found['recall']:.3f}".removeprefix("0")
    table = call_well("trials", cwd=tmp_path, env=env).stdout
    assert "index_recall" in table
    assert f"{found['recall']:.4g}" in table
    bundle = tmp_path / "out"
    call_well("export", "--out", bundle, "--trial", near["number"], cwd=tmp_path, env=env)
    row = f"| index recall@5 of exact search | {found['recall']:.4g} | - |"
    assert row in (bundle / "README.md").read_text(encoding="utf-8")
    again = call_json("run", "near.yaml", "--study", "warm", cwd=tmp_path, env=env)
    warm = next(t for t in call_json("trials", "warm", cwd=tmp_path, env=env) if "HNSW2" in str(t))
    assert warm["facts"]["index_recall"] == found
    written = call_well("report", "--format", "json", cwd=tmp_path, env=env).stdout.strip()
    report = json.loads((tmp_path / written).read_text(encoding="utf-8"))
    leaders = report["sections"]["leaderboard"]["blocks"][1]
    column = [c["title"] for c in leaders["columns"]].index("index recall")
    assert sorted(row[column] for row in leaders["rows"]) == ["", told]
    if again["params"]["vector.index"] == "HNSW2":
        assert f"(recall@5 {told} of exact search)" in call_well("best", cwd=tmp_path).stdout
