"""What the document retrieval evaluator accepts: the SDK's checks in the SDK's order, and more."""

from collections.abc import Hashable, Iterable, Mapping, Sized
from typing import Literal

from sweep.errors import MetricError
from sweep.text_lines import shorten

Category = Literal["INVALID_VALUE", "MISSING_FIELD"]
_MOST_ITEMS = 10_000  # of either list, repeated ones included


class EvaluatorInputError(MetricError):
    """An argument of an evaluator is missing or wrong.

    Attributes:
        code: names the rule that was broken, for example `LABEL_ABOVE_MAX`.
        category: the SDK's category of that error.
    """

    def __init__(self, text: str, *, code: str, category: Category = "INVALID_VALUE") -> None:
        super().__init__(f"DocumentRetrievalEvaluator: {text}")
        self.code = code
        self.category = category


def check_length(judged: Sized, scored: Sized) -> None:
    """Refuse lists that are too long; the last check, after those of single items."""
    if max(len(judged), len(scored)) > _MOST_ITEMS:
        raise EvaluatorInputError(
            f"each list: must hold at most {_MOST_ITEMS} items, got {len(judged)} judgements and "
            f"{len(scored)} documents. Cut the longer one.",
            code="TOO_MANY_ITEMS",
        )


def read_ground_truth(value: object, low: int, high: int) -> list[tuple[Hashable, int]]:
    """Return (id, label) pairs in the order given.

    Raises:
        EvaluatorInputError: without any judgement, or for the first item that is wrong.
    """
    what = "retrieval_ground_truth"
    listed = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    items = list(value) if listed and isinstance(value, Iterable) else []
    if not items and (listed or not value):
        raise EvaluatorInputError(
            f"{what}: must hold at least one judgement, got none. Leave unjudged queries out.",
            code="GT_EMPTY",
            category="MISSING_FIELD",
        )
    if not listed:
        raise EvaluatorInputError(
            f"{what}: must be a list of mappings, got {type(value).__name__}. "
            "Parse JSON text first.",
            code="GT_NOT_A_LIST",
        )
    pairs: list[tuple[Hashable, int]] = []
    for index, item in enumerate(items):
        where = f"{what}[{index}]"
        id_, label = _read_item(item, "query_relevance_label", where=where, prefix="GT")
        if not isinstance(label, int):
            rule, code = "must be an integer", "LABEL_NOT_INT"
        elif label < low:
            rule, code = f"must be >= ground_truth_label_min ({low})", "LABEL_BELOW_MIN"
        elif label > high:
            rule, code = f"must be <= ground_truth_label_max ({high})", "LABEL_ABOVE_MAX"
        else:
            pairs.append((id_, int(label)))
            continue
        raise EvaluatorInputError(
            f"{where}: query_relevance_label {rule}, got {shorten(label)}. Correct the label, "
            "or give the range of your labels.",
            code=code,
        )
    return pairs


def read_documents(value: object) -> list[tuple[Hashable, float]]:
    """Return (id, score) pairs in the order given.

    Raises:
        EvaluatorInputError: if it is not a list, or for the first item that is wrong.
    """
    what = "retrieved_documents"
    if not isinstance(value, list):
        raise EvaluatorInputError(
            f"{what}: must be a list, got {type(value).__name__}. Pass list(..), or parse JSON "
            "text first.",
            code="RD_NOT_A_LIST",
        )
    pairs: list[tuple[Hashable, float]] = []
    for index, item in enumerate(value):
        where = f"{what}[{index}]"
        id_, score = _read_item(item, "relevance_score", where=where, prefix="RD")
        if not isinstance(score, int | float):
            rule, code = "must be a number", "SCORE_NOT_NUMERIC"
        elif score != score:
            rule, code = "must not be NaN", "SCORE_IS_NAN"
        else:
            pairs.append((id_, score))
            continue
        raise EvaluatorInputError(
            f"{where}: relevance_score {rule}, got {shorten(score)}. Give the retriever's score.",
            code=code,
        )
    return pairs


def _read_item(item: object, field: str, *, where: str, prefix: str) -> tuple[Hashable, object]:
    """Return a checked id and the raw value of `field`."""
    if not isinstance(item, Mapping):
        raise EvaluatorInputError(
            f"{where}: must be a mapping, got {shorten(item)}. Give document_id and {field}.",
            code=f"{prefix}_ITEM_NOT_MAPPING",
        )
    id_, value = item.get("document_id"), item.get(field)
    if id_ is None or value is None:
        missing = "document_id" if id_ is None else field
        raise EvaluatorInputError(
            f"{where}: {missing} is required, got {sorted(map(str, item))}. Add it.",
            code=f"{prefix}_ITEM_FIELD_MISSING",
            category="MISSING_FIELD",
        )
    try:
        hash(id_)
    except TypeError as error:
        raise EvaluatorInputError(
            f"{where}: document_id must be hashable, got {shorten(id_)}. Use a string.",
            code=f"{prefix}_ID_NOT_HASHABLE",
        ) from error
    return id_, value
