"""`sweep schema`: the JSON Schema of a search-space file, for editors."""

import click

from sweep.cli.output import print_json


@click.command(name="schema", short_help="Print the JSON Schema of a search-space file.")
def command() -> None:
    """Print the JSON Schema of a search-space file, for editors."""
    from sweep.study.space.read import space_schema

    print_json(space_schema())
