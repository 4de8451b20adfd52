from collections.abc import Iterator

import pytest

from sweep.chunks import sentences as module
from sweep.chunks.sentences import find_sentences, guess_language
from sweep.chunks.words import find_words


def sentences(text: str) -> list[str]:
    words = find_words(text)
    return [text[words[a][0] : words[b - 1][1]] for a, b in find_sentences(text, words)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("One. Two!  Three?", ["One.", "Two!", "Three?"]),
        ("Mr. Smith paid 1.5 pounds. He left.", ["Mr. Smith paid 1.5 pounds.", "He left."]),
        ("你好。世界！再见", ["你好。", "世界！", "再见"]),
        ("क्या। हाँ।", ["क्या।", "हाँ।"]),
        ("He said:\nthis goes on", ["He said:\nthis goes on"]),
    ],
)
def test_sentences_end_at_their_marks(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "blank", ["\n\n", "\r\n\r\n", "\r\r", "\n \t\n", "\u2029", "\n\u2028", "\n\n\n\n"]
)
def test_a_blank_line_ends_a_sentence(blank: str) -> None:
    assert sentences(f"A heading{blank}then text") == ["A heading", "then text"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028"])
def test_a_line_end_alone_does_not(end: str) -> None:
    assert sentences(f"a line{end}goes on") == [f"a line{end}goes on"]


def test_headings_and_table_rows_stand_alone() -> None:
    text = "intro text\n# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |\nafter"
    assert sentences(text) == [
        "intro text",
        "# Heading",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |\nafter",
    ]


def test_no_sentence_border_lies_inside_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def inside_words(language: str, text: str) -> list[dict[str, int]]:
        return [{"start_index": 1, "end_index": 5}, {"start_index": 5, "end_index": 7}]

    monkeypatch.setattr(module.sentencex, "get_sentence_boundaries", inside_words)
    assert sentences("ab  cd  e") == ["ab  cd", "e"]  # 1 and 5 are inside, 7 is not


@pytest.mark.parametrize(
    "blank", ["\u2028", "\u3000", "\xa0", "\u2009", "\x85", "\u202f", "\u205f", "\u1680"]
)
def test_an_initial_after_a_wide_space_does_not_kill_the_library(
    blank: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "".join(sentences(f"x{blank}A. b")).startswith("x")
    assert sentences(f"A{blank}.")
    assert capfd.readouterr().err == ""


def test_a_panic_of_the_library_leaves_the_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        pass

    def panic(language: str, text: str) -> Iterator[dict[str, int]]:
        raise PanicException

    monkeypatch.setattr(module.sentencex, "get_sentence_boundaries", panic)
    assert sentences("One. Two.\n\nThree.") == ["One. Two.", "Three."]


def test_an_interrupt_is_not_taken_for_a_panic(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(language: str, text: str) -> Iterator[dict[str, int]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(module.sentencex, "get_sentence_boundaries", interrupt)
    with pytest.raises(KeyboardInterrupt):
        sentences("One.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("plain", "en"),
        ("naïve café", "en"),
        ("12 🙂", "en"),
        ("数据系统", "zh"),
        ("日本語の文章", "ja"),
        ("한국어", "ko"),
        ("по-русски GPU", "ru"),
        ("ελληνικά", "el"),
        ("العربية", "ar"),
        ("हिन्दी", "hi"),
        ("ภาษาไทย", "th"),
    ],
)
def test_the_script_tells_the_language(text: str, language: str) -> None:
    assert guess_language(text) == language
