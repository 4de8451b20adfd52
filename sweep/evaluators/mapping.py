"""Where an evaluator's parameters come from: placeholders that name fields of a data row.

`${data.path}` (the SDK's form) and `{{item.path}}` (the service's) mean the same; a path with dots
reaches into nested objects. A text that is exactly one placeholder keeps the JSON type of the
field (a list stays a list); in any other text the values are inserted.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.errors import MetricError
from sweep.evaluators.rows import RowError
from sweep.text_lines import shorten

_PLACEHOLDER = re.compile(r"\$\{\s*(?P<sdk>[^{}]*?)\s*\}|\{\{\s*(?P<service>[^{}]*?)\s*\}\}")
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.A)
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?", re.I | re.A)
_ROOTS = {"sdk": "data", "service": "item"}
_ADVICE = "Write '${data.FIELD}' or '{{item.FIELD}}', in single quotes on a command line."


@dataclass(frozen=True, slots=True)
class Template:
    """A checked text with at least one placeholder."""

    text: str

    def resolve(self, values: Mapping[str, Any]) -> Any:
        """Return the field of a row, or the text with its values.

        Raises:
            RowError: if the row lacks a field (`FIELD_NOT_FOUND`).
        """
        whole = _PLACEHOLDER.fullmatch(self.text)
        if whole is not None:
            return _look_up(values, _path(whole))
        return _PLACEHOLDER.sub(lambda match: _as_text(_look_up(values, _path(match))), self.text)


def parse_template(text: object, *, where: str) -> Template:
    """Check a text of a mapping.

    Raises:
        MetricError: without a placeholder, or with one that names no field of the row.
    """
    found = list(_PLACEHOLDER.finditer(text)) if isinstance(text, str) else []
    if not isinstance(text, str) or not found:
        raise MetricError(f"{where}: must hold a placeholder, got {shorten(text)}. {_ADVICE}")
    for match in found:
        path = _path(match)
        root = _ROOTS[str(match.lastgroup)]
        if path[0] != root or len(path) == 1 or "" in path:
            raise MetricError(
                f"{where}: a placeholder must name a field of the data row, got "
                f"{shorten(match[0])}. {_ADVICE}"
            )
    return Template(text)


def parse_assignments(texts: Iterable[str], *, option: str) -> dict[str, str]:
    """Return `NAME=VALUE` texts as a mapping.

    Raises:
        MetricError: for a text without `=`, or a name given twice.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name or not value.strip():
            raise MetricError(
                f"{option}: must read NAME=VALUE, got {shorten(text)}. Add what is missing."
            )
        if name in pairs:
            raise MetricError(
                f"{option}: a name may be given once, got {shorten(name)} again. Drop one."
            )
        pairs[name] = value.strip()
    return pairs


def parse_values(texts: Iterable[str], *, option: str) -> dict[str, int | float | str]:
    """Return `NAME=VALUE` texts as a mapping in which numbers are numbers.

    Raises:
        MetricError: for a text without `=`, or a name given twice.
    """
    values: dict[str, int | float | str] = {}
    for name, text in parse_assignments(texts, option=option).items():
        if _WHOLE.fullmatch(text):
            values[name] = int(text)
        else:
            values[name] = float(text) if _DECIMAL.fullmatch(text) else text
    return values


def _path(match: re.Match[str]) -> list[str]:
    return str(match[str(match.lastgroup)]).split(".")


def _look_up(values: Mapping[str, Any], path: list[str]) -> Any:
    """Return what a path (its root left out) leads to."""
    here: Any = values
    for depth, name in enumerate(path[1:], start=1):
        if not isinstance(here, Mapping) or name not in here:
            known = list(here)[:8] if isinstance(here, Mapping) else type(here).__name__
            within = f" in {'.'.join(path[1:depth])!r}" if depth > 1 else ""
            raise RowError(
                f"a mapped field must be in the row, got no {shorten(name)}{within} (there: "
                f"{known}). Correct the mapping, or add the field.",
                code="FIELD_NOT_FOUND",
            )
        here = here[name]
    return here


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
