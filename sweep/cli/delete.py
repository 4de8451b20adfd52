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
    help="Delete the folder also where a study of another storage owns it, or may own it.",
)
@json_option()
def command(study: str, storage: str | None, yes: bool, force: bool, as_json: bool) -> None:
    """Delete a study: its trials and its folder under results/.

    What was computed for it stays in the store (`sweep store prune` clears that). A study that is
    running is not deleted, and a folder that a study of another storage needs is kept. Where there
    is no study of that name, but a folder (the study was deleted in the dashboard), the folder is
    removed.
    """
    from sweep.study.folder import default_storage
    from sweep.study.storage.storage import open_storage

    opened = open_storage(storage or default_storage())
    if (folder := _abandoned(study, opened)) is not None:
        _delete_folder(folder, opened, yes=yes, force=force, as_json=as_json)
    else:
        _delete_study(study, storage, yes=yes, force=force, as_json=as_json)


def _delete_folder(
    found: "AbandonedFolder", storage: "PatientStorage", *, yes: bool, force: bool, as_json: bool
) -> None:
    from sweep.cli.output import message, print_json
    from sweep.study.abandoned import check_nobodys, delete_abandoned

    count, path = found.trials, found.folder.path
    check_nobodys(found, force=force)
    message(found.known)
    _ask(found.name, f"Delete the folder {path} with the tables of {count:,} trials?", yes=yes)
    delete_abandoned(found, storage, force=force)
    if as_json:
        print_json({"deleted": found.name, "trials": count, "folder": str(path)})
    else:
        message(f"deleted the folder {path} with the tables of {count:,} trials")


def _delete_study(
    name: str, storage: str | None, *, yes: bool, force: bool, as_json: bool
) -> None:
    from sweep.cli.output import message, print_json
    from sweep.study.deletion import delete_study, needed_by
    from sweep.study.quick_look import search_of
    from sweep.study.study import Study

    found = Study(name, storage, unread=True)
    count, path = len(found.trials), found.folder.path
    place = f"{path} (a link, with what it leads to)" if path.is_symlink() else str(path)
    with_folder = f", and {place}" if force or not needed_by(found) else f"; {path} is kept"
    _ask(name, f"Delete study {name!r} with {count:,} trials{with_folder}?", yes=yes)
    search = search_of(found)
    needing = delete_study(found, force=force)
    if as_json:
        gone = {"folder": None, "kept": str(path)} if needing else {"folder": str(path)}
        print_json({"deleted": name, "trials": count, **gone})
        return
    kept = f"; {path} is kept for {', '.join(needing)} (--force removes it)"
    told = kept if needing else f", and {place}"
    message(f"deleted study {name} with {count:,} trials{told}")
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
