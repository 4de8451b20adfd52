"""`sweep delete`: remove a study."""

import sys

import click

from sweep.cli.options import json_option, storage_option


@click.command(name="delete", short_help="Delete a study, its trials and its folder.")
@click.argument("study")
@storage_option()
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option()
def command(study: str, storage: str | None, yes: bool, as_json: bool) -> None:
    """Delete a study: its trials and its folder under results/.

    What was computed for it stays in the store (`sweep store prune` clears that). A study that is
    running is not deleted.
    """
    from sweep.cli.output import message, print_json
    from sweep.study.deletion import delete_study
    from sweep.study.quick_look import search_of
    from sweep.study.study import Study

    opened = Study(study, storage)
    count, folder = len(opened.trials), opened.folder.path
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"deleting {opened.name!r} needs a yes: give --yes.")
        click.confirm(
            f"Delete study {opened.name!r} with {count:,} trials, and {folder}?", abort=True
        )
    search = search_of(opened)
    delete_study(opened)
    if as_json:
        print_json({"deleted": opened.name, "trials": count, "folder": str(folder)})
        return
    message(f"deleted study {opened.name} with {count:,} trials, and {folder}")
    if search:
        message(f"Its search is kept: sweep delete {search}")
