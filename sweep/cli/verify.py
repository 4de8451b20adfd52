"""`sweep verify`: proof that a bundle returns what its trial returned."""

from pathlib import Path

import click

from sweep.cli.options import json_option


@click.command(name="verify", short_help="Prove a bundle against its trial.")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    help="Run only this many queries, spread evenly.  [default: 50 where each is reranked, else "
    "all]",
)
@click.option("--all", "every", is_flag=True, help="Run every query, also where each is reranked.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@json_option()
def command(bundle: Path, sample: int | None, every: bool, threads: int, as_json: bool) -> int:
    """Run the trial's queries through a bundle and compare, id for id (exit 3 if they differ)."""
    from sweep.cli import DONE, FAILED
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.export.verify import verify

    if every and sample is not None:
        raise click.UsageError("--all and --sample exclude each other. Give one.")
    with shown_report(as_json=as_json) as report:
        result = verify(
            bundle,
            sample=sample,
            every=every,
            threads=threads,
            progress=lambda done, total: report.on_progress("queries", done, total),
        )
    if as_json:
        print_json(result.to_json())
    elif result.passed and result.same_machine:
        click.echo(f"passed: {result.equal} of {result.queries} queries equal, id for id")
    elif result.passed:
        click.echo(
            f"passed: {result.equal} of {result.queries} queries equal; on another kind of "
            f"machine {result.swaps} ranks swapped within the permitted score gap"
        )
    else:
        click.echo(
            f"failed: {len(result.wrong)} of {result.queries} queries differ: "
            f"{', '.join(result.wrong[:5])}"
        )
    if not as_json and result.queries < result.of:
        click.echo(
            f"{result.queries} of {result.of} queries checked, spread evenly; --all checks every "
            f"one"
        )
    return DONE if result.passed else FAILED
