"""`sweep delete`: remove a study."""

import sys
from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option

if TYPE_CHECKING:
    from sweep.study.abandoned import AbandonedFolder
    from sweep.study.storage.patient import PatientStorage


@click.command(name="delete", short_help="Delete a study, its trials and its folder.")
@click.argument("study")
@storage_option()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--force",
    is_flag=True,
    help="Delete a folder without a study also where a study of another storage may own it.",
)
@json_option()
def command(study: str, storage: str | None, yes: bool, force: bool, as_json: bool) -> None:
    """Delete a study: its trials and its folder under results/.

    What was computed for it stays in the store (`sweep store prune` clears that). A study that is
    running is not deleted. Where there is no study of that name, but a folder (the study was
    deleted in the dashboard), the folder is removed.
    """
    from sweep.cli.output import message, print_json
    from sweep.study.abandoned import check_nobodys, delete_abandoned
    from sweep.study.deletion import delete_study
    from sweep.study.folder import default_storage
    from sweep.study.quick_look import search_of
    from sweep.study.storage.storage import open_storage
    from sweep.study.study import Study

    opened, search = open_storage(storage or default_storage()), None
    if (folder := _abandoned(study, opened)) is not None:
        count, path = folder.trials, folder.folder.path
        check_nobodys(folder, force=force)
        message(f"{path} belongs to no study in this storage")
        _ask(study, f"Delete the folder {path} with the tables of {count:,} trials?", yes=yes)
        delete_abandoned(folder, opened, force=force)
        told = f"deleted the folder {path} with the tables of {count:,} trials"
    else:
        found = Study(study, storage, unread=True)
        count, path = len(found.trials), found.folder.path
        _ask(study, f"Delete study {study!r} with {count:,} trials, and {path}?", yes=yes)
        search = search_of(found)
        needing = delete_study(found, force=force)
        kept = f"; {path} is kept for {', '.join(needing)} (--force removes it)"
        told = f"deleted study {study} with {count:,} trials"
        told += kept if needing else f", and {path}"
    if as_json:
        print_json({"deleted": study, "trials": count, "folder": str(path)})
    else:
        message(told)
        if search:
            message(f"Its search is kept: sweep delete {search}")


def _abandoned(study: str, storage: "PatientStorage") -> "AbandonedFolder | None":
    """Return the folder of that name if no study of the storage has it."""
    from sweep.study.abandoned import abandoned_folders

    return next((f for f in abandoned_folders(storage) if f.name == study), None)


def _ask(study: str, question: str, *, yes: bool) -> None:
    """Ask for a yes, unless it was given.

    Raises: UsageError where nobody can be asked.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"deleting {study!r} needs a yes: give --yes.")
    click.confirm(question, abort=True)
