"""What is wrong with a space file is said in one error: a line per problem, path and value."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweep.errors import SpaceError
from sweep.study.space.read import read_space
from tests.shared_data import bugcase

BM25 = "space: {mode: bm25}\n"
OBJECTIVE = "objective: ndcg@10\n"


def problems_of(folder: Path, text: str | bytes) -> list[str]:
    """Return the lines of the error that a file gives, without the file's path."""
    path = folder / "a.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SpaceError) as caught:
        read_space(path)
    lines = str(caught.value).split("\n")
    assert all(line.startswith(f"{path}:") for line in lines)
    return [line.removeprefix(f"{path}:").strip() for line in lines]


@pytest.mark.parametrize(
    ("space", "start"),
    [
        (
            {"chunk": {"siez": 3}},
            "space.chunk.siez: must be a known key, got 'siez'. Did you mean size?",
        ),
        ({"tok_k": 3}, "space.tok_k: must be a known key, got 'tok_k'. Did you mean top_k?"),
        ({"chunk": {"size": {"low": 1, "hihg": 2}}}, "space.chunk.size.high: must be given"),
        ({"chunk": {"size": 0}}, "space.chunk.size: must be >= 1, got 0"),
        ({"chunk": {"size": [64, 64.0]}}, "space.chunk.size[1]: must be a whole number, got 64.0"),
        ({"chunk": {"size": True}}, "space.chunk.size: must be a whole number, got True"),
        ({"chunk": {"size": "64"}}, "space.chunk.size: must be a whole number, got '64'"),
        ({"chunk": {"size": []}}, "space.chunk.size: must not be an empty list"),
        ({"chunk": {"size": 2**31}}, "space.chunk.size: must be <= 2147483647, got 2147483648"),
        ({"chunk": {"overlap": True}}, "space.chunk.overlap: must be a number, got True"),
        ({"chunk": {"overlap": 1}}, "space.chunk.overlap: must be < 1, got 1. overlap is a share"),
        (
            {"chunk": {"prepend_title": 1}},
            "space.chunk.prepend_title: must be true or false, got 1",
        ),
        ({"chunk": {"splitter": "token"}}, "space.chunk.splitter: must be one of tokens, "),
        ({"chunk": None}, "space.chunk: must be a mapping, got nothing"),
        ({"mode": "bm52"}, "space.mode: must be one of bm25, vector, hybrid, rerank, got 'bm52'"),
        ({"mode": {"low": 1}}, "space.mode: must be one of"),
        ({"top_k": 0}, "space.top_k: must be >= 1, got 0"),
        ({"aggregate": "mean@0"}, "space.aggregate: must have another form, got 'mean@0'"),
        ({"bm25": {"b": 1.1}}, "space.bm25.b: must be <= 1, got 1.1"),
        ({"bm25": {"k1": -1}}, "space.bm25.k1: must be >= 0, got -1"),
        ({"bm25": {"k1": float("nan")}}, "space.bm25.k1: must be a finite number"),
        ({"bm25": {"k1": {"low": 2, "high": 1, "step": 1}}}, "space.bm25.k1: low must be <= high"),
        ({"bm25": {"k1": {"low": 1, "high": 2, "step": 0}}}, "space.bm25.k1: step must be > 0"),
        (
            {"bm25": {"k1": {"low": 1, "high": 2}}},
            "space.bm25.k1: a range must have a step in a grid",
        ),
        (
            {"bm25": {"k1": {"low": 1, "high": 2, "log": True, "step": 1}}},
            "space.bm25.k1: log and step exclude each other",
        ),
        ({"hybrid": {"rrf_k": -1}}, "space.hybrid.rrf_k: must be >= 0, got -1"),
        ({"hybrid": {"depth": 0}}, "space.hybrid.depth: must be >= 1, got 0"),
        ({"hybrid": {"weight": 1.01}}, "space.hybrid.weight: must be <= 1, got 1.01"),
        ({"rerank": {"blend": -0.1}}, "space.rerank.blend: must be >= 0, got -0.1"),
        ({"rerank": {"kind": "cross-encoder"}}, "space.rerank: kind cross-encoder needs a model"),
        ({"vector": {"model": {"nam": "x"}}}, "space.vector.model.name: must be given"),
        ({"vector": {"model": ""}}, "space.vector.model: must not be empty"),
    ],
)
def test_a_wrong_value_is_named_with_its_path(tmp_path: Path, space: Any, start: str) -> None:
    content = {"objective": "ndcg@10", "space": {"mode": "bm25", **space}}
    assert problems_of(tmp_path, yaml.safe_dump(content))[0].startswith(start)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (BM25, "objective: must be given, got nothing"),
        (OBJECTIVE, "space: must be given"),
        (OBJECTIVE + "space: []\n", "space: must not be an empty list"),
        (OBJECTIVE + "space: 3\n", "space: must be a mapping, got 3"),
        (OBJECTIVE + "space: [{mode: bm25}, {mode: x}]\n", "space[1].mode: must be one of"),
        (OBJECTIVE + "space: {top_k: 1}\n", "space.mode: must be given"),
        ("objective: [a, a]\n" + BM25, "objective: metrics must differ, got 'a' twice"),
        ("objective: {metric: a, direction: up}\n" + BM25, "objective.direction: must be one of"),
        (OBJECTIVE + "sampler: {kind: gird}\n" + BM25, "sampler.kind: must be one of grid"),
        (OBJECTIVE + "split: true\n" + BM25, "split: must be one of auto, off, False, got True"),
        (OBJECTIVE + "split: {confirm: 1}\n" + BM25, "split.confirm: must be < 1, got 1"),
        (OBJECTIVE + "constraints: [a < 3]\n" + BM25, "constraints[0]: must be METRIC <= NUMBER"),
        (OBJECTIVE + "exclude: ['chunk.siez < 3']\n" + BM25, "exclude[0]: must name parameters"),
        (OBJECTIVE + "exclude: [mode == 'bm25']\n" + BM25, "exclude: must leave a configuration"),
        (OBJECTIVE + "baseline: {run: none}\n" + BM25, "baseline.run: must be a readable file"),
        (OBJECTIVE + "baseline: {run: a, mode: bm25}\n" + BM25, "baseline.mode: must be a known"),
        (
            OBJECTIVE + "baseline: {mode: bm25, top_k: [1, 2]}\n" + BM25,
            "baseline: must be one configuration, got several values for top_k",
        ),
        (
            OBJECTIVE + "baseline: {mode: bm25, chunk: {tokenizer: a}}\n"
            "space: {mode: bm25, chunk: {tokenizer: b}}\n",
            "chunk.tokenizer: must be one per study, got 'b' in space, 'a' in baseline",
        ),
        (
            OBJECTIVE + "trials: 3\nsampler: {kind: tpe, trials: 4}\n" + BM25,
            "trials: must be given once, got 3 and 4",
        ),
        (OBJECTIVE + "name: a/b\n" + BM25, "name: must have another form, got 'a/b'"),
        (OBJECTIVE + "name: a@b\n" + BM25, "name: must have another form"),
        (
            OBJECTIVE + "evaluation: {labels: {min: 4, max: 4}}\n" + BM25,
            "evaluation.labels: min must be < max",
        ),
        (OBJECTIVE + "1: 2\n" + BM25, "must have texts as keys, got 1"),
        (OBJECTIVE + "space: &a [*a]\n", "space[0]: must be a mapping"),
        ("", "must be a mapping, got nothing"),
        ("- 1\n", "must be a mapping, got [1]"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, start: str) -> None:
    assert problems_of(tmp_path, text)[0].startswith(start)


def test_all_problems_are_reported_together(tmp_path: Path) -> None:
    text = "objective: a\nobjective: b\nmetrics: 3\n"
    text += "space: {mode: x, chunk: {siez: 1, size: [0, -1]}}\n"
    assert [line.split(":")[0] for line in problems_of(tmp_path, text)] == [
        "line 2",
        "metrics",
        "space.mode",
        "space.chunk.size[0]",
        "space.chunk.size[1]",
        "space.chunk.siez",
    ]


def test_a_key_written_twice_is_refused_at_every_depth(tmp_path: Path) -> None:
    text = OBJECTIVE + "space:\n  mode: bm25\n  chunk: {size: 1,\n    size: 2}\n"
    (line,) = problems_of(tmp_path, text)
    assert line.startswith(
        "line 5: a key may occur once in a mapping, got 'size' again (first on line 4)"
    )


def test_anchors_and_merges_are_no_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        OBJECTIVE + "space:\n- &a {mode: bm25, top_k: 1}\n- {<<: *a, top_k: 2}\n", encoding="utf-8"
    )
    assert [c.top_k for c in read_space(path).configurations] == [1, 2]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b"objective: a\nspace: [1\n", 3),
        (b"objective: a\nspace:\n\tmode: bm25\n", 3),
        (b"objective: a\nname: \xff\n", 2),
        (b"a: 1\n---\nb: 2\n", 2),
        (b"a: 1\nspace: {[a]: 3}\n", 2),
        (b"a: 1\nb: *nowhere\n", 2),
        (b"a: 1\nb: !!python/name:os.system\n", 2),
    ],
)
def test_yaml_errors_name_file_and_line(tmp_path: Path, text: bytes, line: int) -> None:
    (problem,) = problems_of(tmp_path, text)
    assert problem.startswith(f"{line}: must be ")


@pytest.mark.parametrize("text", ["[" * 5000, "d: 2024-13-45\n", "d: " + "9" * 5000 + "\n"])
def test_hostile_yaml_is_an_error_of_the_file(tmp_path: Path, text: str) -> None:
    (problem,) = problems_of(tmp_path, text)
    assert problem.startswith("must be YAML, got ")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(SpaceError, match="must be a readable file"):
            read_space(path)


def test_a_byte_order_mark_and_short_exponents_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfobjective: a\nspace: {mode: bm25, bm25: {k1: 1e-1}}\n")
    assert read_space(path).axes()["bm25.k1"] == [0.1]


def test_a_file_name_that_cannot_name_a_study_asks_for_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a@b.yaml"
    path.write_text(OBJECTIVE + BM25, encoding="utf-8")
    with pytest.raises(SpaceError, match="name: must have no slash, colon or @"):
        read_space(path)


def test_bug_case_53_an_overlap_in_tokens_is_refused_with_each_value(tmp_path: Path) -> None:
    folder = bugcase("53")
    for name, bad in (
        ("config.json", ["64", "128", "200"]),
        ("config_bad.json", ["0", "-1", "-1"]),
    ):
        chunk = json.loads((folder / name).read_text(encoding="utf-8"))["chunk"]
        chunk["splitter"] = chunk.pop("unit") + "s"
        text = yaml.safe_dump({"objective": "ndcg@10", "space": {"mode": "bm25", "chunk": chunk}})
        problems = problems_of(tmp_path, text)
        assert [line.split("got ")[1].split(".")[0] for line in problems] == bad
        assert "overlap is a share of size" in problems[-1]
