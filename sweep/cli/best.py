"""`sweep best`: which configuration to use, and how sure that is."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from sweep.cli.options import json_option, pick_option, storage_option, study_argument

if TYPE_CHECKING:
    from sweep.trials import TrialRecord
    from sweep.winner.answer import Answer
    from sweep.winner.figures import Pick
    from sweep.winner.front import Front


@click.command(name="best", short_help="Say which configuration to use, and how sure that is.")
@study_argument()
@storage_option()
@pick_option()
@click.option(
    "--max-loss",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Look: give away this share of the scale for a lower cost.  [default: as the study says]",
)
@click.option(
    "--costs",
    metavar="A,B",
    help="Look: costs in this order, e.g. index_bytes,work.  [default: as the study says]",
)
@json_option()
def command(
    study: str | None,
    storage: str | None,
    pick: "Pick",
    max_loss: float | None,
    costs: str | None,
    as_json: bool,
) -> None:
    """Say which configuration to use, its honest score, and the baseline beside it.

    With several objectives it lists those that no other beats in all of them at once.
    --max-loss and --costs try another preference, for a look; what the study itself recommends
    stays as `recommend` in its space file says.
    """
    from sweep.cli.output import print_json
    from sweep.study.choice import look_preference
    from sweep.study.study import Study
    from sweep.winner.message import answer_text

    opened = Study(study, storage)
    if len(opened.goals) > 1:
        for option in ("pick", "max_loss", "costs"):
            _refuse(option)
        front = opened.front()
        print_json(front.to_json()) if as_json else print_front(front)
        return
    order = None if costs is None else [name.strip() for name in costs.split(",") if name.strip()]
    answer = opened.answer(pick, look=look_preference(opened, max_loss=max_loss, costs=order))
    if as_json:
        print_json(answer.to_json())
        return
    print_leaders(answer)
    click.echo()
    click.echo(answer_text(answer))


def print_leaders(answer: "Answer") -> None:
    """Print the leading trials, with their scores on the study's critical slices."""
    from sweep.cli.output import print_table
    from sweep.winner.critical import critical_slices

    objective = answer.objective
    critical = [f"{found.metric} where {found.where}" for found in answer.must]
    within = f"context_tokens@{objective.partition('@')[2]}"  # of an objective with a budget
    context = within if within in answer.trial.metrics else "context_tokens"
    header = ("#", "configuration", objective, "from", "to", "tied", *critical, context)
    approximate = any(t.index_recall for t in answer.leaderboard)
    print_table(
        (*header, *(("index recall",) if approximate else ()), "p95 ms"),
        [
            (
                t.number,
                t.configuration.label(),
                t.values[0],
                *t.intervals.get(objective, (None, None)),
                "yes" if t.number in answer.tied else "no",
                *(found.value for found in critical_slices(t)),
                t.metrics.get(context),
                *((t.numbers.get("index_recall"),) if approximate else ()),
                _p95(t),
            )
            for t in answer.leaderboard
        ],
        title="Leading configurations on the queries that choose",
    )


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


def _refuse(option: str) -> None:
    source = click.get_current_context().get_parameter_source(option)
    if source is ParameterSource.COMMANDLINE:
        name = f"--{option.replace('_', '-')}"
        raise click.UsageError(f"{name} needs one objective, the study has several. Leave it out.")
