"""`DocumentRetrievalEvaluator`, with the Azure AI Evaluation SDK's arguments and values."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Literal

import numpy as np

from sweep.evaluators.inputs import (
    EvaluatorInputError,
    check_length,
    read_documents,
    read_ground_truth,
)
from sweep.metrics.arithmetic import power_of_two
from sweep.metrics.document_retrieval import Weights, score_document_retrieval
from sweep.metrics.judged_lists import judge_lists
from sweep.metrics.judgements import judgements_from_qrels
from sweep.records import Floats, Ints, RankedLists
from sweep.text_lines import shorten

_FLOATS = ("ndcg@3", "xdcg@3", "fidelity", "holes_ratio")  # the other values are whole numbers
_LOWER_IS_BETTER = ("holes", "holes_ratio")


class DocumentRetrievalEvaluator:
    """Scores one query's retrieved documents against its judgements.

    A drop-in for `azure.ai.evaluation.DocumentRetrievalEvaluator`: same constructor and call
    arguments, values equal to 1.18's to 1e-12. Formulas: `sweep.metrics.document_retrieval`.

    A call returns a flat dict: nine values (`ndcg@3`, `xdcg@3`, `fidelity`, `top1_relevance`,
    `top3_max_relevance`, `holes`, `holes_ratio`, `total_retrieved_documents`,
    `total_ground_truth_documents`) and for each value X `X_result` ("pass" or "fail"), `X_passed`,
    `X_threshold` and `X_higher_is_better`. X passes if it is >= its threshold; holes and
    holes_ratio pass if they are 0. Documents are sorted by score, ties in the order given; of an
    id given twice the first place and the last value count, and both totals and the divisor of
    holes_ratio count it twice. Fidelity is NaN ("fail") if no judged document is above the lowest
    label although one was retrieved with a label other than 0.

    Differs from the SDK where that is wrong:

    * The weights of fidelity follow the labels' numbers. The SDK orders labels as strings, which
      permutes the weights for labels of 10 and above and for several negative ones; `compat`
      brings that back.
    * Retrieved documents that are not a list are an error (the SDK takes them for an empty list),
      and so are NaN scores (any order), items that are not mappings, ids that cannot be hashed,
      and thresholds that are not numbers (Python errors in the SDK, some only at the call).
    * A label True counts as 1; with a highest label below 0 an unjudged document counts as
      nothing in fidelity; an ideal DCG of 0 gives ndcg@3 = 0 (Python errors in the SDK).
    * An unknown parameter, `threshold` above all, is an error that names the right ones.

    Args:
        ground_truth_label_min: lowest label of the judgements' range.
        ground_truth_label_max: highest label; above the lowest.
        ndcg_threshold, xdcg_threshold, fidelity_threshold, top1_relevance_threshold,
            top3_max_relevance_threshold, total_retrieved_documents_threshold,
            total_ground_truth_documents_threshold: value from which the metric passes, in its
            own unit (xdcg: 25 times the highest label is perfect; top1, top3: a label).
        compat: `azure-1.18` returns 1.18's nested envelope, with the flat keys under
            `document_retrieval_properties`, and fidelity with its string-ordered weights.

    Raises:
        EvaluatorInputError: from the constructor or the call, with `.code` and `.category`.
    """

    def __init__(
        self,
        *,
        ground_truth_label_min: int = 0,
        ground_truth_label_max: int = 4,
        ndcg_threshold: float = 0.5,
        xdcg_threshold: float = 50.0,
        fidelity_threshold: float = 0.5,
        top1_relevance_threshold: float = 50.0,
        top3_max_relevance_threshold: float = 50.0,
        total_retrieved_documents_threshold: int = 50,
        total_ground_truth_documents_threshold: int = 50,
        compat: Literal["azure-1.18"] | None = None,
        **unknown: object,
    ) -> None:
        self._thresholds: dict[str, float] = {
            "ndcg@3": ndcg_threshold,
            "xdcg@3": xdcg_threshold,
            "fidelity": fidelity_threshold,
            "top1_relevance": top1_relevance_threshold,
            "top3_max_relevance": top3_max_relevance_threshold,
            "holes": 0,
            "holes_ratio": 0,
            "total_retrieved_documents": total_retrieved_documents_threshold,
            "total_ground_truth_documents": total_ground_truth_documents_threshold,
        }
        self._labels = (ground_truth_label_min, ground_truth_label_max)
        self._nested = compat is not None
        _check_range(*self._labels)
        _check_options(self._thresholds, unknown, compat)
        self._weights = _string_ordered_weights(*self._labels) if self._nested else None

    def __call__(
        self,
        *,
        retrieval_ground_truth: Iterable[Mapping[str, Any]] | None = None,
        retrieved_documents: list[Mapping[str, Any]] | None = None,
        **others: object,
    ) -> dict[str, Any]:
        """Score one query.

        Args:
            retrieval_ground_truth: `{"document_id": id, "query_relevance_label": int}` of every
                judged document, 1 to 10,000 of them.
            retrieved_documents: a list of `{"document_id": id, "relevance_score": number}`, at
                most 10,000; may be empty.
            others: ignored, as in the SDK (`query`, for example).

        Raises:
            EvaluatorInputError: for the first rule broken; judgements come before documents.
        """
        del others
        for name, value in (
            ("retrieval_ground_truth", retrieval_ground_truth),
            ("retrieved_documents", retrieved_documents),
        ):
            if value is None:
                raise EvaluatorInputError(
                    f"{name}: is required, got None. Pass both lists.", code="INPUT_MISSING"
                )
        judged = read_ground_truth(retrieval_ground_truth, *self._labels)
        scored = read_documents(retrieved_documents)
        check_length(judged, scored)
        return self._report(self._values(judged, scored))

    def _values(
        self, judged: list[tuple[Hashable, int]], scored: list[tuple[Hashable, float]]
    ) -> dict[str, float]:
        """Return the nine values of one query."""
        scores = dict(scored)
        ids = sorted(scores, key=scores.__getitem__, reverse=True)  # stable: ties keep their order
        places = np.arange(len(ids), dtype=np.int64)[None, :]
        lists = judge_lists(
            judgements_from_qrels({"": dict(judged)}, ids),
            RankedLists(items=places, scores=-places.astype(np.float64)),
        )
        columns = score_document_retrieval(lists, labels=self._labels, weights=self._weights)
        values = {name: float(column[0]) for name, column in columns.items()}
        values["holes_ratio"] = values["holes"] / max(len(scored), 1)
        values["total_retrieved_documents"] = len(scored)
        values["total_ground_truth_documents"] = len(judged)
        return {name: value if name in _FLOATS else int(value) for name, value in values.items()}

    def _report(self, values: dict[str, float]) -> dict[str, Any]:
        """Add the verdicts, and the envelope where it is asked for."""
        flat: dict[str, Any] = dict(values)
        for name, value in values.items():
            threshold, lower = self._thresholds[name], name in _LOWER_IS_BETTER
            passed = value <= threshold if lower else value >= threshold
            flat[f"{name}_result"] = "pass" if passed else "fail"
            flat[f"{name}_passed"] = passed
            flat[f"{name}_threshold"] = threshold
            flat[f"{name}_higher_is_better"] = not lower
        if not self._nested:
            return flat
        return {
            "document_retrieval": values["ndcg@3"],
            "document_retrieval_score": values["ndcg@3"],
            "document_retrieval_passed": flat["ndcg@3_passed"],
            "document_retrieval_result": flat["ndcg@3_result"],
            "document_retrieval_reason": None,
            "document_retrieval_status": "completed",
            "document_retrieval_threshold": flat["ndcg@3_threshold"],
            "document_retrieval_properties": flat,
        }


def _check_range(low: object, high: object) -> None:
    rule = "must be a whole number"
    if not isinstance(low, int):
        raise EvaluatorInputError(
            f"ground_truth_label_min: {rule}, got {shorten(low)}. Write 0.", code="MIN_NOT_INT"
        )
    if not isinstance(high, int):
        raise EvaluatorInputError(
            f"ground_truth_label_max: {rule}, got {shorten(high)}. Write 4.", code="MAX_NOT_INT"
        )
    if low >= high:
        raise EvaluatorInputError(
            f"ground_truth_label_min: must be below ground_truth_label_max, got {low} and "
            f"{high}. Give the range of your labels.",
            code="RANGE_EMPTY",
        )


def _check_options(
    thresholds: Mapping[str, object], unknown: Mapping[str, object], compat: object
) -> None:
    names = [f"{name.removesuffix('@3')}_threshold" for name in thresholds]
    settable = ", ".join(name for name in names if not name.startswith("holes"))
    for name in unknown:
        raise EvaluatorInputError(
            f"unknown parameter, got {shorten(name)}. There is one threshold per metric: "
            f"{settable}; those of holes and holes_ratio are always 0.",
            code="UNKNOWN_PARAMETER",
        )
    for name, threshold in zip(names, thresholds.values(), strict=True):
        if not isinstance(threshold, int | float):
            raise EvaluatorInputError(
                f"{name}: must be a number, got {shorten(threshold)}. Leave it out for the "
                f"default.",
                code="THRESHOLD_NOT_NUMERIC",
            )
    if compat not in (None, "azure-1.18"):
        raise EvaluatorInputError(
            f"compat: must be 'azure-1.18' or None, got {shorten(compat)}. Leave it out for "
            f"flat keys.",
            code="COMPAT_UNKNOWN",
        )


def _string_ordered_weights(low: int, high: int) -> Weights:
    """Return the SDK's weights: the r-th label in string order gets 2^(low + r + 1) - 1."""
    ordered = sorted(range(low + 1, high + 1), key=str)
    exponents = {label: low + place + 1 for place, label in enumerate(ordered, start=1)}

    def weigh(labels: Ints) -> Floats:
        powers = [exponents.get(label, 0) for label in labels.tolist()]
        return power_of_two(np.array(powers, dtype=np.int64)) - 1.0

    return weigh
