"""`sweep diagnose`: what a trial misses, where that was lost, and what to change."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument
from sweep.text_lines import shorten

if TYPE_CHECKING:
    from sweep.study.study import Study
    from sweep.trials import TrialRecord

PICKS = ("recommended", "best", "baseline")


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
    from sweep.cli.opening import open_study
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.study.diagnosis.diagnosis import diagnose
    from sweep.study.quick_look import sample_key
    from sweep.study.reopen import reopen

    if trial is None and study is not None and (study.isdecimal() or study in PICKS):
        study, trial = None, study
    opened = open_study(study, storage)
    record = chosen_trial(opened, trial)
    with shown_report(as_json=as_json) as report:
        engine = reopen(opened, store=store, report=report)
        found = diagnose(opened, record, engine, worst=worst)
    if as_json:
        print_json(found.to_json() | sample_key(opened))
    else:
        print_diagnosis(found)


def chosen_trial(study: "Study", text: str | None) -> "TrialRecord":
    """Return the trial that a number or a pick names; the recommended one without a name.

    Raises: SweepError if there is none.
    """
    from sweep.errors import StudyError

    if len(study.goals) > 1 and not (text or "").isdecimal():
        raise StudyError(
            f"study {study.name!r}: a trial must be named by its number where there are several "
            f"objectives, got {text or 'none'}. See `sweep best {study.name}` for those to choose "
            f"from."
        )
    if text is None or text in PICKS:
        return study.answer(text or "recommended").trial  # type: ignore[arg-type]
    if text.isdecimal():
        return study.trial(int(text))
    raise StudyError(
        f"study {study.name!r}: a trial must be a number, recommended, best or baseline, got "
        f"{shorten(text)}. See `sweep trials {study.name}`."
    )
