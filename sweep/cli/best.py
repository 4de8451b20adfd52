"""`sweep best`: which configuration to use, and how sure that is."""

import click

from sweep.cli.options import json_option, storage_option, study_argument


@click.command(name="best")
@study_argument()
@storage_option()
@click.option("--pick", type=click.Choice(["best", "baseline"]), default="best", show_default=True)
@json_option()
def command(study: str | None, storage: str | None, pick: str, as_json: bool) -> None:
    """Say which configuration to use, its honest score, and the baseline beside it."""
    from sweep.cli.output import print_json, print_table
    from sweep.study.study import Study
    from sweep.winner.answer import answer_text

    opened = Study(study, storage)
    answer = opened.answer("baseline" if pick == "baseline" else "best")
    if as_json:
        print_json(answer.to_json())
        return
    objective = answer.objective
    print_table(
        ("#", "configuration", objective, "from", "to", "context_tokens", "p95 ms"),
        [
            (
                t.number,
                t.configuration.label(),
                t.values[0],
                *t.intervals.get(objective, (None, None)),
                t.metrics.get("context_tokens"),
                t.metrics.get("latency_p95_ms"),
            )
            for t in answer.leaderboard
        ],
        title="Leading configurations on the queries that choose",
    )
    click.echo()
    click.echo(answer_text(answer))
