"""What a space file means: its example, its defaults, and every part beside `space`."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from sweep.configuration import (
    Bm25Config,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.study.space.read import (
    BaselineRun,
    Constraint,
    Evaluation,
    Objective,
    Sampler,
    Split,
    read_space,
)
from tests.shared_data import shared
from tests.unit.study.space_files import make_space

EXAMPLE = """
name: quickstart
corpus: ../corpora/handbook
objective: ndcg@10
constraints: ["context_tokens <= 2000"]
baseline: {mode: bm25, top_k: 10, chunk: {splitter: tokens, size: 192}}
split: auto
sampler: {kind: grid, seed: 7}
evaluation: {labels: {min: 0, max: 4}, relevance: 1, thresholds: {ndcg: 0.5}}
exclude: ["chunk.size == 96 and top_k == 3"]
space:
  mode: [bm25, vector, hybrid, rerank]
  top_k: 10
  chunk:  {splitter: tokens, size: [96, 192], overlap: [0, 0.2]}
  bm25:   {variant: lucene, k1: 1.2, b: 0.75, analyzer: auto}
  vector: {model: all-MiniLM-L6-v2, index: Flat}
  hybrid: {fusion: [rrf, weighted], rrf_k: 60, weight: [0.3, 0.5, 0.7], depth: 100}
  rerank: {kind: maxsim, candidates: hybrid, depth: 50, blend: [0.5, 1.0]}
"""


def test_the_example_of_the_design_has_56_configurations(tmp_path: Path) -> None:
    path = tmp_path / "search_spaces" / "quickstart.yaml"
    path.parent.mkdir()
    path.write_text(EXAMPLE, encoding="utf-8")
    space = read_space(path)
    assert len(space.configurations) == 56
    modes = [configuration.mode for configuration in space.configurations]
    # 2 sizes x 2 overlaps = 4 chunkings; rrf + 3 weights = 4 fusions; 2 blends.
    counts = {mode: modes.count(mode) for mode in ("bm25", "vector", "hybrid", "rerank")}
    assert counts == {"bm25": 4, "vector": 4, "hybrid": 16, "rerank": 32}
    assert space.name == "quickstart"
    assert space.corpus == tmp_path / "corpora" / "handbook"
    assert space.objectives == (Objective(metric="ndcg@10"),)
    assert space.constraints == (Constraint(metric="context_tokens", op="<=", bound=2000.0),)
    assert space.baseline in space.configurations
    assert space.split == Split(kind="auto")
    assert space.sampler == Sampler(kind="grid", seed=7)
    assert space.trials is None
    assert space.evaluation == Evaluation(
        label_min=0, label_max=4, relevance=1, thresholds=(("ndcg", 0.5),)
    )
    assert space.tokenizer == "all-MiniLM-L6-v2"
    assert space.notices == ()


def test_the_example_is_that_of_the_design() -> None:
    text = shared("design.md").read_text(encoding="utf-8")
    block = text.split("```yaml\n")[1].split("```")[0]
    assert yaml.safe_load(block) == yaml.safe_load(EXAMPLE)


def test_what_is_not_written_has_its_default(tmp_path: Path) -> None:
    space = make_space(tmp_path, {"mode": "bm25"})
    assert space.name == "example"
    assert space.corpus is None
    assert space.baseline is None
    assert space.evaluation == Evaluation()
    assert (space.exclude, space.metrics, space.constraints) == ((), (), ())
    assert space.configurations == (Configuration(mode="bm25", bm25=Bm25Config()),)
    (rerank,) = make_space(tmp_path, {"mode": "rerank"}).configurations
    assert rerank == Configuration(
        mode="rerank",
        bm25=Bm25Config(),
        vector=VectorConfig(),
        hybrid=HybridConfig(),
        rerank=RerankConfig(),
    )


def test_exclude_leaves_out_and_baseline_is_not_excluded(tmp_path: Path) -> None:
    space = make_space(
        tmp_path,
        {"mode": ["bm25", "hybrid"], "chunk": {"size": [64, 128]}},
        exclude=["chunk.size == 64 and mode == 'bm25'", "hybrid.depth > 1000"],
        baseline={"mode": "bm25", "chunk": {"size": 64}},
    )
    assert [(c.mode, c.chunk.size) for c in space.configurations] == [
        ("bm25", 128),
        ("hybrid", 64),
        ("hybrid", 128),
    ]
    assert isinstance(space.baseline, Configuration)
    assert not space.allows(space.baseline)


def test_a_baseline_may_be_a_run_known_by_its_content(tmp_path: Path) -> None:
    run = tmp_path / "production.trec"
    run.write_bytes(b"q1 Q0 d1 1 0.5 x\n")
    space = make_space(tmp_path, {"mode": "bm25"}, baseline={"run": "production.trec"})
    assert isinstance(space.baseline, BaselineRun)
    assert space.baseline.path == run
    before = space.identity()["baseline"]
    run.write_bytes(b"q1 Q0 d2 1 0.5 x\n")
    space = make_space(tmp_path, {"mode": "bm25"}, baseline={"run": "production.trec"})
    assert space.identity()["baseline"] != before


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"split": False}, Split(kind="off")),
        ({"split": "off"}, Split(kind="off")),
        ({"split": {"confirm": 0.3}}, Split(kind="confirm", confirm=0.3)),
        (
            {"split": {"confirm": 0.2, "seed": 1, "group": "document"}},
            Split(kind="confirm", confirm=0.2, seed=1, group="document"),
        ),
    ],
)
def test_split_forms(tmp_path: Path, keys: Any, expected: Split) -> None:
    assert make_space(tmp_path, {"mode": "bm25"}, **keys).split == expected


def test_yaml_reads_a_bare_off_as_false_and_it_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("objective: map\nsplit: off\nspace: {mode: bm25}\n", encoding="utf-8")
    assert read_space(path).split == Split(kind="off")


def test_several_objectives_with_and_without_a_direction(tmp_path: Path) -> None:
    written = ["ndcg@10", {"metric": "work", "direction": "minimize"}]
    path = tmp_path / "a.yaml"
    path.write_text(yaml.safe_dump({"objective": written, "space": {"mode": "bm25"}}))
    assert read_space(path).objectives == (
        Objective(metric="ndcg@10"),
        Objective(metric="work", direction="minimize"),
    )


def test_trials_may_stand_at_either_place_and_are_no_part_of_the_identity(tmp_path: Path) -> None:
    space = {"mode": "bm25", "bm25": {"b": {"low": 0, "high": 1}}}
    inside = make_space(tmp_path, space, sampler={"kind": "tpe", "trials": 9})
    beside = make_space(tmp_path, space, sampler={"kind": "tpe"}, trials=9)
    fewer = make_space(tmp_path, space, sampler={"kind": "tpe"}, trials=5)
    assert inside.trials == beside.trials == 9
    assert inside.identity() == beside.identity() == fewer.identity()
    (notice,) = make_space(tmp_path, {"mode": "bm25"}, trials=9).notices
    assert "a grid runs everything" in notice.text


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ({"mode": "bm25"}, "all-MiniLM-L6-v2"),
        ({"mode": "vector", "vector": {"model": ["b", "a"]}}, "b"),
        ({"mode": "vector", "vector": {"model": [{"name": "c"}, "a"]}}, "c"),
        ({"mode": "vector", "vector": {"model": "b"}, "chunk": {"tokenizer": "t"}}, "t"),
        ([{"mode": "bm25"}, {"mode": "vector", "vector": {"model": "b"}}], "b"),
    ],
)
def test_one_tokenizer_per_study(tmp_path: Path, space: Any, expected: str) -> None:
    assert make_space(tmp_path, space).tokenizer == expected


def test_a_depth_below_top_k_is_noticed_where_it_applies(tmp_path: Path) -> None:
    part = {"top_k": [5, 20], "hybrid": {"depth": 10}, "rerank": {"depth": [10, 50]}}
    hybrid = make_space(tmp_path, {"mode": ["hybrid", "rerank"], **part}).notices
    assert [notice.text.split(":")[0] for notice in hybrid] == [
        "space.hybrid.depth",
        "space.rerank.depth",
    ]
    assert "10 is below top_k 20" in hybrid[0].text
    vector = make_space(tmp_path, {"mode": "vector", **part}).notices
    assert [n.text for n in vector] == ["space: nothing uses hybrid.depth, rerank.depth"]
