"""`sweep export`: a configuration as a folder that answers queries."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from sweep.cli.options import (
    json_option,
    pick_option,
    storage_option,
    store_option,
    study_argument,
)

if TYPE_CHECKING:
    from sweep.study.study import Study
    from sweep.trials import TrialRecord
    from sweep.winner.figures import Pick


@click.command(name="export", short_help="Write a configuration as a production bundle.")
@study_argument()
@storage_option()
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Folder to make.")
@pick_option()
@click.option("--trial", type=int, help="Export this trial instead.")
@store_option()
@click.option("--force", is_flag=True, help="Replace a bundle that is there.")
@json_option()
def command(
    study: str | None,
    storage: str | None,
    out: Path,
    pick: "Pick",
    trial: int | None,
    store: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a production bundle: config, index, chunks, README; Optuna is not needed to use it."""
    from sweep.cli.opening import open_study
    from sweep.cli.output import message, print_json
    from sweep.cli.progress import shown_report
    from sweep.export.write import check_target, write_bundle
    from sweep.study.quick_look import check_exportable
    from sweep.study.reopen import bundle_contents, reopen

    source = click.get_current_context().get_parameter_source("pick")
    if trial is not None and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("--trial names a configuration, and so does --pick. Give one.")
    check_target(out, replace=force)
    opened = open_study(study, storage)
    check_exportable(opened)
    record, about = _chosen(opened, trial, pick)
    with shown_report(as_json=as_json) as report:
        engine = reopen(opened, store=store, report=report)
        contents = bundle_contents(opened, record, engine, about)
        write_bundle(contents, out, replace=force)
    if as_json:
        print_json({"bundle": str(out), "study": opened.name, "trial": record.number})
        return
    message(f"{out}: trial #{record.number} of {opened.name}, {record.configuration.label()}")
    message(f'NEXT  sweep verify {out} | sweep query {out} "your question"')


def _chosen(
    study: "Study", number: int | None, pick: "Pick"
) -> "tuple[TrialRecord, dict[str, Any]]":
    """Return the trial to export, and what the bundle says of how it was chosen."""
    from sweep.study.named import require_finished
    from sweep.winner.message import answer_text

    if number is None:
        answer = study.answer(pick)
        told = {name: value for name, value in answer.to_json().items() if name != "metrics"}
        return answer.trial, {"answer": told, "message": answer_text(answer)}
    record = study.trial(number)
    require_finished(study, record, to_be="exported")
    return record, {}
