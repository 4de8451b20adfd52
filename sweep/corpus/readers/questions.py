"""Rows of questions, each perhaps with its gold documents, their grades and the answer's text.

`{"qid": "q1", "query": "..", "gold_doc_ids": ["d1", "d3"], "gold_answer_substring": "..",
"graded_relevance": {"d1": 3, "d3": 2}}`: every gold document has grade 1, unless it has one of
its own; the answer becomes a span in every relevant document that holds it. In a CSV file one row
names one gold document; a question with several has several rows.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from sweep.corpus.fields import read_id, read_metadata, read_text, read_whole_number
from sweep.corpus.found import Answer, Finding, Found, Judgement
from sweep.corpus.tables import Row, Table
from sweep.errors import CorpusError
from sweep.records import Notice, Query
from sweep.text_lines import shorten

GOLD_FIELDS = frozenset({"gold_doc_ids", "gold_answer_substring", "graded_relevance"})


def read_questions(table: Table, columns: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the queries of a table, with their judgements and answers.

    Args:
        table: one row per question, or per question and gold document.
        columns: column by field (see `columns.FIELDS`).
    Raises: CorpusError if a cell is not what it must be.
    """
    known: dict[str, Query] = {}
    numbers: dict[str, str] = {}
    judged = "gold" in columns or "grades" in columns
    for number, row in enumerate(table.rows, start=1):
        id_ = None if "id" in columns else numbers.setdefault(_text(row, columns), str(number))
        query = _query(row, columns, id_)
        first = known.setdefault(query.id, query)
        if not judged or first is query or first.text != query.text:
            yield Found(row.place, query)  # other rows of a question add gold documents only
        grades = _grades(row, columns)
        for document_id, grade in grades.items():
            yield Found(row.place, Judgement(query.id, document_id, grade))
        for text in _answers(row, columns):
            for document_id, grade in grades.items():
                if grade > 0:
                    yield Found(row.place, Answer(query.id, document_id, text, grade))
    if "id" not in columns:
        text = "the questions have no ids; each is called by the number of its first row"
        yield Notice(where=table.file, text=text)


def _text(row: Row, columns: Mapping[str, str]) -> str:
    return read_text(row.values, where=str(row.place), id="a question", key=columns["text"])


def _query(row: Row, columns: Mapping[str, str], own_id: str | None) -> Query:
    where = str(row.place)
    id_ = own_id or read_id(row.values, columns["id"], where=where)
    kept = {"answer"} if "gold" in columns else {"answer", "grade"}
    used = {name for field, name in columns.items() if field not in kept}
    return Query(
        id=id_,
        text=read_text(row.values, where=where, id=id_, key=columns["text"]),
        metadata=read_metadata(row.values, used=frozenset(used)),
    )


def _grades(row: Row, columns: Mapping[str, str]) -> dict[str, int]:
    """Return grade by document id; nothing where the row names no document."""
    where = str(row.place)
    common = 1
    if "gold" in columns and "grade" in columns:
        column = columns["grade"]
        common = read_whole_number(row.values.get(column), where=where, what=repr(column))
    gold = _cell(row, columns, "gold")
    if isinstance(gold, Mapping):
        raise _error(row, columns["gold"], "a list of document ids", gold)
    ids = gold if isinstance(gold, list) else [] if gold is None else [gold]
    grades = {read_id({"id": id_}, "id", where=where): common for id_ in ids}
    own = _cell(row, columns, "grades")
    if own is None:
        return grades
    if not isinstance(own, Mapping):
        raise _error(row, columns["grades"], "grades by document id", own)
    for id_, grade in own.items():
        what = f"the grade of {shorten(id_)}"
        key = read_id({"id": id_}, "id", where=where)
        grades[key] = read_whole_number(grade, where=where, what=what)
    return grades


def _answers(row: Row, columns: Mapping[str, str]) -> list[str]:
    value = _cell(row, columns, "answer")
    texts = value if isinstance(value, list) else [] if value is None else [value]
    for text in texts:
        if not isinstance(text, str):
            raise _error(row, columns["answer"], "a text, or a list of texts", value)
    return list(dict.fromkeys(text for text in texts if text.strip()))


def _cell(row: Row, columns: Mapping[str, str], field: str) -> Any:
    """Return a cell, None if it is empty or there is no such column."""
    value = row.values.get(columns[field]) if field in columns else None
    return None if value in ("", None) else value


def _error(row: Row, column: str, rule: str, got: Any) -> CorpusError:
    return CorpusError(
        f"{row.place}: {shorten(column)} must be {rule}, got {shorten(got)}. Correct the record."
    )
