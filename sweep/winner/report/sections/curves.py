"""Quality by how much of the output is used, and from where on more gains at most .01."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from sweep.winner.insight.curves import Curve
from sweep.winner.insight.sentences import curve_sentence
from sweep.winner.plots.curves import TITLES, plot_curves
from sweep.winner.report.content import Block, Bullets, Column, Paragraph, Plot, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import bounds_text
from sweep.winner.rounding import compact

Kind = tuple[str, str]  # metric, and what is cut


def curves_section(material: Material) -> Section | None:
    """Return the curves of the leading trials; None without any."""
    found = material.explanation
    if found is None or (not found.curves and not found.no_curves):
        return None
    title = "How much of the output is needed"
    if not found.curves:
        text = f"No curve could be drawn: {found.no_curves}"
        return Section(title=title, blocks=(Paragraph(text=text, quote=True),))
    blocks: list[Block] = [
        Paragraph(
            text="What a configuration returns is cut after each rank, or at each number of "
            "tokens, and scored again: the beginning of a list is what a smaller top_k would have "
            "returned. Bars are 95 % t intervals of the mean at each point; those of scores "
            "elsewhere come from resampling, and may differ in their last digit."
        )
    ]
    kinds: dict[Kind, list[Curve]] = {}
    for curve in found.curves:
        kinds.setdefault((curve.metric, curve.by), []).append(curve)
    first = found.curves[0].trial
    sentences = [curve_sentence(curve) for curve in found.curves if curve.trial == first]
    blocks.append(Bullets(items=tuple(sentences)))
    for curves in kinds.values():
        if any(len(curve.points) > 1 for curve in curves):
            blocks.append(_plot(curves))
    data = {"curves": [asdict(curve) for curve in found.curves]}
    return Section(title=title, blocks=tuple(blocks), data=data)


def _plot(curves: Sequence[Curve]) -> Plot:
    first = curves[0]
    return Plot(
        title=f"{first.metric} by {TITLES[first.by]}",
        alt=f"{' '.join(f'{curve_sentence(curve)}.' for curve in curves[:2])}",
        table=_table(curves),
        draw=partial(plot_curves, curves),
    )


def _table(curves: Sequence[Curve]) -> Table:
    columns = [Column(TITLES[curves[0].by], "number")]
    columns += [Column(f"#{curve.trial}", "number") for curve in curves]
    points = [{point.at: point for point in curve.points} for curve in curves]
    rows = []
    for at in sorted({at for known in points for at in known}):
        row = [f"{at:,}"]
        for known in points:
            point = known.get(at)
            text = "" if point is None else compact(point.mean)
            row.append(f"{text} {bounds_text(point.interval)}" if point else text)
        rows.append(tuple(row))
    caption = f"{curves[0].metric}, the mean at each point"
    return Table(caption=caption, columns=tuple(columns), rows=tuple(rows))
