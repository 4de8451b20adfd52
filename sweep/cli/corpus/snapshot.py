"""`sweep corpus snapshot`: freeze a corpus, to see later what has changed."""

from pathlib import Path
from typing import Any

import click

from sweep.cli.options import json_option


@click.command(name="snapshot")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace a snapshot of other content.")
@json_option()
def snapshot(folder: Path, force: bool, as_json: bool) -> None:
    """Freeze a corpus folder: write its hash, counts, lengths, versions, labels to snapshot.json.

    Keep a copy of the file; `sweep corpus diff` says what has changed since, and which labels
    became stale.
    """
    import sweep
    from sweep.cli.corpus.facts import fact_rows
    from sweep.cli.output import print_json, print_table
    from sweep.corpus.readers.beir import SNAPSHOT_FILE
    from sweep.corpus.snapshot import write_snapshot

    content = write_snapshot(folder, version=sweep.__version__, replace=force)
    about = {k: content[k] for k in ("name", "hash", "versions", "counts", "lengths")}
    if as_json:
        print_json({"snapshot": str(folder / SNAPSHOT_FILE), **about})
        return
    facts: dict[str, Any] = {"snapshot": str(folder / SNAPSHOT_FILE), "hash": content["hash"]}
    facts |= {what: {"count": count} for what, count in content["counts"].items()}
    for name, lengths in content["lengths"].items():
        noun, _, unit = name.partition("_")  # document_words: documents words, as inspect says
        facts["documents" if noun == "document" else "queries"][unit] = lengths
    print_table(("what", "value"), fact_rows(facts))
