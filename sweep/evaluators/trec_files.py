"""Judgements and runs from files: TREC, BEIR, or JSON Lines; ids stay the texts that they are.

* TREC qrels: `query iteration document label`; TREC run: `query Q0 document rank score tag`. Cells
  are separated by any ASCII white space; iteration, rank and tag are not used.
* BEIR: `query document label` or `query document score`, separated by one tab (so that ids may
  hold blanks), with or without a header; by white space where the first line has no tab.
* JSON Lines (the first line begins with `{`): see `ranked_rows`.

The first line decides for the whole file. A fault is an error with file and line: half a file of
judgements would give wrong numbers.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sweep.errors import MetricError
from sweep.evaluators.ranked_rows import read_judged, read_query_id, read_retrieved
from sweep.evaluators.rows import read_rows
from sweep.evaluators.text_lines import read_text_lines, shorten

_NUMBER = re.compile(r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)", re.I | re.A)
_LABEL = re.compile(r"[+-]?\d{1,9}", re.A)  # 9 digits: any grade, and fits 32 bits
_BLANK = " \t\r\f\v"  # not the other blanks of Unicode, which may stand inside an id
_BLANKS = re.compile(f"[{_BLANK}]+")
_ITERATIONS = ("0", "Q0")


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


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which cells of a line matter, and how many there must be."""

    columns: tuple[str, ...]
    used: tuple[int, int, int]
    by_tab: bool

    def split(self, line: str) -> list[str]:
        return line.split("\t") if self.by_tab else _BLANKS.split(line.strip(_BLANK))


_TREC_QRELS = ("query", "iteration", "document", "label")
_TREC_RUN = ("query", "Q0", "document", "rank", "score", "tag")


def read_qrels(path: Path) -> Qrels:
    """Read judgements; a pair judged twice alike is taken once, and said.

    Raises:
        MetricError: naming the line, if a line is incomplete, a label is not a whole number, or a
            pair has two labels; for a file without judgements.
    """
    if _is_json(path):
        return _qrels_from_rows(path)
    qrels: dict[str, dict[str, int]] = {}
    repeats = []
    for number, (query, document, text) in _read_cells(path, trec=_TREC_QRELS, last="label"):
        if not _LABEL.fullmatch(text.strip()):
            raise MetricError(
                f"{path}:{number}: the label must be a whole number, got {shorten(text)}. "
                "Round it, or scale it up."
            )
        label = int(text)
        known = qrels.setdefault(query, {}).setdefault(document, label)
        if known != label:
            raise MetricError(
                f"{path}:{number}: a pair must have one label, got {label} after {known} for "
                f"query {query!r}, document {document!r}. Remove one of the lines."
            )
        repeats.append(number)
    n_repeated = len(repeats) - sum(map(len, qrels.values()))
    notices = (f"{path}: {n_repeated} judgements repeat an earlier line; taken once",)
    _refuse_empty(path, qrels, "judgement")
    return Qrels(graded=qrels, binary=qrels, notices=notices if n_repeated else ())


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a run: score by document id, by query id.

    Raises:
        MetricError: naming the line, if a line is incomplete, a score is not a number (NaN is
            none), or a document is listed twice for a query; for a file without entries.
    """
    if _is_json(path):
        return _run_from_rows(path)
    run: dict[str, dict[str, float]] = {}
    for number, (query, document, text) in _read_cells(path, trec=_TREC_RUN, last="score"):
        where = f"{path}:{number}"
        score = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
        if math.isnan(score):
            raise MetricError(
                f"{where}: the score must be a number, got {shorten(text)}. Give the retriever's "
                "score, or a falling number."
            )
        entries = run.setdefault(query, {})
        if document in entries:
            raise MetricError(
                f"{where}: a query may list a document once, got {document!r} again for query "
                f"{query!r}. Remove one, or give chunks ids of their own ({document}#1)."
            )
        entries[document] = score
    _refuse_empty(path, run, "entry")
    return run


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


def _read_cells(
    path: Path, *, trec: tuple[str, ...], last: str
) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield query, document and number of every line but a header, with the line's number."""
    layout: _Layout | None = None
    for number, line in read_text_lines(path):
        is_first = layout is None
        layout = layout or _choose_layout(line, trec=trec, last=last)
        cells = layout.split(line)
        if len(cells) != len(layout.columns) or "" in cells:
            separator = "tabs" if layout.by_tab else "white space"
            wanted = f"{len(layout.columns)} filled cells separated by {separator}"
            raise MetricError(
                f"{path}:{number}: must have {wanted} ({', '.join(layout.columns)}), "
                f"got {len(cells)} in {shorten(line)}. "
                "Complete the line."
            )
        query, document, text = (cells[place] for place in layout.used)
        if is_first and len(layout.columns) == 3 and not _NUMBER.fullmatch(text.strip()):
            continue  # a header
        yield number, (query, document, text)


def _choose_layout(line: str, *, trec: tuple[str, ...], last: str) -> _Layout:
    cells = _BLANKS.split(line.strip(_BLANK))
    by_tab = line.count("\t") == 2
    if len(cells) == len(trec) and not (by_tab and cells[1] not in _ITERATIONS):
        return _Layout(trec, (0, 2, trec.index(last)), by_tab=False)
    if by_tab or len(cells) == 3:
        return _Layout(("query", "document", last), (0, 1, 2), by_tab=by_tab)
    return _Layout(trec, (0, 2, trec.index(last)), by_tab=False)  # to say what is missing


def _is_json(path: Path) -> bool:
    first = next(read_text_lines(path), None)
    return first is not None and first[1].lstrip().startswith("{")


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


def _refuse_empty(path: Path, content: Mapping[str, object], what: str) -> None:
    if not content:
        raise MetricError(f"{path}: must hold at least one {what}, got none. Check the file.")
