"""How a run shows what it is doing: a live view on a terminal, plain lines in a pipe."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from sweep.engine.report import Report

LINE_EVERY_S = 10.0  # in a pipe


@contextmanager
def shown_report(*, as_json: bool, objective: str = "", maximize: bool = True) -> Iterator[Report]:
    """Give a report whose progress is shown while the block runs.

    Args:
        as_json: write one JSON event a line on stderr instead.
        objective: name of the metric whose best value so far is shown.
        maximize: whether higher is better.
    """
    best = _Best(objective, maximize)
    try:
        if as_json:
            yield _json_report()
        elif sys.stderr.isatty():
            with _live_report(best) as report:
                yield report
        else:
            yield _plain_report(best)
    except (KeyboardInterrupt, SystemExit):
        if best.value is not None:
            click.echo(f"\nstopped with {best.count:,} trials finished{best}", err=True)
        raise


def _json_report() -> Report:
    def emit(event: str, fields: dict[str, Any]) -> None:
        click.echo(json.dumps({"event": event, **fields}, ensure_ascii=False), err=True)

    return Report(
        on_notice=lambda text: emit("notice", {"text": text}),
        on_progress=lambda what, done, total: emit(
            "progress", {"stage": what, "done": done, "total": total}
        ),
        on_event=lambda name, fields: emit(name, _brief(fields)),
    )


def _brief(fields: dict[str, Any]) -> dict[str, Any]:
    keep = ("number", "state", "params", "value", "values", "timings")
    return {name: fields[name] for name in keep if name in fields}


def _plain_report(best: "_Best") -> Report:
    last = [0.0]

    def progress(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now - last[0] >= LINE_EVERY_S or (what == "trials" and done == total):
            last[0] = now
            click.echo(f"{what} {done:,}/{total:,}{best}", err=True)

    return Report(
        on_notice=lambda text: click.echo(f"note: {text}", err=True),
        on_progress=progress,
        on_event=lambda name, fields: best.see(fields),
    )


class _Best:
    """The best value so far (of the first objective)."""

    def __init__(self, objective: str, maximize: bool) -> None:
        self.objective = objective
        self.sign = 1.0 if maximize else -1.0
        self.value: float | None = None
        self.count = 0

    def see(self, fields: dict[str, Any]) -> None:
        values = [fields["value"]] if "value" in fields else fields.get("values", [])
        if not values or values[0] is None:
            return
        self.count += 1
        if self.value is None or self.sign * values[0] > self.sign * self.value:
            self.value = values[0]

    def __str__(self) -> str:
        return "" if self.value is None else f", best {self.objective} so far {self.value:.4f}"


@contextmanager
def _live_report(best: _Best) -> Iterator[Report]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def progress(what: str, done: int, total: int) -> None:
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        text = f"trials{best}" if what == "trials" else what
        ended = what != "trials" and done >= total
        bar.update(tasks[what], completed=done, total=total, description=text, visible=not ended)

    with bar:
        yield Report(
            on_notice=lambda text: console.print(f"note: {text}", markup=False, highlight=False),
            on_progress=progress,
            on_event=lambda name, fields: best.see(fields),
        )
