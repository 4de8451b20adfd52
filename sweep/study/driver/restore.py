"""A study's folder set right before a run: half files of a killed one, tables made elsewhere."""

from pathlib import Path

from sweep.engine.store.files import PART
from sweep.study.driver.draws import Recorded
from sweep.study.driver.evaluate import Evaluation, write_tables


def clear_halves(folder: Path) -> None:
    """Remove what a process that was killed had half written.

    Args:
        folder: the study's; only the process that holds the study's lock writes to it.
    """
    for path in folder.rglob(f"{PART}*"):
        path.unlink(missing_ok=True)


def restore_tables(study: Evaluation, recorded: Recorded) -> None:
    """Make the tables of finished trials that have none here; the trials stay as they are.

    Stages that are in the store are not computed again.

    Args:
        study: what the trials were evaluated with.
        recorded: the study's trials.
    """
    missing = [
        trial
        for trial in recorded.finished()
        if not all((study.folder.path / name).is_file() for name in trial.files.values())
    ]
    if not missing:
        return
    report = study.engine.report
    report.notice(
        f"{len(missing):,} finished trials have no tables in {study.folder.path}: they are made "
        f"again, and the trials stay as they are"
    )
    for number, trial in enumerate(missing):
        report.on_progress("tables", number, len(missing))
        output = study.engine.output(trial.configuration)
        table = study.scorer.score(trial.configuration, output)
        write_tables(study, trial.configuration, output, table)
    report.on_progress("tables", len(missing), len(missing))
