"""Material in, report out: which builder makes which section."""

from sweep.winner.report.content import Report
from sweep.winner.report.material import Material
from sweep.winner.report.sections.answer import answer_section
from sweep.winner.report.sections.cost import cost_section
from sweep.winner.report.sections.curves import curves_section
from sweep.winner.report.sections.diagnosis import diagnosis_section
from sweep.winner.report.sections.doubts import doubts_section
from sweep.winner.report.sections.effects import effects_section
from sweep.winner.report.sections.failures import failures_section
from sweep.winner.report.sections.holes import holes_section
from sweep.winner.report.sections.leaderboard import leaderboard_section
from sweep.winner.report.sections.method import method_section
from sweep.winner.report.sections.repeat import repeat_section
from sweep.winner.report.sections.slices import slices_section


def build_report(material: Material) -> Report:
    """Return everything that is to be said of a study, in the order in which it is read."""
    origin = material.origin
    title, label, answer = answer_section(material)
    return Report(
        study=material.study,
        corpus=origin.corpus,
        made=f"sweep {origin.version}, from the run of {origin.last_run}",
        title=title,
        label=label,
        answer=answer,
        leaderboard=leaderboard_section(material),
        cost=cost_section(material),
        effects=effects_section(material),
        curves=curves_section(material),
        slices=slices_section(material),
        diagnosis=diagnosis_section(material),
        holes=holes_section(material),
        failures=failures_section(material),
        method=method_section(material),
        doubts=doubts_section(material),
        repeat=repeat_section(material),
    )
