"""Every recorded call of the SDK's evaluator (azure-ai-evaluation 1.18.10), value for value.

What is decided differently, by the cases' tags and why:
"""

import json
import math
from typing import Any

import pytest

from sweep.evaluators import DocumentRetrievalEvaluator, EvaluatorInputError
from tests.shared_data import SHARED

FILE = SHARED / "oracle" / "document_retrieval.jsonl"

# The SDK gives fidelity the weights of labels ordered as strings; `compat` gives its value.
STRING_ORDER = {
    "range_0_10_one",
    "range_1_10_lexsort",
    "range_1_10_one",
    "range_0_12_one",
    "range_8_11_one",
    "range_0_100_lexsort",
    "neg_-3_3_all",
    "neg_-5_-1_only_b",
}
# The SDK takes a run that is not a list for an empty one and scores 0.
NOT_A_LIST = {"rd_tuple_ignored", "rd_dict"}
# The SDK stops with a Python error; here an input error with a code of its own.
OWN_CODES = {
    "gt_string": "GT_NOT_A_LIST",
    "gt_dict": "GT_NOT_A_LIST",
    "gt_json_string": "GT_NOT_A_LIST",
    "gt_item_not_dict": "GT_ITEM_NOT_MAPPING",
    "id_list_unhashable": "GT_ID_NOT_HASHABLE",
    "init_unknown_param": "UNKNOWN_PARAMETER",
    "thr_none_ndcg": "THRESHOLD_NOT_NUMERIC",
    "thr_none_xdcg": "THRESHOLD_NOT_NUMERIC",
    "thr_str_ndcg": "THRESHOLD_NOT_NUMERIC",
}
# The SDK stops with a KeyError or ZeroDivisionError; here there is a value (see the docstring).
OWN_VALUES = {
    "label_bool_true",
    "label_bool_true_retrieved",
    "neg_-5_-1_all",
    "neg_-5_-1_hole_counts",
    "neg_idcg_zero",
}


def decode(value: Any) -> Any:
    """Undo the file's encoding of what JSON cannot hold."""
    if isinstance(value, list):
        return [decode(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "__tuple__" in value:
        return tuple(decode(value["__tuple__"]))
    if "__float__" in value:
        return float(value["__float__"])
    if "__repeat_gt__" in value:
        return [
            {"document_id": f"d{i}", "query_relevance_label": i % 5}
            for i in range(value["__repeat_gt__"])
        ]
    if "__repeat_rd__" in value:
        total = value["__repeat_rd__"]
        return [{"document_id": f"d{i}", "relevance_score": total - i} for i in range(total)]
    return {key: decode(entry) for key, entry in value.items()}


def read_cases() -> list[Any]:
    if not FILE.exists():
        reason = "needs ../shared/oracle/document_retrieval.jsonl, which is not in the project"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [
        pytest.param(case, id=f"{case['id']}-{case['tag']}") for case in map(json.loads, lines)
    ]


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, bool | str) or not isinstance(ours, int | float):
        return bool(ours == theirs)
    if math.isnan(theirs):
        return math.isnan(ours)
    return math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-15)


def call(case: dict[str, Any], **options: Any) -> dict[str, Any]:
    return DocumentRetrievalEvaluator(**case["params"], **options)(**case["input"])


@pytest.mark.parametrize("raw", read_cases())
def test_values_equal_the_sdks(raw: dict[str, Any]) -> None:
    case = decode(raw)
    tag = case["tag"]
    if tag in OWN_VALUES:
        assert "UNCAUGHT_PYTHON" in case["error"]["code"]
        assert math.isfinite(call(case)["ndcg@3"])
        return
    if "error" in case or tag in NOT_A_LIST:
        check_error(case)
        return
    ours = call(case)
    wrong = {key for key, value in case["expected"].items() if not same(ours[key], value)}
    assert list(ours) == list(case["expected"])
    if tag in STRING_ORDER:
        assert "fidelity" in wrong
        assert wrong <= {"fidelity", "fidelity_result", "fidelity_passed"}
    else:
        assert wrong == set()


@pytest.mark.parametrize("raw", read_cases())
def test_compat_equals_the_sdk_in_the_envelope_and_in_fidelity(raw: dict[str, Any]) -> None:
    case = decode(raw)
    if "error" in case or case["tag"] in NOT_A_LIST:
        return
    ours = call(case, compat="azure-1.18")
    flat = ours.pop("document_retrieval_properties")
    assert ours.keys() == case["envelope"].keys()
    for got, expected in ((ours, case["envelope"]), (flat, case["expected"])):
        assert {key for key, value in expected.items() if not same(got[key], value)} == set()


def check_error(case: dict[str, Any]) -> None:
    with pytest.raises(EvaluatorInputError) as caught:
        call(case)
    if case["tag"] in NOT_A_LIST:
        assert caught.value.code == "RD_NOT_A_LIST"
    elif case["tag"] in OWN_CODES:
        assert "UNCAUGHT_PYTHON" in case["error"]["code"]
        assert caught.value.code == OWN_CODES[case["tag"]]
    else:
        assert caught.value.code == case["error"]["code"]
        assert caught.value.category == case["error"]["category"]
