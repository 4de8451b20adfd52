"""Questions with gold documents, graded relevance and the answer's text, as JSON or JSON Lines.

Besides the records alone (see `questions`) a JSON file may hold an object with `documents` (a list
of records, or text by id) and `queries`, `questions` or `qrels` (the records).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.corpus.compressed import bare_name
from sweep.corpus.found import Finding, ReadOptions, Source
from sweep.corpus.jsonl import peek_keys, read_json
from sweep.corpus.readers.questions import GOLD_FIELDS
from sweep.corpus.readers.table import read_as, read_table
from sweep.corpus.tables.json_rows import table_of
from sweep.corpus.text_file import peek_text
from sweep.errors import CorpusError

NAME = "gold"
_DOCUMENTS = ("documents", "docs", "corpus")
_QUESTIONS = ("queries", "questions", "qrels")


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether the first record has gold documents, or an object documents and queries."""
    if not bare_name(source.path).endswith((".json", ".jsonl", ".ndjson")):
        return False
    keys = peek_keys(source.path, encoding=options.encoding)
    is_object = bare_name(source.path).endswith(".json") and bool(keys & {*_DOCUMENTS})
    return bool(keys & GOLD_FIELDS) or (is_object and bool(keys & {*_QUESTIONS}))


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield queries with their judgements and answers, and documents where they are there.

    Raises: CorpusError, naming the record, if one is not what it must be.
    """
    path = source.path
    is_object = peek_text(path, encoding=options.encoding).lstrip().startswith("{")
    if not (bare_name(path).endswith(".json") and is_object):
        role = source.role or "queries"
        yield from read_as(Source(path, role), options, form="jsonl")
        return
    content = read_json(path, encoding=options.encoding)
    parts = {name: content[name] for name in (*_DOCUMENTS, *_QUESTIONS) if name in content}
    if not parts:
        raise CorpusError(
            f"{path}: must hold `documents` and `queries`, got {', '.join(content)[:60]!r}. "
            "Write one of them as a list of records."
        )
    for name, part in parts.items():
        records = _as_records(part) if name in _DOCUMENTS else part
        table = table_of(records, path, at=name)
        role = "documents" if name in _DOCUMENTS else "queries"
        if table.rows:
            yield from read_table(table, options, role=role)


def _as_records(documents: Any) -> Any:
    """Return text (or record) by id as a list of records; anything else unchanged."""
    if not isinstance(documents, Mapping):
        return documents
    return [
        {"id": id_, **(value if isinstance(value, Mapping) else {"text": value})}
        for id_, value in documents.items()
    ]
