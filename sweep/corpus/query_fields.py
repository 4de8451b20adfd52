"""What queries say about themselves: the values of a metadata field, as people write them.

A value is compared as the text it prints as (`2019`, `true`, `identifier`), so that a space file,
a command line and a corpus agree. A query whose field holds a list has each of its values; one
that lacks the field, or has nothing in it, has the value `(none)`.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sweep.records import Query

NONE = "(none)"
# A digit, camelCase or snake_case: what is looked up rather than described.
_IDENTIFIER = re.compile(r"\d|[a-z][A-Z]|\w_\w")


def field_values(metadata: Mapping[str, Any], field: str) -> tuple[str, ...] | None:
    """Return the values that a query has of a field, each once.

    Args:
        metadata: of the query.
        field: a key of it.

    Returns: at least one; None where the field holds a mapping, or a list with one: such values
        have no name.
    """
    value = metadata.get(field)
    listed = value if isinstance(value, list | tuple) else [value]
    if any(isinstance(item, Mapping | list | tuple) for item in listed):
        return None
    texts = [value_text(item) for item in listed if item not in (None, "")]
    return tuple(dict.fromkeys(texts)) or (NONE,)


def value_text(value: Any) -> str:
    """Return a plain value as it is compared: `true`, `3`, `0.5`, or the text itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def metadata_fields(queries: Iterable[Query]) -> tuple[str, ...]:
    """Return the fields that some query has, in the order in which they are first seen."""
    return tuple(dict.fromkeys(name for query in queries for name in query.metadata))


def word_count(text: str) -> int:
    """Return the number of words: of runs of characters between white space."""
    return len(text.split())


def holds_identifier(text: str) -> bool:
    """Return whether a text holds a digit, a camelCase word or a snake_case one."""
    return _IDENTIFIER.search(text) is not None
