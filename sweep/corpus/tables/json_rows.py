"""Rows of a JSON Lines file, or of a JSON file that is one list of objects."""

from pathlib import Path
from typing import Any

from sweep.corpus.found import Place
from sweep.corpus.jsonl import read_json, read_jsonl
from sweep.corpus.tables import Row, Table, table_name
from sweep.corpus.text_file import peek_text
from sweep.errors import CorpusError
from sweep.text_lines import shorten


def read_json_rows(path: Path, *, encoding: str | None) -> Table:
    """Return the table of a file of JSON objects; its columns are all keys that occur.

    Raises: CorpusError, naming the line, if something is no JSON object.
    """
    if peek_text(path, encoding=encoding).lstrip().startswith("["):
        return table_of(read_json(path, encoding=encoding), path)
    rows = [
        Row(Place(str(path), str(number)), record)
        for number, record in read_jsonl(path, encoding=encoding)
    ]
    return _table(path, rows)


def table_of(content: Any, path: Path, *, at: str = "", name: str | None = None) -> Table:
    """Return the table of a list of objects that is in a JSON file, at `at`.

    Raises: CorpusError if it is no such list.
    """
    if not isinstance(content, list):
        raise CorpusError(f"{path}:{at}: must be a list, got {shorten(content)}. Write [...].")
    rows = []
    for number, record in enumerate(content):
        if not isinstance(record, dict):
            raise CorpusError(
                f"{path}:{at}[{number}]: must be a JSON object, got {shorten(record)}. "
                'Write {"_id": ..., "text": ...}.'
            )
        rows.append(Row(Place(str(path), f"{at}[{number}]"), record))
    return _table(path, rows, name=name)


def _table(path: Path, rows: list[Row], *, name: str | None = None) -> Table:
    columns = dict.fromkeys(key for row in rows for key in row.values)
    return Table(file=str(path), name=name or table_name(path), columns=tuple(columns), rows=rows)
