"""How commands print: data on stdout, messages on stderr."""

import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import click

from sweep.csv_text import csv_text
from sweep.trials import json_ready

# Marks that change the direction of what follows them, and the separators of lines and paragraphs.
STEERING = frozenset(
    "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
PIPE_WIDTH = 400  # columns a table may take where no terminal limits it


def print_json(content: Any) -> None:
    """Print JSON; NaN and infinity become null."""
    click.echo(json.dumps(json_ready(content), ensure_ascii=False, indent=2, allow_nan=False))


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a header line, no cell of it a formula."""
    click.echo(csv_text(header, rows), nl=False)


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, title: str = "") -> None:
    """Print a table for people; numbers right-aligned, as wide as the terminal allows."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    cells = [[show(value) for value in row] for row in rows]
    table = Table(title=title or None, box=None, title_justify="left", pad_edge=False)
    for number, name in enumerate(header):
        numeric = all(_is_number(row[number]) for row in cells)
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console = Console()
    if console.is_terminal:
        console.print(table)
        return
    console.width = PIPE_WIDTH
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def show(value: Any) -> str:
    """Return a value as people read it: four significant decimals, `-` for nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, list | tuple):
        return ", ".join(show(inner) for inner in value) or "none"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, int) or (float(value).is_integer() and abs(value) >= 1000):
        return f"{int(value):,}"
    if abs(value) >= 100:
        return f"{value:,.1f}"
    return f"{value:.4g}" if abs(value) >= 10 else f"{value:.4f}"


def one_line(text: str, longest: int = 300) -> str:
    """Return text of a corpus as one line that neither steers a terminal nor turns others round.

    White space becomes single spaces. What is invisible and acts (control characters, marks of
    direction) is written as an escape; a text with letters that run from right to left is
    isolated, so that what stands beside it stays where it is.

    Args:
        text: anything.
        longest: characters that are kept; what follows is left out with `...`.
    """
    line = " ".join(text[: 4 * longest].split())
    cut = len(line) > longest or len(text) > 4 * longest
    line = "".join(_escaped(character) for character in line[:longest]) + ("..." if cut else "")
    if any(unicodedata.bidirectional(character) in ("R", "AL") for character in line):
        return f"\u2068{line}\u2069"
    return line


def _escaped(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cs") or character in STEERING:
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character


def message(text: str) -> None:
    """Print a message for the person at the terminal."""
    click.echo(text, err=True)


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()
