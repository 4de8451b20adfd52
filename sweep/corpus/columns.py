"""Which column of a table holds what: named by the user, or guessed from the columns' names."""

import re
from collections.abc import Iterable, Mapping

from sweep.corpus.found import ColumnsRead, Role
from sweep.corpus.tables import Table
from sweep.errors import CorpusError
from sweep.text_lines import nearest, shorten

SHOWN = 20  # columns that a message names
_PLAIN_IDS = ("_id", "id")
_DOCUMENT_IDS = (
    *("corpus-id", "doc_id", "docid", "docno", "document_id", "doc", "document", "pid"),
    *("passage_id", "did"),
)
_QUERY_IDS = ("query-id", "qid", "query_id", "question_id", "topic_id", "topic")
_QUESTIONS = ("query", "question", "user_input", "prompt")
_GRADES = (
    *("score", "grade", "label", "relevance", "rel", "relevance_label", "judgement", "judgment"),
    *("query_relevance_label", "rating"),
)
_START, _END = ("start", "start_char", "char_start"), ("end", "end_char", "char_end")
FIELDS: dict[Role, dict[str, tuple[str, ...]]] = {
    "documents": {
        "id": (*_PLAIN_IDS, *_DOCUMENT_IDS, "uid", "key"),
        "text": ("text", "contents", "content", "body", "passage", "abstract", "page_content",
                 "context", "document", "doc"),
        "title": ("title", "headline", "heading", "subject", "name"),
    },
    "queries": {
        "id": (*_QUERY_IDS, *_PLAIN_IDS, "uid", "key"),
        "text": (*_QUESTIONS, "text", "title", "topic"),
        "gold": ("gold_doc_ids", "gold_doc_id", "gold_ids", "gold_id", "gold", "relevant_doc_ids",
                 "relevant_docs", "expected_doc_id", *_DOCUMENT_IDS),
        "answer": ("gold_answer_substring", "answer_substring", "evidence", "quote"),
        "grades": ("graded_relevance",),
        "grade": _GRADES,
    },
    "qrels": {
        "query-id": (*_QUERY_IDS, "query"),
        "document-id": (*_DOCUMENT_IDS, *_PLAIN_IDS),
        "grade": _GRADES,
    },
    "spans": {
        "query-id": (*_QUERY_IDS, "query"),
        "document-id": (*_DOCUMENT_IDS, *_PLAIN_IDS),
        "start": _START,
        "end": _END,
        "grade": _GRADES,
    },
}  # fmt: skip
NEEDED: dict[Role, tuple[str, ...]] = {
    "documents": ("id", "text"),
    "queries": ("text",),
    "qrels": ("query-id", "document-id"),
    "spans": ("query-id", "document-id", "start", "end"),
}
NAME_WORDS: dict[Role, frozenset[str]] = {
    "spans": frozenset({"spans", "span"}),
    "qrels": frozenset({"qrels", "qrel", "judgements", "judgments", "relevance", "labels"}),
    "queries": frozenset({"queries", "query", "questions", "question", "topics", "topic", "qa"}),
    "documents": frozenset(
        {"corpus", "documents", "docs", "document", "doc", "collection", "passages"}
    ),
}


def parse_columns(texts: Iterable[str]) -> dict[str, str]:
    """Return column by field from texts like `text=body`.

    Raises: CorpusError for another form, an unknown field, or a field given twice.
    """
    columns: dict[str, str] = {}
    fields = sorted({field for fields in FIELDS.values() for field in fields})
    for text in texts:
        field, equals, column = text.partition("=")
        if not equals or field not in fields or not column or field in columns:
            twice = "one column a field" if field in columns else "FIELD=COLUMN"
            raise CorpusError(
                f"--column: must be {twice}, got {shorten(text)}. Write for example text=body; "
                f"fields are {', '.join(fields)}."
            )
        columns[field] = column
    return columns


def guess_role(table: Table, given: Mapping[str, str]) -> Role | None:
    """Return what a table holds, by its columns, then by its name; None if that says nothing."""
    columns = table.columns
    has = {role: set(guess_columns(columns, role, given)) for role in FIELDS}
    asks = any(normal(name) in _normal(_QUESTIONS) for name in columns)
    named = role_by_name(table.name)
    ids = set(map(normal, columns))
    pairs = bool(ids & _normal(_QUERY_IDS)) and bool(ids & _normal(_DOCUMENT_IDS))
    if {"query-id", "document-id"} <= given.keys() and set(NEEDED["qrels"]) <= has["qrels"]:
        pairs, asks = True, False
    if (pairs and not asks) or named in ("qrels", "spans"):
        for role in ("spans", "qrels"):
            if set(NEEDED[role]) <= has[role]:
                return role
    if named in ("queries", "documents") and set(NEEDED[named]) <= has[named]:
        return named
    if asks and "text" in has["queries"]:
        return "queries"
    return "documents" if {"id", "text"} <= has["documents"] else None


def guess_columns(columns: Iterable[str], role: Role, given: Mapping[str, str]) -> dict[str, str]:
    """Return column by field: those given and there, then by the usual names in their order.

    A column is read as one field only. `grade` of a query counts where it names gold documents.
    """
    columns = list(columns)
    named = {f: find_column(c, columns) for f, c in given.items() if f in FIELDS[role]}
    chosen = {field: column for field, column in named.items() if column is not None}
    for field, names in FIELDS[role].items():
        if field in chosen:
            continue
        by_name = {normal(c): c for c in reversed(columns) if c not in chosen.values()}
        found = next((by_name[normal(name)] for name in names if normal(name) in by_name), None)
        if found is not None:
            chosen[field] = found
    return chosen


def is_header(cells: Iterable[str], given: Mapping[str, str]) -> bool:
    """Return whether a first line names columns: all of them, or two, are usual or given names."""
    cells = list(cells)
    usual = {normal(n) for fields in FIELDS.values() for names in fields.values() for n in names}
    named = {find_column(name, cells) for name in given.values()}
    known = sum(normal(cell) in usual or cell in named for cell in cells)
    return known >= min(2, len(cells))


def role_by_name(name: str) -> Role | None:
    """Return the role that a file's or sheet's name tells: `my-queries`, `qrels_spans`, `docs`."""
    words = set(re.split(r"[^a-z]+", name.lower()))
    return next((role for role, known in NAME_WORDS.items() if words & known), None)


def check_given(given: Mapping[str, str], read: Iterable[ColumnsRead]) -> None:
    """Refuse a column that no table has, or that no table was read by.

    Raises: CorpusError.
    """
    read = list(read)
    used = {field for one in read for field in one.given}
    names = {name: None for one in read for name in one.all_columns}
    for field, column in given.items():
        if field not in used:
            hint = " ".join([nearest(column, names), there_are(names)]).strip()
            raise CorpusError(
                f"--column {field}: must name a column of a table, got {shorten(column)}, "
                f"which none was read by. {hint}"
            )


def find_column(name: str, columns: Iterable[str]) -> str | None:
    """Return the column that a user named: it alone, or the only one of that name in any case."""
    columns = list(columns)
    if name in columns:
        return name
    alike = [column for column in columns if normal(name) and normal(column) == normal(name)]
    return alike[0] if len(alike) == 1 else None


def there_are(names: Iterable[str]) -> str:
    """Return which columns there are, as the end of a message."""
    names = list(names)
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"There are: {', '.join(map(shorten, names[:SHOWN])) or 'none'}{more}."


def normal(name: str) -> str:
    """Return a column's name as it is compared: lower case, letters and digits only."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _normal(names: Iterable[str]) -> set[str]:
    return {normal(name) for name in names}
