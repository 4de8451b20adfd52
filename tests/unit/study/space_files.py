"""Making search spaces for tests."""

from pathlib import Path
from typing import Any

import yaml

from sweep.study.space.read import SearchSpace, read_space


def make_space(folder: Path, space: Any, **keys: Any) -> SearchSpace:
    """Write a space file with an objective and read it."""
    path = folder / "example.yaml"
    path.write_text(
        yaml.safe_dump({"objective": "ndcg@10", "space": space, **keys}), encoding="utf-8"
    )
    return read_space(path)


def flats(space: SearchSpace) -> list[dict[str, Any]]:
    return [configuration.flat() for configuration in space.configurations]
