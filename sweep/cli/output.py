"""How commands print: data on stdout, messages on stderr."""

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import click

from sweep.trials import json_ready

PIPE_WIDTH = 400  # columns a table may take where no terminal limits it


def print_json(content: Any) -> None:
    """Print JSON; NaN and infinity become null."""
    click.echo(json.dumps(json_ready(content), ensure_ascii=False, indent=2, allow_nan=False))


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print comma-separated values with a header line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    click.echo(buffer.getvalue(), nl=False)


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


def message(text: str) -> None:
    """Print a message for the person at the terminal."""
    click.echo(text, err=True)


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.replace(",", "").replace(".", "", 1).lstrip("-").isdigit()
