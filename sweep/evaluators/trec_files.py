"""Judgements and runs from files: TREC, BEIR (see `sweep.trec`), or JSON Lines (`ranked_rows`).

A file whose first line begins with `{` is JSON Lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sweep.errors import MetricError
from sweep.evaluators.ranked_rows import read_judged, read_query_id, read_retrieved
from sweep.evaluators.rows import read_rows
from sweep.numerals import whole_number, whole_rule
from sweep.text_lines import shorten
from sweep.trec import TREC_QRELS, is_json, read_cells, read_trec_run, refuse_empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Qrels:
    """Judgements: label by document id, by query id, in the order of the file.

    Attributes:
        graded: labels for all metrics.
        binary: other labels (1 and 0) for metrics that ask whether a document is relevant, where
            a source gives them separately; otherwise the same as `graded`.
        notices: what a reader should know.
    """

    graded: Mapping[str, Mapping[str, int]]
    binary: Mapping[str, Mapping[str, int]]
    notices: tuple[str, ...] = ()


def read_qrels(path: Path) -> Qrels:
    """Read judgements; a pair judged twice alike is taken once, and said.

    Raises:
        MetricError: naming the line, if a line is incomplete, a label is not a whole number, or a
            pair has two labels; for a file without judgements.
    """
    if is_json(path):
        return _qrels_from_rows(path)
    qrels: dict[str, dict[str, int]] = {}
    repeats = []
    for number, (query, document, text) in read_cells(path, trec=TREC_QRELS, last="label"):
        label = whole_number(text)
        if label is None:
            raise MetricError(
                f"{path}:{number}: the label must be {whole_rule(text)}, got {shorten(text)}. "
                "Round it, or scale it up."
            )
        known = qrels.setdefault(query, {}).setdefault(document, label)
        if known != label:
            raise MetricError(
                f"{path}:{number}: a pair must have one label, got {label} after {known} for "
                f"query {shorten(query)}, document {shorten(document)}. Remove one of the lines."
            )
        repeats.append(number)
    n_repeated = len(repeats) - sum(map(len, qrels.values()))
    notices = (f"{path}: {n_repeated} judgements repeat an earlier line; taken once",)
    refuse_empty(path, qrels, "judgement")
    return Qrels(graded=qrels, binary=qrels, notices=notices if n_repeated else ())


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run in any of the forms: score by document id, by query id.

    Raises:
        MetricError: see `read_trec_run`; for JSON Lines, if a row has no ranked list.
    """
    return _run_from_rows(path) if is_json(path) else read_trec_run(path)


def name_runs(paths: Sequence[Path]) -> dict[str, Path]:
    """Return runs by file name without its ending; by their paths if two names are alike.

    Raises:
        MetricError: if a run is given twice.
    """
    for key in (lambda path: path.stem, str):
        named = {key(path): path for path in paths}
        if len(named) == len(paths):
            return named
    raise MetricError(f"--run: a file may be given once, got {list(map(str, paths))}. Drop one.")


def _qrels_from_rows(path: Path) -> Qrels:
    graded: dict[str, Mapping[str, int]] = {}
    binary: dict[str, Mapping[str, int]] = {}
    for row in read_rows(path):
        if row.error is not None:
            raise row.error
        query = read_query_id(row, row.values, known=graded)
        judged = read_judged(row, row.values)
        graded[query], binary[query] = judged.graded, judged.binary
    return Qrels(graded=graded, binary=binary)


def _run_from_rows(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for row in read_rows(path):
        if row.error is not None:
            raise row.error
        query = read_query_id(row, row.values, known=run)
        ranked = read_retrieved(row, row.values)
        run[query] = {document: -float(rank) for rank, document in enumerate(ranked)}
    return run
