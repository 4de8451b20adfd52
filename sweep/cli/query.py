"""`sweep query`: ask a bundle, or a study's best configuration."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, store_option

if TYPE_CHECKING:
    from sweep.study.study import Study

SNIPPET = 300  # characters of a chunk that are shown


@click.command(name="query", short_help="Retrieve chunks from a bundle or a study.")
@click.argument("source", metavar="BUNDLE|STUDY")
@click.argument("text")
@click.option("-k", "--top-k", type=click.IntRange(min=1), help="How many chunks.")
@click.option("--trial", type=int, help="This trial of the study.")
@storage_option()
@store_option()
@json_option()
def command(
    source: str,
    text: str,
    top_k: int | None,
    trial: int | None,
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Retrieve chunks for a query, from a bundle's folder or a study's best configuration."""
    from sweep.cli.output import one_line, print_json

    if not text.strip():
        raise click.UsageError("the query must have some text, got none.")
    if _is_there(Path(source, "manifest.json")):
        from sweep.export.load import load

        hits = [hit.to_json() for hit in load(source).search(text, top_k)]
    else:
        hits = _ask_study(_open_study(source, storage), text, top_k, trial, store)
    if as_json:
        print_json(hits)
        return
    for hit in hits:
        click.echo(
            f"{hit['rank']:>2}  {hit['score']:.4f}  {one_line(hit['document_id'])}"
            f"[{hit['start']}:{hit['end']}]  {one_line(hit['title'])}"
        )
        click.echo(f"    {one_line(hit['text'], SNIPPET)}")
    if not hits:
        click.echo("nothing found", err=True)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a text in the place of a name may be longer than any name
        return False


def _open_study(name: str, storage: str | None) -> "Study":
    from sweep.cli.opening import open_study
    from sweep.errors import StudyError
    from sweep.text_lines import shorten

    try:
        return open_study(name, storage)
    except StudyError as error:
        if _is_there(Path(name)) or "/" in name:
            raise StudyError(
                f"{shorten(name)}: must be a bundle or a study, got a path without manifest.json. "
                f"Make the bundle with `sweep export --out DIR`."
            ) from error
        raise


def _ask_study(
    study: "Study", text: str, top_k: int | None, trial: int | None, store: Path | None
) -> list[dict[str, Any]]:
    from dataclasses import replace

    from sweep.cli.progress import shown_report
    from sweep.study.reopen import reopen

    record = study.trial(trial) if trial is not None else study.answer().trial
    configuration = record.configuration
    if top_k is not None:
        configuration = replace(configuration, top_k=top_k)
    with shown_report(as_json=False) as report:
        engine = reopen(study, store=store, report=report)
        return [hit.to_json() for hit in engine.hits(configuration, text)]
