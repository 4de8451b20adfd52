"""`sweep compare` and `sweep delete`, through the command."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from sweep.study.storage.lock import running
from tests.corpus_files import write_corpus
from tests.e2e.command import (
    DONE,
    USER_INPUT,
    read_json,
    recorded,
    succeed,
    sweep,
    write_space,
)
from tests.e2e.island import Island

pytestmark = pytest.mark.slow

SMALL = {
    "name": "small",
    "corpus": "corpus",
    "objective": "ndcg@5",
    "space": {"mode": "bm25", "top_k": [3, 5], "chunk": {"splitter": "words", "size": 10}},
}


def scores(island: Island, number: int) -> dict[str, float]:
    """Return a trial's ndcg@5 of every query, from its own table."""
    shown = read_json("show", number, cwd=island.folder)
    table = pq.ParquetFile(island.folder / shown["files"]["scores"]).read(use_threads=False)
    return dict(zip(table["query_id"].to_pylist(), table["ndcg@5"].to_pylist(), strict=True))


def test_differences_are_those_of_the_two_tables(island: Island) -> None:
    found = read_json("compare", "island", 0, 10, cwd=island.folder)
    a, b = scores(island, 0), scores(island, 10)
    shown = found["metrics"]["ndcg@5"]
    differences = [b[query] - a[query] for query in a]
    assert shown["difference"] == pytest.approx(sum(differences) / len(differences), abs=1e-12)
    assert shown["wins"] == sum(d > 0 for d in differences)
    assert shown["losses"] == sum(d < 0 for d in differences)
    assert shown["wins"] + shown["losses"] + shown["ties"] == found["n_queries"] == 9
    low, high = shown["interval"]
    assert low <= shown["difference"] <= high
    rows = {row["query_id"]: row for row in found["queries"]}
    assert {q: (row["a"], row["b"]) for q, row in rows.items()} == {q: (a[q], b[q]) for q in a}
    sizes = [abs(row["difference"]) for row in found["queries"]]
    assert sizes == sorted(sizes, reverse=True)
    assert all(rows[query]["difference"] > 0 for query in found["gained"])
    assert all(rows[query]["difference"] < 0 for query in found["lost"])
    assert len(found["gained"]) == shown["wins"]
    assert len(found["lost"]) == shown["losses"]
    assert rows["q8"]["query"] == "crêpes at the café"
    one, other = (t["params"] for t in island.trials if t["number"] in (0, 10))
    differing = {n for n in {*one, *other} if one.get(n) != other.get(n)}
    assert set(found["params"]) == differing


def test_a_trial_against_itself_differs_in_nothing(island: Island) -> None:
    found = read_json("compare", 3, 3, cwd=island.folder)
    assert found["params"] == {}
    assert found["gained"] == found["lost"] == []
    assert [q["difference"] for q in found["queries"]] == [0.0] * 9
    assert all(m["difference"] == 0 and m["p_value"] == 1 for m in found["metrics"].values())


def test_picks_and_a_table_for_people(island: Island) -> None:
    out = succeed("compare", "recommended", "baseline", "--metric", "rr@10", cwd=island.folder)
    assert "rr@10" in out.stdout
    assert "ndcg@5" not in out.stdout
    assert "latency_p95_ms" in out.stdout
    assert "queries on which #" in out.stdout
    assert "These queries chose #" in out.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("compare", 1), "two trials are needed"),
        (("compare", 1, 99), "trial must be between 0 and 10, got 99"),
        (("compare", 1, "bets"), "recommended, best or baseline, or a run file, got 'bets'"),
        (("compare", "iland", 1, 2), "Did you mean 'island'?"),
        (("compare", 1, 2, "--metric", "mrr"), "recorded per query in both, got 'mrr'"),
        (("delete", "iland", "--yes"), "Did you mean 'island'?"),
        (("delete", "island"), "needs a yes: give --yes"),
    ],
)
def test_bad_arguments(island: Island, arguments: tuple[object, ...], told: str) -> None:
    done = sweep(*arguments, cwd=island.folder)
    assert done.returncode == USER_INPUT
    assert told in done.stderr
    assert done.stdout == ""
    assert recorded(island.folder / "results" / "sweep.db") == {"COMPLETE": 11}


def test_delete_removes_one_study_and_nothing_else(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", corpus=[{"_id": "d1", "text": "which one"}])
    write_space(tmp_path / "space.yaml", SMALL)
    for name in ("one", "two"):
        succeed("run", "space.yaml", "--study", name, "--threads", 1, cwd=tmp_path)
    with running(tmp_path / "results" / "one" / ".lock", "one"):
        refused = sweep("delete", "one", "--yes", cwd=tmp_path)
    assert refused.returncode == USER_INPUT
    assert "one process at a time" in refused.stderr
    assert len(read_json("trials", "one", cwd=tmp_path)) == 2

    artifacts = len(list((tmp_path / "results" / ".artifacts").iterdir()))
    deleted = read_json("delete", "one", "--yes", cwd=tmp_path)
    assert deleted == {"deleted": "one", "trials": 2, "folder": "results/one"}
    assert [study["name"] for study in read_json("studies", cwd=tmp_path)] == ["two"]
    assert sorted(p.name for p in (tmp_path / "results").iterdir() if p.is_dir()) == [
        ".artifacts",
        ".store",
        "two",
    ]
    assert artifacts == 2 * len(list((tmp_path / "results" / ".artifacts").iterdir())) > 0
    again = succeed("run", "space.yaml", "--study", "one", "--threads", 1, cwd=tmp_path)
    assert again.returncode == DONE
