"""YAML front matter: the block between two lines of `---` at the beginning of a page."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from sweep.corpus.tables.plain import to_plain

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
LONGEST = 20_000  # characters: more is not what stands above a page


class _NoAliases(yaml.SafeLoader):
    """`SafeLoader` that refuses `*alias`: a few of them can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> tuple[dict[str, Any], str, str | None]:
    """Return the metadata of a page, the rest of its text, and what is wrong with the block.

    A block that is no YAML mapping stays part of the text, and is told.
    """
    found = _BLOCK.match(text)
    if found is None:
        return {}, text, None
    if len(found[1]) > LONGEST:
        return {}, text, f"front matter of more than {LONGEST:,} characters"
    try:
        content = yaml.load(found[1], Loader=_NoAliases)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        return {}, text, f"front matter that is not YAML ({reason})"
    if content is None:
        return {}, text[found.end() :], None
    if not isinstance(content, Mapping):
        return {}, text, None  # a rule above a sentence, not front matter
    return _whole(to_plain(content)), text[found.end() :], None


def _whole(value: Any) -> Any:
    """Return a value that JSON can hold: no halves of characters, no number of endless digits."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return hex(value)
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_whole(key): _whole(inner) for key, inner in value.items()}
    return [_whole(inner) for inner in value] if isinstance(value, list) else value
