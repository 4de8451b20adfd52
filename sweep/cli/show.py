"""`sweep show`: a study, one of its trials, a trial's ranked lists, or how firm the winner is."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, store_option, study_argument

if TYPE_CHECKING:
    from sweep.export.ranked_lists import RankedQuery
    from sweep.study.insight.sensitivity import Sensitivity
    from sweep.study.study import Study
    from sweep.trials import TrialRecord

FORMATS = ("trec", "azure", "context", "parquet")


@click.command(name="show", short_help="Show a study, or one of its trials.")
@study_argument()
@click.argument("trial", required=False)
@click.option(
    "--export",
    "form",
    type=click.Choice(FORMATS),
    help="The trial's ranked lists: a TREC run; rows for document_retrieval (azure); rows of "
    "query and context; or chunks as parquet.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where --export writes.  [default: stdout; parquet needs a file]",
)
@click.option(
    "--queries",
    type=click.Choice(["all", "search"]),
    help="search: only those that the trial's metrics are means of.  [default: all]",
)
@click.option("--sensitivity", is_flag=True, help="Does the winner depend on the span rule?")
@storage_option()
@store_option()
@json_option()
def command(
    study: str | None,
    trial: str | None,
    form: str | None,
    out: Path | None,
    queries: str | None,
    sensitivity: bool,
    storage: str | None,
    store: Path | None,
    as_json: bool,
) -> None:
    """Show what a study was begun with, or everything about one trial.

    TRIAL is a number, or recommended, best or baseline; `sweep show 12` shows trial 12 of the
    study that was run last.
    """
    from sweep.cli.opening import means_trial, open_study
    from sweep.cli.output import print_json
    from sweep.cli.trial_view import print_pairs, print_trial
    from sweep.study.named import named_trial

    if trial is None and means_trial(study, storage):
        trial, study = study, None
    _refuse_conflicts(
        trial=trial, form=form, out=out, queries=queries, sensitivity=sensitivity, as_json=as_json
    )
    opened = open_study(study, storage)
    record = None if trial is None else named_trial(opened, trial)
    if form is not None and record is not None:
        _export(opened, record, form, out, search_only=queries == "search")
    elif sensitivity:
        _show_sensitivity(opened, store, as_json=as_json)
    else:
        content = _study_content(opened) if record is None else _trial_content(opened, record)
        shown = print_pairs if record is None else print_trial
        print_json(content) if as_json else shown(content)


def _refuse_conflicts(
    *,
    trial: str | None,
    form: str | None,
    out: Path | None,
    queries: str | None,
    sensitivity: bool,
    as_json: bool,
) -> None:
    rules = [
        (form and trial is None, "--export needs a TRIAL. See `sweep trials` for their numbers."),
        (form and as_json, "--export takes no --json: it is for machines already."),
        (form and sensitivity, "--export and --sensitivity exclude each other."),
        (form == "parquet" and out is None, "--export parquet needs --out FILE."),
        (not form and out, "--out is for --export. Leave it out."),
        (not form and queries, "--queries is for --export. Leave it out."),
        (sensitivity and trial is not None, "--sensitivity compares all trials. Name no TRIAL."),
    ]
    for broken, text in rules:
        if broken:
            raise click.UsageError(text)


def _export(
    study: "Study", record: "TrialRecord", form: str, out: Path | None, *, search_only: bool
) -> None:
    from sweep.cli.output import message
    from sweep.engine.store.store import write_whole
    from sweep.study.ranked_queries import ranked_queries

    ranked = ranked_queries(study, record, search_only=search_only)
    content = _in_form(form, ranked, tag=f"{study.name}-{record.number}")
    if out is None:
        click.echo(content, nl=False)  # bytes: UTF-8 whatever the terminal's encoding
    else:
        write_whole(out, content)
        message(f"{out}: trial #{record.number} of {study.name}, {len(ranked)} queries, {form}")
    if study.about["split"]["confirm"] and not search_only:
        message(
            "note: the confirm queries are in it, the trial's own metrics are means over the "
            "others: --queries search. A score on the confirm set is a look that nobody counts."
        )


def _in_form(form: str, ranked: Iterable["RankedQuery"], *, tag: str) -> bytes:
    from sweep.export.ranked_lists import azure_lines, context_lines, parquet_bytes, trec_lines

    if form == "parquet":
        return parquet_bytes(ranked)
    if form == "trec":
        lines = trec_lines(ranked, tag=tag)
    else:
        lines = azure_lines(ranked) if form == "azure" else context_lines(ranked)
    return "".join(f"{line}\n" for line in lines).encode()


def _show_sensitivity(study: "Study", store: Path | None, *, as_json: bool) -> None:
    from sweep.cli.output import print_json
    from sweep.cli.progress import shown_report
    from sweep.study.insight.sensitivity import span_sensitivity
    from sweep.study.reopen import reopen

    with shown_report(as_json=as_json) as report:
        found = span_sensitivity(study, reopen(study, store=store, report=report))
    if as_json:
        print_json({"study": study.name, **found.to_json()})
    else:
        _print_sensitivity(found)


def _print_sensitivity(found: "Sensitivity") -> None:
    from sweep.cli.output import print_table

    header = ("rule", "threshold", "best trial", found.objective, f"#{found.winner} there", "")
    rows = [
        (
            reading.rule,
            reading.threshold,
            f"#{reading.best}",
            reading.score,
            reading.score_of_winner,
            "the study's own" if reading.own else "another winner" if reading.differs else "",
        )
        for reading in found.readings
    ]
    print_table(header, rows)
    others = len(found.readings) - 1
    click.echo(
        f"\n#{found.winner} stays the best under every rule."
        if not found.changes
        else f"\nAnother trial than #{found.winner} wins under {found.changes} of {others} other "
        f"rules: the choice depends on when a chunk counts as relevant."
    )


def _trial_content(study: "Study", record: "TrialRecord") -> dict[str, Any]:
    return record.to_json() | {
        "study": study.name,
        "configuration": record.configuration.label(),
        "files": {kind: str(study.folder.path / name) for kind, name in record.files.items()},
    }


def _study_content(study: "Study") -> dict[str, Any]:
    from sweep.study.choice import preference_of
    from sweep.study.quick_look import quick_look_of

    about, preference, sample = study.about, preference_of(study), quick_look_of(study)
    return {
        "study": study.name,
        "folder": str(study.folder.path),
        "corpus": about["corpus_name"],
        **({} if sample is None else {"sample": " ".join(sample.sentences())}),
        "corpus folder": about["corpus_folder"],
        "tokenizer": about["tokenizer"],
        "precision": about.get("made_with", {}).get("precisions")
        or about["identity"]["precision"],
        "objectives": [
            f"{o['metric']} ({o['direction']})" for o in about["identity"]["objectives"]
        ],
        "constraints": about["identity"]["constraints"],
        "must": about["identity"].get("must", []),
        "recommend": {"max_loss": preference.max_loss, "costs": list(preference.costs)},
        "sampler": about["identity"]["sampler"],
        "split": about["split"] | {"honest score": _honest_score(study)},
        "baseline": _baseline(study),
        "trials": {
            "complete": study.counts().complete,
            "failed": study.counts().failed,
        },
        "axes": {name: values for name, values in about["axes"].items() if _varies(values)},
        "last run": about["last_run"],
        "notes": about.get("notes", []),
    }


def _baseline(study: "Study") -> Any:
    if (facts := study.baseline_run) is not None:
        objectives = [goal.name for goal in study.goals if goal.name in facts["metrics"]]
        means = {name: facts["metrics"][name] for name in objectives}
        return {"run": facts["name"], "sha256": facts["sha256"], **means, **facts["counts"]}
    labels = (
        f"#{trial.number} {trial.configuration.label()}"
        for trial in study.complete
        if trial.fingerprint == study.baseline
    )
    return next(labels, None)


def _honest_score(study: "Study") -> str:
    from sweep.study.quick_look import SAMPLE

    if len(study.goals) > 1:
        return "none: several objectives have no single winner"
    if SAMPLE in study.about:
        return "none: every score on a sample is flattered"
    if study.about["split"]["confirm"]:
        return "confirm set"
    if study.adaptive:
        return f"none: {study.adaptive} looks at all queries, and none is kept to confirm with"
    return "cross-validation"


def _varies(values: list[Any]) -> bool:
    return len(values) > 1 or any(isinstance(v, str) and " .. " in v for v in values)  # a range
