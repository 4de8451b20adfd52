"""How `sweep show` prints a study and a trial for people."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from sweep.cli.output import print_table


def print_pairs(content: Mapping[str, Any]) -> None:
    """Print names and values; below them the notes, a line each."""
    pairs = [(name, _one_line(value)) for name, value in content.items() if name != "notes"]
    print_table(("what", "value"), pairs)
    for note in content.get("notes", ()):
        click.echo(f"note: {note}")


def print_trial(content: Mapping[str, Any]) -> None:
    """Print everything about a trial: parameters, metrics, where its time went, files.

    Args:
        content: its record as JSON, with `study`, `configuration` and `files`.
    """
    click.echo(f"trial {content['number']} of {content['study']}: {content['configuration']}")
    click.echo(f"state {content['state']}")
    timings = content["timings"]
    if "error" in content:
        click.echo(content["error"]["traceback"] or content["error"]["message"])
        _print_stages(timings)
        return
    print_table(
        ("parameter", "value"), [(name, str(value)) for name, value in content["params"].items()]
    )
    click.echo()
    intervals = content["intervals"]
    print_table(
        ("metric", "mean", "from", "to"),
        [
            (name, value, *intervals.get(name, (None, None)))
            for name, value in content["metrics"].items()
        ],
    )
    facts = dict(content["facts"])
    _print_critical(facts.pop("must", []))
    _print_stages(timings)
    click.echo()
    plain = {name: value for name, value in timings.items() if not isinstance(value, Mapping)}
    print_pairs({**plain, **facts, **content["files"]})


def _print_critical(slices: Sequence[Mapping[str, Any]]) -> None:
    """Print what the trial scores on the study's critical slices, if it has any."""
    if slices:
        click.echo()
        print_table(
            ("must", "mean", "from", "to", "queries"),
            [(s["must"], s["value"], *s["interval"], s["queries"]) for s in slices],
        )


def _print_stages(timings: Mapping[str, Any]) -> None:
    """Print seconds, source and size of each stage; work for many trials under `shared`."""
    rows = [
        (
            f"{stage} (shared)" if kind == "shared" else stage,
            f"{use['seconds']:.3f}",
            use["source"],
            _counts(use["outputs"]),
            _megabytes(use["bytes"]),
            _megabytes(use["peak_rise_bytes"]),
        )
        for kind in ("shared", "stages")
        for stage, use in timings.get(kind, {}).items()
    ]
    if rows:
        click.echo()
        print_table(("stage", "seconds", "source", "outputs", "MB", "peak +MB"), rows)


def _counts(outputs: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {source}" for source, count in outputs.items()) or "-"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f}" if size else "-"


def _one_line(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_one_line(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(str(inner) for inner in value) or "none"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return "none" if value is None else str(value)
