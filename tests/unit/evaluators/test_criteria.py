import json
from pathlib import Path
from typing import Any

import pytest

from sweep.errors import MetricError
from sweep.evaluators.criteria import make_criteria, read_criteria
from sweep.evaluators.rows import RowError

ITEM = {
    "type": "azure_ai_evaluator",
    "name": "retrieval quality",
    "evaluator_name": "builtin.document_retrieval",
    "initialization_parameters": {"ground_truth_label_min": 1, "ground_truth_label_max": 5},
    "data_mapping": {
        "retrieval_ground_truth": "{{item.truth}}",
        "retrieved_documents": "{{item.found}}",
    },
}
YAML = """
testing_criteria:
  - type: azure_ai_evaluator
    name: first
    evaluator_name: builtin.document_retrieval
    data_mapping:
      retrieved_documents: "{{item.a.b}}"   # the judgements come from their own field
  - evaluator_name: document_retrieval
    name: second
"""


def write(folder: Path, content: Any, name: str = "criteria.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_the_services_form(tmp_path: Path) -> None:
    (criterion,) = read_criteria(write(tmp_path, [ITEM]))
    assert (criterion.name, criterion.evaluator) == ("retrieval quality", "document_retrieval")
    arguments = criterion.arguments({"truth": [1], "found": [2]})
    assert arguments == {"retrieval_ground_truth": [1], "retrieved_documents": [2]}
    judged = [{"document_id": "a", "query_relevance_label": 5}]
    assert criterion.score(retrieval_ground_truth=judged, retrieved_documents=[])["ndcg@3"] == 0


def test_yaml_with_the_key_and_a_mapping_of_one_parameter(tmp_path: Path) -> None:
    first, second = read_criteria(write(tmp_path, YAML, "criteria.yaml"))
    row = {"retrieval_ground_truth": 1, "retrieved_documents": 2, "a": {"b": 3}}
    assert first.arguments(row) == {"retrieval_ground_truth": 1, "retrieved_documents": 3}
    assert second.arguments(row) == {"retrieval_ground_truth": 1, "retrieved_documents": 2}
    assert second.name == "second"


def test_a_row_without_a_parameters_field_is_told_how_to_map() -> None:
    (criterion,) = make_criteria("document_retrieval", parameters={}, mapping={})
    with pytest.raises(RowError, match=r"--map retrieved_documents='\$\{data\.FIELD\}'") as caught:
        criterion.arguments({"retrieval_ground_truth": []})
    assert caught.value.code == "INPUT_MISSING"


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"evaluator_name": "builtin.groundedness"}, "There is: builtin.document_retrieval"),
        ({"evaluator_name": None}, r"testing_criteria\[0\]\.evaluator_name: must be a text"),
        ({"name": 3}, r"\.name: must be a text"),
        ({"type": "label_model"}, "must be 'azure_ai_evaluator', got 'label_model'"),
        ({"evaluator": "x"}, "unknown key, got 'evaluator'"),
        ({"initialization_parameters": [1]}, "must be a mapping of names"),
        ({"initialization_parameters": {"threshold": 3}}, "unknown parameter, got 'threshold'"),
        ({"initialization_parameters": {"self": 3}}, "parameters must be those of"),
        ({"initialization_parameters": {"ground_truth_label_min": 9}}, "must be below"),
        ({"data_mapping": {"retreived_documents": "{{item.a}}"}}, "mean retrieved_documents"),
        ({"data_mapping": {"retrieved_documents": "a"}}, "must hold a placeholder, got 'a'"),
        ({"data_mapping": "x"}, "must be a mapping of names"),
    ],
)
def test_what_is_wrong_with_an_item_is_named(
    tmp_path: Path, change: dict[str, Any], text: str
) -> None:
    path = write(tmp_path, [{**ITEM, **change}])
    with pytest.raises(MetricError, match=text) as caught:
        read_criteria(path)
    assert str(caught.value).startswith(f"{path}: testing_criteria[0]")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("[", "must be JSON or YAML"),
        ("a: b: c", "must be JSON or YAML"),
        ("- a: {{item.x}}", "put placeholders in quotes"),
        ("", "must be a list of criteria"),
        ("text", "must be a list of criteria"),
        ("[]", "at least one evaluator"),
        ("[3]", r"\[0\]: must be a mapping"),
        (json.dumps([ITEM, ITEM]), "names must be unique, got 'retrieval quality' again"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, content: str, text: str) -> None:
    with pytest.raises(MetricError, match=text):
        read_criteria(write(tmp_path, content, "criteria"))


def test_evaluators_on_the_command_line() -> None:
    with pytest.raises(MetricError, match=r"got ' groundedness'\. There is: builtin\.document"):
        make_criteria("document_retrieval, groundedness", parameters={}, mapping={})
    with pytest.raises(MetricError, match="names must be unique"):
        make_criteria("document_retrieval,builtin.document_retrieval", parameters={}, mapping={})
    with pytest.raises(MetricError, match="at least one evaluator"):
        make_criteria(" , ", parameters={}, mapping={})


def test_parameters_of_other_evaluators_may_be_mapped_as_the_sdk_ignores_them() -> None:
    mapping = {"query": "{{item.query}}"}
    (criterion,) = make_criteria("document_retrieval", parameters={}, mapping=mapping)
    row = {"retrieval_ground_truth": 1, "retrieved_documents": 2}
    assert criterion.arguments(row) == row
