"""`sweep corpus`: look at a corpus before a sweep."""

from pathlib import Path
from typing import Any

import click

from sweep.cli.options import json_option


@click.group(name="corpus")
def command() -> None:
    """Look at a corpus."""


@command.command(name="inspect")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--tokenizer", metavar="MODEL", help="Count lengths in this model's tokens.")
@json_option()
def inspect(folder: Path, tokenizer: str | None, as_json: bool) -> None:
    """Show sizes, lengths, labels and spans of a corpus, and what should be known about it."""
    from sweep.cli.output import message, print_json, print_table
    from sweep.configuration import DEFAULT_MODEL
    from sweep.corpus import describe_corpus, read_corpus
    from sweep.models import find_model
    from sweep.tokenizer import load_tokenizer, token_offsets

    corpus = read_corpus(folder)
    model = find_model(tokenizer or DEFAULT_MODEL)
    offsets = token_offsets(load_tokenizer(model), [d.text for d in corpus.documents])
    facts = describe_corpus(corpus, offsets)
    if as_json:
        print_json(facts)
        return
    notices = facts.pop("notices", [])
    print_table(("what", "value"), list(_flat(facts)))
    for notice in notices:
        message(f"note: {notice}")


def _flat(facts: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in facts.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{name} ")
        else:
            rows.append((f"{prefix}{name}", value))
    return rows
