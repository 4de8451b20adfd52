"""How `sweep diagnose` and `sweep explain` print for people."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from sweep.cli.output import one_line, print_table
from sweep.winner.diagnosis.sentences import missed_sentence, most_telling, remedy_sentence
from sweep.winner.rounding import plain, signed

if TYPE_CHECKING:
    from sweep.winner.diagnosis.advice import Advice
    from sweep.winner.diagnosis.charge import ListName, Place
    from sweep.winner.diagnosis.diagnosis import Diagnosis, Gold, Returned, WorstQuery
    from sweep.winner.diagnosis.explanation import Explanation

SNIPPET = 160  # characters of a chunk or a passage
TERMS = 6  # matched terms that are shown
ABOVE = 3  # misses of a query that are shown in full


def print_diagnosis(found: "Diagnosis") -> None:
    """Print what is missed, where it was lost, what to search next, and the worst queries."""
    click.echo(f"trial #{found.trial} of {found.study}: {found.label}")
    click.echo(f"{found.metric} {plain(found.score)} over {found.queries:,} queries")
    click.echo(missed_sentence(found))
    if found.losses:
        click.echo()
        _print_losses(found)
    for notice in found.notices:
        click.echo(f"note: {one_line(notice, 500)}", err=True)
    _print_advice(found.advice)
    if found.worst:
        click.echo("\nWORST QUERIES")
    for worst in found.worst:
        _print_worst(worst)
    if found.worst:
        click.echo(f"\nmore on one of them: sweep explain {found.study} QUERY-ID")


def _print_losses(found: "Diagnosis") -> None:
    rows = [
        (
            loss.stage,
            loss.documents,
            loss.spans,
            loss.queries,
            "-" if loss.bound is None else plain(loss.bound),
            loss.meaning,
        )
        for loss in found.losses
    ]
    if found.order is not None:
        meaning = "returned, but not in the best order"
        rows.append(("order", "-", "-", "-", plain(found.order), meaning))  # type: ignore[arg-type]
    header = ("lost at", "documents", "passages", "queries", f"{found.metric} at most", "")
    print_table(header, rows)
    click.echo(
        f"at most: {found.metric} if this stage alone had lost nothing, and what it lost stood in "
        f"the best place"
    )


def _print_advice(advice: "Sequence[Advice]") -> None:
    new = [one for one in advice if one.is_new]
    old = [one for one in advice if not one.is_new]
    for title, group in (("SEARCH NEXT", new), ("TRIED", old)):
        if group:
            click.echo(f"\n{title}")
        for one in group:
            gain = f" (at most {signed(one.gain)})" if one.gain else ""
            click.echo(f"* {one.symptom}{gain}")
            for remedy in one.remedies:
                click.echo(f"    {remedy_sentence(remedy)}")


def _print_worst(worst: "WorstQuery") -> None:
    score = "  -  " if worst.score is None else plain(worst.score)
    click.echo(f"\n{one_line(worst.query_id)}  {score}  {one_line(worst.text, 200)}")
    shown = most_telling(worst.missed)
    for gold in shown[:ABOVE]:
        _print_gold(gold)
    if len(shown) > ABOVE:
        click.echo(f"  and {len(shown) - ABOVE} more")
    if worst.instead:
        click.echo("  instead")
    for chunk in worst.instead:
        _print_returned(chunk)


def _print_gold(gold: "Gold") -> None:
    where = one_line(gold.document_id)
    if gold.start is not None:
        where += f"[{gold.start}:{gold.end}]"
    became = f"returned at rank {gold.returned}" if gold.stage is None else f"lost at {gold.stage}"
    click.echo(f"  {became}: {where}  label {gold.grade}  {one_line(gold.title, 80)}")
    click.echo(f"      {one_line(gold.text, SNIPPET)}")
    details = [*_ranks(gold.places)]
    if gold.shares_term is False:
        details.append("no term of the question")
    if not gold.is_seen:
        details.append("beyond the model's window")
    if gold.last_through is not None:
        last = gold.last_through
        details.append(
            f"the cut was behind rank {last.rank} ({last.score:.4f}, {one_line(last.document_id)})"
        )
    if details:
        click.echo(f"      {'; '.join(details)}")


def _ranks(places: "Mapping[ListName, Place]") -> list[str]:
    return [f"{name} rank {place.rank} ({place.score:.4f})" for name, place in places.items()]


def _print_returned(chunk: "Returned") -> None:
    label = "no label" if chunk.label is None else f"label {chunk.label}"
    passages = f", {chunk.spans} answer passages" if chunk.spans > 1 else ""
    passages = ", answer passage" if chunk.spans == 1 else passages
    click.echo(
        f"  {chunk.rank:>2}  {chunk.score:.4f}  {one_line(chunk.document_id)}"
        f"[{chunk.start}:{chunk.end}]  {label}{passages}  {one_line(chunk.title, 80)}"
    )
    click.echo(f"      {one_line(chunk.text, SNIPPET)}")


def print_explanation(found: "Explanation") -> None:
    """Print what was returned for a query, why, and what became of what is relevant."""
    known = "a text of your own" if found.query_id is None else f"query {one_line(found.query_id)}"
    click.echo(f"{known}: {one_line(found.text, 500)}")
    click.echo(f"trial #{found.trial} of {found.study}: {found.label}")
    if found.score is not None:
        holes = f"; {found.holes} of the documents have no label" if found.holes else ""
        click.echo(f"{found.metric} {plain(found.score)}{holes}")
    for note in found.notes:
        click.echo(f"note: {one_line(note, 1000)}")
    click.echo("\nRETURNED" if found.results else "\nRETURNED  nothing")
    for chunk in found.results:
        _print_returned(chunk)
        ranks = _ranks(chunk.places)
        terms = ", ".join(
            f"{one_line(term, 40)} {value:.2f}"
            for term, value in list(chunk.terms.items())[:TERMS]
        )
        told = [*ranks, *([f"terms: {terms}"] if terms else [])]
        if told:
            click.echo(f"      {'; '.join(told)}")
    if found.relevant:
        click.echo("\nRELEVANT")
    for gold in found.relevant:
        _print_gold(gold)
    for stage, meaning in found.meanings.items():
        click.echo(f"lost at {stage}: {meaning}")
