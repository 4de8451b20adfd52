"""`sweep studies`: the recorded studies."""

from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option

if TYPE_CHECKING:
    from sweep.study.listing import StudySummary


@click.command(name="studies", short_help="List the studies.")
@storage_option()
@json_option()
def command(storage: str | None, as_json: bool) -> None:
    """List the recorded studies, the one that was run last first."""
    from dataclasses import asdict

    from sweep.cli.output import print_json, print_table
    from sweep.study.listing import list_studies

    studies = list_studies(storage)
    if as_json:
        print_json([asdict(study) for study in studies])
        return
    print_table(
        ("study", "objectives", "trials", "corpus", "last run"),
        [(s.name, ", ".join(s.objectives), s.trials, _corpus(s), s.last_run) for s in studies],
    )


def _corpus(study: "StudySummary") -> str:
    """Return the corpus's name; of a search on a sample how much of it that is."""
    if study.sample is None:
        return study.corpus
    return "{} ({documents:,} of {of:,} documents)".format(study.corpus, **study.sample)
