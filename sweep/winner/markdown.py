"""Markdown that survives any text: tables, and texts whose characters mean nothing."""

from collections.abc import Iterable, Sequence


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells must hold no line break, and what they mean is Markdown."""
    # Spaces that do not break keep columns apart where a page has no margins for them.
    padded = [[f"\u00a0{cell}\u00a0" for cell in line] for line in (header, *rows)]
    padded.insert(1, ["---"] * len(header))
    return "\n".join(f"| {' | '.join(line)} |" for line in padded)


def markdown_text(text: str) -> str:
    """Return a text whose characters mean nothing in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~$" else c for c in text)
