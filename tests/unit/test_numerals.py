"""What is a number, and which are whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.numerals import is_numeral, whole_number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (2, 2), (2.0, 2), ("2", 2), ("2.0", 2), (" +2. ", 2), ("2e0", 2), ("-1.000", -1),
        ("20E-1", 2), (".1e1", 1), ("-0.0", 0), ("999999999", 999_999_999),
        ("1.5", None), (1.5, None), ("1e9", None), (10**9, None), ("1e999", None), (1e300, None),
        ("1.00000000000000000000000000000000000001", None), ("nan", None), ("inf", None),
        (float("nan"), None), (float("-inf"), None), (True, None), ("True", None), (None, None),
        ("", None), ("1_000", None), ("１", None), ("0x2", None), ("1e", None), (".", None),
    ],
)  # fmt: skip
def test_whole_numbers(value: object, number: int | None) -> None:
    assert whole_number(value) == number


@given(st.floats())
def test_a_float_and_its_text_say_the_same(value: float) -> None:
    assert is_numeral(repr(value))
    assert whole_number(repr(value)) == whole_number(value)


@pytest.mark.parametrize("text", ["", "-", "e5", "1_0", "１", "q1", "1 2"])
def test_what_is_no_number(text: str) -> None:
    assert not is_numeral(text)
