"""`sweep compare`: two trials, of one study or of two, or a trial and a run file."""

from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sweep.study.comparison.compare import QueryRecord, SideBySide

WIDEST = 80  # characters of a query's text


@click.command(name="compare", short_help="Compare two trials, or a trial and a run, by query.")
@click.argument("names", nargs=-1, metavar="[STUDY] A B")
@click.option(
    "--studies",
    is_flag=True,
    help="A and B are studies: what they recommend, or STUDY:TRIAL, is compared.",
)
@storage_option()
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="M",
    help="Only this one (repeat); the first orders the queries.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print every query: both scores, difference.")
@json_option()
def command(
    names: tuple[str, ...],
    studies: bool,
    storage: str | None,
    metrics: tuple[str, ...],
    as_csv: bool,
    as_json: bool,
) -> None:
    """Compare two trials: parameters, metrics with intervals, costs, queries that differ most.

    \b
    sweep compare mine 12 recommended         two trials of one study
    sweep compare recommended baseline        of the study that was run last
    sweep compare mine 12 production.trec     a trial and a TREC run file
    sweep compare mine:12 mine-2:recommended  of two studies
    sweep compare --studies mine mine-2       what each of them recommends

    Differences are B - A. Two studies are joined on the queries, equal in id and text, that both
    are scored on; other documents, labels or rules are said. Of a run file only what ranked
    documents tell is known.
    """  # noqa: D301  \b keeps the lines
    from sweep.cli.output import message, print_json
    from sweep.study.comparison.compare import compare_sides
    from sweep.study.comparison.sides import read_sides

    if studies and len(names) != 2:
        raise click.UsageError("two studies are needed: sweep compare --studies S1 S2")
    if len(names) not in (2, 3):
        raise click.UsageError("two trials are needed: sweep compare [STUDY] A B")
    study = names[0] if len(names) == 3 else None
    a, b = read_sides(names[-2:], study=study, storage=storage, whole=studies)
    found = compare_sides(a, b, metrics=metrics)
    if as_json or as_csv:
        for text in found.warnings:
            message(f"WARNING {text}")
    if as_json:
        print_json({"study": found.a.study.name, **found.to_json()})
    elif as_csv:
        _print_csv(found)
    else:
        _print(found)


def _print_csv(found: "SideBySide") -> None:
    from sweep.cli.output import print_csv

    names = list(found.queries[0].scores) if found.queries else [found.objective]
    header = ["query_id", "query"]
    header += [f"{name}.{part}" for name in names for part in ("a", "b", "difference")]
    rows = [
        [q.query_id, q.text, *(v for a, b in q.scores.values() for v in (a, b, b - a))]
        for q in found.queries
    ]
    print_csv(header, rows)


def _print(found: "SideBySide") -> None:
    from sweep.cli.output import print_table

    one, other = found.a.name, found.b.name
    if found.a.study.name != found.b.study.name:
        one, other = (f"{side.study.name} {side.name}" for side in (found.a, found.b))
    for text in found.warnings:
        click.echo(f"WARNING {text}")
    click.echo(f"A  {found.a.label}\nB  {found.b.label}\n")
    if found.a.trial is not None and found.b.trial is not None:
        rows = [(name, *pair) for name, pair in found.params.items()]
        print_table(("parameter", one, other), rows or [("none differs", "", "")])
        click.echo()
    _print_metrics(found, one, other)
    costs = [
        (name, *("unknown" if value is None else value for value in pair))
        for name, pair in found.costs.items()
    ]
    click.echo()
    print_table(("cost", one, other), costs or [("unknown of both", "", "")])
    for direction, queries in (("higher", found.gained), ("lower", found.lost)):
        click.echo()
        title = f"{found.objective}: queries on which {other} scores {direction}"
        _print_queries(title, queries, one, other)
    _print_footer(found)


def _print_metrics(found: "SideBySide", one: str, other: str) -> None:
    from sweep.cli.output import print_table

    print_table(
        ("metric", one, other, "difference", "from", "to", "higher", "lower", "same", "p"),
        [
            (
                m.metric,
                m.a,
                m.b,
                m.paired.difference,
                *m.paired.interval,
                m.paired.wins,
                m.paired.losses,
                m.paired.ties,
                f"{m.paired.p_value:.4f}" if m.paired.p_value >= 0.0001 else "< .0001",
            )
            for m in found.metrics
        ],
    )


def _print_queries(title: str, queries: "Sequence[QueryRecord]", one: str, other: str) -> None:
    from sweep.cli.output import one_line, print_table

    rows = [
        (
            one_line(q.query_id),
            *next(iter(q.scores.values())),
            q.difference,
            one_line(q.text, WIDEST),
        )
        for q in queries
    ]
    print_table(
        ("query", one, other, "difference", "text"),
        rows or [("none", "", "", "", "")],
        title=title,
    )


def _print_footer(found: "SideBySide") -> None:
    """Say what the figures do not say: how many queries, whose luck, which test."""
    click.echo(f"\nCompared on {len(found.queries):,} queries; --csv and --json list all of them.")
    if found.uncompared:
        click.echo(f"Known of one only, and not compared: {', '.join(found.uncompared)}.")
    chosen = [side.name for side in (found.a, found.b) if side.chosen]
    if chosen:
        click.echo(
            f"These queries chose {' and '.join(dict.fromkeys(chosen))}, so that the scores on "
            f"them are flattered: `sweep best` has the honest ones."
        )
    click.echo(
        "p is of one comparison named before looking (sign flips, two-sided). Among many, "
        "chosen by their scores, `sweep best` says which are worse than the best."
    )
