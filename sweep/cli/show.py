"""`sweep show`: a study, or one of its trials."""

from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, study_argument

if TYPE_CHECKING:
    from sweep.study.study import Study


@click.command(name="show")
@study_argument()
@click.argument("trial", type=int, required=False)
@storage_option()
@json_option()
def command(study: str | None, trial: int | None, storage: str | None, as_json: bool) -> None:
    """Show what a study was begun with, or everything about one trial.

    `sweep show 12` shows trial 12 of the study that was run last.
    """
    from sweep.cli.output import print_json
    from sweep.study.study import Study

    if trial is None and study is not None and study.isdigit():
        trial, study = int(study), None
    opened = Study(study, storage)
    if trial is None:
        content = _study_content(opened)
        print_json(content) if as_json else _print_pairs(content)
        return
    record = opened.trial(trial)
    content = record.to_json() | {
        "study": opened.name,
        "configuration": record.configuration.label(),
        "files": {kind: str(opened.folder.path / name) for kind, name in record.files.items()},
    }
    print_json(content) if as_json else _print_trial(content)


def _study_content(study: "Study") -> dict[str, Any]:
    about = study.about
    return {
        "study": study.name,
        "folder": str(study.folder.path),
        "corpus": about["corpus_name"],
        "corpus folder": about["corpus_folder"],
        "tokenizer": about["tokenizer"],
        "objectives": [
            f"{o['metric']} ({o['direction']})" for o in about["identity"]["objectives"]
        ],
        "constraints": about["identity"]["constraints"],
        "split": about["split"],
        "baseline": about["baseline"],
        "trials": {
            "complete": len(study.complete),
            "failed": sum(trial.state == "FAIL" for trial in study.trials),
        },
        "axes": {name: values for name, values in about["axes"].items() if len(values) > 1},
        "last run": about["last_run"],
    }


def _print_pairs(content: dict[str, Any]) -> None:
    from sweep.cli.output import print_table

    print_table(("what", "value"), [(name, _one_line(value)) for name, value in content.items()])


def _one_line(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_one_line(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(str(inner) for inner in value) or "none"
    return "none" if value is None else str(value)


def _print_trial(content: dict[str, Any]) -> None:
    from sweep.cli.output import print_table

    click.echo(f"trial {content['number']} of {content['study']}: {content['configuration']}")
    click.echo(f"state {content['state']}")
    if "error" in content:
        click.echo(content["error"]["traceback"] or content["error"]["message"])
        return
    print_table(("parameter", "value"), list(content["params"].items()))
    click.echo()
    intervals = content["intervals"]
    print_table(
        ("metric", "mean", "from", "to"),
        [
            (name, value, *intervals.get(name, (None, None)))
            for name, value in content["metrics"].items()
        ],
    )
    click.echo()
    pairs = {**content["timings"], **content["facts"], **content["files"]}
    print_table(("what", "value"), [(name, _one_line(value)) for name, value in pairs.items()])
