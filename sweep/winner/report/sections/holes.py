"""How much of what was retrieved nobody has judged."""

from sweep.winner.report.content import Column, Paragraph, Section, Table
from sweep.winner.report.material import Material

JUDGED, HOLES = "judged@10", "holes@10"


def holes_section(material: Material) -> Section | None:
    """Return the judged share of the trials that matter; None for spans, or if it is unknown."""
    board = material.board
    trials = [t for t in board.in_order() if board.role(t) and JUDGED in t.metrics]
    if not trials or board.objectives[0].startswith("span_"):
        return None
    text = (
        "A document that is retrieved and has no label counts as irrelevant. Where one "
        "configuration returns more of these than another, labels could change the order."
    )
    columns = (
        Column("#", "number"),
        Column("is"),
        Column(JUDGED, "number"),
        Column("documents without a label, a query", "number"),
    )
    rows = tuple(
        (
            str(trial.number),
            ", ".join(board.roles.get(trial.number, ())),
            f"{trial.metrics[JUDGED]:.0%}",
            f"{trial.metrics.get(HOLES, 0.0):.1f}",
        )
        for trial in trials
    )
    table = Table(caption="Judged share of the first 10 documents", columns=columns, rows=rows)
    data = {str(t.number): {JUDGED: t.metrics[JUDGED]} for t in trials}
    return Section(title="What nobody has judged", blocks=(Paragraph(text=text), table), data=data)
