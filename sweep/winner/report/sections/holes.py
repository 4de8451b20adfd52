"""How much of what was retrieved nobody has judged, and whether that could change the choice."""

from sweep.winner.answer import Answer
from sweep.winner.insight.holes import Holes
from sweep.winner.message import holes_lines
from sweep.winner.report.content import Block, Bullets, Column, Commands, Paragraph, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.rounding import compact, signed

JUDGED, HOLES = "judged@10", "holes@10"
MOST = 10  # contenders that are shown
TITLE = "What nobody has judged"


def holes_section(material: Material) -> Section | None:
    """Return what holes leave open; None where no label of a document enters the objective."""
    found = material.found
    if not isinstance(found, Answer) or found.holes is None:
        return _plain_section(material)
    holes = found.holes
    if not holes.pairs:
        text = "Every document that any configuration returned has a label."
        return Section(title=TITLE, blocks=(Paragraph(text=text),), data=holes.to_json())
    blocks: list[Block] = [
        Paragraph(
            text="A document that is retrieved and has no label counts as irrelevant. Whether "
            "labels could change the choice is worked out from every labelling that is possible."
        ),
        Bullets(items=holes_sentences(found)),
        _figures(material, holes),
    ]
    if holes.contenders:
        blocks += [
            _contenders(material, holes),
            Commands(lines=(material.command("pool", material.study, "--out", "labels.csv"),)),
        ]
    return Section(title=TITLE, blocks=tuple(blocks), data=holes.to_json())


def holes_sentences(answer: Answer) -> tuple[str, ...]:
    """Return what the closing message says of holes."""
    lines = (line.removeprefix("HOLES ").strip() for line in holes_lines(answer))
    return tuple(line.partition(" -> ")[0] for line in lines)


def _figures(material: Material, holes: Holes) -> Table:
    columns = (
        Column("#", "number"),
        Column("is"),
        Column(holes.depth, "number"),
        Column("as reported", "number"),
        Column("own holes relevant", "number"),
        Column("lowest possible", "number"),
        Column("highest possible", "number"),
    )
    rows = tuple(
        (
            str(one.trial),
            ", ".join(material.board.roles.get(one.trial, ())),
            f"{one.judged * 100:.0f} %",
            *map(compact, (one.reported, one.own_relevant, one.low, one.high)),
        )
        for one in holes.figures
    )
    caption = f"{holes.objective} under labels of what nobody has judged"
    return Table(caption=caption, columns=columns, rows=rows)


def _contenders(material: Material, holes: Holes) -> Table:
    shown = holes.contenders[:MOST]
    labels = {t.number: t.configuration.label() for t in material.board.trials}
    verb = "could" if holes.attained else "might"
    caption = f"Configurations that {verb} pass #{holes.recommended}, and by how much at most"
    if len(holes.contenders) > MOST:
        caption += f" (the first {MOST} of {len(holes.contenders):,})"
    return Table(
        caption=caption,
        columns=(
            Column("#", "number"),
            Column("by at most", "number"),
            Column("configuration", "name"),
        ),
        rows=tuple((str(o.trial), signed(o.lead), labels.get(o.trial, "")) for o in shown),
    )


def _plain_section(material: Material) -> Section | None:
    """Return the judged share alone, where no answer says what it leaves open."""
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
            f"{trial.metrics[JUDGED] * 100:.0f} %",
            f"{trial.metrics.get(HOLES, 0.0):.1f}",
        )
        for trial in trials
    )
    table = Table(caption="Judged share of the first 10 documents", columns=columns, rows=rows)
    data = {str(t.number): {JUDGED: t.metrics[JUDGED]} for t in trials}
    return Section(title=TITLE, blocks=(Paragraph(text=text), table), data=data)
