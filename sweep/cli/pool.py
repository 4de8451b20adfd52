"""`sweep pool`: what to label next, and the study scored again under the labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument

if TYPE_CHECKING:
    from sweep.study.labels.pool import Pool
    from sweep.study.study import Study


@click.command(name="pool", short_help="List what to label next; apply labels.")
@study_argument()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File to write: .csv for people, .jsonl for tools.  [default: CSV on stdout]",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="At most N pairs.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="Documents to look at in each list.  [default: as the objective]",
)
@click.option(
    "--apply",
    "applied",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Filled labels (.csv, .jsonl, .xlsx): score the study again under them, as NAME@HASH.",
)
@click.option("--encoding", metavar="NAME", help="Of the file to --apply, if it is not UTF-8.")
@storage_option()
@store_option()
@json_option()
def command(
    study: str | None,
    out: Path | None,
    limit: int | None,
    depth: int | None,
    applied: Path | None,
    encoding: str | None,
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """List the pairs of query and document that nobody has judged, the most decisive first.

    Fill in the column `label` (0 = irrelevant; leave empty what you cannot say) and give the file
    to --apply: every trial is scored again from its stored ranking, nothing is retrieved again,
    and the study itself stays as it is. The result is a study NAME@HASH of its own.
    """
    from sweep.cli.opening import open_study

    if applied is not None and (out or limit or depth):
        raise click.UsageError("--apply takes no --out, --limit or --depth. Leave them out.")
    if encoding is not None and applied is None:
        raise click.UsageError("--encoding is that of a file to --apply. Leave it out.")
    if out is not None and out.suffix.lower() not in (".csv", ".jsonl"):
        raise click.UsageError("--out must end in .csv or .jsonl.")
    if out is not None and as_json:
        raise click.UsageError("--json prints the pool: give it, or --out FILE.jsonl.")
    opened = open_study(study, storage)
    if applied is None:
        _list(opened, out, limit=limit, depth=depth, store=store, as_json=as_json)
    else:
        _apply(opened, applied, encoding=encoding, store=store, as_json=as_json)


def _list(
    study: "Study",
    out: Path | None,
    *,
    limit: int | None,
    depth: int | None,
    store: Path | None,
    as_json: bool,
) -> None:
    from sweep.cli.output import print_json
    from sweep.engine.store.store import write_whole
    from sweep.study.labels.pool import pool_csv, pool_jsonl
    from sweep.study.quick_look import sample_key

    pool = _made(study, limit=limit, depth=depth, store=store, as_json=as_json)
    if as_json:
        print_json(
            {
                "study": study.name,
                "total": pool.total,
                "could_change": pool.could_change,
                "labels": list(pool.labels),
                "pairs": [entry.to_json() for entry in pool.entries],
                **sample_key(study),
            }
        )
        return
    if out is None:
        click.echo(pool_csv(pool, mark=False), nl=False)  # bytes: UTF-8 on any terminal
    else:
        in_lines = out.suffix.lower() == ".jsonl"
        write_whole(out, pool_jsonl(pool) if in_lines else pool_csv(pool, mark=True))
    _tell(study, pool, out)


def _made(
    study: "Study", *, limit: int | None, depth: int | None, store: Path | None, as_json: bool
) -> "Pool":
    from sweep.cli.progress import shown_report
    from sweep.study.labels.pool import make_pool
    from sweep.study.reopen import reopen, study_corpus

    if study.goals[0].metric.budget_tokens is None:
        return make_pool(study, study_corpus(study), limit=limit, depth=depth)
    with shown_report(as_json=as_json) as report:
        engine = reopen(study, store=store, report=report)
        study.engine = engine
        return make_pool(study, engine.corpus, engine=engine, limit=limit, depth=depth)


def _tell(study: "Study", pool: "Pool", out: Path | None) -> None:
    from sweep.cli.output import message

    low, high = pool.labels
    shown = len(pool.entries)
    some = f"{shown:,} of {pool.total:,}" if shown < pool.total else f"{shown:,}"
    told = "of several objectives, which of them could change the front is not known"
    if pool.could_change is not None:
        told = f"labels of {pool.could_change:,} could change the choice"
    message(
        f"{some} unjudged pairs, the most decisive first; {told}. A label is {low} to {high}, or "
        f"empty: not judged"
    )
    if shown:
        file = out or "FILE"
        message(f"NEXT  fill in `label`, then: sweep pool {study.name} --apply {file}")


def _apply(
    study: "Study", path: Path, *, encoding: str | None, store: Path | None, as_json: bool
) -> None:
    from sweep.cli.output import message, print_json
    from sweep.cli.progress import shown_report
    from sweep.errors import StudyError
    from sweep.study.labels.document_lists import hole_labels
    from sweep.study.labels.label_files import read_label_file
    from sweep.study.labels.rescore import rescore
    from sweep.study.reopen import study_corpus
    from sweep.text_lines import counted

    corpus = study_corpus(study)
    found = read_label_file(path, corpus, hole_labels(study, corpus), encoding=encoding)
    if not found.labels:
        raise StudyError(
            f"{path}: must hold a label that the corpus lacks, got none ({found.blank:,} rows "
            f"without a label, {found.known:,} known already). Fill in the column `label`."
        )
    goal = study.goals[0]
    with shown_report(as_json=as_json, objective=goal.name, maximize=goal.maximize) as report:
        sibling = rescore(study, found.labels, store=store, report=report)
    counts = {"added": len(found.labels), "known": found.known, "blank": found.blank}
    before, after = _outcome(study), _outcome(sibling)
    if as_json:
        print_json(
            {"study": sibling.name, "of": study.name, "labels": counts}
            | {"before": before, "after": after}
        )
        return
    message(
        f"{counted(len(found.labels), 'label')} added ({found.blank:,} rows without a label "
        f"left out, {found.known:,} known already); {len(sibling.trials):,} trials scored again "
        f"as {sibling.name}; {study.name} stays as it is"
    )
    _print_change(study, sibling)


def _outcome(study: "Study") -> dict[str, Any] | None:
    """Return what a study says, JSON-ready; None if it cannot say what to use."""
    from sweep.errors import SweepError

    try:
        return (study.front() if len(study.goals) > 1 else study.answer()).to_json()
    except SweepError:
        return None


def _print_change(study: "Study", sibling: "Study") -> None:
    """Print what the labels have changed, and the sibling's closing message."""
    from sweep.cli.best import print_front
    from sweep.winner.message import answer_text

    if len(study.goals) > 1:
        fronts = [{t.number for t in one.front().trials} for one in (study, sibling)]
        click.echo(
            f"CHANGE {_trials(fronts[1] - fronts[0])} joined the front, "
            f"{_trials(fronts[0] - fronts[1])} left it"
        )
        print_front(sibling.front())
        return
    click.echo(_change_text(study, sibling))
    click.echo(answer_text(sibling.answer()))


def _change_text(study: "Study", sibling: "Study") -> str:
    from sweep.errors import SweepError
    from sweep.winner.rounding import plain

    after = sibling.answer()
    try:
        before = study.answer()
    except SweepError as error:
        return f"CHANGE before: {error}"
    old, new = before.trial, after.trial
    if old.number == new.number:
        said = f"#{old.number} stays the recommended configuration"
        return f"CHANGE {said}: {plain(old.values[0])} before, {plain(new.values[0])} now"
    return (
        f"CHANGE #{new.number} is recommended in place of #{old.number}: {plain(new.values[0])} "
        f"against {_score(sibling, old.number)} now, {_score(study, new.number)} against "
        f"{plain(old.values[0])} before"
    )


def _score(study: "Study", number: int) -> str:
    """Return what a trial scores; one that the study has not finished has no score."""
    from sweep.winner.rounding import plain

    found = next((t for t in study.complete if t.number == number), None)
    return "no score" if found is None else plain(found.values[0])


def _trials(numbers: set[int]) -> str:
    return ", ".join(f"#{number}" for number in sorted(numbers)) or "no trial"
