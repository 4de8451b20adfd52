from typing import Any

import pytest

from sweep.errors import MetricError
from sweep.evaluators.mapping import parse_assignments, parse_template, parse_values
from sweep.evaluators.rows import RowError

ROW = {"a": {"b": [1, 2], "c": None, "d-e": {"ü": "x"}}, "n": 3, "t": "text"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${data.a.b}", [1, 2]),
        ("{{item.a.b}}", [1, 2]),
        ("{{ item.a.b }}", [1, 2]),
        ("{{item.n}}", 3),
        ("${data.a.c}", None),
        ("{{item.a.d-e.ü}}", "x"),
        ("{{item.a}}", ROW["a"]),
    ],
)
def test_a_text_that_is_one_placeholder_keeps_the_json_type(text: str, value: Any) -> None:
    assert parse_template(text, where="m").resolve(ROW) == value


def test_in_any_other_text_the_values_are_inserted() -> None:
    template = parse_template("{{item.t}}, ${data.n}: {{item.a.b}}", where="m")
    assert template.resolve(ROW) == "text, 3: [1, 2]"


@pytest.mark.parametrize(
    "text",
    [
        "retrieved",
        "",
        None,
        3,
        "$data.a",
        "{item.a}",
        "${data}",
        "${data.}",
        "${data.a..b}",
        "${target.a}",
        "${item.a}",
        "{{data.a}}",
        "{{sample.output_items}}",
        "{{}}",
    ],
)
def test_a_mapping_must_name_a_field_of_the_row(text: Any) -> None:
    with pytest.raises(MetricError, match=r"^m: .*placeholder.*Write '\$\{data\.FIELD\}'"):
        parse_template(text, where="m")


@pytest.mark.parametrize("path", ["x", "a.x", "n.x", "a.b.0", "a.c.x"])
def test_a_field_that_the_row_lacks_fails_the_row(path: str) -> None:
    with pytest.raises(RowError, match="must be in the row") as caught:
        parse_template(f"${{data.{path}}}", where="m").resolve(ROW)
    assert caught.value.code == "FIELD_NOT_FOUND"


def test_assignments_are_cut_at_the_first_equals_sign() -> None:
    assert parse_assignments(["a=b=c", " d = ${data.x} "], option="--map") == {
        "a": "b=c",
        "d": "${data.x}",
    }
    for texts in (["a"], ["=b"], ["a="], ["a=1", "a=2"]):
        with pytest.raises(MetricError, match=r"^--map: "):
            parse_assignments(texts, option="--map")


def test_values_that_are_numbers_become_numbers() -> None:
    values = parse_values(["a=5", "b=-0.5", "c=1e3", "d=azure-1.18", "e=nan"], option="--set")
    assert values == {"a": 5, "b": -0.5, "c": 1000.0, "d": "azure-1.18", "e": "nan"}
    assert isinstance(values["a"], int)
