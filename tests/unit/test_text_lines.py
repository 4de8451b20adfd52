"""How messages tell a count, and which name was probably meant."""

import pytest

from sweep.text_lines import counted, nearest, shorten

COLORS = ("red", "green", "blue")


@pytest.mark.parametrize(
    ("count", "noun", "text"),
    [
        (0, "query", "0 queries"),
        (1, "query", "1 query"),
        (2000, "query", "2,000 queries"),
        (2, "group", "2 groups"),
        (1, "miss", "1 miss"),
        (12, "miss", "12 misses"),
    ],
)
def test_a_count_with_its_noun(count: int, noun: str, text: str) -> None:
    assert counted(count, noun) == text


def test_the_name_that_was_meant() -> None:
    assert nearest("gren", COLORS) == "Did you mean 'green'?"
    assert nearest("gren", COLORS, quoted=False) == "Did you mean green?"


def test_nothing_is_suggested_that_is_not_like_it() -> None:
    assert nearest("mauve", COLORS) == ""
    assert nearest("mauve", COLORS, otherwise="Choose one.") == "Choose one."
    assert nearest("xyz", COLORS, cutoff=0.0).startswith("Did you mean ")


def test_a_long_value_is_cut() -> None:
    assert shorten("a" * 78) == repr("a" * 78)
    assert shorten("a" * 100_000) == "'" + "a" * 79 + "..."
    assert shorten(list(range(1000))).endswith("...")
