"""Chunks that keep to a text's structure, worked by hand in words."""

from typing import Any

from sweep.configuration import ChunkConfig
from tests.chunk_inputs import texts_of


def recursive(text: str, size: int, **others: Any) -> list[str]:
    return texts_of(
        text, ChunkConfig(splitter="recursive", size=size, **{"unit": "words", **others})
    )


def markdown(text: str, size: int, **others: Any) -> list[str]:
    return texts_of(
        text, ChunkConfig(splitter="markdown", size=size, **{"unit": "words", **others})
    )


def test_paragraphs_that_fit_are_packed_whole() -> None:
    text = "One two.\n\nThree. Four.\n\nFive. Six."
    assert recursive(text, 6) == [text]
    assert recursive(text, 5) == ["One two.\n\nThree. Four.", "Five. Six."]
    assert recursive(text, 3) == ["One two.", "Three. Four.", "Five. Six."]


def test_a_paragraph_that_is_too_long_is_cut_at_sentences_then_words() -> None:
    text = "One two.\n\nIt has rained. We stayed. They went out all day."
    assert recursive(text, 5) == [
        "One two.\n\nIt has rained.",
        "We stayed.",
        "They went out all day.",
    ]
    assert recursive(text, 4) == [
        "One two.",
        "It has rained.",
        "We stayed. They went",
        "out all day.",
    ]


def test_paragraphs_overlap_by_whole_sentences() -> None:
    text = "It rained. We stayed.\n\nThey left. She slept.\n\nHe sang."
    assert recursive(text, 4, overlap=0) == [
        "It rained. We stayed.",
        "They left. She slept.",
        "He sang.",
    ]
    # Half of 4 words may be shared, but the next paragraph has to fit in: room at the end only.
    assert recursive(text, 4, overlap=0.5) == [
        "It rained. We stayed.",
        "They left. She slept.",
        "She slept.\n\nHe sang.",
    ]
    assert recursive(text, 7, overlap=0.4) == [
        "It rained. We stayed.",
        "We stayed.\n\nThey left. She slept.",
        "She slept.\n\nHe sang.",
    ]


def test_units_are_those_of_the_configuration() -> None:
    text = "aa bb.\n\ncc dd."
    assert recursive(text, 14, unit="characters") == [text]
    assert recursive(text, 13, unit="characters") == ["aa bb.", "cc dd."]
    assert recursive(text, 5, unit="tokens") == ["aa bb.", "cc dd."]  # the full stop is a token


def test_a_text_without_spaces_is_cut_at_sentences_and_characters() -> None:
    assert recursive("日本。\n\n東京。大阪。", 4) == ["日本。", "東京。大阪。"]
    assert recursive("日本東京大阪", 4) == ["日本東京", "大阪"]


def test_sections_are_cut_at_the_highest_headings_first() -> None:
    text = "# A\n\na a a\n\n## B\n\nb b b b\n\n# C\n\nc c"
    assert markdown(text, 20) == [text]
    assert markdown(text, 12) == ["# A\n\na a a\n\n## B\n\nb b b b", "# C\n\nc c"]
    # Section A does not fit, so it is cut at B; what is left of A is not packed with C.
    assert markdown(text, 10) == ["# A\n\na a a", "## B\n\nb b b b", "# C\n\nc c"]


def test_sections_that_fit_are_packed_whole() -> None:
    text = "# A\n\na\n\n# B\n\nb\n\n# C\n\nc"
    assert markdown(text, 6) == ["# A\n\na\n\n# B\n\nb", "# C\n\nc"]
    assert markdown(text, 6, overlap=0.5) == ["# A\n\na\n\n# B\n\nb", "# C\n\nc"]


def test_text_under_one_heading_is_cut_at_its_blocks() -> None:
    text = "# A\n\nIt has rained.\n\nWe left. She slept.\n\nThey sang all day long, loudly. Good."
    assert markdown(text, 6) == [
        "# A\n\nIt has rained.",
        "We left. She slept.",
        "They sang all day long, loudly.",
        "Good.",
    ]
    assert markdown(text, 7) == [
        "# A\n\nIt has rained.",
        "We left. She slept.",
        "They sang all day long, loudly. Good.",
    ]


def test_a_heading_stays_with_text() -> None:
    stacked = "# A\n\n## B\n\nb b b b b b\n\n## C\n\nc c"
    assert markdown(stacked, 6) == ["# A\n\n## B\n\nb b", "b b b b", "## C\n\nc c"]
    # Neither the paragraph nor its only sentence fits beside the heading: it is cut.
    assert markdown("## A\n\na a a a", 4) == ["## A\n\na a", "a a"]
    assert markdown("a a a\n\n# B", 4) == ["a a a", "# B"]  # nothing follows


def test_empty_sections_go_with_the_text_that_follows() -> None:
    assert markdown("# A\n\na a\n\n## Empty\n\n# B\n\nb b b", 7) == [
        "# A\n\na a",
        "## Empty\n\n# B\n\nb b b",
    ]


def test_code_and_tables_are_torn_only_where_they_must() -> None:
    code = "```\nx = 1\n\ny = 2\n```"  # 8 words
    text = f"a a a. b b b.\n\n{code}\n\nc c c."
    assert markdown(text, 8) == ["a a a. b b b.", code, "c c c."]
    assert markdown(text, 11) == ["a a a. b b b.", f"{code}\n\nc c c."]
    assert markdown(f"a.\n\n{code}", 5) == ["a.\n\n```\nx = 1", "y = 2\n```"]
    table = "| a | b |\n|---|---|\n| 1 | 2 |"  # 5 + 1 + 5 words
    assert markdown(f"x y z.\n\n{table}", 11) == ["x y z.", table]
    assert markdown(f"x y z.\n\n{table}", 9) == [
        "x y z.\n\n| a | b |\n|---|---|",
        "| 1 | 2 |",
    ]


def test_no_chunk_begins_inside_code_that_fits() -> None:
    text = "# A\n\n```\nx\ny\n```\n\na a a a.\n\nb b b b."
    assert markdown(text, 10, overlap=0.5) == [
        "# A\n\n```\nx\ny\n```\n\na a a a.",
        "a a a a.\n\nb b b b.",
    ]


def test_text_without_headings_is_one_section() -> None:
    text = "One two.\n\nThree. Four.\n\nFive. Six."
    assert markdown(text, 5) == recursive(text, 5)
    assert markdown("", 5) == []
    assert markdown("# A\n\n## B", 9) == ["# A\n\n## B"]
