"""`sweep corpus`: make a corpus of your files, look at it, freeze it, see what changed."""

import click

from sweep.cli.corpus.convert import convert
from sweep.cli.corpus.diff import diff
from sweep.cli.corpus.inspect import inspect
from sweep.cli.corpus.snapshot import snapshot


@click.group(name="corpus", short_help="Make a corpus of your files, look at it, freeze it.")
def command() -> None:
    """Make a corpus of your files, look at it, freeze it, see what changed."""


for _one in (inspect, convert, snapshot, diff):
    command.add_command(_one)
