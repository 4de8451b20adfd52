"""`sweep diagnose`: what a trial misses, where that was lost, and what to change."""

from pathlib import Path

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument


@click.command(name="diagnose", short_help="Say what a trial misses, and what to change.")
@study_argument()
@click.argument("trial", required=False)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many of the worst queries to show.",
)
@storage_option()
@store_option()
@json_option()
def command(
    study: str | None,
    trial: str | None,
    worst: int,
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Say what a trial misses, which stage lost it first, and what to search next.

    TRIAL is a number, or recommended (the default), best or baseline; `sweep diagnose 12` is trial
    12 of the study that was run last.
    """
    from sweep.cli.diagnosis_view import print_diagnosis
    from sweep.cli.opening import means_trial, open_study
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.study.diagnosis.diagnosis import diagnose
    from sweep.study.named import named_trial
    from sweep.study.quick_look import sample_key
    from sweep.study.reopen import reopen

    if trial is None and means_trial(study, storage):
        study, trial = None, study
    opened = open_study(study, storage)
    record = named_trial(opened, trial)
    with shown_report(as_json=as_json) as report:
        engine = reopen(opened, store=store, report=report)
        found = diagnose(opened, record, engine, worst=worst)
    print_json(found.to_json() | sample_key(opened)) if as_json else print_diagnosis(found)
