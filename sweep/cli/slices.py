"""`sweep slices`: how configurations do on kinds of queries, and whether routing would pay."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, study_argument

if TYPE_CHECKING:
    from sweep.winner.insight.slices import FieldSlices, Slice, SliceScore, StudySlices

WIDEST = 40  # characters of a slice's name


@click.command(name="slices", short_help="Show scores on kinds of queries; would routing pay?")
@study_argument()
@storage_option()
@click.option(
    "--by",
    multiple=True,
    metavar="FIELD",
    help="A field of the queries' metadata, query:words or query:identifier (repeat).  "
    "[default: all that make slices]",
)
@click.option("--metric", metavar="M", help="A recorded one.  [default: the objective]")
@json_option()
def command(
    study: str | None, storage: str | None, by: tuple[str, ...], metric: str | None, as_json: bool
) -> None:
    """Show the recommended, the best and the baseline configuration on slices of the queries.

    Slices are made by the fields of the queries' metadata, by length, and by whether a query holds
    an identifier (a digit, camelCase, snake_case). Each names its own winner, which is chosen on
    few queries: trust it where it is called separable. Queries kept to confirm with take no part.
    """
    from sweep.cli.opening import open_study
    from sweep.cli.output import print_json
    from sweep.study.insight.slices import slices_of
    from sweep.study.quick_look import sample_key

    opened = open_study(study, storage)
    found = slices_of(opened, by=by, metric=metric)
    if as_json:
        print_json(found.to_json() | sample_key(opened))
    else:
        _print(found)


def _print(found: "StudySlices") -> None:
    from sweep.cli.output import one_line
    from sweep.winner.rounding import plain

    roles = "; ".join(f"#{found.numbers[row]} {role}" for row, role in found.roles.items())
    click.echo(f"{found.study}: {found.metric} on the {found.queries} queries that choose")
    click.echo(f"{roles}; {len(found.numbers)} configurations\n")
    for field in found.fields:
        _print_field(found, field)
        click.echo()
    click.echo(
        f"Choosing the best of {len(found.numbers)} for every single query would gain "
        f"{plain(found.oracle)} (an upper bound, flattered: each choice is made by the score that "
        f"it is measured with)."
    )
    for reason in found.refused.values():
        click.echo(f"left out: {one_line(reason)}")


def _print_field(found: "StudySlices", field: "FieldSlices") -> None:
    from sweep.cli.output import one_line, print_table

    header = [one_line(field.by, WIDEST), "queries"]
    header += [f"#{found.numbers[row]} {role}" for row, role in found.roles.items()]
    rows = [_row(found, slice_) for slice_ in field.slices]
    every = ["all", found.queries, *_scores(found, found.overall), "", "", "", ""]
    print_table((*header, "best there", "lead", "tied", "p (Holm)"), [*rows, every])
    if field.routing is not None:
        click.echo(one_line(field.routing.text()))
    elif found.adaptive:
        click.echo(
            f"no honest figure for routing by {one_line(field.by)}: {found.adaptive} chose what "
            f"to try by these queries"
        )
    else:
        click.echo(
            f"routing by {one_line(field.by)} cannot be tried: too few queries, or overlapping "
            f"slices"
        )


def _row(found: "StudySlices", slice_: "Slice") -> list[Any]:
    from sweep.cli.output import one_line
    from sweep.winner.rounding import signed

    shown: list[Any] = [
        one_line(slice_.value, WIDEST),
        slice_.queries,
        *_scores(found, slice_.scores),
    ]
    if slice_.winner is None or slice_.lead is None:
        return [*shown, "too few queries", "", "", ""]
    told = f"{slice_.p_value:.4f} {'separable' if slice_.separable else 'not separable'}"
    lead = signed(slice_.lead) if slice_.lead else ""
    return [*shown, f"#{found.numbers[slice_.winner]}", lead, slice_.tied, told]


def _scores(found: "StudySlices", scores: "Mapping[int, SliceScore]") -> list[str]:
    from sweep.winner.rounding import plain

    cells = []
    for row in found.roles:
        low, high = scores[row].interval
        interval = f" [{plain(low)}, {plain(high)}]" if math.isfinite(low) else ""  # one query
        cells.append(plain(scores[row].mean) + interval)
    return cells
