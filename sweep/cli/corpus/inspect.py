"""`sweep corpus inspect`: look at a corpus before a sweep."""

from typing import TYPE_CHECKING

import click

from sweep.cli.corpus.source_options import read, source_options
from sweep.cli.options import json_option

if TYPE_CHECKING:
    from sweep.records import Corpus


@click.command(name="inspect")
@click.argument("source", nargs=-1, required=True)
@source_options
@click.option("--tokenizer", metavar="MODEL", help="Count lengths in this model's tokens.")
@json_option()
def inspect(
    source: tuple[str, ...],
    form: str | None,
    columns: tuple[str, ...],
    encoding: str | None,
    qrels: str | None,
    tokenizer: str | None,
    as_json: bool,
) -> None:
    """Show sizes, lengths, labels and spans of a corpus, and what should be known about it.

    SOURCE is a corpus folder, or whatever `sweep corpus convert` reads.
    """
    from sweep.cli.corpus.facts import fact_rows
    from sweep.cli.output import message, print_json, print_table
    from sweep.configuration import DEFAULT_MODEL
    from sweep.corpus import describe_corpus
    from sweep.models import find_model
    from sweep.tokenizer import load_tokenizer, token_offsets

    corpus = read(source, form, columns, encoding, qrels).corpus
    model = find_model(tokenizer or DEFAULT_MODEL)
    offsets = token_offsets(load_tokenizer(model), [d.text for d in corpus.documents])
    facts = describe_corpus(corpus, offsets)
    facts["notices"] += _search_notices(corpus)
    if as_json:
        print_json(facts)
        return
    notices = facts.pop("notices", [])
    print_table(("what", "value"), fact_rows(facts))
    for notice in notices:
        message(f"note: {notice}")


def _search_notices(corpus: "Corpus") -> list[str]:
    """Return what should be known where nothing is said of how the corpus will be searched."""
    from sweep.metrics import parse_metric
    from sweep.study.driver.forewarnings import (
        lost_queries,
        lost_query_notices,
        saturation_notices,
    )

    lost = lost_queries(corpus, analyzer="auto", with_title=True)
    told = list(lost_query_notices(lost, "auto", corpus))
    for name in ("ndcg@10", "recall@10", "hit@10"):
        told += saturation_notices(parse_metric(name), corpus, top_k=10)
    return told
