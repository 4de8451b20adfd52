"""One row of questions against the pages: which pages it means, and where its quotes stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from sweep.corpus.asked.page_names import PageFinder
from sweep.corpus.asked.quotes import Located, Page, Quote
from sweep.corpus.asked.rows import AskedRow, split_pages
from sweep.records import Document
from sweep.text_lines import shorten

SHOWN_PAGES = 3
NEAR_PASSAGE = 60  # of 100: what resembles a quote less is no candidate


@dataclass(frozen=True, slots=True)
class Problem:
    """Why something of a row was not resolved, and what comes nearest."""

    why: str
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A quote that does not stand in its page to the character, and what stands there.

    Attributes:
        slips: characters that differ; 0 where only case, blanks or marks do.
    """

    quote: str
    page: str
    text: str
    slips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What a row means.

    Attributes:
        pages: the ids of its pages, each once.
        places: (page, start, end) of its quotes, in code points of the page's text.
        problems: what was not resolved.
        wordings: the quotes that do not stand in their page to the character.
        by_quote: whether a page was found by the quote.
    """

    pages: tuple[str, ...]
    places: tuple[tuple[str, int, int], ...] = ()
    problems: tuple[Problem, ...] = ()
    wordings: tuple[Wording, ...] = ()
    by_quote: bool = False

    @property
    def outcome(self) -> str:
        """Return how it was resolved, in the words of `resolve.OUTCOMES`."""
        if not self.places:
            return "page only"
        return "by quote" if self.by_quote else "tolerant" if self.wordings else "exact"


class PageLabels:
    """Matches rows with pages; what it makes of a page is made once."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._finder = PageFinder(documents)
        self._pages = {document.id: Page(document.text) for document in documents}

    def match(self, row: AskedRow) -> Matched:
        """Return what a row means; what cannot be told is a problem, never a guess."""
        pages: dict[str, None] = {}
        problems: list[Problem] = []
        unclear: dict[str, None] = {}  # pages that fit a name which fits several
        for cell in row.pages:
            whole = self._finder.find(cell)
            for name in (cell,) if whole.id is not None else split_pages(cell):
                ids = whole.ids if name == cell else self._finder.find(name).ids
                if len(ids) == 1:
                    pages[ids[0]] = None
                elif ids:
                    unclear |= dict.fromkeys(ids)
                    problems.append(Problem(_several(name, ids), ids))
                else:
                    problems.append(self._unknown(name, row.quotes))
        quotes = [Quote(text) for text in row.quotes]
        if not pages and quotes and (not row.pages or unclear):
            return self._by_quote(quotes, list(unclear) or list(self._pages), problems)
        if not pages and not problems:
            problems.append(Problem("names no page and quotes nothing"))
        if not pages:
            return Matched(pages=(), problems=tuple(problems))
        return self._with_quotes(list(pages), quotes, problems)

    def _with_quotes(
        self, pages: Sequence[str], quotes: Sequence[Quote], problems: list[Problem]
    ) -> Matched:
        """Return the places of quotes in the pages that a row names."""
        places: list[tuple[str, int, int]] = []
        wordings: list[Wording] = []
        for quote in quotes:
            found = self._best(quote, pages, slips=True)
            several = [page for page, located in found if len(located.places) > 1]
            for page, located in found:
                if page not in several:
                    places.append((page, *located.places[0]))
                    wordings += self._wording(quote, page, located)
            if several:
                count = next(len(one.places) for page, one in found if page == several[0])
                why = f"quotes {shorten(quote.text)}, which fits {count} places of {several[0]}"
                problems.append(Problem(f"{why} equally well", tuple(several)))
            elif not found:
                problems.append(self._absent(quote, pages))
        return Matched(
            pages=tuple(pages),
            places=tuple(places),
            problems=tuple(problems),
            wordings=tuple(wordings),
        )

    def _by_quote(
        self, quotes: Sequence[Quote], among: Sequence[str], problems: list[Problem]
    ) -> Matched:
        """Return the one page that holds a row's quotes, each once."""
        places: list[tuple[str, int, int]] = []
        wordings: list[Wording] = []
        for quote in quotes:
            found = self._anywhere(quote, among)
            if len(found) != 1 or len(found[0][1].places) != 1:
                where = [page for page, _ in found][:SHOWN_PAGES]
                count = sum(len(located.places) for _, located in found)
                what = f"fits {count} places equally well" if found else "stands in no page"
                named = "" if problems else "names no page, and "
                why = f"{named}quotes {shorten(quote.text)}, which {what}"
                if not found:
                    return Matched(pages=(), problems=(*problems, self._absent(quote, (), why)))
                return Matched(pages=(), problems=(*problems, Problem(why, tuple(where))))
            page, located = found[0]
            places.append((page, *located.places[0]))
            wordings += self._wording(quote, page, located)
        pages = tuple(dict.fromkeys(page for page, _, _ in places))
        return Matched(pages=pages, places=tuple(places), wordings=tuple(wordings), by_quote=True)

    def _wording(self, quote: Quote, page: str, located: Located) -> list[Wording]:
        """Return how a page words a quote, nothing where it does so to the character."""
        if located.how == "exact":
            return []
        text = self._pages[page].text[slice(*located.places[0])]
        return [Wording(quote=quote.text, page=page, text=text, slips=located.edits)]

    def _anywhere(self, quote: Quote, among: Sequence[str]) -> list[tuple[str, Located]]:
        return self._best(quote, among, slips=False) or self._best(quote, among, slips=True)

    def _best(
        self, quote: Quote, pages: Iterable[str], *, slips: bool
    ) -> list[tuple[str, Located]]:
        """Return the pages where a quote stands best, with its places there."""
        found = [(page, quote.locate(self._pages[page], slips=slips)) for page in pages]
        found = [(page, located) for page, located in found if located.places]
        best = min((located.rank for _, located in found), default=None)
        return [(page, located) for page, located in found if located.rank == best]

    def _unknown(self, name: str, quotes: Sequence[str]) -> Problem:
        """Return that no page fits a name, with the pages that resemble it or hold the quote."""
        holding = [
            page
            for text in quotes
            for page, _ in self._best(Quote(text), self._pages, slips=False)
        ]
        nearest = dict.fromkeys([*holding[:SHOWN_PAGES], *self._finder.nearest(name)])
        return Problem(f"names the page {shorten(name)}, which is not there", tuple(nearest))

    def _absent(self, quote: Quote, pages: Sequence[str], why: str = "") -> Problem:
        """Return that a quote stands in none of the pages, with what comes nearest."""
        elsewhere = [page for page, _ in self._best(quote, self._pages, slips=False)]
        nearest = [text for page in pages if (text := self._nearest_passage(quote, page))]
        why = why or f"quotes {shorten(quote.text)}, which does not stand in {', '.join(pages)}"
        return Problem(why, (*elsewhere[:SHOWN_PAGES], *nearest[:SHOWN_PAGES]))

    def _nearest_passage(self, quote: Quote, page: str) -> str | None:
        """Return the passage of a page that resembles a quote most, with the page's id."""
        plain = self._pages[page].plain
        found = fuzz.partial_ratio_alignment(quote.plain, plain.text, score_cutoff=NEAR_PASSAGE)
        if found is None or found.dest_start >= found.dest_end:
            return None
        start, end = plain.origin(found.dest_start, found.dest_end)
        return f"{page}: {' '.join(self._pages[page].text[start:end].split())}"


def _several(name: str, ids: Sequence[str]) -> str:
    return f"names the page {shorten(name)}, which fits {len(ids)} pages"
