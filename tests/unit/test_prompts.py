"""What is put before queries and passages where a space file leaves it open."""

import json
from pathlib import Path
from typing import Any

import pytest

from sweep.prompts import Prompts, find_prompts
from tests.unit.study.space_files import flats, make_space

SEARCH = "Represent this sentence for searching relevant passages: "


def model(folder: Path, **config: Any) -> str:
    """Return the name of a folder that looks like a model."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    text = json.dumps(config)
    (folder / "config_sentence_transformers.json").write_text(text, encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("BAAI/bge-base-en-v1.5", SEARCH, ""),
        ("BAAI/bge-m3", "", ""),
        ("thenlper/gte-base", "", ""),
        ("Alibaba-NLP/gte-multilingual-base", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("mixedbread-ai/mxbai-embed-large-v1", SEARCH, ""),
        ("Snowflake/snowflake-arctic-embed-m-v1.5", SEARCH, ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("all-MiniLM-L6-v2", "", ""),
        ("sentence-transformers/multi-qa-mpnet-base-dot-v1", "", ""),
    ],
)
def test_known_models(name: str, query: str, passage: str) -> None:
    found = find_prompts(name)
    assert (found.query, found.passage) == (query, passage)


def test_instructions_of_known_models_end_with_the_query() -> None:
    for name in ("intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"):
        assert find_prompts(name).query.startswith("Instruct: ")
        assert find_prompts(name).passage == ""


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"prompts": {"query": "q: ", "document": "d: "}}, ("q: ", "d: ")),
        ({"prompts": {"query": "q: ", "passage": "p: ", "corpus": "c: "}}, ("q: ", "p: ")),
        ({"prompts": {"query": "q: "}}, ("q: ", "")),
        ({"prompts": {"corpus": "c: "}}, ("", "c: ")),
        ({"prompts": {"x": "x: "}, "default_prompt_name": "x"}, ("x: ", "x: ")),
        ({"prompts": {"x": "x: "}}, ("", "")),
        ({}, ("", "")),
    ],
)
def test_own_prompts_are_taken_as_sentence_transformers_takes_them(
    tmp_path: Path, config: dict[str, Any], expected: tuple[str, str]
) -> None:
    found = find_prompts(model(tmp_path / "mine", **config))
    assert (found.query, found.passage) == expected


def test_own_prompts_go_before_the_table_and_empty_ones_say_nothing(tmp_path: Path) -> None:
    own = model(tmp_path / "a" / "e5-small-v2", prompts={"query": "mine: ", "document": ""})
    assert find_prompts(own) == Prompts(query="mine: ", source="its own configuration")
    empty = model(tmp_path / "b" / "e5-small-v2", prompts={"query": "", "document": ""})
    assert find_prompts(empty) == Prompts(
        query="query: ", passage="passage: ", source="its model card"
    )


def vector(**keys: Any) -> dict[str, Any]:
    return {"mode": "vector", "vector": keys}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"model": "intfloat/e5-small-v2"}, [("query: ", "passage: ")]),
        ({"model": "intfloat/e5-small-v2", "query_prefix": ""}, [("", "passage: ")]),
        ({"model": {"name": "intfloat/e5-small-v2", "query_prefix": "q "}}, [("q ", "passage: ")]),
        (
            {"model": {"name": "intfloat/e5-small-v2", "passage_prefix": ["", "p "]}},
            [("query: ", ""), ("query: ", "p ")],
        ),
        ({"model": ["all-MiniLM-L6-v2", "BAAI/bge-small-en"]}, [("", ""), (SEARCH, "")]),
        ({"model": "all-MiniLM-L6-v2"}, [("", "")]),
    ],
)
def test_what_a_space_writes_goes_first(
    tmp_path: Path, keys: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    found = [c.vector for c in make_space(tmp_path, vector(**keys)).configurations]
    assert [(v.query_prefix, v.passage_prefix) for v in found if v] == expected


def test_prefixes_that_were_put_in_are_told(tmp_path: Path) -> None:
    space = make_space(tmp_path, vector(model=["intfloat/e5-small-v2", "all-MiniLM-L6-v2"]))
    assert [notice.text for notice in space.notices] == [
        "vector.model intfloat/e5-small-v2: 'query: ' before queries and 'passage: ' before "
        "passages, as its model card says; query_prefix and passage_prefix change it"
    ]
    written = vector(model="intfloat/e5-small-v2", query_prefix="", passage_prefix="")
    assert make_space(tmp_path, written).notices == ()
    assert make_space(tmp_path, {**vector(model="intfloat/e5-small-v2"), "mode": "bm25"}).notices


def test_labels_show_prefixes_short(tmp_path: Path) -> None:
    e5 = make_space(tmp_path, vector(model="intfloat/e5-small-v2")).configurations[0]
    assert e5.label() == "vector, tokens 192/0, e5-small-v2, 'query: '/'passage: ', top 10"
    long = make_space(tmp_path, vector(model="Qwen/Qwen3-Embedding-0.6B")).configurations[0]
    assert "'Instruct: Given ...'/''" in long.label()


def test_dimensions_are_choices_of_their_own_or_of_a_model(tmp_path: Path) -> None:
    models = [{"name": "one", "dimensions": [64, 128]}, "two"]
    found = flats(make_space(tmp_path, vector(model=models)))
    assert [(c["vector.model"], c.get("vector.dimensions")) for c in found] == [
        ("one", 64),
        ("one", 128),
        ("two", None),
    ]
    reranked = {"mode": "rerank", "rerank": {"candidates": "bm25"}}  # needs tokens, no vectors
    space = make_space(tmp_path, {**vector(model=models[0], dimensions=[32, 64]), **reranked})
    assert ["vector.dimensions" in c for c in flats(space)] == [False]
