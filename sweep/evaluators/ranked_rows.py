"""Rows that are scored by metrics: a query's judgements and its ranked list, in either form.

Judgements: `retrieval_ground_truth` (a list of `document_id`, `query_relevance_label`), or
`gold_doc_ids` (a list of ids) and `graded_relevance` (label by id), one of which may be missing.
With both, metrics that ask whether a document is relevant (p, recall, hit, rr, map, rprec, bpref)
look at the gold ids, all others at the graded labels.

Ranked list: `retrieved_documents`, `retrieved` or `retrieved_doc_ids`: ids, best first, or a list
of `document_id`, `relevance_score`, which is sorted by score, ties in the order given.

Query id: `qid`, `query_id`, `_id` or `id`; the row's number without any. Ids that are numbers are
taken as their text, since the keys of `graded_relevance` are texts.
"""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any

from sweep.errors import MetricError
from sweep.evaluators.inputs import read_documents, read_ground_truth
from sweep.evaluators.mapping import Template, parse_template
from sweep.evaluators.rows import Row, RowError, as_row_error
from sweep.numerals import whole_number
from sweep.text_lines import shorten

QUERY_FIELDS = ("qid", "query_id", "_id", "id")
RANKED_FIELDS = ("retrieved_documents", "retrieved", "retrieved_doc_ids")
JUDGED_FIELDS = ("retrieval_ground_truth", "gold_doc_ids", "graded_relevance")
FIELDS = QUERY_FIELDS + JUDGED_FIELDS + RANKED_FIELDS
ANY_LABELS = (1 - 2**31, 2**31 - 1)  # beyond is an id or a time in the wrong place


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Label by document id for graded metrics, and for those that ask whether it is relevant."""

    graded: dict[str, int]
    binary: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """One query of a file: what was judged, and what was found, best first, with scores."""

    query: str
    judged: Judged
    retrieved: dict[str, float]


def read_ranked_row(
    row: Row,
    mapping: Mapping[str, Template],
    *,
    known: Container[str],
    labels: tuple[int, int] = ANY_LABELS,
) -> RankedRow:
    """Read one row.

    Args:
        row: a row of the file.
        mapping: placeholder by name of a field (see `FIELDS`).
        known: query ids of earlier rows.
        labels: lowest and highest label that may occur.

    Raises:
        RowError: with row and code, for whatever is wrong with it.
    """
    if row.error is not None:
        raise row.error
    try:
        fields = {name: template.resolve(row.values) for name, template in mapping.items()}
    except RowError as error:
        raise as_row_error(error, where=row.where) from error
    values = _with_mapped(row.values, fields)
    return RankedRow(
        query=read_query_id(row, values, known=known),
        judged=read_judged(row, values, labels=labels),
        retrieved=read_retrieved(row, values),
    )


def parse_field_mapping(mapping: Mapping[str, str]) -> dict[str, Template]:
    """Check a mapping of fields.

    Raises:
        MetricError: for a name that is not one of `FIELDS`, or a text without a placeholder.
    """
    for name in mapping:
        if name not in FIELDS:
            raise MetricError(
                f"--map: must name a field that is read, got {shorten(name)}. "
                f"There are: {', '.join(FIELDS)}."
            )
    return {name: parse_template(text, where=f"--map {name}") for name, text in mapping.items()}


def read_query_id(row: Row, values: Mapping[str, Any], *, known: Container[str]) -> str:
    """Return the query's id, by default the row's number.

    Raises:
        RowError: if it is neither text nor number, or was seen before.
    """
    given = next((values[name] for name in QUERY_FIELDS if values.get(name) is not None), None)
    query = str(row.number) if given is None else _read_id(row, given, what="the query's id")
    if query in known:
        raise _error(row, "a query may have one row", query, "Remove one.", "DUPLICATE_QUERY")
    return query


def read_judged(
    row: Row, values: Mapping[str, Any], *, labels: tuple[int, int] = ANY_LABELS
) -> Judged:
    """Return a row's judgements.

    Raises:
        RowError: without any judgement, or if an id or a label is wrong.
    """
    truth, gold, grades = (values.get(name) for name in JUDGED_FIELDS)
    if truth is not None:
        judged = _read_truth(row, truth, labels)
        return Judged(graded=judged, binary=judged)
    if gold is None and grades is None:
        rule = f"needs judgements ({' or '.join(JUDGED_FIELDS)})"
        raise _error(row, rule, list(values)[:8], "Add or map them.", "INPUT_MISSING")
    graded = _read_grades(row, grades, labels)
    relevant = _read_ids(row, gold, what="gold_doc_ids")
    if not graded and not relevant:
        raise _error(row, "must have a judgement", "none", "Leave unjudged out.", "GT_EMPTY")
    binary = graded if gold is None else {**dict.fromkeys(graded, 0), **dict.fromkeys(relevant, 1)}
    return Judged(graded=graded or binary, binary=binary)


def read_retrieved(row: Row, values: Mapping[str, Any]) -> dict[str, float]:
    """Return score by document id, best first; falling numbers where ids alone are given.

    Raises:
        RowError: without a list, or if an id or a score is wrong or an id occurs twice.
    """
    name = next((name for name in RANKED_FIELDS if values.get(name) is not None), None)
    if name is None:
        rule = f"needs a ranked list ({' or '.join(RANKED_FIELDS)})"
        raise _error(row, rule, list(values)[:8], "Add or map it.", "INPUT_MISSING")
    value = values[name]
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        try:
            pairs = read_documents(value)
        except MetricError as error:
            raise as_row_error(error, where=row.where) from error
        scored = [(_read_id(row, id_, what=f"an id in {name}"), score) for id_, score in pairs]
        scored.sort(key=lambda pair: -pair[1])  # stable: ties keep their order
    else:
        ids = _read_ids(row, value, what=name)
        scored = [(id_, -float(rank)) for rank, id_ in enumerate(ids)]
    found = {}
    for id_, score in scored:
        if id_ in found:
            rule = "a document may be listed once"
            raise _error(row, rule, id_, "Merge chunks into documents.", "DUPLICATE_DOCUMENT")
        found[id_] = _as_float(score)
    return found


def _with_mapped(values: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with its mapped fields, which go before others that mean the same."""
    silenced: set[str] = set()
    for same in (QUERY_FIELDS, RANKED_FIELDS):
        if any(name in fields for name in same):
            silenced |= set(same)
    truth, *own = JUDGED_FIELDS
    if any(name in fields for name in own):
        silenced.add(truth)
    return {name: value for name, value in values.items() if name not in silenced} | dict(fields)


def _read_truth(row: Row, value: Any, labels: tuple[int, int]) -> dict[str, int]:
    try:
        pairs = read_ground_truth(value, *labels)
    except MetricError as error:
        raise as_row_error(error, where=row.where) from error
    judged: dict[str, int] = {}
    for given, label in pairs:
        id_ = _read_id(row, given, what="a document_id")
        if judged.setdefault(id_, label) != label:
            rule = f"{shorten(id_)} must have one label"
            raise _error(row, rule, label, "Remove one.", "DUPLICATE_DOCUMENT")
    return judged


def _read_grades(row: Row, value: Any, labels: tuple[int, int]) -> dict[str, int]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        rule = "graded_relevance must be label by id"
        raise _error(row, rule, value, 'Write {"d1": 3}.', "GT_NOT_A_MAPPING")
    grades: dict[str, int] = {}
    for id_, given in value.items():
        whole = isinstance(given, int) and not isinstance(given, bool)
        label = given if whole else whole_number(given) if isinstance(given, float) else None
        if label is None:
            rule = "a label must be a whole number"
            raise _error(row, rule, given, "Write for example 3.", "LABEL_NOT_INT")
        if not labels[0] <= label <= labels[1]:
            code = "LABEL_BELOW_MIN" if label < labels[0] else "LABEL_ABOVE_MAX"
            rule = f"a label must lie in {labels[0]} to {labels[1]}"
            raise _error(row, rule, label, "Correct it, or --set the range.", code)
        grades[id_] = label
    return grades


def _read_ids(row: Row, value: Any, *, what: str) -> list[str]:
    if value is None:
        return []
    if not isinstance(value, list):
        code = "GT_NOT_A_LIST" if what in JUDGED_FIELDS else "RD_NOT_A_LIST"
        raise _error(row, f"{what} must be a list of ids", value, 'Write ["d1", "d2"].', code)
    return [_read_id(row, id_, what=f"an id in {what}") for id_ in value]


def _read_id(row: Row, value: Any, *, what: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _error(row, f"{what} must be a text or a number", value, "Correct it.", "ID_INVALID")
    return str(value)


def _as_float(score: float) -> float:
    try:
        return float(score)
    except OverflowError:  # a whole number beyond a float's range
        return math.inf if score > 0 else -math.inf


def _error(row: Row, rule: str, got: Any, advice: str, code: str) -> RowError:
    return RowError(f"{row.where}: {rule}, got {shorten(got)}. {advice}", code=code)
