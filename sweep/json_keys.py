"""A JSON object names a key once: Python's `json` would silently keep the last of two."""

from collections.abc import Sequence
from typing import Any

from sweep.text_lines import shorten


class RepeatedKeyError(ValueError):
    """An object of a JSON text names a key twice; the text says which."""


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object from its pairs, for `object_pairs_hook` of `json.loads`.

    Raises: RepeatedKeyError if a key occurs twice.
    """
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise RepeatedKeyError(f"{shorten(repeated)} twice")
    return content
