"""What of a sentence is code."""

import pytest

from sweep.winner.report.content import pieces


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run `a b` now", [("run ", False), ("a b", True), (" now", False)]),
        ("`a` and `b`", [("a", True), (" and ", False), ("b", True)]),
        ("one ` alone", [("one ` alone", False)]),
        ("", []),
    ],
    ids=["one", "two", "odd", "empty"],
)
def test_code_stands_between_backticks(text: str, expected: list[tuple[str, bool]]) -> None:
    assert pieces(text) == expected
