"""What the configuration misses, which stage lost it, what to search next, and examples."""

from collections.abc import Mapping
from dataclasses import replace

from sweep.text_lines import counted
from sweep.winner.diagnosis.advice import Advice
from sweep.winner.diagnosis.charge import ListName, Place
from sweep.winner.diagnosis.diagnosis import Diagnosis, Gold, Returned, WorstQuery
from sweep.winner.diagnosis.sentences import missed_sentence, most_telling, remedy_sentence
from sweep.winner.report.content import (
    Block,
    Bullets,
    Column,
    Commands,
    Example,
    Paragraph,
    Section,
    Table,
)
from sweep.winner.report.material import Material
from sweep.winner.report.sections.wording import clipped
from sweep.winner.rounding import compact, plain, signed

MOST_MISSED = 4  # of one query
LONGEST = 220  # characters of a passage


def diagnosis_section(material: Material) -> Section | None:
    """Return what is missed and why; None where nothing could be diagnosed."""
    found = material.diagnosis
    title = "What is missed, and where it is lost"
    if found is None:
        if not material.no_diagnosis:
            return None
        text = f"Nothing could be diagnosed: {material.no_diagnosis}"
        return Section(title=title, blocks=(Paragraph(text=text, quote=True),))
    missed = missed_sentence(found)
    blocks: list[Block] = [
        Paragraph(
            text=f"#{found.trial}, {found.metric} {compact(found.score)} over "
            f"{counted(found.queries, 'query')}; {missed}."
        ),
        *([_losses(found)] if found.losses or found.order is not None else []),
        *_advice(found),
        *(Paragraph(text=clipped(notice, 500), quote=True) for notice in found.notices),
    ]
    if found.worst:
        number = counted(len(found.worst), "query")
        text = f"Examples: {number} with the lowest scores. More on one of them:"
        line = material.command("explain", material.study, found.worst[0].query_id)
        blocks += [Paragraph(text=text), Commands(lines=(line,))]
    examples = [_example(found, worst) for worst in found.worst]
    blocks += [replace(one, folded=place > 0) for place, one in enumerate(examples)]
    return Section(title=title, blocks=tuple(blocks), data=found.to_json())


def _losses(found: Diagnosis) -> Table:
    rows = [
        (
            str(loss.stage),
            f"{loss.documents:,}",
            f"{loss.spans:,}",
            f"{loss.queries:,}",
            "" if loss.bound is None else compact(loss.bound),
            loss.meaning,
        )
        for loss in found.losses
    ]
    if found.order is not None:
        told = "returned, but not in the best order"
        rows.append(("order", "", "", "", compact(found.order), told))
    return Table(
        caption=f"Every miss is charged to the first stage that lost it. At most: {found.metric} "
        f"if this stage alone had lost nothing, and what it lost stood in the best place",
        columns=(
            Column("lost at"),
            Column("documents", "number"),
            Column("passages", "number"),
            Column("queries", "number"),
            Column(f"{found.metric} at most", "number"),
            Column("because", "name"),
        ),
        rows=tuple(rows),
    )


def _advice(found: Diagnosis) -> list[Block]:
    blocks: list[Block] = []
    groups = (
        ("To search next:", [one for one in found.advice if one.is_new]),
        ("What was tried already:", [one for one in found.advice if not one.is_new]),
    )
    for title, group in groups:
        if group:
            blocks += [Paragraph(text=title), Bullets(items=tuple(map(_advised, group)))]
    return blocks


def _advised(advice: Advice) -> str:
    gain = f" (at most {signed(advice.gain)})" if advice.gain else ""
    remedies = "; ".join(map(remedy_sentence, advice.remedies))
    return f"{advice.symptom}{gain}: {remedies}." if remedies else f"{advice.symptom}{gain}."


def _example(found: Diagnosis, worst: WorstQuery) -> Example:
    score = "not defined" if worst.score is None else plain(worst.score)
    shown = most_telling(worst.missed)
    tables = []
    if shown:
        more = len(shown) - MOST_MISSED
        caption = "What it should have found" + (f", and {more} more" if more > 0 else "")
        columns = (Column("became"), Column("label", "number"), Column("text", "quote"))
        rows = tuple(_missed(gold) for gold in shown[:MOST_MISSED])
        tables.append(Table(caption=caption, columns=columns, rows=rows))
    if worst.instead:
        columns = (Column("rank", "number"), Column("label", "number"), Column("text", "quote"))
        rows = tuple(_returned(chunk) for chunk in worst.instead)
        tables.append(Table(caption="What came first", columns=columns, rows=rows))
    return Example(
        query=clipped(worst.text, LONGEST),
        note=f"Query {clipped(worst.query_id, 60)}, {found.metric} {score}",
        tables=tuple(tables),
    )


def _missed(gold: Gold) -> tuple[str, ...]:
    became = f"returned at rank {gold.returned}" if gold.stage is None else f"lost at {gold.stage}"
    details = [became, *_ranks(gold.places)]
    if gold.shares_term is False:
        details.append("no term of the question")
    if not gold.is_seen:
        details.append("beyond the model's window")
    return "; ".join(details), str(gold.grade), _text(gold.title, gold.document_id, gold.text)


def _ranks(places: Mapping[ListName, Place]) -> list[str]:
    return [f"{name} rank {place.rank}" for name, place in places.items()]


def _returned(chunk: Returned) -> tuple[str, ...]:
    label = "none" if chunk.label is None else str(chunk.label)
    return str(chunk.rank), label, _text(chunk.title, chunk.document_id, chunk.text)


def _text(title: str, document_id: str, text: str) -> str:
    return f"{clipped(title or document_id, 80)}: {clipped(text, LONGEST)}"
