"""Configurations that could not be evaluated, with the reason."""

from sweep.text_lines import counted
from sweep.winner.report.content import Column, Paragraph, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import clipped

MOST = 20
LONGEST = 300  # characters of a reason


def failures_section(material: Material) -> Section | None:
    """Return what failed and why; None if nothing did."""
    failed = material.failed
    if not failed:
        return None
    shown = failed[:MOST]
    rows = tuple(
        (
            str(trial.number),
            trial.configuration.label(),
            clipped(f"{trial.error.get('type')}: {trial.error.get('message')}", LONGEST),
        )
        for trial in shown
    )
    text = (
        f"{counted(len(failed), 'configuration')} could not be evaluated, and took no part in the "
        f"choice. The same `sweep run` command tries them again; `{_show(material)}` prints what "
        f"happened in full."
    )
    caption = "What failed" + (f", the first {MOST}" if len(failed) > MOST else "")
    columns = (Column("#", "number"), Column("configuration", "name"), Column("why", "quote"))
    table = Table(caption=caption, columns=columns, rows=rows)
    data = {"trials": [trial.number for trial in failed]}
    return Section(title="What failed", blocks=(Paragraph(text=text), table), data=data)


def _show(material: Material) -> str:
    return material.command("show", material.study, str(material.failed[0].number))
