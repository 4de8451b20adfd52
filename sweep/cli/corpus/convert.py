"""`sweep corpus convert`: people's own files as a corpus folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.corpus.source_options import read, source_options
from sweep.cli.options import json_option

if TYPE_CHECKING:
    from sweep.corpus import Reading
    from sweep.corpus.found import Dropped

SHOWN = 20  # dropped records that are printed; conversion.json and --json have all


@click.command(name="convert", short_help="Write a corpus folder from files in other forms.")
@click.argument("source", nargs=-1, required=True)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@source_options
@click.option("--strict", is_flag=True, help="Make any record that is dropped an error.")
@click.option("--force", is_flag=True, help="Replace a corpus that is there.")
@json_option()
def convert(
    source: tuple[str, ...],
    out: Path,
    form: str | None,
    columns: tuple[str, ...],
    encoding: str | None,
    qrels: str | None,
    strict: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Write a corpus folder from files in other forms, and say what became of every record.

    SOURCE is a file, a folder, or ir_datasets:NAME; several are read as one corpus. What a file
    holds is seen by its content and name; write queries=FILE (or documents=, qrels=, spans=) to
    say it.
    """
    from sweep.cli.output import message, print_json
    from sweep.corpus.write import check_target, kept_at, write_corpus

    check_target(out, replace=force)
    _keep_sources(source, out)
    reading = read(source, form, columns, encoding, qrels)
    if strict and reading.dropped:
        raise _dropped_error(reading.dropped)
    summary = _summary(reading)
    kept = kept_at(out, reading.corpus.hash)
    write_corpus(reading.corpus, out, replace=force, about=summary)
    if as_json:
        print_json({"out": str(out), "kept_corpus": kept and str(kept), **summary})
        return
    _print(reading, out)
    if kept is not None:
        message(f"note: the earlier corpus differs and is kept as {kept}")
    message(f"NEXT  sweep corpus inspect {out} | sweep run SPACE --corpus {out}")


def _keep_sources(sources: Sequence[str], out: Path) -> None:
    """Refuse to write over what is read."""
    from sweep.corpus.readers.choose import parse_source
    from sweep.errors import CorpusError

    target = out.resolve()
    for text in sources:
        path = parse_source(text).path.resolve()
        if target == path or target in path.parents:
            raise CorpusError(
                f"--out: must not hold what is read, got {str(out)!r} for {text}. "
                "Choose another folder."
            )


def _summary(reading: "Reading") -> dict[str, Any]:
    import sweep

    corpus = reading.corpus
    return {
        "made_by": f"retrieval-sweep {sweep.__version__}",
        "name": corpus.name,
        "hash": corpus.hash,
        "documents": len(corpus.documents),
        "queries": len(corpus.queries),
        "judgements": sum(map(len, corpus.qrels.values())),
        "spans": len(corpus.spans),
        "read": [
            {"file": part.file, "format": part.format, "kind": part.kind, "count": part.count}
            for part in reading.parts
        ],
        "columns": [
            {
                "file": one.file,
                "role": one.role,
                "columns": dict(one.columns),
                "named": sorted(one.given),
            }
            for one in reading.columns
        ],
        "dropped": [
            {"file": one.place.file, "line": one.place.at, "id": one.id, "why": one.why}
            for one in reading.dropped
        ],
        "notices": [str(notice) for notice in corpus.notices],
    }


def _print(reading: "Reading", out: Path) -> None:
    from sweep.cli.output import message, one_line, print_table
    from sweep.corpus.write import CONVERSION_FILE

    parts = [(part.file, part.format, part.kind, part.count) for part in reading.parts]
    print_table(("file", "form", "holds", "records"), parts)
    for one in reading.columns:
        told = ", ".join(
            f"{field}={column}{'' if field in one.given else ' (guessed)'}"
            for field, column in one.columns.items()
        )
        message(f"note: {one.file}: {one.role}: {told}")
    for notice in reading.corpus.notices:
        message(f"note: {notice}")
    for dropped in reading.dropped[:SHOWN]:
        click.echo(f"dropped  {one_line(str(dropped))}")
    if len(reading.dropped) > SHOWN:
        more = len(reading.dropped) - SHOWN
        click.echo(f"dropped  {more:,} more: all are in {out / CONVERSION_FILE}")
    corpus = reading.corpus
    counts = [
        ("documents", len(corpus.documents)),
        ("queries", len(corpus.queries)),
        ("judgements", sum(map(len, corpus.qrels.values()))),
        ("spans", len(corpus.spans)),
        ("records dropped", len(reading.dropped)),
    ]
    click.echo()
    print_table(("corpus", str(out)), counts)


def _dropped_error(dropped: Sequence["Dropped"]) -> Exception:
    from sweep.errors import CorpusError

    lines = "\n".join(f"  {one}" for one in dropped[:SHOWN])
    more = f"\n  and {len(dropped) - SHOWN:,} more" if len(dropped) > SHOWN else ""
    return CorpusError(
        f"--strict: every record must be kept, got {len(dropped):,} that are not. Correct them, "
        f"or leave --strict out:\n{lines}{more}"
    )
