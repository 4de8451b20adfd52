"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

STORAGE_HELP = (
    "Where studies are recorded: a path (SQLite), or postgresql+psycopg://USER@HOST/DATABASE.  "
    "[default: results/sweep.db]"
)


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


class AmountType(click.ParamType):  # type: ignore[type-arg]  # generic in late click only
    """Bytes (`5GB`) or an age (`30d`); gives bytes or seconds."""

    def __init__(self, kind: Literal["size", "age"]) -> None:
        self.name = kind

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | float:
        """Return the amount, or end with what it should look like."""
        from sweep.engine.store.sizes import parse_age, parse_size
        from sweep.errors import StoreError

        try:
            return parse_size(str(value)) if self.name == "size" else parse_age(str(value))
        except StoreError as error:
            self.fail(str(error), param, ctx)


def store_max_option() -> Decorator:
    """Return the `--store-max` option."""
    return click.option(
        "--store-max",
        type=AmountType("size"),
        envvar="SWEEP_STORE_MAX",
        metavar="SIZE",
        help="Keep the store below this, e.g. 5GB: what was not used for longest is removed, "
        "nothing that this run uses.",
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
