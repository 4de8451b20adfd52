"""`sweep compare`: two trials of a study, metric by metric and query by query."""

from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option

if TYPE_CHECKING:
    from sweep.study.comparison import TrialComparison
    from sweep.study.study import Study

WIDEST = 80  # characters of a query's text


@click.command(name="compare", short_help="Compare two trials, query by query.")
@click.argument("names", nargs=-1, metavar="[STUDY] A B")
@storage_option()
@click.option("--metric", "metrics", multiple=True, metavar="M", help="Only this one (repeat).")
@json_option()
def command(
    names: tuple[str, ...], storage: str | None, metrics: tuple[str, ...], as_json: bool
) -> None:
    """Compare two trials: parameters, metrics with intervals, costs, queries that differ most.

    A and B are trial numbers, or `recommended`, `best`, `baseline`; differences are B - A. STUDY
    is the one that was run last when left out.
    """
    from sweep.cli.output import print_json
    from sweep.study.comparison import compare_trials, find_trial
    from sweep.study.study import Study

    if len(names) not in (2, 3):
        raise click.UsageError("two trials are needed: sweep compare [STUDY] A B")
    study = Study(names[0] if len(names) == 3 else None, storage)
    a, b = (find_trial(study, name) for name in names[-2:])
    found = compare_trials(study, a, b, metrics=metrics)
    if as_json:
        print_json({"study": study.name, **found.to_json()})
    else:
        _print(study, found)


def _print(study: "Study", found: "TrialComparison") -> None:
    from sweep.cli.output import print_table

    one, other = f"#{found.a.number}", f"#{found.b.number}"
    for name, trial in ((one, found.a), (other, found.b)):
        click.echo(f"{name} of {study.name}: {trial.configuration.label()}")
    click.echo()
    rows = [(name, *pair) for name, pair in found.params.items()]
    print_table(("parameter", one, other), rows or [("none differs", "", "")])
    click.echo()
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
    click.echo()
    print_table(("cost", one, other), [(name, *pair) for name, pair in found.costs.items()])
    click.echo()
    texts = _query_texts(study)
    queries = [(q.query_id, q.a, q.b, q.b - q.a, texts.get(q.query_id)) for q in found.queries]
    print_table(
        (f"query ({found.objective})", one, other, "difference", "text"),
        queries or [("none differs", "", "", "", "")],
    )
    click.echo(
        "\np is of one comparison named before looking (sign flips, two-sided). Among many, "
        "chosen by their scores, `sweep best` says which are worse than the best."
    )


def _query_texts(study: "Study") -> dict[str, str]:
    """Return the queries' texts, shortened; none where the corpus has moved or changed."""
    from sweep.errors import SweepError
    from sweep.study.reopen import study_corpus

    try:
        queries = study_corpus(study).queries
    except SweepError:
        return {}
    return {query.id: " ".join(query.text.split())[:WIDEST] for query in queries}
