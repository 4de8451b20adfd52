"""A quote cut from a page is found at its place, however it was copied."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.corpus.asked.plain_text import to_plain_text
from sweep.corpus.asked.quotes import MOST_EDITS, ONE_EDIT_IN, Page, Quote

WORDS = [
    *"The desk opens at eight and \u201cnobody\u201d waits \u2014 not even \u2018us\u2019".split(),
    *"caf\u00e9 na\u00efve Stra\u00dfe 25 days **bold** `code` d\u2019accord x-ray 3.5".split(),
]
BLANKS = [" ", "  ", "\n", "\u00a0", " \t"]
SWAPS = {"\u201c": '"', "\u201d": '"', "\u2014": "-", "\u2019": "'", "\u2018": "'", "-": "\u2013"}


def retyped(text: str, draw: random.Random) -> str:
    """Return a text as somebody may have copied it: other blanks, case, marks."""
    words = text.split()
    joined = "".join(word + draw.choice(BLANKS) for word in words).strip()
    letters = [SWAPS.get(c, c) if draw.random() < 0.5 else c for c in joined]
    return "".join(c.upper() if c.isascii() and draw.random() < 0.2 else c for c in letters)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(3, 25))
def test_a_retyped_quote_is_found_at_its_place(seed: int, length: int) -> None:
    draw = random.Random(seed)
    words = [f"{draw.choice(WORDS)}{number}" for number in range(60)]  # numbered: no two alike
    start = draw.randrange(len(words) - length)
    page = " ".join(words)
    begin = len(" ".join(words[:start])) + bool(start)
    end = begin + len(" ".join(words[start : start + length]))
    located = Quote(retyped(page[begin:end], draw)).locate(Page(page))
    ((first, last),) = located.places
    assert located.edits == 0
    found, cut = (
        to_plain_text(text).text.strip("'") for text in (page[first:last], page[begin:end])
    )
    assert found == cut  # quotation marks around a quote are no part of it
    assert page[first:last].strip("*`") in page[begin:end]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9), st.integers(4, 20))
def test_slips_within_the_bound_are_found_and_counted(seed: int, length: int) -> None:
    draw = random.Random(seed)
    words = ["".join(draw.choice("abcdefgh") for _ in range(7)) for _ in range(80)]
    start = draw.randrange(len(words) - length)
    quote = " ".join(words[start : start + length])
    begin = len(" ".join(words[:start])) + bool(start)
    letters = list(quote)
    slips = draw.randint(1, min(MOST_EDITS, len(quote) // ONE_EDIT_IN))
    for place in draw.sample([n for n, c in enumerate(quote) if c != " "], slips):
        letters[place] = "z"
    located = Quote("".join(letters)).locate(Page(" ".join(words)))
    assert located.edits == slips
    assert (begin, begin + len(quote)) in located.places


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=12))
def test_any_text_is_searched_without_a_fault(page: str, quote: str) -> None:
    located = Quote(quote).locate(Page(page))
    assert all(0 <= start < end <= len(page) for start, end in located.places)
