"""`sweep corpus diff`: what changed between two corpora, and which labels are stale by it."""

from pathlib import Path
from typing import Any

import click

from sweep.cli.options import json_option

SHOWN = 10  # ids or labels of one kind; --json has all


@click.command(name="diff")
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@json_option()
def diff(before: Path, after: Path, as_json: bool) -> None:
    """Show what changed from BEFORE to AFTER, and which labels became stale by it.

    Each is a corpus folder or a snapshot.json. A label is stale if its document vanished or
    changed, or the text of its span is gone or stands elsewhere.
    """
    from sweep.cli.output import print_json
    from sweep.corpus.diff import diff_content
    from sweep.corpus.snapshot import open_snapshot

    content = diff_content(open_snapshot(before), open_snapshot(after))
    if as_json:
        print_json(content)
        return
    if content["same"]:
        click.echo(f"no difference ({content['after']['hash'][:12]})")
        return
    for what in ("documents", "queries", "labels", "spans"):
        _print_changes(what, content[what])
    _print_stale(content["stale"])


def _print_changes(what: str, changes: dict[str, list[Any]]) -> None:
    counts = ", ".join(f"{len(keys):,} {kind}" for kind, keys in changes.items())
    click.echo(f"{what}: {counts}")
    for kind, keys in changes.items():
        for key in keys[:SHOWN]:
            click.echo(f"  {kind:8} {_named(key)}")
        if len(keys) > SHOWN:
            click.echo(f"  {kind:8} and {len(keys) - SHOWN:,} more (--json)")


def _print_stale(stale: list[dict[str, Any]]) -> None:
    click.echo(f"stale labels: {len(stale):,}")
    for one in stale[:SHOWN]:
        click.echo(f"  {one['why']}: {_named(one)}")
    if len(stale) > SHOWN:
        click.echo(f"  and {len(stale) - SHOWN:,} more (--json)")


def _named(key: Any) -> str:
    if isinstance(key, str):
        return repr(key)
    text = f"{key['query']!r} -> {key['document']!r}"
    if key.get("start") is not None:
        text += f" [{key['start']}, {key['end']})"
    if key.get("now") is not None:
        text += f", now at {key['now']}"
    if "before" in key:
        return f"{text}, grade {key['before']} -> {key['grade']}"
    return f"{text}, grade {key['grade']}" if "grade" in key else text
