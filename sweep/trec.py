"""TREC and BEIR files: their lines as cells, and runs; ids stay the texts that they are.

* TREC qrels: `query iteration document label`; TREC run: `query Q0 document rank score tag`. Cells
  are separated by any ASCII white space; iteration, rank and tag are not used.
* BEIR: `query document label` or `query document score`, separated by one tab (so that ids may
  hold blanks), with or without a header; by white space where the first line has no tab.

The first line decides for the whole file. A fault is an error with file and line: half a file
would give wrong numbers.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sweep.errors import MetricError
from sweep.numerals import is_numeral
from sweep.text_lines import read_text_lines, shorten

TREC_QRELS = ("query", "iteration", "document", "label")
TREC_RUN = ("query", "Q0", "document", "rank", "score", "tag")
_BLANK = " \t\r\f\v"  # not the other blanks of Unicode, which may stand inside an id
_BLANKS = re.compile(f"[{_BLANK}]+")
_ITERATIONS = ("0", "Q0")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which cells of a line matter, and how many there must be."""

    columns: tuple[str, ...]
    used: tuple[int, int, int]
    by_tab: bool

    def split(self, line: str) -> list[str]:
        return line.split("\t") if self.by_tab else split_blanks(line)


def read_trec_run(path: Path) -> dict[str, dict[str, float]]:
    """Read a TREC or BEIR run: score by document id, by query id.

    Raises:
        MetricError: naming the line, if a line is incomplete, a score is not a number (NaN is
            none), or a document is listed twice for a query; for a file without entries.
    """
    run: dict[str, dict[str, float]] = {}
    for number, (query, document, text) in read_cells(path, trec=TREC_RUN, last="score"):
        where = f"{path}:{number}"
        score = float(text) if is_numeral(text) else math.nan
        if math.isnan(score):
            raise MetricError(
                f"{where}: the score must be a number, got {shorten(text)}. Give the retriever's "
                "score, or a falling number."
            )
        entries = run.setdefault(query, {})
        if document in entries:
            raise MetricError(
                f"{where}: a query may list a document once, got {shorten(document)} again "
                f"for query {shorten(query)}. Remove one, or give chunks ids of their own "
                f"({document}#1)."
            )
        entries[document] = score
    refuse_empty(path, run, "entry")
    return run


def read_cells(
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
        if is_first and len(layout.columns) == 3 and not is_numeral(text):
            continue  # a header
        yield number, (query, document, text)


def split_blanks(line: str) -> list[str]:
    """Return the cells of a line that any run of ASCII white space separates."""
    return _BLANKS.split(line.strip(_BLANK))


def _choose_layout(line: str, *, trec: tuple[str, ...], last: str) -> _Layout:
    cells = split_blanks(line)
    by_tab = line.count("\t") == 2
    if len(cells) == len(trec) and not (by_tab and cells[1] not in _ITERATIONS):
        return _Layout(trec, (0, 2, trec.index(last)), by_tab=False)
    if by_tab or len(cells) == 3:
        return _Layout(("query", "document", last), (0, 1, 2), by_tab=by_tab)
    return _Layout(trec, (0, 2, trec.index(last)), by_tab=False)  # to say what is missing


def is_json(path: Path) -> bool:
    """Return whether a file is JSON Lines: its first line begins with `{`."""
    first = next(read_text_lines(path), None)
    return first is not None and first[1].lstrip().startswith("{")


def refuse_empty(path: Path, content: Mapping[str, object], what: str) -> None:
    """Raise a MetricError if a file held nothing."""
    if not content:
        raise MetricError(f"{path}: must hold at least one {what}, got none. Check the file.")
