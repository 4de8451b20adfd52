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
    """List the recorded studies, the one that was run last first.

    Folders below results/ that belong to no study (deleted or renamed in the dashboard) are told.
    """
    from dataclasses import asdict

    from sweep.cli.output import message, print_json, print_table
    from sweep.study.abandoned import abandoned_folders
    from sweep.study.folder import default_storage
    from sweep.study.listing import list_studies
    from sweep.study.storage.storage import open_storage

    studies = list_studies(storage)
    if as_json:
        print_json([asdict(study) for study in studies])
    else:
        print_table(
            ("study", "objectives", "trials", "corpus", "last run"),
            [(s.name, ", ".join(s.objectives), s.trials, _corpus(s), s.last_run) for s in studies],
        )
    for folder in abandoned_folders(open_storage(storage or default_storage())):
        if folder.is_ours or folder.owner is None:  # another storage knows its own
            message(f"note: {folder}")


def _corpus(study: "StudySummary") -> str:
    """Return the corpus's name; of a search on a sample how much of it that is."""
    if study.sample is None:
        return study.corpus
    return "{} ({documents:,} of {of:,} documents)".format(study.corpus, **study.sample)
