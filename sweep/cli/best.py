"""`sweep best`: which configuration to use, and how sure that is."""

from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, pick_option, storage_option, study_argument

if TYPE_CHECKING:
    from sweep.winner.figures import Pick


@click.command(name="best")
@study_argument()
@storage_option()
@pick_option()
@json_option()
def command(study: str | None, storage: str | None, pick: "Pick", as_json: bool) -> None:
    """Say which configuration to use, its honest score, and the baseline beside it."""
    from sweep.cli.output import print_json, print_table
    from sweep.study.study import Study
    from sweep.winner.message import answer_text

    opened = Study(study, storage)
    answer = opened.answer(pick)
    if as_json:
        print_json(answer.to_json())
        return
    objective = answer.objective
    print_table(
        ("#", "configuration", objective, "from", "to", "tied", "context_tokens", "p95 ms"),
        [
            (
                t.number,
                t.configuration.label(),
                t.values[0],
                *t.intervals.get(objective, (None, None)),
                "yes" if t.number in answer.tied else "no",
                t.metrics.get("context_tokens"),
                t.metrics.get("latency_p95_ms"),
            )
            for t in answer.leaderboard
        ],
        title="Leading configurations on the queries that choose",
    )
    click.echo()
    click.echo(answer_text(answer))
