"""Where a quote stands in a page: exactly, then as it reads, then with small slips."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Levenshtein

from sweep.corpus.asked.plain_text import PlainText, to_plain_text

How = Literal["exact", "tolerant"]
ONE_EDIT_IN = 10  # characters of the quote, as it is compared
MOST_EDITS = 20
_MARKS = r"\s\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u2026"
_OUTER = re.compile(rf"^[{_MARKS}]+|[{_MARKS}]+$|^\.{{3}}|\.{{3}}$")
_DIGITS, _WORDS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
# a number in words is a fact as one in digits is: English, German, French, Spanish
_NUMBER_WORDS = frozenset(
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety "
    "hundred thousand million billion zwei drei vier fünf sechs sieben acht neun zehn elf zwölf "
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend deux trois "
    "quatre cinq sept huit neuf dix onze douze quinze vingt trente quarante cinquante soixante "
    "cent mille dos tres cuatro cinco seis siete ocho nueve diez once doce quince veinte treinta "
    "cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil".split()
)
_LONGEST_PART = 60  # characters: seeds of a long quote need not be longer to be rare


@dataclass(frozen=True, slots=True)
class Located:
    """The places of a quote that are equally good, none where it is not found.

    Attributes:
        places: (start, end) in code points of the page, in order.
        how: `exact`: character for character; `tolerant`: as it reads, or with slips.
        edits: characters that differ, once case, blanks, quotation marks, dashes and Markdown's
            marks are left out of account.
    """

    places: tuple[tuple[int, int], ...] = ()
    how: How = "exact"
    edits: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Return how good this is; smaller is better."""
        return (self.how != "exact", self.edits)


class Page:
    """A page's text in which quotes are looked for; what is compared is made once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain: PlainText | None = None

    @property
    def plain(self) -> PlainText:
        """Return the text as it is compared."""
        if self._plain is None:
            self._plain = to_plain_text(self.text)
        return self._plain


class Quote:
    """A text that somebody copied or typed from a page."""

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._inner = _OUTER.sub("", self.text).strip() or self.text  # without marks around it
        self.plain = to_plain_text(self._inner).text.strip()
        self.most_edits = min(MOST_EDITS, len(self.plain) // ONE_EDIT_IN)

    def locate(self, page: Page, *, slips: bool = True) -> Located:
        """Return where the quote stands in a page.

        Args:
            page: the page.
            slips: whether to look for it with edits too: at most one (a character put in, left out
                or replaced) in 10 characters of the quote, and 20. Another number is no slip.
        """
        if not any(map(str.isalnum, self.plain)):
            return Located()
        exact = _places(page.text, self.text) or _places(page.text, self._inner)
        if whole := [place for place in exact if _cuts_no_word(page.text, *place)]:
            return Located(tuple(whole), "exact")
        plain = page.plain
        alike = _places(plain.text, self.plain)
        whole = [place for place in alike if _cuts_no_word(plain.text, *place)]
        if exact and not whole:  # "25 days" is rather not that in "125 days"
            return Located(tuple(exact), "exact")
        if alike:
            return Located(tuple(plain.origin(*place) for place in whole or alike), "tolerant")
        if not slips or not self.most_edits:
            return Located()
        edits, places = _nearly(self.plain, plain.text, self.most_edits)
        if not places:
            return Located()
        return Located(tuple(plain.origin(*place) for place in places), "tolerant", edits)


def _places(text: str, part: str) -> list[tuple[int, int]]:
    return [(start, start + len(part)) for start in _starts(text, part)]


def _starts(text: str, part: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _cuts_no_word(text: str, start: int, end: int) -> bool:
    return _is_border(text, start) and _is_border(text, end)


def _is_border(text: str, place: int) -> bool:
    return not (0 < place < len(text) and text[place - 1].isalnum() and text[place].isalnum())


def _nearly(quote: str, text: str, most: int) -> tuple[int, list[tuple[int, int]]]:
    """Return the fewest edits, at most `most`, and the disjoint places with so many.

    Of `most` + 1 parts of a quote one stands unchanged wherever there are at most `most` edits;
    only there is anything compared. Places begin and end between words where they can.
    """
    found: list[tuple[int, int, int, int]] = []  # edits, difference in length, start, end
    best = most
    for low, high in _nominate(quote, text, most):
        for one in _compare(quote, text, low, high, best):
            best = min(best, one[0])
            found.append(one)
    places: list[tuple[int, int]] = []
    for edits, _, start, end in sorted(found):
        if edits == best and all(end <= s or e <= start for s, e in places):
            places.append((start, end))
    return best, sorted(places)


def _nominate(quote: str, text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield where the quote may begin: first and last place of each group."""
    count = most + 1
    borders = [len(quote) * number // count for number in range(count + 1)]
    guesses: set[int] = set()
    for begin, end in zip(borders, borders[1:], strict=False):
        part = quote[begin : min(end, begin + _LONGEST_PART)]
        guesses.update(start - begin for start in _starts(text, part))
    group: list[int] = []
    for guess in sorted(guesses):
        if group and guess - group[-1] > most:
            yield group[0] - most, group[-1] + most
            group = []
        group.append(guess)
    if group:
        yield group[0] - most, group[-1] + most


def _compare(
    quote: str, text: str, low: int, high: int, most: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield places that begin in [low, high] with few enough edits, never more than before."""
    limit = most
    for start in _borders(text, low, high):
        if text[start : start + 1] in (" ", ""):
            continue
        middle = start + len(quote)
        for end in _borders(text, max(start + 1, middle - most), middle + most):
            if text[end - 1] == " ":
                continue
            edits = Levenshtein.distance(quote, text[start:end], score_cutoff=limit)
            if edits <= limit and _same_numbers(quote, text[start:end]):
                limit = edits
                yield edits, abs(end - middle), start, end


def _same_numbers(one: str, other: str) -> bool:
    """Return whether two texts tell the same numbers: "12" for "24" is another fact.

    Digits must be equal. Of numbers in words only one that stands for another counts, since a word
    that only one of the texts has may be misspelt in the other.
    """
    if _DIGITS.findall(one) != _DIGITS.findall(other):
        return False
    words, others = (Counter(_WORDS.findall(text)) for text in (one, other))
    only_one, only_other = (words - others).keys(), (others - words).keys()
    return not (only_one & _NUMBER_WORDS and only_other & _NUMBER_WORDS)


def _borders(text: str, low: int, high: int) -> Iterable[int]:
    """Return the places in [low, high] between words, or all where there is none."""
    places = range(max(0, low), min(len(text), high) + 1)
    return [place for place in places if _is_border(text, place)] or places
