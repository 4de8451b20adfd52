"""Text of a corpus, as it can be printed anywhere."""

import pytest

from sweep.cli.output import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\n\ttwo\r\n three ", "one two three"),
        ("line\u2028paragraph\u2029next\x85end", "line paragraph next end"),
        ("\x1b[31mred\x07\x7f\x9b", "\\x1b[31mred\\x07\\x7f\\x9b"),
        ("a\u202eb\u2066c\u200fd", "a\\u202eb\\u2066c\\u200fd"),
        ("nul\x00", "nul\\x00"),
        ("\ud800", "\\ud800"),
        ("שלום (1)", "\u2068שלום (1)\u2069"),
        ("किताब 👩\u200d🔬 naïve", "किताब 👩\u200d🔬 naïve"),  # joiners belong to the writing
        ("", ""),
    ],
)
def test_one_line_that_acts_on_nothing(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_long_text_is_cut() -> None:
    assert one_line("abcdef", 3) == "abc..."
    assert one_line("abc", 3) == "abc"
    assert one_line("a" * 50_000_000, 3) == "aaa..."
    assert one_line(" " * 100 + "far", 3) == "..."
