"""`sweep report`: everything a study says, as one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument

if TYPE_CHECKING:
    from sweep.study.report import Format

STDOUT = "-"
SUFFIXES: "dict[str, Format]" = {".md": "md", ".markdown": "md", ".json": "json"}


@click.command(name="report", short_help="Write everything a study says as one HTML file.")
@study_argument()
@storage_option()
@click.option(
    "--out",
    metavar="FILE",
    help="Where to write; - is stdout, for md and json.  [default: results/STUDY/report.html]",
)
@click.option(
    "--format",
    "chosen",
    type=click.Choice(["html", "md", "json"]),
    help="html: opens offline in any browser; md; json: for machines.  [default: what FILE ends "
    "in; html]",
)
@store_option()
@json_option()
def command(
    study: str | None,
    storage: str | None,
    out: str | None,
    chosen: "Format | None",
    store: Path | None,
    as_json: bool,
) -> None:
    """Write what to deploy, how sure that is, why, and what it takes to repeat it.

    The file needs nothing else: it can be mailed, opened on a phone and printed.
    """
    from sweep.cli.output import print_json

    how = chosen or SUFFIXES.get(Path(out or "").suffix.lower(), "html")
    if out == STDOUT and how == "html":
        raise click.UsageError("--out - needs --format md or json: HTML is for a file.")
    if out == STDOUT and as_json:
        raise click.UsageError("--json tells where the file is; with --out - give --format json.")

    from sweep.cli.opening import open_study
    from sweep.cli.progress import shown_report
    from sweep.engine.store.store import write_whole
    from sweep.study.report import make_report, render

    opened = open_study(study, storage)
    with shown_report(as_json=as_json) as progress:
        text = render(make_report(opened, store=store, progress=progress), how)
    if out == STDOUT:
        click.echo(text, nl=False)
        return
    path = Path(out) if out else opened.folder.report(how)
    size = write_whole(path, text.encode(errors="replace"))
    if as_json:
        told: dict[str, Any] = {"report": str(path), "study": opened.name, "format": how}
        print_json({**told, "bytes": size})
        return
    click.echo(path)
