"""`sweep explain`: what a trial retrieved for a query, why, and where relevant text was lost."""

from pathlib import Path

import click

from sweep.cli.options import json_option, storage_option, store_option


@click.command(name="explain", short_help="Say what happened to a query, and why.")
@click.argument("names", nargs=-1, metavar="[STUDY] QUERY")
@click.option("--trial", help="Another trial than the recommended one.", metavar="N")
@click.option("--live", is_flag=True, help="Retrieve the text as it is, without looking it up.")
@storage_option()
@store_option()
@json_option()
def command(
    names: tuple[str, ...],
    trial: str | None,
    live: bool,
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Say what a trial retrieved for a query, why, and where each relevant text was lost.

    QUERY is the id of a query of the corpus, its text, or words of it. Any other text is
    retrieved live, without labels. STUDY is the one that was run last when left out.
    """
    from sweep.cli.diagnosis_view import print_explanation
    from sweep.cli.opening import open_study
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.study.diagnosis.explanation import explain
    from sweep.study.named import named_trial
    from sweep.study.quick_look import sample_key
    from sweep.study.reopen import reopen

    if len(names) not in (1, 2):
        raise click.UsageError('one query is needed, in quotes: sweep explain [STUDY] "QUERY"')
    if not names[-1].strip():
        raise click.UsageError("the query must have some text, got none.")
    opened = open_study(names[0] if len(names) == 2 else None, storage)
    record = named_trial(opened, trial)
    with shown_report(as_json=as_json) as report:
        engine = reopen(opened, store=store, report=report)
        found = explain(opened, record, engine, names[-1], live=live)
    if as_json:
        print_json(found.to_json() | sample_key(opened))
    else:
        print_explanation(found)
