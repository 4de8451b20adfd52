"""Which configurations a space has, and how two spaces are told apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from sweep.errors import SpaceError
from sweep.study.space.read import (
    compare_axes,
)
from tests.shared_data import bugcase
from tests.unit.study.space_files import flats, make_space


def test_whole_numbers_where_decimal_ones_are_meant_give_equal_configurations(
    tmp_path: Path,
) -> None:
    whole = make_space(
        tmp_path, {"mode": "bm25", "chunk": {"overlap": 0}, "bm25": {"k1": 1, "b": 1}}
    )
    decimal = make_space(
        tmp_path, {"mode": "bm25", "chunk": {"overlap": -0.0}, "bm25": {"k1": 1.0, "b": 1.0}}
    )
    assert whole.configurations[0].fingerprint() == decimal.configurations[0].fingerprint()
    assert whole.identity() == decimal.identity()


def test_a_range_is_listed_without_rounding_drift_and_with_its_end(tmp_path: Path) -> None:
    bm25 = {"b": {"low": 0.1, "high": 0.3, "step": 0.1}, "k1": {"low": 1, "high": 2, "step": 0.4}}
    sizes = {"low": 64, "high": 200, "step": 64}
    axes = make_space(tmp_path, {"mode": "bm25", "bm25": bm25, "chunk": {"size": sizes}}).axes()
    assert axes["bm25.b"] == [0.1, 0.2, 0.3]
    assert axes["bm25.k1"] == [1.0, 1.4, 1.8]
    assert axes["chunk.size"] == [64, 128, 192]


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        # size, overlap and unit do not apply to whole documents
        (
            {
                "mode": "bm25",
                "chunk": {"splitter": "document", "size": [1, 2], "overlap": [0, 0.5]},
            },
            1,
        ),
        ({"mode": "bm25", "chunk": {"splitter": "tokens", "unit": ["tokens", "words"]}}, 1),
        ({"mode": "bm25", "chunk": {"splitter": "sentences", "unit": ["tokens", "words"]}}, 2),
        ({"mode": "bm25", "chunk": {"splitter": "recursive", "unit": ["tokens", "words"]}}, 2),
        ({"mode": "bm25", "chunk": {"splitter": "markdown", "unit": ["tokens", "words"]}}, 2),
        ({"mode": "bm25", "bm25": {"variant": ["lucene", "l"], "delta": [0.3, 0.6]}}, 3),
        ({"mode": "bm25", "bm25": {"variant": ["lucene", "plus"], "delta": [0.3, 0.6]}}, 2),
        ({"mode": "bm25", "bm25": {"variant": ["plus", "okapi"], "epsilon": [0.1, 0.2]}}, 3),
        ({"mode": "vector", "bm25": {"k1": [1, 2]}, "hybrid": {"depth": [10, 20]}}, 1),
        ({"mode": "hybrid", "hybrid": {"fusion": ["rrf", "zscore"], "weight": [0, 1]}}, 3),
        ({"mode": "hybrid", "hybrid": {"fusion": ["rrf", "weighted"], "rrf_k": [10, 60]}}, 3),
        ({"mode": "rerank", "rerank": {"candidates": ["bm25", "vector", "hybrid"]}}, 3),
        # maxsim over BM25 needs a model, but no index
        (
            {
                "mode": "rerank",
                "rerank": {"candidates": "bm25"},
                "vector": {"index": ["Flat", "HNSW32"], "similarity": ["ip", "l2"]},
            },
            1,
        ),
        (
            {
                "mode": "rerank",
                "rerank": {
                    "candidates": "bm25",
                    "kind": ["maxsim", "cross-encoder"],
                    "model": "x",
                },
                "vector": {"model": ["a", "b"]},
            },
            3,
        ),
        ({"mode": "vector", "vector": {"index": ["Flat", {"factory": "Flat", "nprobe": 4}]}}, 1),
        (
            {"mode": "vector", "vector": {"index": {"factory": "HNSW32", "ef_search": [16, 64]}}},
            2,
        ),
        ([{"mode": "bm25", "top_k": [5, 10]}, {"mode": ["bm25", "vector"], "top_k": 10}], 3),
        ({"mode": ["bm25", "bm25"], "top_k": [5, 5]}, 1),
    ],
)
def test_only_what_applies_makes_a_difference(tmp_path: Path, space: Any, expected: int) -> None:
    configurations = make_space(tmp_path, space).configurations
    assert len(configurations) == expected == len({c.fingerprint() for c in configurations})


def test_what_does_not_apply_is_absent_and_what_follows_is_filled_in(tmp_path: Path) -> None:
    variants = ["lucene", "okapi", "l", "plus"]
    lucene, okapi, bm25_l, plus = flats(
        make_space(tmp_path, {"mode": "bm25", "bm25": {"variant": variants}})
    )
    assert "bm25.delta" not in lucene
    assert "bm25.epsilon" not in lucene
    assert okapi["bm25.epsilon"] == 0.25
    assert bm25_l["bm25.delta"] == 0.5
    assert "bm25.delta" not in plus
    words, document = flats(
        make_space(tmp_path, {"mode": "bm25", "chunk": {"splitter": ["words", "document"]}})
    )
    assert words["chunk.unit"] == "words"
    assert "chunk.size" not in document
    rrf, weighted = flats(
        make_space(tmp_path, {"mode": "hybrid", "hybrid": {"fusion": ["rrf", "weighted"]}})
    )
    assert rrf["hybrid.rrf_k"] == 60
    assert "hybrid.weight" not in rrf
    assert weighted["hybrid.weight"] == 0.5
    assert "hybrid.rrf_k" not in weighted


def test_a_model_brings_its_prefixes_and_an_index_its_effort(tmp_path: Path) -> None:
    vector = {
        "model": ["plain", {"name": "e5", "query_prefix": "query: "}],
        "passage_prefix": "p: ",
        "index": {"factory": "IVF8,Flat", "nprobe": 2, "ef_search": 9},
    }
    space = make_space(tmp_path, {"mode": "vector", "vector": vector})
    assert [
        (f["vector.model"], f["vector.query_prefix"], f["vector.passage_prefix"])
        for f in flats(space)
    ] == [("plain", "", "p: "), ("e5", "query: ", "p: ")]
    assert flats(space)[0]["vector.nprobe"] == 2
    assert "vector.ef_search" not in flats(space)[0]
    assert space.tokenizer == "plain"
    assert [notice.text for notice in space.notices] == ["space: nothing uses vector.ef_search"]


def test_identity_is_json_and_says_which_part_differs(tmp_path: Path) -> None:
    base = make_space(tmp_path, {"mode": "bm25", "top_k": [1, 3]})
    assert json.loads(json.dumps(base.identity())) == base.identity()
    changes: dict[str, Any] = {
        "objectives": {"objective": "map"},
        "constraints": {"constraints": ["work <= 3"]},
        "split": {"split": "off"},
        "evaluation": {"evaluation": {"relevance": 2}},
        "baseline": {"baseline": {"mode": "bm25"}},
        "configurations": {"exclude": ["top_k == 3"]},
    }
    for part, keys in changes.items():
        other = make_space(tmp_path, {"mode": "bm25", "top_k": [1, 3]}, **keys).identity()
        assert [name for name in other if other[name] != base.identity()[name]] == [part]
    reordered = make_space(tmp_path, {"top_k": [3, 1], "mode": "bm25"})
    assert reordered.identity() == base.identity()
    seeded = make_space(tmp_path, {"mode": "bm25", "top_k": [1, 3]}, sampler={"seed": 8})
    assert seeded.identity() == base.identity()  # a grid has no use for it


def test_the_sampler_its_seed_and_the_order_of_values_belong_to_what_it_draws(
    tmp_path: Path,
) -> None:
    def identity(space: Any, **sampler: Any) -> dict[str, Any]:
        return make_space(tmp_path, space, sampler={"kind": "tpe", **sampler}).identity()

    space = {"mode": "bm25", "top_k": [1, 3]}
    base = identity(space)
    changes: list[tuple[dict[str, Any], str]] = [
        (identity(space, seed=8), "sampler"),
        (identity(space, kind="nsga2"), "sampler"),
        (identity({"mode": "bm25", "top_k": [3, 1]}), "configurations"),
    ]
    for other, part in changes:
        assert [name for name in other if other[name] != base[name]] == [part]
    assert identity(space, trials=9) == base


def test_bug_case_84_a_changed_list_is_named_with_both_lists(tmp_path: Path) -> None:
    folder = bugcase("84")
    old, new = (
        json.loads((folder / name).read_text(encoding="utf-8"))["space"]
        for name in ("config.json", "config2.json")
    )
    spaces = [
        make_space(tmp_path, {"mode": "bm25", "top_k": s["k"], "chunk": {"size": s["chunk_size"]}})
        for s in (old, new)
    ]
    assert spaces[0].identity()["configurations"] != spaces[1].identity()["configurations"]
    assert compare_axes(spaces[0].axes(), spaces[1].axes()) == [
        "chunk.size: was [2, 4], is [2, 4, 6] (added 6)"
    ]
    assert compare_axes(spaces[1].axes(), spaces[0].axes()) == [
        "chunk.size: was [2, 4, 6], is [2, 4] (removed 6)"
    ]


def test_a_space_for_a_sampler_may_have_open_ranges(tmp_path: Path) -> None:
    part = {
        "mode": "bm25",
        "bm25": {"k1": {"low": 0.1, "high": 10, "log": True}, "b": {"low": 0, "high": 1}},
        "chunk": {"size": {"low": 32, "high": 512}},
    }
    space = make_space(tmp_path, part, sampler={"kind": "random"}, trials=3)
    assert space.configurations == ()
    axes = space.axes()
    assert axes["bm25.k1"] == ["0.1 .. 10.0 log"]
    assert axes["chunk.size"] == ["32 .. 512 step 1"]
    asked: dict[str, Any] = {}
    configuration = space.suggest(lambda name, domain: asked.setdefault(name, domain).low)
    assert sorted(asked) == ["bm25.b", "bm25.k1", "chunk.size"]
    assert configuration.chunk.size == 32
    assert configuration.flat()["bm25.k1"] == 0.1
    other = make_space(tmp_path, {**part, "bm25": {}}, sampler={"kind": "random"})
    assert other.identity()["configurations"] != space.identity()["configurations"]


def test_100_000_configurations_are_listed(tmp_path: Path) -> None:
    part = {
        "mode": "hybrid",
        "chunk": {"size": {"low": 10, "high": 1000, "step": 10}},
        "hybrid": {"fusion": "weighted", "weight": {"low": 0.01, "high": 1, "step": 0.01}},
        "bm25": {"b": {"low": 0.1, "high": 1, "step": 0.1}},
    }
    assert len(make_space(tmp_path, part).configurations) == 100_000


def test_too_many_combinations_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    huge = {"low": 1, "high": 2_000_000_000, "step": 1}
    with pytest.raises(SpaceError, match="at most 5,000,000 combinations, got 4,000,000,000"):
        make_space(tmp_path, {"mode": "bm25", "top_k": [1, 2], "chunk": {"size": huge}})
    sampled = make_space(
        tmp_path, {"mode": "bm25", "chunk": {"size": huge}}, sampler={"kind": "tpe"}
    )
    assert sampled.configurations == ()
