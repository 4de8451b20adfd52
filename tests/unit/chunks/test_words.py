import sys

import pytest

from sweep.chunks.words import find_graphemes, find_words


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in find_words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \r\n\u2028\u3000", []),
        ("one, two-three.", ["one,", "two-three."]),
        ("  a\tb\r\nc\rd\x0be\x1ff ", ["a", "b", "c", "d", "e", "f"]),
        ("naïve\u00a0café\u2009“x”", ["naïve", "café", "“x”"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("שלום عليكم", ["שלום", "عليكم"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("👩‍👩‍👧 🇩🇪🇫🇷", ["👩‍👩‍👧", "🇩🇪🇫🇷"]),
        ("a\u200bb\ufeff", ["a\u200bb\ufeff"]),
    ],
)
def test_words_are_delimited_by_white_space(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("数据系统", ["数", "据", "系", "统"]),
        ("丢了 308分，在", ["丢", "了", "308", "分，", "在"]),
        ("GPU显存24GB", ["GPU", "显", "存", "24GB"]),
        ("他说「你好。」再", ["他", "说", "「你", "好。」", "再"]),
        ("abc（数）def", ["abc", "（数）", "def"]),
        ("カード ひらがな", ["カ", "ー", "ド", "ひ", "ら", "が", "な"]),
        ("か\u3099き", ["か\u3099", "き"]),  # a combining voicing mark
        ("กำลัง", ["กำ", "ลั", "ง"]),
        ("ပြည်", ["ပြ", "ည်"]),
        ("ភាសា", ["ភា", "សា"]),
        ("ລາວ", ["ລ", "າ", "ວ"]),
    ],
)
def test_in_scripts_without_spaces_each_grapheme_is_a_word(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \u0301b c", ["a \u0301b", "c"]),  # the space carries the accent
        ("a\n\u0301b", ["a", "\u0301b"]),  # a line end carries nothing
        ("\u0600 a", ["\u0600 a"]),  # an Arabic number sign takes what follows
        ("e\u0301\u0301 x", ["e\u0301\u0301", "x"]),
    ],
)
def test_a_grapheme_across_a_space_stays_in_one_word(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_white_space_is_what_python_says() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000]
    for blank in filter(str.isspace, every):
        assert words(f"a{blank}b") == ["a", "b"]
        assert words(f"数{blank}b") == ["数", "b"]  # the same on the path of hard texts
    solid = "".join(one for one in every if not one.isspace())
    assert "".join(words(solid)) == solid


def test_graphemes_include_white_space() -> None:
    text = "e\u0301\r\n👩‍👩‍👧 x"
    parts = [text[start:end] for start, end in find_graphemes(text)]
    assert parts == ["e\u0301", "\r\n", "👩‍👩‍👧", " ", "x"]
