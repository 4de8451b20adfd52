"""Files of labels that people or tools have filled in: CSV or JSON Lines, read whole or refused.

Ids are taken as they are written: `007` is not 7. A pair of query and document without a label is
skipped; anything that is no label of a known, unjudged pair is refused with its line.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweep.corpus import read_jsonl
from sweep.corpus.fields import is_integer
from sweep.corpus.labels import Pair
from sweep.errors import StudyError
from sweep.records import Corpus
from sweep.text_lines import shorten

LABEL, QUERY, DOCUMENT = "label", "query_id", "document_id"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the start of a formula
GUARD = "'"  # written before such a cell, and taken away when it is read
BOM = "\ufeff"  # tells Excel that a CSV file is UTF-8


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


def read_label_file(path: Path, corpus: Corpus, labels: tuple[int, int]) -> LabelFile:
    """Read the labels of a file.

    Args:
        path: ends in .csv or .jsonl.
        corpus: whose pairs are labelled.
        labels: the lowest and the highest label.

    Raises: StudyError or CorpusError, naming file and line, for anything that cannot be taken as
        it is: then nothing is taken.
    """
    checks = _Checks(corpus, labels)
    found: dict[Pair, tuple[int, int]] = {}
    known = blank = 0
    for line, record in _records(path):
        where = f"{path}:{line}"
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
                f"{pair[0]!r} and {pair[1]!r}, which it labels {before}. Leave the cell empty, or "
                f"correct the corpus and run the sweep again."
            )
        first, given = found.setdefault(pair, (line, grade))
        if given != grade:
            raise StudyError(
                f"{where}: a pair must have one label, got {grade} for {pair[0]!r} and "
                f"{pair[1]!r} after {given} in line {first}. Empty one of the cells."
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
                f"{where}: {QUERY} must be a query that has a label already, got {query!r}, which "
                f"no score of the study counts. Label it in the corpus, and run the sweep again."
            )
        return query, document

    def label(self, value: object, where: str) -> int:
        """Return the label of a row."""
        low, high = self.labels
        if not is_integer(value) or not low <= int(str(value)) <= high:
            raise StudyError(
                f"{where}: {LABEL} must be a whole number from {low} to {high}, got "
                f"{shorten(value)}. 0 is irrelevant, {high} fully relevant; empty = not judged."
            )
        return int(str(value))


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


def _twin(id_: str, known: Iterable[str]) -> str:
    """Return a hint where only zeros or blanks differ, as after a spreadsheet has changed them."""
    bare = id_.strip().lstrip("0")
    alike = [one for one in known if one.strip().lstrip("0") == bare]
    return f": {min(alike)!r} is near (a spreadsheet may have changed it)" if alike else ""


def _records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    if path.suffix.lower() == ".jsonl":
        return read_jsonl(path)
    if path.suffix.lower() == ".csv":
        return _rows(path)
    raise StudyError(f"{path}: labels must be in a .csv or .jsonl file. Rename it, or convert it.")


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a CSV file by column, each with the line it begins in."""
    text = _text(path)
    header = text.partition("\n")[0]
    separator = max(",;\t", key=header.count)  # some spreadsheets write semicolons
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] | None = None
    begin = 1
    try:
        for cells in reader:
            line, begin = begin, reader.line_num + 1
            if names is None:
                names = [cell.strip() for cell in cells]
                _check_columns(path, names)
            elif any(cell.strip() for cell in cells):
                if len(cells) != len(names):
                    raise StudyError(
                        f"{path}:{line}: must have {len(names)} cells as the first line, got "
                        f"{len(cells)}. Mend the row."
                    )
                yield line, dict(zip(names, map(unguarded, cells), strict=True))
    except csv.Error as error:
        raise StudyError(
            f"{path}:{begin}: must be CSV, got a fault ({error}). Save the file as CSV again."
        ) from error
    if names is None:
        _check_columns(path, [])


def _check_columns(path: Path, names: list[str]) -> None:
    missing = [name for name in (LABEL, QUERY, DOCUMENT) if name not in names]
    if missing or len(set(names)) < len(names):
        fault = f"none named {', '.join(missing)}" if missing else "one twice"
        raise StudyError(
            f"{path}:1: the first line must name the columns {LABEL}, {QUERY} and {DOCUMENT}, got "
            f"{fault}. Keep it as `sweep pool` writes it."
        )


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise StudyError(
            f"{path}: must be a readable file, got {error.strerror or error}. Check the path."
        ) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise StudyError(
            f"{path}:{line}: must be UTF-8, got byte 0x{error.object[error.start]:02x}. Save it "
            f"as `CSV UTF-8`."
        ) from error


def guarded(cell: str) -> str:
    """Return a CSV cell that no spreadsheet takes for a formula; `unguarded` gives it back."""
    return GUARD + cell if cell.startswith((*FORMULA, GUARD)) else cell


def unguarded(cell: str) -> str:
    """Return what `guarded` was given."""
    return cell[1:] if cell.startswith(GUARD) and cell[1:].startswith((*FORMULA, GUARD)) else cell


def label_lines(labels: Mapping[Pair, int]) -> bytes:
    """Return labels as JSON Lines, by query and document."""
    rows = (
        {QUERY: query, DOCUMENT: document, LABEL: label}
        for (query, document), label in sorted(labels.items())
    )
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
