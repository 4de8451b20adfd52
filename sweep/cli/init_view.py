"""How `sweep init` tells what it read, what it took for what, and what comes next."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from sweep.corpus.asked.read import AskedCorpus
    from sweep.corpus.asked.resolve import Tolerated, Unresolved
    from sweep.errors import CorpusError
    from sweep.study.listing import EarlierStudies
    from sweep.study.starter.sizing import Sizing

SHOWN_WORDINGS = 5  # quotes with another wording that are printed; conversion.json has all
SHOWN = 10  # rows that are printed; unresolved.csv has all
TOLD = {
    "exact": "page, and quote to the character",
    "tolerant": "page, and quote as it reads or with small slips",
    "by quote": "page found by the quote",
    "page only": "page without a passage",
    "not resolved": "nothing; in no score",
}


def summarise(asked: "AskedCorpus", *, out: Path, space: Path) -> dict[str, Any]:
    """Return what was read and what became of it, for conversion.json and --json."""
    import sweep

    corpus = asked.corpus
    return {
        "made_by": f"retrieval-sweep {sweep.__version__}",
        "out": out.as_posix(),
        "space": space.as_posix(),
        "name": corpus.name,
        "hash": corpus.hash,
        "documents": len(corpus.documents),
        "queries": len(corpus.queries),
        "judgements": sum(map(len, corpus.qrels.values())),
        "spans": len(corpus.spans),
        "columns": [
            {
                "table": one.name,
                "columns": {field: list(names) for field, names in one.columns.items()},
                "named": sorted(one.given),
                "metadata": _rest(one.all_columns, one.columns),
            }
            for one in asked.tables
        ],
        "rows": dict(asked.resolved.outcomes),
        "unresolved": [
            {
                "row": one.row.place.at,
                "question": one.row.question,
                "why": one.why,
                "kept": one.kept or None,
                "counted_as": one.outcome,
                "nearest": list(one.candidates),
            }
            for one in asked.resolved.unresolved
        ],
        "other_wording": [_wording(one) for one in asked.resolved.tolerated],
        "dropped": [str(one) for one in asked.dropped],
        "notices": [str(notice) for notice in corpus.notices],
    }


def _wording(one: "Tolerated") -> dict[str, Any]:
    """Return a quote and the page's own wording as JSON."""
    wording = one.wording
    return {
        "row": one.row.place.at,
        "quote": wording.quote,
        "page": wording.page,
        "text": wording.text,
        "slips": wording.slips,
    }


def print_init(
    asked: "AskedCorpus",
    sizing: "Sizing",
    *,
    out: Path,
    space: Path,
    n_configurations: int,
    seconds: Mapping[str, float],
) -> None:
    """Print what was read, what it was taken for, and what is missing."""
    from sweep.cli.output import message
    from sweep.study.starter.text import ENOUGH, FEW
    from sweep.text_lines import counted

    corpus = asked.corpus
    click.echo(
        f"READ    {counted(len(corpus.documents), 'page')}, "
        f"{counted(sum(asked.resolved.outcomes.values()), 'row')} of questions in "
        f"{seconds['read']:.1f} s"
    )
    _print_rows(asked)
    _print_wordings(asked.resolved.tolerated)
    _print_unresolved(asked.resolved.unresolved, out)
    click.echo(
        f"CORPUS  {out}: {counted(len(corpus.documents), 'document')}, "
        f"{counted(len(corpus.queries), 'question')}, "
        f"{counted(sum(map(len, corpus.qrels.values())), 'judgement')}, "
        f"{counted(len(corpus.spans), 'passage')}"
    )
    sizes = ", ".join(map(str, sizing.sizes)) or "none (documents whole)"
    click.echo(
        f"SPACE   {space}: {counted(n_configurations, 'configuration')}, chunk sizes {sizes}, "
        f"objective {sizing.objective}"
    )
    if sizing.judged < FEW:
        message(
            f"note: few judged questions ({sizing.judged}): differences show from about "
            f"{sizing.resolution:.2f} on; trust a choice from about {ENOUGH} questions on"
        )
    click.echo(f"TIME    {seconds['total']:.1f} s")


def _print_rows(asked: "AskedCorpus") -> None:
    """Print which columns were taken for what, what became of the rows, and what is odd."""
    from sweep.cli.output import message, one_line

    for table in asked.tables:
        taken = ", ".join(
            f"{field} = {' + '.join(map(repr, names))}"
            + ("" if field in table.given else " (guessed)")
            for field, names in table.columns.items()
        )
        rest = _rest(table.all_columns, table.columns)
        more = f"; kept as metadata: {', '.join(map(repr, rest))}" if rest else ""
        click.echo(one_line(f"COLUMNS {table.name}: {taken}{more}", 1000))
    for name, count in asked.resolved.outcomes.items():
        if count:
            click.echo(f"ROWS    {count:>5,}  {name}: {TOLD[name]}")
    for notice in asked.corpus.notices:
        message(one_line(f"note: {notice}", 1000))


def _print_wordings(rows: Sequence["Tolerated"]) -> None:
    """Print what stands in the pages instead of what rows quote, the most slips first."""
    from sweep.cli.output import one_line
    from sweep.corpus.asked.read import shown_place
    from sweep.text_lines import shorten

    ordered = sorted(rows, key=lambda one: -one.wording.slips)
    for one in ordered[:SHOWN_WORDINGS]:
        quote, page = (
            shorten(" ".join(text.split())) for text in (one.wording.quote, one.wording.text)
        )
        text = f"{shown_place(one.row)}: quotes {quote}; {one.wording.page} says {page}"
        click.echo(f"        {one_line(text, 400)}")
    if len(rows) > SHOWN_WORDINGS:
        rest = len(rows) - SHOWN_WORDINGS
        click.echo(f"        and {rest:,} more with another wording; conversion.json has all")


def unresolved_error(rows: Sequence["Unresolved"]) -> "CorpusError":
    """Return the error of --strict."""
    from sweep.corpus.asked.read import describe
    from sweep.errors import CorpusError

    lines = "\n".join(map(describe, rows[:SHOWN]))
    more = f"\n  and {len(rows) - SHOWN:,} more" if len(rows) > SHOWN else ""
    return CorpusError(
        f"--strict: every row must be resolved, got {len(rows):,} that are not. Correct them, or "
        f"leave --strict out:\n{lines}{more}"
    )


def _print_unresolved(rows: Sequence["Unresolved"], out: Path) -> None:
    from sweep.cli.output import one_line
    from sweep.corpus.asked.read import describe
    from sweep.corpus.write import UNRESOLVED_FILE
    from sweep.text_lines import counted

    if not rows:
        return
    among = Counter(one.outcome for one in rows)
    above = ", ".join(f"{among[name]:,} {name}" for name in TOLD if among[name])
    click.echo(
        f"MISSING something in {counted(len(rows), 'row')} (counted above as {above}); "
        f"see {out / UNRESOLVED_FILE}:"
    )
    for one in rows[:SHOWN]:
        click.echo(f"        {one_line(describe(one), 400)}")
    if len(rows) > SHOWN:
        click.echo(f"        and {len(rows) - SHOWN:,} more")


def print_kept(corpus: Path | None, space: Path | None) -> None:
    """Print where the earlier corpus and space are kept."""
    from sweep.cli.output import message

    for what, path in (("corpus", corpus), ("space", space)):
        if path is not None:
            message(f"note: the earlier {what} differs and is kept as {path}")


def print_next(asked: "AskedCorpus", space: Path, earlier: "EarlierStudies | None") -> None:
    """Print the commands that come next, and which studies stay over the earlier corpus."""
    from sweep.cli.output import message
    from sweep.text_lines import counted
    from sweep.winner.bundle import bundle_folder

    named = ""
    if earlier is not None:
        shown = ", ".join(earlier.names[:SHOWN])
        more = f" and {len(earlier.names) - SHOWN:,} more" if len(earlier.names) > SHOWN else ""
        stay = "stays as it is" if len(earlier.names) == 1 else "stay as they are"
        named = f" --study {shlex.quote(earlier.next_name)}"
        message(
            f"note: {counted(len(earlier.names), 'study')} over the earlier corpus {stay} "
            f"({shown}{more}); a run over the new one is another study:{named}. What is computed "
            "of pages that have not changed is reused"
        )
    query = asked.corpus.queries[0].text
    folder = bundle_folder(earlier.next_name if earlier else asked.corpus.name)
    commands = (
        f"sweep run {shlex.quote(str(space))}{named} --dry-run",
        f"sweep run {shlex.quote(str(space))}{named}",
        "sweep best",
        "sweep report",
        f"sweep export --out {shlex.quote(folder)}",
        f"sweep query {shlex.quote(folder)} {shlex.quote(' '.join(query.split()))}",
    )
    for number, text in enumerate(commands):
        click.echo(f"{'NEXT' if not number else '':8}{text}")


def _rest(columns: Sequence[str], taken: Mapping[str, Sequence[str]]) -> list[str]:
    used = {name for names in taken.values() for name in names}
    return [name for name in columns if name not in used]
