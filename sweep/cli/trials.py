"""`sweep trials`: the trials of a study."""

import click

from sweep.cli.options import json_option, storage_option, study_argument

SHOWN = ("recall@10", "rr@10", "judged@10", "context_tokens", "latency_p95_ms")


@click.command(name="trials")
@study_argument()
@storage_option()
@click.option("--metric", "metrics", multiple=True, metavar="M", help="Show this metric (repeat).")
@click.option(
    "--csv", "as_csv", is_flag=True, help="Print CSV: number, state, parameters, metrics."
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
    from difflib import get_close_matches

    from sweep.cli.output import print_csv, print_json, print_table
    from sweep.errors import MetricError
    from sweep.study.study import Study

    opened = Study(study, storage)
    goal = opened.goals[0]
    sign = -1.0 if goal.maximize else 1.0
    trials = sorted(
        opened.trials,
        key=lambda t: (not t.values, sign * t.values[0] if t.values else 0.0, t.number),
    )
    known = {name for trial in trials for name in (*trial.metrics, *trial.timings)}
    for name in metrics:
        if name not in known:
            near = get_close_matches(name, known, n=3, cutoff=0.4) or sorted(known)
            raise MetricError(
                f"--metric: must be one that the study recorded, got {name!r}. Nearest: "
                f"{', '.join(near)}; another is recorded under `metrics:` in the space file."
            )
    if as_json:
        print_json([trial.to_json() for trial in trials])
        return
    values = [{**t.timings, **t.metrics} for t in trials]
    if as_csv:
        columns = metrics or tuple(sorted(known))
        names = list(dict.fromkeys(n for t in trials for n in t.configuration.flat()))
        print_csv(
            ("number", "state", *names, *columns),
            [
                (
                    t.number,
                    t.state,
                    *(t.configuration.flat().get(n, "") for n in names),
                    *(v.get(c, "") for c in columns),
                )
                for t, v in zip(trials, values, strict=True)
            ],
        )
        return
    shown = metrics or (*opened.about["metrics"], *SHOWN)
    columns = tuple(dict.fromkeys([*(goal.name for goal in opened.goals), *shown]))
    print_table(
        ("#", "configuration", *columns, "state"),
        [
            (
                t.number,
                t.configuration.label() + _mark(t.fingerprint == opened.baseline),
                *(v.get(c) for c in columns),
                "violates a constraint" if t.facts.get("violates") else t.state.lower(),
            )
            for t, v in zip(trials, values, strict=True)
        ],
    )


def _mark(is_baseline: bool) -> str:
    return "  (baseline)" if is_baseline else ""
