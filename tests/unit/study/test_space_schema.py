"""The JSON Schema that editors use describes every key and its bounds."""

import json
import re
from pathlib import Path
from typing import Any

from sweep.study.space.read import space_schema


def test_every_key_has_a_description() -> None:
    schema = space_schema()
    assert json.loads(json.dumps(schema)) == schema
    models = {"": schema, **schema["$defs"]}
    undescribed = [
        f"{title}.{key}"
        for title, model in models.items()
        for key, value in model["properties"].items()
        if "description" not in value
    ]
    assert undescribed == []
    assert all(model["additionalProperties"] is False for model in models.values())


def test_required_keys_choices_and_bounds_are_stated() -> None:
    schema = space_schema()
    assert sorted(schema["required"]) == ["objective", "space"]
    defs = schema["$defs"]
    modes: list[dict[str, Any]] = defs["SpaceFile"]["properties"]["mode"]["oneOf"]
    assert modes[0]["enum"] == ["bm25", "vector", "hybrid", "rerank"]
    overlap = defs["ChunkFile"]["properties"]["overlap"]["oneOf"]
    assert (overlap[0]["minimum"], overlap[0]["exclusiveMaximum"]) == (0, 1)
    ranges = defs[overlap[2]["$ref"].rpartition("/")[2]]
    assert sorted(ranges["required"]) == ["high", "low"]


def test_every_key_is_in_the_documents() -> None:
    """A person who writes a space file looks there first."""
    page = Path(__file__).parents[3] / "docs" / "spaces.md"
    words = set(re.findall(r"[a-z_0-9]+", page.read_text(encoding="utf-8")))
    schema = space_schema()
    keys = {key for model in (schema, *schema["$defs"].values()) for key in model["properties"]}
    assert keys - words == set()
