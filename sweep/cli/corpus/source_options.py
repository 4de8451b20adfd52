"""Options that say how people's files are read."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sweep.corpus import Reading

Command = Callable[..., Any]


def source_options(command: Command) -> Command:
    """Add `--format`, `--column`, `--encoding` and `--qrels` to a command."""
    for option in (
        click.option(
            "--qrels", metavar="NAME", help="Which judgement file of a corpus folder, e.g. dev."
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="Encoding of text files, e.g. cp1252.  [default: UTF-8, or a byte order mark's]",
        ),
        click.option(
            "--column",
            "columns",
            metavar="FIELD=COLUMN",
            multiple=True,
            help="Which column holds a field, e.g. text=body; repeat it.  [default: guessed]",
        ),
        click.option(
            "--format",
            "form",
            metavar="FORM",
            help="beir, trec, jsonl, csv, tsv, parquet, xlsx, azure, gold, autorag, squad or "
            "pages.  [default: by content and name]",
        ),
    ):
        command = option(command)
    return command


def read(
    sources: tuple[str, ...],
    form: str | None,
    columns: tuple[str, ...],
    encoding: str | None,
    qrels: str | None,
) -> "Reading":
    """Return the corpus that these options ask for."""
    from sweep.corpus import read_sources
    from sweep.corpus.columns import parse_columns
    from sweep.corpus.found import ReadOptions

    options = ReadOptions(columns=parse_columns(columns), encoding=encoding, qrels=qrels)
    return read_sources(sources, format=form, options=options)
