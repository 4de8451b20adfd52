"""Where a quote stands: exactly, as it reads, with slips, or in several places."""

from pathlib import Path

import pytest

from sweep.corpus.asked.plain_text import to_plain_text
from sweep.corpus.asked.quotes import Located, Page, Quote
from sweep.corpus.asked.read import read_asked

TEXT = (
    "You get **25 days** of leave \u2014 plus \u201cbank\u00a0holidays\u201d \u2014 a year. Ask "
    "[your manager](people/mgr.md) first.\n\n- one item\n- Stra\u00dfe and \ufb01ne cafe\u0301 "
    "text\n\nYou get 12 days of sick leave, and 125 days of nothing at all."
)


def locate(quote: str, text: str = TEXT) -> tuple[list[str], Located]:
    located = Quote(quote).locate(Page(text))
    return [text[start:end] for start, end in located.places], located


@pytest.mark.parametrize(
    ("quote", "found", "how", "edits"),
    [
        ("12 days of sick leave", "12 days of sick leave", "exact", 0),
        ("\u201c12 days of sick leave\u201d", "12 days of sick leave", "exact", 0),
        (
            'you get 25 days of leave - plus "bank holidays" - a year',
            TEXT[: TEXT.index(". Ask")],
            "tolerant",
            0,
        ),
        ("ask your manager first", "Ask [your manager](people/mgr.md) first", "tolerant", 0),
        (
            "one item strasse and fine caf\u00e9",
            "one item\n- Stra\u00dfe and \ufb01ne cafe\u0301",
            "tolerant",
            0,
        ),
        ("12  days\nof sick\u00adleave", "12 days of sick leave", "tolerant", 1),
        ("You got 12 days of sick leve", "You get 12 days of sick leave", "tolerant", 2),
    ],
    ids=["exact", "in quotes", "marks", "link", "letters", "soft hyphen", "typing slips"],
)
def test_a_quote_is_found_at_its_place(quote: str, found: str, how: str, edits: int) -> None:
    texts, located = locate(quote)
    assert (texts, located.how, located.edits) == ([found], how, edits)


@pytest.mark.parametrize(
    "quote",
    ["nothing like it is here", "12 dogs of sack love", "dais", "", " \u201d "],
    ids=["absent", "too many slips", "too short for a slip", "empty", "marks only"],
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert locate(quote)[1] == Located()


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("The link expires after 24 hours.", "The link expires after 12 hours."),
        ("The annual fee is \u00a399 for members", "The annual fee is \u00a332 for members"),
        ("The version is 1.5 of the manual", "The version is 15 of the manual"),
        ("You may carry over five days a year", "You may carry over nine days a year"),
        ("You get 25 days of leave a year, agreed", "You get days of leave a year, agreed"),
    ],
    ids=["hours", "pounds", "decimal point", "in words", "left out"],
)
def test_another_number_is_no_slip(quote: str, text: str) -> None:
    assert locate(quote, text)[1] == Located()


def test_the_same_number_beside_a_slip_is_found_and_the_other_is_not() -> None:
    text = "The link expires after 24 hours. The link expires aftre 12 hours."
    texts, located = locate("The link expires after 12 hours.", text)
    assert (texts, located.edits) == (["The link expires aftre 12 hours."], 2)


def test_a_quote_in_several_places_has_them_all() -> None:
    assert locate("You get")[0] == ["You get", "You get"]
    twice = "The desk opens at eight. Then: The desk opens at eight."
    assert locate("the desk opens at eight", twice)[1].places == ((0, 23), (31, 54))
    assert len(locate("The desk opens at eigt", twice)[1].places) == 2


def test_the_place_with_fewer_slips_wins() -> None:
    text = "The desk openz at eigth daily. The desk opens at eigth daily."
    texts, located = locate("The desk opens at eight daily", text)
    assert (texts, located.edits) == (["The desk opens at eigth daily"], 2)


def test_words_are_not_cut_where_a_whole_one_is_there() -> None:
    assert locate("25 days of")[1].places == ((10, 22),)  # not in 125 days, though exactly there
    assert locate("5 days", "125 days, then 5 days")[1].places == ((15, 21),)
    assert locate("\u6771\u4eac", "\u5927\u6771\u4eac\u90fd")[0] == ["\u6771\u4eac"]


def test_ten_characters_allow_one_slip_and_no_more() -> None:
    assert Quote("abcdefghi").most_edits == 0
    assert Quote("abcdefghij").most_edits == 1
    assert Quote("x" * 1000).most_edits == 20


def test_every_compared_character_knows_where_it_came_from() -> None:
    plain = to_plain_text(TEXT)
    for number, character in enumerate(plain.text):
        start, end = plain.origin(number, number + 1)
        assert 0 <= start < end <= len(TEXT)
        if character.isascii() and character.isalnum() and TEXT[start].isascii():
            assert TEXT[start].lower() == character


def test_quotes_are_located_in_pages_without_repeated_lines(tmp_path: Path) -> None:
    for n in range(6):
        page = tmp_path / "pages" / f"p{n}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"Home | Help\n\nRule {n} holds.\nHome | Help\nMore on {n}.\n")
    (tmp_path / "q.csv").write_text("Question,Page,Quote\nwhat?,p3,Rule 3 holds.\n")
    for drop, text in ((False, None), (True, "Rule 3 holds.\nMore on 3.")):
        corpus = read_asked(
            tmp_path / "pages", tmp_path / "q.csv", name="x", drop_repeated=drop
        ).corpus
        (span,) = corpus.spans
        held = {d.id: d.text for d in corpus.documents}[span.document_id]
        assert held[span.start : span.end] == "Rule 3 holds."
        assert text is None or held == text
