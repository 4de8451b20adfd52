"""What a quick look's scores say less than they seem to, at the top of the report."""

from sweep.winner.report.content import Block, Column, Finding, Kind, Paragraph, Table
from sweep.winner.report.material import Material


def scope_blocks(material: Material) -> list[Block]:
    """Return the warning that stands above everything."""
    found = material.sample
    if found is None:
        return []
    return [Paragraph(text=" ".join(found.sentences()), tone="caution")]


def finalists_table(material: Material) -> list[Block]:
    """Return how finalists did on the sample and on all documents."""
    found = material.sample
    if found is None or not found.places:
        return []
    header, rows = found.table()
    kinds: tuple[Kind, ...] = ("number", "name", "number", "number", "number")
    columns = (Column(title, kind) for title, kind in zip(header, kinds, strict=True))
    objective = material.board.objectives[0]
    caption = f"{objective} of the finalists on the sample, where they were picked, and on all"
    return [Table(caption=f"{caption} documents", columns=tuple(columns), rows=tuple(rows))]


def effects_scope(material: Material) -> list[Block]:
    """Return that finalists alone hardly tell what parameters do, and where to see that."""
    found = material.sample
    if found is None or found.is_search:
        return []
    command = material.command("effects", found.search)
    text = (
        f"These are the finalists only: among configurations that were picked by their scores, "
        f"effects are distorted. `{command}` tells that of all {found.configurations:,} "
        f"configurations, on the sample."
    )
    return [Paragraph(text=text, tone="caution")]


def scope_findings(material: Material) -> list[Finding]:
    """Return how a quick look could have led astray."""
    found = material.sample
    if found is None:
        return []
    if found.is_search:
        return [
            Finding(
                question="Is that so on all documents?",
                answer=f"Nobody knows yet: {found.extent} were searched; {found.next_text}.",
                is_open=True,
            )
        ]
    answer = (
        f"No: {found.headline}. One that is better on all documents may have been left behind."
    )
    if found.order.pairs:
        answer += f" {found.order_text[:1].upper()}{found.order_text[1:]}."
    return [
        Finding(question="Was everything tried on all documents?", answer=answer, is_open=True)
    ]
