"""Terms of texts in several scripts, checked by eye."""

import re
import unicodedata

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import IndexingError
from sweep.index.analyzer import (
    STOP_LISTS,
    analyze,
    analyzer_key,
    analyzer_names,
    make_analyzer,
)
from sweep.index.segmenters import DICTIONARIES
from sweep.index.stop_lists import FUNCTION_WORDS


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("   ...! \u2014 \U0001f600", []),
        ("Windy, in LONDON?", ["windy", "in", "london"]),
        ("don't l'eau", ["don", "t", "l", "eau"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("ﬁne ＡＢＣ１２", ["fine", "abc12"]),
        ("co\u00adop a\u200bb", ["coop", "a", "b"]),
        ("cafe\u0301", ["café"]),
        ("हिन्दी में कि", ["हिन्दी", "में", "कि"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("混合检索", ["混合", "合检", "检索"]),
        ("茶", ["茶"]),
        ("iPhone手机 5个", ["iphone", "手机", "5", "个"]),
        ("私は学生です", ["私", "は", "学生", "です"]),
        ("ラーメン", ["ラー", "ーメ", "メン"]),
        ("ภาษาไทย", ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย"]),
        ("ที่นี่", ["ที่นี่"]),  # two clusters, one pair
        ("naïve_x 检索", ["naïve", "x", "naïve_x", "检索"]),
    ],
)
def test_terms_of_auto(text: str, terms: list[str]) -> None:
    assert analyze(text, analyzer="auto") == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("LRD-2207", ["lrd", "2207", "lrd-2207"]),
        ("LRD\u20112207.", ["lrd", "2207", "lrd-2207"]),  # the non-breaking hyphen
        ("see 7.4.2, now", ["see", "7", "4", "2", "7.4.2", "now"]),
        ("F-118", ["f", "118", "f-118"]),
        ("snake_case __init__", ["snake", "case", "snake_case", "init"]),
        ("état-3", ["état", "3", "état-3"]),
        ("and/or state-of-the-art e.g.", ["and", "or", "state", "of", "the", "art", "e", "g"]),
    ],
)
def test_identifiers_are_found_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert analyze(text, analyzer="auto") == terms


def test_language_drops_stop_words_then_stems() -> None:
    assert analyze("The cats are RUNNING in the gardens", analyzer="english") == [
        "cat",
        "run",
        "garden",
    ]
    assert analyze("Die Häuser und das Haus", analyzer="german") == ["haus", "haus"]
    assert analyze("混合检索 running", analyzer="english") == ["混合", "合检", "检索", "run"]


def test_content_words_are_no_stop_words() -> None:
    text = "system test computer information research group"
    assert len(analyze(text, analyzer="english")) == 6


def test_text_of_stop_words_alone_keeps_them() -> None:
    assert analyze("To be or not to be", analyzer="english") == [
        "to",
        "be",
        "or",
        "not",
        "to",
        "be",
    ]


@pytest.mark.parametrize("name", [name for name in analyzer_names() if name not in DICTIONARIES])
def test_every_analyzer_works(name: str) -> None:
    assert make_analyzer(name)("2207") == ["2207"]
    assert make_analyzer(f"{name}+identifiers")("AB-2207") == ["ab", "2207", "ab-2207"]


def test_every_language_has_one_list_of_stop_words() -> None:
    assert {*STOP_LISTS, *FUNCTION_WORDS} == set(Stemmer.algorithms())
    assert not STOP_LISTS.keys() & FUNCTION_WORDS.keys()


@pytest.mark.parametrize(
    ("language", "text", "terms"),
    [
        ("arabic", "هذا الكتاب في المكتبة", ["كتاب", "مكتب"]),
        ("czech", "dům je na kopci", ["dům", "kopk"]),
        ("finnish", "talo on mäellä ja se on suuri", ["talo", "mäel", "suuri"]),
        ("greek", "Το σπίτι είναι στο βουνό", ["σπιτ", "βουν"]),
        ("hindi", "यह किताब मेज पर है", ["किताब", "मेज"]),
        ("hungarian", "a ház nem a hegyen van", ["ház", "hegy"]),
        ("indonesian", "rumah itu di atas bukit", ["rumah", "atas", "bukit"]),
        ("polish", "dom jest na wzgórzu", ["dom", "wzgórz"]),
        ("romanian", "Casa este și ea pe deal", ["cas", "deal"]),
        ("romanian", "Casa este şi ea pe deal", ["cas", "deal"]),  # the older letter
        ("serbian", "Кућа је на брду", ["kuć", "brd"]),
        ("serbian", "Kuća je na brdu", ["kuć", "brd"]),
        ("tamil", "இந்த புத்தகம் மற்றும் அந்த வீடு", ["புத்தகம்", "வீடு"]),
        ("yiddish", "דאָס הויז איז אויף דעם באַרג", ["\u05d4\u05f1\u05d6", "בארג"]),
    ],
)
def test_languages_drop_their_function_words(language: str, text: str, terms: list[str]) -> None:
    assert analyze(text, analyzer=language) == terms


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("English", "Write 'english'."),
        ("english+ids", r"Write 'english\+identifiers'\."),
        ("sudachi", "Write 'sudachipy'."),
        ("xq", "Known: auto, arabic, .* kiwipiepy; each also with \\+identifiers."),
    ],
)
def test_unknown_analyzer_names_the_nearest(name: str, advice: str) -> None:
    with pytest.raises(IndexingError) as caught:
        make_analyzer(name)
    assert f"bm25.analyzer: must be a known analyzer, got {name!r}." in str(caught.value)
    assert re.search(advice, str(caught.value))


def test_key_holds_what_the_name_does_not_say() -> None:
    assert (
        analyzer_key("auto") == analyzer_key("english") == analyzer_key("auto+identifiers") == ()
    )
    assert analyzer_key("polish") != analyzer_key("czech")
    assert analyzer_key("polish") == analyzer_key("polish+identifiers")
    assert [part.partition("=")[0] for part in analyzer_key("sudachipy")] == [
        "sudachipy",
        "sudachidict-core",
    ]


@given(st.text())
def test_form_of_unicode_and_case_do_not_matter(text: str) -> None:
    terms = analyze(text, analyzer="auto")
    assert all(terms)
    for form in ("NFC", "NFD", "NFKC"):
        assert analyze(unicodedata.normalize(form, text), analyzer="auto") == terms
    assert analyze(text.casefold(), analyzer="auto") == terms


@given(st.lists(st.from_regex(r"[a-zA-Zäé0-9]{1,4}([-._/][a-z0-9é]{1,3}){0,2}", fullmatch=True)))
def test_an_unspaced_script_elsewhere_changes_no_word(words: list[str]) -> None:
    alone = analyze(" ".join(words), analyzer="auto")
    assert analyze(" ".join([*words, "茶"]), analyzer="auto") == [*alone, "茶"]
