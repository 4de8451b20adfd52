"""Reading one field of a record: ids stay exact, numbers become text, the rest is refused."""

import math
import re
from collections.abc import Mapping
from typing import Any

from sweep.errors import CorpusError
from sweep.numerals import whole_number, whole_rule
from sweep.text_lines import shorten

EXACT_BELOW = 1e15  # a spreadsheet keeps 15 digits, a float 15 to 17
CUTTING = re.compile(r"[\t\n\r]")  # they end a cell or a line of the judgements' file


def read_id(record: Mapping[str, Any], key: str, *, where: str) -> str:
    """Return an id as text: a string unchanged, a JSON number as its decimal text.

    Raises: CorpusError if the key is missing, or its value is null, empty, of another type, a
        float that has lost digits, or holds a tab or a line end.
    """
    if key not in record:
        found = ", ".join(repr(name) for name in list(record)[:8]) or "no key at all"
        raise CorpusError(
            f"{where}: {shorten(key)} must be present, got {found}. Give each record an id."
        )
    text = _text_of(record[key])
    if not text:
        raise CorpusError(
            f"{where}: {shorten(key)} must be a non-empty string or a number, got "
            f"{shorten(record[key])}. Give each record an id."
        )
    if isinstance(record[key], float) and abs(record[key]) >= EXACT_BELOW:
        raise CorpusError(
            f"{where}: {shorten(key)} must keep all its digits, got the number {text}. "
            "Write long ids as texts (in a spreadsheet: format the column as text)."
        )
    if CUTTING.search(text):
        raise CorpusError(
            f"{where}: {shorten(key)} must hold no tab or line end, got {shorten(text)}. "
            "Judgements are lines of cells between tabs: rename it."
        )
    return text


def read_text(record: Mapping[str, Any], *, where: str, id: str, key: str = "text") -> str:
    """Return a text; a number becomes its decimal text.

    Raises: CorpusError, naming the id, if it is missing, null, a list, an object or a truth value.
    """
    text = _text_of(record.get(key))
    if text is None:
        got = shorten(record[key]) if key in record else "no such field"
        raise CorpusError(
            f"{where}: {shorten(key)} of {id!r} must be a string, got {got}. "
            'Write "" for a record without text.'
        )
    return text


def read_title(record: Mapping[str, Any], *, where: str, id: str, key: str = "title") -> str:
    """Return a title; missing or null is "", a number becomes its decimal text.

    Raises: CorpusError, naming the id, if it is a list, an object or a truth value.
    """
    if record.get(key) is None:
        return ""
    title = _text_of(record[key])
    if title is None:
        raise CorpusError(
            f"{where}: {shorten(key)} of {id!r} must be a string, got {shorten(record[key])}. "
            "Leave it out where there is none."
        )
    return title


def read_metadata(record: Mapping[str, Any], *, used: frozenset[str]) -> dict[str, Any]:
    """Return `metadata` together with every other field that is not in `used`.

    Where both define a key, `metadata` wins; a `metadata` that is no object is kept whole.
    """
    own = record.get("metadata")
    extra = {key: value for key, value in record.items() if key not in used | {"metadata"}}
    if own is None:
        return extra
    return {**extra, **own} if isinstance(own, dict) else {**extra, "metadata": own}


def read_whole_number(value: object, *, where: str, what: str) -> int:
    """Return the whole number in a cell: a label, an offset.

    Raises: CorpusError, naming `what`, if it is anything else (see `numerals.whole_number`).
    """
    number = whole_number(value)
    if number is None:
        raise CorpusError(
            f"{where}: {what} must be {whole_rule(value)}, got {shorten(value)}. Round it, or "
            "scale it."
        )
    return number


def _text_of(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None  # what stands for "nothing" in a table is not the text "nan"
    try:
        return str(value)
    except ValueError:  # Python prints no integer of more than 4,300 digits
        return None
