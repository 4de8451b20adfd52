"""How a run shows what it is doing: a live view on a terminal, plain lines in a pipe, or events.

docs/events.md documents the events of `--json`.
"""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.pace import Pace, Step, duration
from sweep.engine.measure.report import Report

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

LINE_EVERY_S = 10.0  # in a pipe
EVENT_EVERY_S = 1.0  # progress events of one piece of work
REFRESHES = 4  # a second, of the live view
DOING = {  # what people read of a stage that counts nothing
    "tokenise": "counting tokens",
    "chunk": "cutting documents",
    "terms": "counting terms",
    "load": "loading model weights",
    "index": "building an index",
    "lists": "searching",
    "latency": "timing single queries",
}
KEPT = ("number", "state", "params", "value", "values", "timings", "error")


@contextmanager
def shown_report(*, as_json: bool, objective: str = "", maximize: bool = True) -> Iterator[Report]:
    """Give a report whose progress is shown while the block runs.

    Args:
        as_json: write one JSON event a line on stderr instead.
        objective: name of the metric whose best value so far is shown.
        maximize: whether higher is better.
    """
    pace = Pace(objective, maximize=maximize)
    try:
        if as_json:
            yield json_report(pace)
        elif sys.stderr.isatty() and (console := _console()).is_interactive:
            with live_report(pace, console) as report:
                yield report
        else:
            yield plain_report(pace)
    except (KeyboardInterrupt, SystemExit):
        if pace.best is not None and not as_json:
            told = f"stopped with {pace.complete:,} trials finished, {pace.best_text}"
            click.echo(f"\n{told}", err=True)
        raise


def json_report(pace: Pace) -> Report:
    """Return a report that writes JSON events, progress at most once in `EVENT_EVERY_S`."""
    last: dict[str, float] = {}

    def emit(event: str, fields: dict[str, Any]) -> None:
        click.echo(json.dumps({"event": event, **fields}, ensure_ascii=False), err=True)

    def progress(what: str, done: int, total: int) -> None:
        step, now = pace.progress(what, done, total), pace.clock()
        if not step.ended and now - last.get(what, -EVENT_EVERY_S) < EVENT_EVERY_S:
            return
        last[what] = now
        emit("progress", _progress_fields(step, now))

    def event(name: str, fields: dict[str, Any]) -> None:
        pace.event(name, fields)
        if name in ("trial", "kept"):
            fields = {key: fields[key] for key in KEPT if key in fields}
        elif name == "run_ended":
            fields = fields | {"complete": pace.complete, "failed": pace.failed}
        emit(name, fields)

    return Report(
        on_notice=lambda text: emit("notice", {"text": text}),
        on_progress=progress,
        on_event=event,
    )


def _progress_fields(step: Step, now: float) -> dict[str, Any]:
    rate, left = step.rate(now), step.left_s(now)
    return {
        "stage": step.stage,
        "what": step.what,
        "done": step.done,
        "total": step.total,
        "unit": step.unit,
        "rate": None if rate is None else round(rate, 3),
        "left_s": None if left is None else round(left, 1),
    }


def plain_report(pace: Pace) -> Report:
    """Return a report that writes a line now and then, at most one in `LINE_EVERY_S`."""
    last = [-LINE_EVERY_S + pace.clock()]

    def progress(what: str, done: int, total: int) -> None:
        step, now = pace.progress(what, done, total), pace.clock()
        if now - last[0] >= LINE_EVERY_S or (what == "trials" and step.ended):
            last[0] = now
            click.echo(pace.line() or pace.step_text(step), err=True)

    return Report(
        on_notice=lambda text: click.echo(f"note: {text}", err=True),
        on_progress=progress,
        on_event=pace.event,
    )


@contextmanager
def live_report(pace: Pace, console: "Console") -> Iterator[Report]:
    """Give a report that is drawn on a terminal, and leaves nothing behind."""
    from rich.live import Live

    live = Live(
        console=console,
        get_renderable=lambda: live_view(pace),
        refresh_per_second=REFRESHES,
        transient=True,
    )
    with live:
        yield Report(
            on_notice=lambda text: console.print(f"note: {text}", markup=False, highlight=False),
            on_progress=_unheard(pace.progress),
            on_event=pace.event,
        )


def live_view(pace: Pace) -> "RenderableType":
    """Return what a terminal shows now: trials, what is being worked on, the best so far."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=36)
    grid.add_column(min_width=8, max_width=24)
    for _ in range(3):
        grid.add_column(no_wrap=True, justify="right")
    trials = pace.steps.get("trials")
    for step in (trials, pace.current):
        if step is None:
            continue
        grid.add_row(
            Text(step.what),
            ProgressBar(total=max(1, step.total), completed=step.done),
            Text(f"{step.done:,}/{step.total:,}"),
            *map(Text, pace.speed(step)),
        )
    if pace.current is None and pace.stages:
        grid.add_row(Text(DOING.get(pace.stages[-1], pace.stages[-1])))
    told = [text for text in (pace.best_text, f"{duration(pace.elapsed_s)} so far") if text]
    return Group(grid, Text(", ".join(told), no_wrap=True, overflow="ellipsis"))


def _unheard(progress: Callable[[str, int, int], Step]) -> Callable[[str, int, int], None]:
    def told(what: str, done: int, total: int) -> None:
        progress(what, done, total)

    return told


def _console() -> "Console":
    from rich.console import Console

    return Console(stderr=True)
