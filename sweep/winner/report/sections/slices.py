"""How the leading trials do on kinds of queries, and whether routing kinds would pay."""

import math

from sweep.winner.insight.slices import FieldSlices, Slice, SliceScore, StudySlices
from sweep.winner.report.content import Block, Column, Paragraph, Section, Table
from sweep.winner.report.material import Material
from sweep.winner.rounding import plain, signed

MOST_FIELDS = 8


def slices_section(material: Material) -> Section | None:
    """Return scores by kind of query; None where nothing could be divided."""
    found = material.slices
    if found is None or not found.fields:
        return None
    roles = "; ".join(f"#{found.numbers[row]} {role}" for row, role in found.roles.items())
    blocks: list[Block] = [
        Paragraph(
            text=f"Scores on parts of the queries ({roles}). The best of a part is chosen on its "
            f"few queries among all configurations: trust it where it is called separable, which "
            f"allows for how many configurations and parts were looked at."
        )
    ]
    for field in found.fields[:MOST_FIELDS]:
        blocks += [
            _table(found, field),
            Paragraph(text=_routing(found, field), quote=True),
        ]
    blocks.append(
        Paragraph(
            text=f"Choosing the best of {len(found.numbers):,} for every single query would gain "
            f"{plain(found.oracle)}: an upper bound, flattered, since each choice is made by the "
            f"score that it is measured with."
        )
    )
    left = [field.by for field in found.fields[MOST_FIELDS:]]
    if left:
        blocks.append(
            Paragraph(text=f"Further fields are in `sweep slices`: {', '.join(left)}.", quote=True)
        )
    blocks += [
        Paragraph(text=f"Left out: {reason}.", quote=True) for reason in found.refused.values()
    ]
    return Section(title="Kinds of queries", blocks=tuple(blocks), data=found.to_json())


def _table(found: StudySlices, field: FieldSlices) -> Table:
    columns = [Column(field.by, "quote"), Column("queries", "number")]
    columns += [Column(f"#{found.numbers[row]} {role}", "number") for row, role in _roles(found)]
    columns += [
        Column("best there", "number"),
        Column("lead", "number"),
        Column("p (Holm)", "number"),
    ]
    columns.append(Column("is"))
    rows = [_row(found, slice_) for slice_ in field.slices]
    every = [_score(found.overall[row]) for row, _ in _roles(found)]
    rows.append(("all", f"{found.queries:,}", *every, "", "", "", ""))
    return Table(caption=f"{found.metric} by {field.by}", columns=tuple(columns), rows=tuple(rows))


def _roles(found: StudySlices) -> list[tuple[int, str]]:
    return list(found.roles.items())


def _row(found: StudySlices, slice_: Slice) -> tuple[str, ...]:
    scores = [_score(slice_.scores[row]) for row, _ in _roles(found)]
    first = (slice_.value, f"{slice_.queries:,}", *scores)
    if slice_.winner is None or slice_.lead is None:
        return (*first, "", "", "", "too few queries")
    told = f"{slice_.p_value:.4f}", "separable" if slice_.separable else "not separable"
    lead = signed(slice_.lead) if slice_.lead else ""
    return (*first, f"#{found.numbers[slice_.winner]}", lead, *told)


def _score(score: SliceScore) -> str:
    low, high = score.interval
    interval = f" [{plain(low)}, {plain(high)}]" if math.isfinite(low) else ""  # one query
    return plain(score.mean) + interval


def _routing(found: StudySlices, field: FieldSlices) -> str:
    if field.routing is not None:
        text = field.routing.text()
        return f"{text[0].upper()}{text[1:]}."
    if found.adaptive:
        return (
            f"No honest figure for routing by {field.by}: {found.adaptive} chose what to try by "
            f"these queries."
        )
    return f"Routing by {field.by} cannot be tried: too few queries, or overlapping parts."
