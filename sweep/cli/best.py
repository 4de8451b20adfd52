"""`sweep best`: which configuration to use, and how sure that is."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from sweep.cli.options import json_option, pick_option, storage_option, study_argument

if TYPE_CHECKING:
    from sweep.trials import TrialRecord
    from sweep.winner.figures import Pick
    from sweep.winner.front import Front


@click.command(name="best", short_help="Say which configuration to use, and how sure that is.")
@study_argument()
@storage_option()
@pick_option()
@json_option()
def command(study: str | None, storage: str | None, pick: "Pick", as_json: bool) -> None:
    """Say which configuration to use, its honest score, and the baseline beside it.

    With several objectives it lists those that no other beats in all of them at once.
    """
    from sweep.cli.output import print_json, print_table
    from sweep.study.study import Study
    from sweep.winner.message import answer_text

    opened = Study(study, storage)
    if len(opened.goals) > 1:
        _refuse_pick()
        front = opened.front()
        print_json(front.to_json()) if as_json else print_front(front)
        return
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
                _p95(t),
            )
            for t in answer.leaderboard
        ],
        title="Leading configurations on the queries that choose",
    )
    click.echo()
    click.echo(answer_text(answer))


def _p95(trial: "TrialRecord") -> float | str | None:
    """Return the 95th percentile, marked where it was measured on a busy machine."""
    from sweep.cli.output import show

    value = trial.metrics.get("latency_p95_ms")
    busy = trial.facts.get("latency", {}).get("busy")
    return f"{show(value)} (busy)" if busy else value


def print_front(front: "Front") -> None:
    """Print the trials of several objectives that no other beats in all of them at once."""
    from sweep.cli.output import print_table

    print_table(
        ("#", "configuration", *front.objectives),
        [(t.number, t.configuration.label(), *t.values) for t in front.trials],
        title="Pareto front",
    )
    click.echo()
    click.echo(front.text())


def _refuse_pick() -> None:
    source = click.get_current_context().get_parameter_source("pick")
    if source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--pick needs one objective, the study has several. Leave it out.")
