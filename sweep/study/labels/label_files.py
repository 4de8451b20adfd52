"""Files of labels that people or tools have filled in: CSV, JSON Lines, workbooks; all or nothing.

Ids are taken as they are written: `007` is not 7. A pair of query and document without a label is
skipped; anything that is no label of a known, unjudged pair is refused with its line.
"""

import functools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.corpus import read_jsonl
from sweep.corpus.columns import normal
from sweep.corpus.labels import Pair
from sweep.corpus.tables import Table, read_tables
from sweep.corpus.text_file import check_encoding
from sweep.csv_text import unguarded
from sweep.errors import StudyError
from sweep.numerals import whole_number
from sweep.records import Corpus
from sweep.text_lines import shorten

LABEL, QUERY, DOCUMENT = "label", "query_id", "document_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFile:
    """What a file of labels says.

    Attributes:
        labels: of pairs that had none, by query and document.
        known: rows that repeat a label of the corpus.
        blank: rows without a label.
    """

    labels: Mapping[Pair, int]
    known: int
    blank: int


def read_label_file(
    path: Path, corpus: Corpus, labels: tuple[int, int], *, encoding: str | None = None
) -> LabelFile:
    """Read the labels of a file.

    Args:
        path: ends in .csv, .jsonl or .xlsx.
        corpus: whose pairs are labelled.
        labels: the lowest and the highest label.
        encoding: of the file; None: UTF-8, or what its byte order mark says.

    Raises: StudyError or CorpusError, naming file and line, for anything that cannot be taken as
        it is: then nothing is taken.
    """
    check_encoding(encoding)
    checks = _Checks(corpus, labels)
    found: dict[Pair, tuple[str, int]] = {}
    known = blank = 0
    for where, record in _records(path, encoding):
        label = record.get(LABEL)
        if label is None or (isinstance(label, str) and not label.strip()):
            blank += 1
            continue
        pair = checks.pair(record, where)
        grade = checks.label(label, where)
        before = corpus.qrels[pair[0]].get(pair[1])
        if before is not None and before != grade:
            raise StudyError(
                f"{where}: a label must not contradict the corpus, got {grade} for "
                f"{shorten(pair[0])} and {shorten(pair[1])}, which it labels {before}. Leave "
                "the cell empty, or correct the corpus and run the sweep again."
            )
        first, given = found.setdefault(pair, (where, grade))
        if given != grade:
            raise StudyError(
                f"{where}: a pair must have one label, got {grade} for {shorten(pair[0])} and "
                f"{shorten(pair[1])} after {given} in {_at(first)}. Empty one of them."
            )
        known += before is not None
    new = {p: grade for p, (_, grade) in found.items() if p[1] not in corpus.qrels[p[0]]}
    return LabelFile(labels=new, known=known, blank=blank)


class _Checks:
    def __init__(self, corpus: Corpus, labels: tuple[int, int]) -> None:
        self.judged = {query.id for query in corpus.queries if corpus.qrels.get(query.id)}
        self.queries = {query.id for query in corpus.queries}
        self.documents = {document.id for document in corpus.documents}
        self.labels = labels

    def pair(self, record: Mapping[str, Any], where: str) -> Pair:
        """Return query and document of a row."""
        query, document = (_id(record, name, where) for name in (QUERY, DOCUMENT))
        for name, id_, known in (
            (QUERY, query, self.queries),
            (DOCUMENT, document, self.documents),
        ):
            if id_ not in known:
                raise StudyError(
                    f"{where}: {name} must be one of the corpus, got {shorten(id_)}. Write ids as "
                    f"they are there{_twin(id_, known)}."
                )
        if query not in self.judged:
            raise StudyError(
                f"{where}: {QUERY} must be a query that has a label already, got "
                f"{shorten(query)}, which no score of the study counts. Label it in the corpus, "
                "and run the sweep again."
            )
        return query, document

    def label(self, value: object, where: str) -> int:
        """Return the label of a row."""
        low, high = self.labels
        label = whole_number(value)
        if label is None or not low <= label <= high:
            raise StudyError(
                f"{where}: {LABEL} must be a whole number from {low} to {high}, got "
                f"{shorten(value)}. 0 is irrelevant, {high} fully relevant; empty = not judged."
            )
        return label


def _id(record: Mapping[str, Any], name: str, where: str) -> str:
    value = record.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)  # in a corpus, too, a JSON number is its decimal text
    if not isinstance(value, str) or not value:
        raise StudyError(
            f"{where}: {name} must be present, got {shorten(value)}. Keep the columns as "
            f"`sweep pool` writes them."
        )
    return value


def _at(where: str) -> str:
    """Return the place of a row in its file, for people: `line 4`, `row 4` of a workbook."""
    at = where.rpartition(":")[2]
    return f"line {at}" if at.isdigit() else at


def _twin(id_: str, known: Iterable[str]) -> str:
    """Return a hint where only zeros or blanks differ, as after a spreadsheet has changed them."""
    bare = id_.strip().lstrip("0")
    alike = [one for one in known if one.strip().lstrip("0") == bare]
    return f": {min(alike)!r} is near (a spreadsheet may have changed it)" if alike else ""


def _records(path: Path, encoding: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the records of a file, each with the place it begins at."""
    form = path.suffix.lower()
    if form == ".jsonl":
        for line, record in read_jsonl(path, encoding=encoding):
            yield f"{path}:{line}", _named(record, f"{path}:{line}")
    elif form in (".csv", ".xlsx"):
        table = _table(path, read_tables(path, format=form[1:], encoding=encoding))
        for row in table.rows:
            cells = {
                name: unguarded(cell) if isinstance(cell, str) else cell
                for name, cell in row.values.items()
            }
            yield str(row.place), _named(cells, str(row.place))
    else:
        raise StudyError(
            f"{path}: labels must be in a .csv, .jsonl or .xlsx file, got another name. Save "
            "them in one of these forms."
        )


def _table(path: Path, tables: Sequence[Table]) -> Table:
    """Return the table of labels: a workbook may have other sheets beside it."""
    labelled = [table for table in tables if all(_alike(table.columns).values())]
    if len(labelled) > 1:
        raise StudyError(
            f"{path}: one sheet must hold labels, got {', '.join(t.name for t in labelled)}. "
            "Remove the others."
        )
    if not labelled:
        _check_columns(path, tables[0].columns if tables else ())
    return labelled[0]


def _named(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return label, query and document of a record; a name may be in another case, or with `-`."""
    found = {}
    for wanted, alike in _alike(tuple(record)).items():
        if len(alike) > 1:
            raise StudyError(
                f"{where}: one column must be {wanted}, got {', '.join(map(shorten, alike))}. "
                "Remove one of them."
            )
        if alike:
            found[wanted] = record[alike[0]]
    return found


@functools.lru_cache(maxsize=8)
def _alike(names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return which names may mean each column; the records of a file hold mostly the same."""
    return {
        wanted: tuple(name for name in names if normal(name) == normal(wanted))
        for wanted in (LABEL, QUERY, DOCUMENT)
    }


def _check_columns(path: Path, names: tuple[str, ...]) -> None:
    missing = [wanted for wanted, alike in _alike(names).items() if not alike]
    if missing:
        raise StudyError(
            f"{path}:1: the first line must name the columns {LABEL}, {QUERY} and {DOCUMENT}, got "
            f"none named {', '.join(missing)}. Keep it as `sweep pool` writes it."
        )


def label_lines(labels: Mapping[Pair, int]) -> bytes:
    """Return labels as JSON Lines, by query and document."""
    rows = (
        {QUERY: query, DOCUMENT: document, LABEL: label}
        for (query, document), label in sorted(labels.items())
    )
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
