"""The blocks of Markdown texts, checked by eye."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.chunks.markdown import find_blocks


def blocks_of(text: str) -> list[tuple[str, int, bool]]:
    """Return text, level and wholeness of every block."""
    return [(text[b.start : b.end].strip(), b.level, b.is_whole) for b in find_blocks(text)]


def test_headings_of_both_kinds_begin_sections() -> None:
    assert blocks_of("# One\ntext\n\nTwo\n===\n\nThree\n---\n###### Six #\n") == [
        ("# One", 1, False),
        ("text", 0, False),
        ("Two\n===", 1, False),
        ("Three\n---", 2, False),
        ("###### Six #", 6, False),
    ]


@pytest.mark.parametrize("text", ["####### seven", "#hash", "\\# escaped", "    # code", "a\n#b"])
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert [level for _, level, _ in blocks_of(text)] == [0]


def test_code_and_tables_are_whole_wherever_they_stand() -> None:
    code, table = "  ```py\n  # no heading\n\n  x\n  ```", "> | a | b |\n> |---|---|\n> | 1 | 2 |"
    text = f"- item\n\n{code}\n\n{table}\n"
    assert blocks_of(text) == [
        ("- item", 0, False),
        (code.strip(), 0, True),
        (table, 0, True),
    ]


def test_a_heading_in_a_list_or_a_quote_begins_no_section() -> None:
    assert [level for _, level, _ in blocks_of("- # item\n\n> ## quoted\n")] == [0, 0]


def test_fence_without_end_reaches_to_the_end() -> None:
    assert blocks_of("~~~\na\n\n# b") == [("~~~\na\n\n# b", 0, True)]


def test_front_matter_is_one_block_and_no_heading() -> None:
    text = "---\ntitle: A\ntags: [b]\n---\n# H\ntext"
    assert blocks_of(text) == [
        ("---\ntitle: A\ntags: [b]\n---", 0, True),
        ("# H", 1, False),
        ("text", 0, False),
    ]
    assert [level for _, level, _ in blocks_of("---\n\nrule, then text\n")] == [0, 0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system_are_read(end: str) -> None:
    lines = ["# H", "text", "", "|a|", "|-|", "|1|", "", "```", "x", "```"]
    found = blocks_of(end.join(lines))
    assert [(level, whole) for _, level, whole in found] == [
        (1, False),
        (0, False),
        (0, True),
        (0, True),
    ]
    assert found[-1][0].startswith("```")
    assert found[-1][0].endswith("```")


@given(
    st.lists(st.sampled_from([*"#-|`>~=\n\r\t a1", "```", "\n\n", "\x0b", "\u2028"])).map("".join)
)
def test_blocks_follow_each_other_inside_the_text(text: str) -> None:
    reached = 0
    for block in find_blocks(text):
        assert reached <= block.start < block.end <= len(text)
        reached = block.end
