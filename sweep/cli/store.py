"""`sweep store`: what the store holds, making room in it, checking it."""

from pathlib import Path
from typing import Any

import click

from sweep.cli.options import AmountType, json_option, store_option


@click.group(name="store", short_help="Look at the store, make room in it, check it.")
def command() -> None:
    """Look at the store of reusable outputs, make room in it, check it."""


@command.command(name="info")
@store_option()
@json_option()
def info(store: Path | None, as_json: bool) -> None:
    """Show what the store holds, by stage and by model, and when it was used last."""
    from sweep.cli.output import print_json, print_table
    from sweep.engine.store.admin import describe_store
    from sweep.engine.store.sizes import format_size
    from sweep.study.folder import default_store

    facts = describe_store(store or default_store())
    if as_json:
        print_json(facts)
        return

    def row(name: str, group: dict[str, Any]) -> tuple[Any, ...]:
        uses = (group["oldest_use"], group["newest_use"])
        return (name, group["files"], format_size(group["bytes"]), *map(_day, uses))

    stages = [row(stage["stage"], stage) for stage in facts["stages"]]
    header = ("stage", "files", "size", "oldest use", "newest use")
    click.echo(facts["store"])
    print_table(header, [*stages, row("all", facts)])
    if facts["models"]:
        click.echo()
        print_table(
            ("model", "precision", "what", "files", "size", "newest use"),
            [
                (
                    group.get("model"),
                    group.get("precision"),
                    _what(group),
                    group["files"],
                    format_size(group["bytes"]),
                    _day(group["newest_use"]),
                )
                for group in facts["models"]
            ],
        )
    if facts["abandoned"]["files"]:
        size = format_size(facts["abandoned"]["bytes"])
        click.echo(f"\nleft behind by processes that were ended: {size}")
    if facts["other_files"]:
        click.echo(f"\nnot sweep's, and never touched: {facts['other_files']:,} files")


@command.command(name="prune")
@store_option()
@click.option(
    "--max", "limit", type=AmountType("size"), metavar="SIZE", help="Keep at most this, e.g. 5GB."
)
@click.option(
    "--older-than", type=AmountType("age"), metavar="AGE", help="Remove what is older, e.g. 30d."
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed; remove nothing.")
@json_option()
def prune(
    store: Path | None, limit: int | None, older_than: float | None, dry_run: bool, as_json: bool
) -> None:
    """Remove what was not used for longest; it is computed again when it is needed."""
    from sweep.cli.output import print_json
    from sweep.engine.store.admin import prune_store
    from sweep.engine.store.sizes import format_size
    from sweep.study.folder import default_store

    if limit is None and older_than is None:
        raise click.UsageError("say what to remove: --max SIZE, --older-than AGE, or both.")
    pruned = prune_store(
        store or default_store(), limit=limit, older_than_s=older_than, dry_run=dry_run
    )
    if as_json:
        print_json(pruned.to_json())
        return
    verb = "would remove" if dry_run else "removed"
    click.echo(
        f"{verb} {len(pruned.removed):,} files, {format_size(pruned.freed)}; "
        f"{len(pruned.left):,} files, {format_size(pruned.left_bytes)} stay"
    )


@command.command(name="verify")
@store_option()
@click.option("--repair", is_flag=True, help="Remove damaged files; they are computed again.")
@json_option()
def verify(store: Path | None, repair: bool, as_json: bool) -> int:
    """Compute every checksum again (exit 3 if a file is damaged and still there)."""
    from sweep.cli import DONE, FAILED
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.engine.store.admin import verify_store
    from sweep.study.folder import default_store

    with shown_report(as_json=as_json) as report:
        result = verify_store(
            store or default_store(),
            repair=repair,
            progress=lambda done, total: report.on_progress("files", done, total),
        )
    if as_json:
        print_json(result.to_json())
    else:
        for name, why in result.damaged.items():
            click.echo(f"damaged: {name} ({why})")
        removed = f", {result.repaired:,} of them removed" if repair and result.damaged else ""
        click.echo(f"{result.files:,} files, {len(result.damaged):,} damaged{removed}")
    return DONE if result.repaired == len(result.damaged) else FAILED


def _what(group: dict[str, Any]) -> str:
    of = group.get("of", "")
    return f"{of} vectors" if group["stage"] == "vectors" else f"{of} scores"


def _day(moment: str | None) -> str | None:
    return moment and moment[:10]
