"""`sweep run`: evaluate every configuration of a search space."""

from pathlib import Path
from typing import Any

import click

from sweep.cli.options import json_option, storage_option, store_option


@click.command(name="run")
@click.argument("space", type=click.Path(path_type=Path))
@click.option(
    "--corpus", type=click.Path(path_type=Path), help="Corpus folder, if not the file's."
)
@click.option("--study", metavar="NAME", help="Name of the study, if not the file's.")
@storage_option()
@store_option()
@click.option(
    "--threads", type=click.IntRange(min=1), help="Threads of models; changes no result."
)
@click.option(
    "--precision",
    type=click.Choice(["auto", "fp32", "bf16"]),
    default="auto",
    show_default=True,
    help="Of model weights; auto takes bf16 where it is safe.",
)
@click.option(
    "--max-failures",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Share of failed trials that stops the run (exit 3).",
)
@click.option("--yes", is_flag=True, help="Go on with more than 2,000 configurations.")
@json_option()
def command(space: Path, as_json: bool, **options: Any) -> int:
    """Evaluate every configuration of a search-space file, and say which one to use.

    A run that was stopped goes on where it was: the same command evaluates only what is missing.
    """
    from sweep.study.metrics import goals_of
    from sweep.study.space import read_space

    goal = goals_of(read_space(space))[0]  # a slip in the file is told before the rest is loaded

    from sweep.cli import DONE, FAILED
    from sweep.cli.output import message, print_json
    from sweep.cli.progress import shown_report
    from sweep.study.queue import TooManyFailures
    from sweep.study.run import RunOptions, run
    from sweep.winner.message import answer_text

    try:
        with shown_report(as_json=as_json, objective=goal.name, maximize=goal.maximize) as report:
            study = run(space, options=RunOptions(**options), report=report)
    except TooManyFailures as stopped:
        message(f"stopped: {stopped}")
        message("See `sweep trials`; what is finished is kept, and the same command goes on.")
        return FAILED
    except (KeyboardInterrupt, SystemExit):
        message("What is finished is kept, and the same command goes on where it stopped.")
        raise
    answer = study.answer()
    if as_json:
        print_json(answer.to_json())
    else:
        click.echo(answer_text(answer))
    return DONE
