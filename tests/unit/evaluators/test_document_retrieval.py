import math
from typing import Any

import pytest

from sweep.errors import MetricError
from sweep.evaluators import DocumentRetrievalEvaluator, EvaluatorInputError

Items = list[dict[str, Any]]
METRICS = [
    "ndcg@3",
    "xdcg@3",
    "fidelity",
    "top1_relevance",
    "top3_max_relevance",
    "holes",
    "holes_ratio",
    "total_retrieved_documents",
    "total_ground_truth_documents",
]


def truth(**labels: Any) -> Items:
    return [{"document_id": i, "query_relevance_label": v} for i, v in labels.items()]


def found(**scores: Any) -> Items:
    return [{"document_id": i, "relevance_score": v} for i, v in scores.items()]


def evaluate(judged: Any, retrieved: Any, **parameters: Any) -> dict[str, Any]:
    evaluator = DocumentRetrievalEvaluator(**parameters)
    return evaluator(retrieval_ground_truth=judged, retrieved_documents=retrieved)


def refuse(judged: Any, retrieved: Any, **parameters: Any) -> EvaluatorInputError:
    with pytest.raises(EvaluatorInputError, match=r"^DocumentRetrievalEvaluator: ") as caught:
        evaluate(judged, retrieved, **parameters)
    return caught.value


EXAMPLE = truth(d1=4, d2=2, d3=3, d4=1, d5=0), found(d2=45.1, d6=35.8, d3=29.2, d5=25.4, d7=18.8)


def test_the_example_of_the_sdk_page() -> None:
    result = evaluate(*EXAMPLE)
    expected = [0.310759325340, 39.285714285714, 0.392857142857, 2, 3, 2, 0.4, 5, 5]
    assert [result[name] for name in METRICS] == pytest.approx(expected, abs=5e-13)
    assert result["xdcg@3_result"] == "fail"
    assert result["xdcg@3_threshold"] == 50.0


def test_keys_are_flat_and_in_the_sdks_order() -> None:
    suffixes = ("result", "passed", "threshold", "higher_is_better")
    grouped = [f"{name}_{suffix}" for name in METRICS for suffix in suffixes]
    result = evaluate(*EXAMPLE)
    assert list(result) == METRICS + grouped
    assert [name for name in METRICS if not result[f"{name}_higher_is_better"]] == [
        "holes",
        "holes_ratio",
    ]


def test_values_are_whole_numbers_where_they_count_or_quote_labels() -> None:
    for retrieved in (EXAMPLE[1], []):
        result = evaluate(EXAMPLE[0], retrieved)
        kinds = [type(result[name]) for name in METRICS]
        assert kinds == [float, float, float, int, int, int, float, int, int]


def test_a_value_passes_from_its_threshold_on_and_holes_only_at_zero() -> None:
    perfect = truth(a=4, b=4, c=4), found(a=3.0, b=2.0, c=1.0)
    result = evaluate(*perfect, ndcg_threshold=1.0, xdcg_threshold=100.0, fidelity_threshold=1.0)
    assert result["ndcg@3_passed"] is result["xdcg@3_passed"] is result["fidelity_passed"] is True
    assert result["holes_passed"] is result["holes_ratio_passed"] is True
    assert result["top1_relevance_passed"] is False  # labels are compared with 50 by default
    assert evaluate(*perfect, top1_relevance_threshold=4)["top1_relevance_result"] == "pass"
    assert evaluate(*EXAMPLE)["holes_result"] == "fail"


def test_an_empty_list_scores_zero_and_has_no_holes() -> None:
    result = evaluate(truth(a=4), [])
    assert [result[name] for name in METRICS] == [0, 0, 0, 0, 0, 0, 0, 0, 1]
    assert result["holes_result"] == "pass"


def test_documents_are_sorted_by_score_and_ties_keep_their_order() -> None:
    judged = truth(a=4, b=1)
    assert evaluate(judged, found(b=1, a=2))["top1_relevance"] == 4
    assert evaluate(judged, found(b=1, a=1.0))["top1_relevance"] == 1
    assert evaluate(judged, found(b=math.inf, a=2))["top1_relevance"] == 1
    assert evaluate(judged, found(b=-math.inf, a=-2))["top1_relevance"] == 4


def test_of_an_id_given_twice_the_first_place_and_the_last_value_count() -> None:
    judged = [*truth(a=1), *truth(a=4), *truth(b=2)]
    retrieved = [*found(a=9.0, x=5.0), *found(a=1.0), *found(x=5.0)]
    result = evaluate(judged, retrieved)
    assert result["top1_relevance"] == 0  # x, as the second score of a is 1
    assert result["top3_max_relevance"] == 4
    assert result["holes"] == 1
    assert result["holes_ratio"] == 1 / 4
    assert (result["total_retrieved_documents"], result["total_ground_truth_documents"]) == (4, 3)


def test_ids_are_compared_as_they_are() -> None:
    judged = [{"document_id": 1, "query_relevance_label": 4}, *truth(**{"a": 3, "": 2})]
    retrieved = [{"document_id": 1.0, "relevance_score": 9}, *found(**{"1": 8, "A": 7, "": 6})]
    result = evaluate(judged, retrieved)
    assert result["top1_relevance"] == 4
    assert result["holes"] == 2


def test_fidelity_is_undefined_where_nothing_judged_is_good() -> None:
    result = evaluate(
        truth(a=1, b=1), found(a=1, b=1), ground_truth_label_min=1, ground_truth_label_max=5
    )
    assert math.isnan(result["fidelity"])
    assert result["fidelity_result"] == "fail"
    assert result["ndcg@3"] == 1.0
    assert evaluate(truth(a=0), found(a=1))["fidelity"] == 0  # the short-cut comes first


def test_weights_follow_the_labels_numbers_and_compat_brings_string_order_back() -> None:
    case = truth(a=10, b=1), found(b=1.0)
    assert evaluate(*case, ground_truth_label_max=10)["fidelity"] == pytest.approx(3 / 2050)
    sdk = evaluate(*case, ground_truth_label_max=10, compat="azure-1.18")
    # in string order 10 comes second, so it weighs 2^3 - 1 = 7
    assert sdk["document_retrieval_properties"]["fidelity"] == pytest.approx(3 / 10)


def test_compat_gives_the_nested_envelope() -> None:
    result = evaluate(*EXAMPLE, compat="azure-1.18")
    flat = evaluate(*EXAMPLE)
    properties = result.pop("document_retrieval_properties")
    assert properties == flat
    assert result == {
        "document_retrieval": flat["ndcg@3"],
        "document_retrieval_score": flat["ndcg@3"],
        "document_retrieval_passed": False,
        "document_retrieval_result": "fail",
        "document_retrieval_reason": None,
        "document_retrieval_status": "completed",
        "document_retrieval_threshold": 0.5,
    }


def test_where_the_sdk_stops_with_a_python_error() -> None:
    assert evaluate(truth(a=True), found(a=1))["fidelity"] == 1.0
    negative = {"ground_truth_label_min": -2, "ground_truth_label_max": 2}
    assert evaluate(truth(a=0, b=0, c=0, d=-1), found(d=1), **negative)["ndcg@3"] == 0
    below = {"ground_truth_label_min": -5, "ground_truth_label_max": -1}
    result = evaluate(truth(a=-4, b=-3), found(x=2, a=1), **below)
    # 2^-3 - 1 = -.875 and 2^-2 - 1 = -.75; the unjudged x adds nothing
    assert result["fidelity"] == pytest.approx(0.875 / (0.875 + 0.75))


def test_a_tuple_of_judgements_and_further_arguments_are_accepted() -> None:
    evaluator = DocumentRetrievalEvaluator()
    result = evaluator(
        retrieval_ground_truth=tuple(EXAMPLE[0]), retrieved_documents=EXAMPLE[1], query="?"
    )
    assert result == evaluate(*EXAMPLE)


@pytest.mark.parametrize(
    ("judged", "retrieved", "code", "category"),
    [
        (None, [], "INPUT_MISSING", "INVALID_VALUE"),
        (truth(a=1), None, "INPUT_MISSING", "INVALID_VALUE"),
        ([], [], "GT_EMPTY", "MISSING_FIELD"),
        ((), [], "GT_EMPTY", "MISSING_FIELD"),
        ("", [], "GT_EMPTY", "MISSING_FIELD"),
        ("[]", [], "GT_NOT_A_LIST", "INVALID_VALUE"),
        ({"document_id": "a"}, [], "GT_NOT_A_LIST", "INVALID_VALUE"),
        (3, [], "GT_NOT_A_LIST", "INVALID_VALUE"),
        (["a"], [], "GT_ITEM_NOT_MAPPING", "INVALID_VALUE"),
        ([{"query_relevance_label": 1}], [], "GT_ITEM_FIELD_MISSING", "MISSING_FIELD"),
        (truth(a=None), [], "GT_ITEM_FIELD_MISSING", "MISSING_FIELD"),
        ([{"document_id": [], "query_relevance_label": 1}], [], "GT_ID_NOT_HASHABLE", None),
        ([{"document_id": ([],), "query_relevance_label": 1}], [], "GT_ID_NOT_HASHABLE", None),
        (truth(a=2.0), [], "LABEL_NOT_INT", "INVALID_VALUE"),
        (truth(a="2"), [], "LABEL_NOT_INT", "INVALID_VALUE"),
        (truth(a=-1), [], "LABEL_BELOW_MIN", "INVALID_VALUE"),
        (truth(a=5), [], "LABEL_ABOVE_MAX", "INVALID_VALUE"),
        (truth(a=1), tuple(found(a=1)), "RD_NOT_A_LIST", "INVALID_VALUE"),
        (truth(a=1), {}, "RD_NOT_A_LIST", "INVALID_VALUE"),
        (truth(a=1), "[]", "RD_NOT_A_LIST", "INVALID_VALUE"),
        (truth(a=1), ["a"], "RD_ITEM_NOT_MAPPING", "INVALID_VALUE"),
        (truth(a=1), [{"document_id": "a"}], "RD_ITEM_FIELD_MISSING", "MISSING_FIELD"),
        (truth(a=1), found(a=None), "RD_ITEM_FIELD_MISSING", "MISSING_FIELD"),
        (truth(a=1), found(a="1.0"), "SCORE_NOT_NUMERIC", "INVALID_VALUE"),
        (truth(a=1), found(a=math.nan), "SCORE_IS_NAN", "INVALID_VALUE"),
        (truth(a=1), found(a=1) * 10_001, "TOO_MANY_ITEMS", "INVALID_VALUE"),
        (truth(a=1) * 10_001, [], "TOO_MANY_ITEMS", "INVALID_VALUE"),
    ],
)
def test_input_errors_carry_code_and_category(
    judged: Any, retrieved: Any, code: str, category: str | None
) -> None:
    error = refuse(judged, retrieved)
    assert error.code == code
    assert error.category == (category or "INVALID_VALUE")
    assert isinstance(error, MetricError)


def test_the_first_broken_rule_is_reported() -> None:
    assert refuse(truth(a=9), "no list").code == "LABEL_ABOVE_MAX"
    assert refuse(truth(a=1) * 10_001, found(a="x")).code == "SCORE_NOT_NUMERIC"
    assert "retrieval_ground_truth[1]: query_relevance_label" in str(refuse(truth(a=1, b=7), []))


def test_ten_thousand_items_are_allowed() -> None:
    result = evaluate(truth(a=1) * 10_000, found(a=1) * 10_000)
    assert result["total_retrieved_documents"] == 10_000


@pytest.mark.parametrize(
    ("parameters", "code", "text"),
    [
        ({"ground_truth_label_min": 0.0}, "MIN_NOT_INT", "got 0.0"),
        ({"ground_truth_label_max": "4"}, "MAX_NOT_INT", "got '4'"),
        ({"ground_truth_label_min": None}, "MIN_NOT_INT", "got None"),
        ({"ground_truth_label_min": 4}, "RANGE_EMPTY", "got 4 and 4"),
        ({"ndcg_threshold": None}, "THRESHOLD_NOT_NUMERIC", "ndcg_threshold"),
        ({"xdcg_threshold": "50"}, "THRESHOLD_NOT_NUMERIC", "xdcg_threshold"),
        ({"top3_max_relevance_threshold": []}, "THRESHOLD_NOT_NUMERIC", "top3_max_relevance"),
        ({"threshold": 3}, "UNKNOWN_PARAMETER", "one threshold per metric: ndcg_threshold, "),
        ({"holes_threshold": 3}, "UNKNOWN_PARAMETER", "holes and holes_ratio are always 0"),
        ({"k": 5}, "UNKNOWN_PARAMETER", "got 'k'"),
        ({"compat": "azure-1.11"}, "COMPAT_UNKNOWN", "must be 'azure-1.18' or None"),
    ],
)
def test_the_constructor_refuses_what_cannot_work(
    parameters: dict[str, Any], code: str, text: str
) -> None:
    with pytest.raises(EvaluatorInputError) as caught:
        DocumentRetrievalEvaluator(**parameters)
    assert caught.value.code == code
    assert text in str(caught.value)
