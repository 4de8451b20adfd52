"""`sweep doctor`: what this machine and installation can do."""

import os
from pathlib import Path
from typing import Any

import click

from sweep.cli.options import json_option

PACKAGES = (
    "retrieval-sweep",
    "torch",
    "sentence-transformers",
    "transformers",
    "tokenizers",
    "faiss-cpu",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "optuna",
    "optuna-dashboard",
    "rank-bm25",
)


@click.command(name="doctor", short_help="Check versions, processor, models and folders.")
@json_option()
def command(as_json: bool) -> int:
    """Check versions, processor, models and folders (exit 3 if something is off)."""
    from sweep.cli import DONE, FAILED
    from sweep.cli.output import print_json, print_table

    facts, problems = _facts()
    if as_json:
        print_json({"facts": facts, "problems": problems})
    else:
        print_table(("what", "value"), list(facts.items()))
        click.echo()
        for problem in problems:
            click.echo(f"problem: {problem}")
        click.echo("all well" if not problems else f"{len(problems)} problem(s)")
    return DONE if not problems else FAILED


def _facts() -> tuple[dict[str, Any], list[str]]:
    import platform

    from sweep.configuration import DEFAULT_MODEL
    from sweep.errors import SweepError
    from sweep.machine import has_bf16, processor_features, version_of
    from sweep.models import find_model
    from sweep.study.folder import RESULTS

    problems: list[str] = []
    facts: dict[str, Any] = {"python": platform.python_version(), "system": platform.platform()}
    for package in PACKAGES:
        facts[package] = version_of(package)
        if facts[package] == "none":
            problems.append(f"{package} is not installed. Run: pip install {package}")
    facts["psycopg"] = _postgres_driver()
    facts["processors"] = os.cpu_count()
    facts["processor features"] = " ".join(processor_features())
    facts["bf16"] = "native" if has_bf16() else "not native: models run in fp32"
    try:
        model = find_model(DEFAULT_MODEL)
        facts[f"model {DEFAULT_MODEL}"] = f"found, fingerprint {model.fingerprint[:12]}"
    except SweepError as error:
        problems.append(str(error))
    facts["precision of models"] = _precision()
    facts["hub"] = "offline" if os.environ.get("HF_HUB_OFFLINE") else "may be asked for models"
    facts["results folder"] = f"{RESULTS.resolve()} ({_state(RESULTS, problems)})"
    return facts, problems


def _precision() -> str:
    """Return what models really run in here, as the study that was run last found out."""
    from sweep.errors import SweepError
    from sweep.study.study import Study
    from sweep.winner.message import precisions_text

    unknown = "auto: decided by the first run with a model, on a sample of its corpus"
    try:
        study = Study()
    except SweepError:
        return unknown
    found = study.about.get("made_with", {}).get("precisions")
    return f"{precisions_text(found)} (study {study.name})" if found else unknown


def _postgres_driver() -> str:
    """Return the driver's version; only `--storage postgresql+psycopg://...` needs one."""
    from importlib import import_module

    from sweep.machine import version_of

    version = version_of("psycopg")
    install = 'needed only for studies on PostgreSQL: pip install "retrieval-sweep[postgres]"'
    if version == "none":
        return f"not installed; {install}"
    try:
        import_module("psycopg")  # it needs libpq: its own (psycopg-binary) or the system's
    except ImportError as error:
        return f"{version}, which does not load ({str(error).splitlines()[0]}); {install}"
    return version


def _state(folder: Path, problems: list[str]) -> str:
    place = next(p for p in (folder, *folder.resolve().parents) if p.exists())
    if not os.access(place, os.W_OK):
        problems.append(f"{place} is not writable. Run sweep in a folder that is")
        return "not writable"
    return "writable" if folder.exists() else "made by the first run"
