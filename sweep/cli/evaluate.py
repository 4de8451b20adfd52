"""`sweep evaluate`: scores for retrieval output that was not made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sweep.cli.options import Decorator, json_option
from sweep.cli.output import message, print_json, print_table
from sweep.errors import MetricError

_FILE = click.Path(path_type=Path)
_SHOWN_ERRORS = 10
_HELP = {
    "--evaluators": "Comma-separated.  [default: document_retrieval]",
    "--criteria": "A list of testing_criteria, JSON or YAML.",
    "--map": "Where a parameter is: '${data.a.b}' or '{{item.a.b}}'. Repeatable.",
    "--set": "An initialization parameter, e.g. ground_truth_label_max=3. Repeatable.",
    "--qrels": "Judgements: TREC, BEIR or JSONL.",
    "--run": "A run: TREC, BEIR or JSONL. Repeatable: several side by side.",
    "--metrics": "Comma-separated, e.g. ndcg@10,recall(rel=2)@10.",
    "--chunk-separator": "A run's ids are chunks, document<TEXT>rest; '' for never.  "
    "[default: # if no id is judged as it is]",
}
_CONFLICTS = {  # what an option cannot stand beside
    "--run": ("INPUT.jsonl", "--evaluators", "--criteria", "--map"),
    "--criteria": ("--evaluators", "--map", "--set", "--metrics"),
    "--metrics": ("--evaluators",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """The options as they were given."""

    input_file: Path | None
    evaluators: str | None
    criteria: Path | None
    mapping: Sequence[str]
    parameters: Sequence[str]
    qrels: Path | None
    runs: Sequence[Path]
    metrics: str | None
    chunk_separator: str | None
    per_query: bool
    as_json: bool


def _option(name: str, *names: str, **settings: Any) -> Decorator:
    return click.option(name, *names, help=_HELP[name], **settings)


@click.command(name="evaluate")
@click.argument("input_file", metavar="[INPUT.jsonl]", required=False, type=_FILE)
@_option("--evaluators", metavar="NAMES")
@_option("--criteria", metavar="FILE", type=_FILE)
@_option("--map", "mapping", metavar="PARAM=PATH", multiple=True)
@_option("--set", "parameters", metavar="NAME=VALUE", multiple=True)
@_option("--qrels", metavar="FILE", type=_FILE)
@_option("--run", "runs", metavar="FILE", type=_FILE, multiple=True)
@_option("--metrics", metavar="NAMES")
@_option("--chunk-separator", metavar="TEXT")
@click.option("--per-query", is_flag=True, help="Print every query or row, too.")
@json_option()
def command(**options: Any) -> None:
    """Score retrieval output that was not made here.

    \b
    sweep evaluate rows.jsonl                            judged rows, document_retrieval
    sweep evaluate rows.jsonl --criteria criteria.json   the service's testing_criteria
    sweep evaluate rows.jsonl --metrics ndcg@10,rr       judged rows, any metrics
    sweep evaluate --qrels qrels.tsv --run run.trec      TREC or BEIR files

    Rows hold retrieval_ground_truth and retrieved_documents (with --metrics also gold_doc_ids,
    graded_relevance and retrieved), or what --map says. A row that cannot be scored is reported
    and counted, and the others go on.
    """  # noqa: D301  \b keeps the lines
    request = _Request(**options)
    _refuse_conflicts(request)
    if request.qrels is not None and request.runs:
        _score_runs(request, request.qrels)
    elif request.qrels is not None or request.runs:
        raise click.UsageError("--qrels and --run belong together. Give both.")
    elif request.input_file is None:
        raise click.UsageError("give INPUT.jsonl, or --qrels and --run. See --help.")
    elif request.metrics is not None:
        _score_rows(request, request.input_file, request.metrics)
    else:
        _evaluate_rows(request, request.input_file)


def _refuse_conflicts(request: _Request) -> None:
    given = {
        "INPUT.jsonl": request.input_file,
        "--evaluators": request.evaluators,
        "--criteria": request.criteria,
        "--map": request.mapping,
        "--set": request.parameters,
        "--metrics": request.metrics,
        "--run": request.runs or request.qrels,
    }
    for name, others in _CONFLICTS.items():
        clash = [other for other in others if given[name] and given[other]]
        if clash:
            raise click.UsageError(f"{name} takes no {clash[0]}. Leave one of them out.")
    if request.chunk_separator is not None and not request.runs:
        raise click.UsageError("--chunk-separator is for --run. Leave it out.")


def _evaluate_rows(request: _Request, path: Path) -> None:
    from sweep.evaluators.batch import evaluate_rows, report_batch
    from sweep.evaluators.criteria import make_criteria, read_criteria
    from sweep.evaluators.mapping import parse_assignments, parse_values
    from sweep.evaluators.rows import read_rows

    if request.criteria is not None:
        criteria = read_criteria(request.criteria)
    else:
        criteria = make_criteria(
            request.evaluators or "document_retrieval",
            parameters=parse_values(request.parameters, option="--set"),
            mapping=parse_assignments(request.mapping, option="--map"),
        )
    batch = evaluate_rows(read_rows(path), criteria)
    report = report_batch(batch)
    if request.as_json:
        print_json(report)
    else:
        _print_batch(report, per_query=request.per_query)
    _tell_failures(path, report, any_scored=batch.any_scored)


def _score_rows(request: _Request, path: Path, metrics: str) -> None:
    from sweep.evaluators.mapping import parse_assignments
    from sweep.evaluators.ranked_rows import parse_field_mapping
    from sweep.evaluators.rows import read_rows
    from sweep.evaluators.run_scores import (
        parse_labels,
        parse_metrics,
        report_scores,
        score_rows,
    )

    scores = score_rows(
        parse_metrics(metrics),
        read_rows(path),
        parse_field_mapping(parse_assignments(request.mapping, option="--map")),
        labels=parse_labels(request.parameters),
    )
    report = report_scores(scores, per_query=request.per_query)
    if request.as_json:
        print_json(report)
    else:
        _print_scores({path.stem: report})
    for notice in scores.notices:
        message(notice)
    _tell_failures(path, report, any_scored=bool(scores.table.query_ids))


def _score_runs(request: _Request, qrels_path: Path) -> None:
    from sweep.evaluators.run_scores import (
        DEFAULT_METRICS,
        parse_labels,
        parse_metrics,
        report_scores,
        score_run,
    )
    from sweep.evaluators.trec_files import name_runs, read_qrels, read_run

    metrics = parse_metrics(request.metrics or DEFAULT_METRICS)
    labels = parse_labels(request.parameters)
    qrels = read_qrels(qrels_path)
    reports, notices = {}, list(qrels.notices)
    for name, path in name_runs(request.runs).items():
        scores = score_run(
            metrics,
            qrels,
            read_run(path),
            labels=labels,
            chunk_separator=request.chunk_separator,
            where=str(path),
        )
        reports[name] = report_scores(scores, per_query=request.per_query)
        notices += [f"{path}: {notice}" for notice in scores.notices]
    if not request.as_json:
        _print_scores(reports)
    else:
        print_json({"runs": reports} if len(reports) > 1 else next(iter(reports.values())))
    for notice in notices:
        message(notice)


def _print_batch(report: Mapping[str, Any], *, per_query: bool) -> None:
    undefined = report["counts"]["nan"]
    header = ("metric", "mean", "pass rate", "undefined")
    rows = [
        (name, mean, report["pass_rates"].get(name), undefined.get(name, 0))
        for name, mean in report["metrics"].items()
    ]
    print_table(header, rows)
    if per_query:
        items = [
            (entry["id"], item["name"], item["metric"], item["score"], item["label"])
            for entry in report["output_items"]
            for item in entry["results"]
        ]
        print_table(("row", "name", "metric", "score", "label"), items, title="\nrows")
    rows_of = report["result_counts"]
    message(", ".join(f"{state} {count}" for state, count in rows_of.items()))


def _print_scores(reports: Mapping[str, Mapping[str, Any]]) -> None:
    """Print means, runs side by side, and under them a table of queries per run."""
    from sweep.cli.output import show

    metrics = next(iter(reports.values()))["metrics"]
    rows = []
    for metric in metrics:
        cells = []
        for report in reports.values():
            bounds = report["intervals"][metric]
            interval = bounds and "[{}, {}]".format(*map(show, bounds))
            cells += [report["metrics"][metric], interval]
        rows.append((metric, *cells))
    columns = [text for name in reports for text in (name, "95 %")]
    print_table(("metric", *columns), rows)
    for name, report in reports.items():
        queries = report.get("per_query", {})
        if queries:
            table = [(query, *values.values()) for query, values in queries.items()]
            print_table(("query", *metrics), table, title=f"\n{name}")
        counts = [f"{key.replace('_', ' ')} {count}" for key, count in report["counts"].items()]
        message(f"{name}: {', '.join(counts)}")


def _tell_failures(path: Path, report: Mapping[str, Any], *, any_scored: bool) -> None:
    """Say which rows failed; an error if all did."""
    errors = report.get("errors", [])
    for error in errors[:_SHOWN_ERRORS]:
        message(f"row {error['row']} {error['code']}: {error['message']}")
    if len(errors) > _SHOWN_ERRORS:
        message(f"and {len(errors) - _SHOWN_ERRORS} more errors; --json lists them all")
    failed, rows = report["counts"]["failed"], report["counts"]["rows"]
    if not any_scored:
        raise MetricError(
            f"{path}: at least one row must be scorable, got {failed} failed rows of {rows}. "
            "Correct what is listed above."
        )
    if failed:
        message(f"{failed} of {rows} rows failed; the means are taken over the others")
