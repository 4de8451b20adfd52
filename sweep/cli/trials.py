"""`sweep trials`: the trials of a study."""

from typing import TYPE_CHECKING, Any

import click

from sweep.cli.options import json_option, storage_option, study_argument
from sweep.text_lines import shorten

if TYPE_CHECKING:
    from sweep.study.study import Study
    from sweep.trials import TrialRecord

SHOWN = ("recall@10", "rr@10", "judged@10", "context_tokens", "latency_p95_ms")


@click.command(name="trials")
@study_argument()
@storage_option()
@click.option("--metric", "metrics", multiple=True, metavar="M", help="Show this metric (repeat).")
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="Print CSV: number, state, parameters, metrics, feasible.",
)
@json_option()
def command(
    study: str | None,
    storage: str | None,
    metrics: tuple[str, ...],
    as_csv: bool,
    as_json: bool,
) -> None:
    """List the trials of a study, best first."""
    from sweep.cli.opening import open_study
    from sweep.cli.output import print_csv, print_json, print_table

    opened = open_study(study, storage)
    trials = _best_first(opened)
    known = {name for trial in trials for name in trial.numbers}
    _check_metrics(metrics, known)
    if as_json:
        print_json([trial.to_json() for trial in trials])
    elif as_csv:
        print_csv(*_all_columns(trials, metrics or tuple(sorted(known))))
    else:
        print_table(*_leading_columns(opened, trials, metrics))


def _best_first(study: "Study") -> "list[TrialRecord]":
    sign = -1.0 if study.goals[0].maximize else 1.0
    return sorted(
        study.trials,
        key=lambda t: (not t.values, sign * t.values[0] if t.values else 0.0, t.number),
    )


def _check_metrics(metrics: tuple[str, ...], known: set[str]) -> None:
    from difflib import get_close_matches

    from sweep.errors import MetricError

    for name in metrics:
        if name not in known:
            near = get_close_matches(name, known, n=3, cutoff=0.4) or sorted(known)
            raise MetricError(
                f"--metric: must be one that the study recorded, got {shorten(name)}. Nearest: "
                f"{', '.join(near)}; another is recorded under `metrics:` in the space file."
            )


def _all_columns(
    trials: "list[TrialRecord]", columns: tuple[str, ...]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return header and rows of the CSV: number, state, every parameter, metrics, feasible."""
    flats = [trial.configuration.flat() for trial in trials]
    names = list(dict.fromkeys(name for flat in flats for name in flat))
    constrained = any(trial.constraints for trial in trials)
    rows = []
    for trial, flat in zip(trials, flats, strict=True):
        values = trial.numbers
        rows.append(
            (
                trial.number,
                trial.state,
                *(flat.get(name, "") for name in names),
                *(values.get(column, "") for column in columns),
                *((not trial.violated if trial.constraints else "",) if constrained else ()),
            )
        )
    last = ("feasible",) if constrained else ()
    return ("number", "state", *names, *columns, *last), rows


def _leading_columns(
    study: "Study", trials: "list[TrialRecord]", metrics: tuple[str, ...]
) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """Return header and rows of the table for people."""
    approximate = ("index_recall",) if any(trial.index_recall for trial in trials) else ()
    shown = metrics or (*study.about.get("metrics", []), *SHOWN, *approximate)
    columns = tuple(dict.fromkeys([*(goal.name for goal in study.goals), *shown]))
    rows = []
    for trial in trials:
        values = trial.numbers
        mark = "  (baseline)" if trial.fingerprint == study.baseline else ""
        state = "violates a constraint" if trial.violated else trial.state.lower()
        state += " (doubtful)" if trial.is_doubtful else ""
        label = trial.configuration.label() + mark
        rows.append((trial.number, label, *(values.get(c) for c in columns), state))
    if (facts := study.baseline_run) is not None:
        name = f"{facts['name']}  (baseline, a run file)"
        rows.append((None, name, *(facts["metrics"].get(c) for c in columns), "no trial"))
    return ("#", "configuration", *columns, "state"), rows
