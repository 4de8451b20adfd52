"""How facts about a corpus are told: a row a fact, numbers in one form."""

from collections.abc import Mapping
from typing import Any

Rows = list[tuple[str, str]]
SHARES = ("labelled_share", "scripts")  # of which 1 is all


def fact_rows(facts: Mapping[str, Any], prefix: str = "", *, share: bool = False) -> Rows:
    """Return what and value of nested facts, both as texts.

    Args:
        facts: numbers, texts, lists, and mappings of these.
        prefix: what they are about, with a blank at its end.
        share: the numbers are shares.
    """
    rows: Rows = []
    for name, value in facts.items():
        is_share = share or name in SHARES
        if isinstance(value, Mapping):
            rows += fact_rows(value, f"{prefix}{name} ", share=is_share)
        else:
            what = f"{prefix}{name}".replace("_", " ")
            rows.append((what, _value(value, share=is_share)))
    return rows


def _value(value: Any, *, share: bool) -> str:
    """Return `1,040.4`, `615`, `97.5%`, or a text; a list as its items."""
    if value is None or (isinstance(value, list) and not value):
        return "none"
    if isinstance(value, list):
        groups = (" = ".join(map(str, v)) if isinstance(v, list) else str(v) for v in value)
        return ", ".join(groups)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    text = f"{100 * value if share else value:,.1f}".removesuffix(".0")
    return f"{text}%" if share else text
