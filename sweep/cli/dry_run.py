"""How `sweep run --dry-run` prints a plan."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.pace import duration

if TYPE_CHECKING:
    from sweep.study.driver.dry_run import DryRun

SMALL_S = 0.05  # parts of the time below this share are told together
NAMES = {
    "chunks": "chunkings",
    "inputs": "tokenised chunk sets",
    "bm25_list": "BM25 lists",
    "terms": "term matrices",
}


def plan_run(space: Path, options: dict[str, Any], *, as_json: bool) -> int:
    """Print on stdout what a run would do, and on stderr what was done to find that out.

    Args:
        space: the search-space file.
        options: fields of `RunOptions`.
        as_json: print JSON.
    """
    from sweep.cli import DONE
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.study.driver.dry_run import dry_run
    from sweep.study.driver.inputs import RunOptions

    with shown_report(as_json=as_json) as report:
        found = dry_run(space, options=RunOptions(**options), report=report)
        report.notice(_notes(found))
    if as_json:
        print_json(found.to_json())
    else:
        for line in plan_lines(found):
            click.echo(line)
    return DONE


def plan_lines(found: "DryRun") -> Iterator[str]:
    """Yield the lines of a plan for people."""
    from sweep.engine.store.sizes import format_size

    trials = found.trials
    if not trials.to_run:
        yield f"PLAN    {found.study}: nothing is left to do"
        yield f"        {trials.finished:,} of {trials.planned:,} configurations are finished"
        return
    yield (
        f"PLAN    {found.study}: {trials.planned:,} configurations over the corpus "
        f"{found.corpus}; {trials.finished:,} finished, {trials.to_run:,} to run"
    )
    yield from _sample_lines(found)
    if trials.drawn:
        yield (
            f"        a sampler draws {trials.to_run:,} of {len(found.plan.configurations):,} "
            f"while it runs; what follows, but for trials, is for all of these"
        )
    yield f"        {'':22}{'needed':>9}{'stored':>9}{'to do':>9}"
    for stage in found.plan.stages:
        if stage.unique:
            stored = "-" if stage.stored is None else f"{stage.stored:,}"
            more = " or more" if stage.open_ended else ""
            yield f"        {stage.kind:22}{stage.unique:>9,}{stored:>9}{stage.to_do:>9,}{more}"
    yield from _model_lines(found)
    yield f"TIME    about {duration(found.expected_s)}: {_parts(found)}"
    yield (
        f"DISK    about {format_size(found.expected_bytes)}: store "
        f"{format_size(found.store_bytes)}, tables of trials {format_size(found.study_bytes)}, "
        f"storage {format_size(found.storage_bytes)}"
    )
    yield f"MEMORY  about {format_size(found.memory_bytes)} at the peak"


def _sample_lines(found: "DryRun") -> Iterator[str]:
    sample = found.sample
    if sample is None:
        return
    others = sample["documents"] - sample["judged"]
    yield (
        f"SAMPLE  {sample['documents']:,} of {sample['of']:,} documents: {sample['judged']:,} "
        f"judged ones and {others:,} others"
    )
    yield (
        f"        then at most {sample['finalists']:,} finalists over all documents, and more if "
        f"none of them keeps every constraint there, which what follows does not count: plan them "
        f"when the search is finished"
    )


def _model_lines(found: "DryRun") -> Iterator[str]:
    for work in found.plan.encoders:
        yield (
            f"EMBED   {work.texts:,} texts with {work.tokens:,} tokens, {work.queries:,} queries "
            f"({work.model}); of {work.chunks:,} chunk texts {work.saved:.1%} are repeats"
        )
    for scored in found.plan.rerankers:
        pairs = f"{scored.pairs:,}"
        if scored.unknown:
            pairs = f"at most {scored.most:,}, about {round(scored.expected):,}"
        yield f"RERANK  {pairs} query-chunk pairs ({scored.kind}, {scored.model})"
        if scored.unknown:
            yield "        which candidates there are is known once the chunks have vectors"


def _parts(found: "DryRun") -> str:
    """Return the larger parts of the time, the largest first."""
    total = found.expected_s
    large = {name: s for name, s in found.seconds.items() if s >= SMALL_S * total}
    parts = [f"{name} {duration(large[name])}" for name in sorted(large, key=lambda n: -large[n])]
    rest = total - sum(large.values())
    return ", ".join([*parts, f"all else {duration(rest)}"] if rest >= 1 else parts)


def _notes(found: "DryRun") -> str:
    """Return what was done for the plan."""
    made = [f"{count:,} {NAMES.get(kind, kind)}" for kind, count in found.made.items() if count]
    done = f"made for the plan and kept: {', '.join(made)}. " if made else ""
    if found.calibrated:
        done += f"Timed on a few texts: {', '.join(found.calibrated)}. "
    models = ", ".join(f"{name} in {kind}" for name, kind in found.precisions.items())
    threads = "1 thread" if found.threads == 1 else f"{found.threads} threads"
    done += f"Models: {models}, on {threads}. " if models else ""
    return f"{done}No study and no trial was written."
