"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

STORAGE_HELP = "Where studies are recorded: a path (SQLite) or a URL.  [default: results/sweep.db]"


def storage_option() -> Decorator:
    """Return the `--storage` option."""
    return click.option("--storage", envvar="SWEEP_STORAGE", metavar="URL", help=STORAGE_HELP)


def store_option() -> Decorator:
    """Return the `--store` option."""
    return click.option(
        "--store",
        type=click.Path(path_type=Path),
        envvar="SWEEP_STORE",
        help="Folder of reusable stage outputs.  [default: results/.store]",
    )


def json_option() -> Decorator:
    """Return the `--json` option."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")


def study_argument() -> Decorator:
    """Return the STUDY argument: a study's name; the most recent one when left out."""
    return click.argument("study", required=False)


def pick_option() -> Decorator:
    """Return the `--pick` option: which configuration of a study is meant."""
    return click.option(
        "--pick",
        type=click.Choice(["recommended", "best", "baseline"]),
        default="recommended",
        show_default=True,
        help="recommended: the cheapest of those that tie with the best and lose little to it.",
    )
