"""`sweep run`: evaluate the configurations of a search space."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, store_max_option, store_option

if TYPE_CHECKING:
    from sweep.study.study import Study


@click.command(name="run", short_help="Evaluate the configurations of a search space.")
@click.argument("space", type=click.Path(path_type=Path))
@click.option(
    "--corpus", type=click.Path(path_type=Path), help="Corpus folder, if not the file's."
)
@click.option("--study", metavar="NAME", help="Name of the study, if not the file's.")
@storage_option()
@store_option()
@store_max_option()
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
    "--trials",
    type=click.IntRange(min=1),
    metavar="N",
    help="Try at most N new configurations in this run, finalists of a quick look not counted.  "
    "[default: what the file says; all of a grid]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop after this time, between two units of work; what is finished is kept (exit 0).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    help="Seed of the sampler, in place of the file's; not for a grid.",
)
@click.option(
    "--max-failures",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Share of failed trials that stops the run (exit 3).",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Say what a run would do and what it would take; begin no study.",
)
@click.option("--yes", is_flag=True, help="Go on with more than 2,000 configurations.")
@json_option()
def command(space: Path, as_json: bool, dry_run: bool, **options: Any) -> int:
    """Evaluate the configurations of a search-space file, and say which one to use.

    A grid evaluates all of them; random, tpe and nsga2 as many as `trials` in the file, or
    --trials, says. A run that was stopped goes on where it was: the same command evaluates only
    what is missing. With `sample` in the file it is a quick look: the search runs on a part of
    the documents, as a study NAME@sample, and its finalists on all of them, as NAME.
    """
    from sweep.study.metrics import goals_of
    from sweep.study.space.read import read_space

    goal = goals_of(read_space(space))[0]  # a slip in the file is told before the rest is loaded
    if dry_run:
        from sweep.cli.dry_run import plan_run

        return plan_run(space, options, as_json=as_json)

    from sweep.cli import DONE, FAILED
    from sweep.cli.output import message
    from sweep.cli.progress import shown_report
    from sweep.errors import StorageError, StoreError
    from sweep.study.driver.inputs import RunOptions
    from sweep.study.driver.queue import TooManyFailures
    from sweep.study.driver.run import run

    try:
        with shown_report(as_json=as_json, objective=goal.name, maximize=goal.maximize) as report:
            study = run(space, options=RunOptions(**options), report=report)
    except TooManyFailures as stopped:
        message(f"stopped: {stopped}")
        message("See `sweep trials`; what is finished is kept, and the same command goes on.")
        return FAILED
    except (StorageError, StoreError) as error:
        if getattr(error, "__notes__", ()):  # while it ran
            error.add_note(f"Go on with: {_this_command()}")
        raise
    except (KeyboardInterrupt, SystemExit):
        message("What is finished is kept, and the same command goes on where it stopped.")
        raise
    _print_answer(study, as_json=as_json)
    if study.stopped:
        message(f"{study.stopped}. What is finished is kept; go on with: {_this_command()}")
    return DONE


def _print_answer(study: "Study", *, as_json: bool) -> None:
    """Print what to use; of a study that is not finished, as far as that can be said."""
    from sweep.cli.best import print_front
    from sweep.cli.output import message, print_json
    from sweep.errors import SweepError
    from sweep.winner.front import Front
    from sweep.winner.message import answer_text

    try:
        found = study.front() if len(study.goals) > 1 else study.answer()
    except SweepError as error:
        if study.stopped is None:
            raise
        message(str(error))
        found = None
    if as_json:
        ending = {"stopped": study.stopped.to_json() if study.stopped else None}
        print_json((found.to_json() if found else {"study": study.name}) | ending)
    elif isinstance(found, Front):
        print_front(found)
    elif found is not None:
        click.echo(answer_text(found))


def _this_command() -> str:
    """Return the command that is running, as one types it; a password in a URL is left out."""
    from sweep.study.storage.address import shown

    def told(word: str) -> str:
        option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
        return option + equals + (shown(value) if "://" in value else value)

    return shlex.join(["sweep", *map(told, sys.argv[1:])])
