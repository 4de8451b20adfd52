"""A quick look: what a search on a reduced corpus and its finalists say less than they seem to.

Every sentence about it is made here, so that the closing message, reports, notes and JSON agree.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sweep.text_lines import counted
from sweep.winner.markdown import markdown_table, markdown_text
from sweep.winner.rounding import compact

MARK = "SCOPE "  # of the lines in a closing message
FLATTERED = "every score on a sample of the documents is flattered"  # why none is honest
SHOWN = 6  # finalists in a closing message; a report has all of them
WIDTH = 104  # of those lines, without the mark


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalistScores:
    """A finalist's score on the sample, and on the whole corpus.

    Attributes:
        trial: its number in the study over the whole corpus.
        searched_as: its number in the search.
        label: of the configuration.
        sample: the first objective on the sample.
        whole: the same on all documents.
    """

    trial: int
    searched_as: int
    label: str
    sample: float
    whole: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How far the sample put finalists in the order that the whole corpus puts them in.

    Attributes:
        pairs: of finalists.
        kept: pairs in the same order.
        changed: pairs in the opposite order; the others are equal on one side at least.
    """

    pairs: int
    kept: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuickLook:
    """What a study has to do with a quick look.

    Attributes:
        documents: that the search ran on.
        of: documents of the whole corpus.
        judged: documents with a label; all of them are among `documents`.
        search: name of the study that searched on the sample.
        is_search_deleted: whether that study is recorded no longer.
        whole: name of the study over the whole corpus.
        configurations: that the search has finished; 0 where this study is the search.
        finalists: that were picked by the search for this study; 0 where it is the search.
        infeasible: of them, those that violate a constraint on all documents.
        confirm: whether queries are kept to confirm with.
        objectives: metric names; `places` are of the first.
        maximize: whether more of the first objective is better.
        places: feasible finalists on both, best first on the whole corpus.
    """

    documents: int
    of: int
    judged: int
    search: str
    whole: str
    is_search_deleted: bool = False
    configurations: int = 0
    finalists: int = 0
    infeasible: int = 0
    confirm: bool = False
    objectives: tuple[str, ...] = ()
    maximize: bool = True
    places: tuple[FinalistScores, ...] = ()

    @property
    def is_search(self) -> bool:
        """Return whether the study itself was run on the sample."""
        return not self.finalists

    @property
    def extent(self) -> str:
        """Return `20,000 of 171,332 documents`."""
        return f"{self.documents:,} of {self.of:,} documents"

    @property
    def headline(self) -> str:
        """Return in one sentence what must be known wherever a score of the study stands."""
        if self.is_search:
            return (
                f"searched on {self.extent} (all {self.judged:,} judged ones kept): every score "
                f"is flattered"
            )
        searched = counted(self.configurations, "configuration")
        missed, gone = "", ", deleted since" if self.is_search_deleted else ""
        if self.infeasible:
            verb = "violates" if self.infeasible == 1 else "violate"
            missed = f"; {self.infeasible:,} of them {verb} a constraint on all documents"
        return (
            f"{counted(self.finalists, 'finalist')} of {searched} that were searched on "
            f"{self.extent} ({self.search}{gone}){missed}"
        )

    @property
    def tried_text(self) -> str:
        """Return how many of the searched configurations have been finalists."""
        return (
            f"the search on {self.extent} tried {counted(self.configurations, 'configuration')}, "
            f"of which {self.finalists:,} became finalists on all documents"
        )

    def sentences(self) -> tuple[str, ...]:
        """Return the headline, and then what it means."""
        told = (self.headline, *(self._of_search() if self.is_search else self._of_finals()))
        return tuple(f"{text[:1].upper()}{text[1:]}." for text in told)

    def _of_search(self) -> tuple[str, ...]:
        return (
            "there are fewer wrong documents to find, and index size, work and latency are those "
            "of a smaller index, so that constraints on them are easier to keep",
            f"nothing is decided here: the finalists on all documents decide, in the study "
            f"{self.whole}",
        )

    def _of_finals(self) -> tuple[str, ...]:
        picked = (
            "the finalists were picked with the same queries, and no figure covers the luck of "
            "that pick"
        )
        if self.confirm:
            picked = (
                "the finalists were picked on the queries that choose; the confirm set took no "
                "part in it, so that the score on it covers that pick"
            )
        elif len(self.objectives) < 2:
            picked += "; `split: {confirm: 0.3}` keeps queries that do"
        told = (
            f"{picked}. Tests and bounds allow for the {counted(self.finalists, 'finalist')}, not "
            f"for {counted(self.configurations, 'configuration')}; one that the sample "
            f"undervalues is not among them"
        )
        return (told, *([self.order_text] if self.order.pairs else []))

    @property
    def next_text(self) -> str:
        """Return what comes after a search."""
        return f"the same `sweep run` evaluates the finalists on all documents, as {self.whole}"

    @property
    def order(self) -> Order:
        """Return how far the order on the sample is that on the whole corpus."""
        pairs = list(combinations(self.places, 2))
        both = [(_sign(a.sample, b.sample), _sign(a.whole, b.whole)) for a, b in pairs]
        return Order(
            pairs=len(pairs),
            kept=sum(sample * whole > 0 for sample, whole in both),
            changed=sum(sample * whole < 0 for sample, whole in both),
        )

    @property
    def order_text(self) -> str:
        """Return how far the order agrees, as a sentence without its end."""
        found = self.order
        equal = found.pairs - found.kept - found.changed
        tail = f", {found.changed:,} changed it"
        tail += f", {equal:,} scored the same on one of both" if equal else ""
        first = self.places[0]
        return (
            f"of {counted(found.pairs, 'pair')} of finalists {found.kept:,} kept their order by "
            f"{self.objectives[0]} from the sample to all documents{tail}; #{first.trial}, the "
            f"best of them on all documents, was {self._rank(first)} on the sample"
        )

    def _rank(self, place: FinalistScores) -> str:
        """Return a finalist's place on the sample."""
        better = sum(
            other.sample > place.sample if self.maximize else other.sample < place.sample
            for other in self.places
        )
        return f"number {better + 1}"

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return header and rows of the finalists on the sample and on all documents."""
        header = ("#", "configuration", "on the sample", "on all documents", "in the search")
        rows: list[tuple[str, ...]] = [
            (
                f"{place.trial}",
                place.label,
                compact(place.sample),
                compact(place.whole),
                f"#{place.searched_as}",
            )
            for place in self.places
        ]
        return header, rows

    def lines(self) -> list[str]:
        """Return the lines of a closing message."""
        indent = " " * len(MARK)
        lines = [
            line
            for text in self.sentences()
            for line in textwrap.wrap(text, WIDTH, break_on_hyphens=False, break_long_words=False)
        ]
        for place in self.places[:SHOWN]:
            change = f"{compact(place.sample)} -> {compact(place.whole)}"
            lines.append(f"{change:<14} #{place.trial}  {place.label}")
        if len(self.places) > SHOWN:
            lines.append(f"and {len(self.places) - SHOWN} more: sweep report {self.whole}")
        return [f"{MARK if row == 0 else indent}{line}" for row, line in enumerate(lines)]

    def markdown(self) -> str:
        """Return the same as Markdown, with the table of finalists."""
        text = f"**Quick look**: {' '.join(self.sentences())}"
        if not self.places:
            return text
        header, rows = self.table()
        cells = [[markdown_text(cell) for cell in row] for row in rows]
        return f"{text}\n\n{markdown_table(header, cells)}"

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form, the sentences with it."""
        found: dict[str, Any] = {
            "documents": self.documents,
            "of": self.of,
            "judged": self.judged,
            "search": self.search,
            "whole": self.whole,
            "text": " ".join(self.sentences()),
        }
        if self.is_search:
            return found
        order = self.order
        return found | {
            "configurations": self.configurations,
            "finalists": [
                {
                    "number": place.trial,
                    "searched_as": place.searched_as,
                    "sample": place.sample,
                    "whole": place.whole,
                }
                for place in self.places
            ],
            "order": {"pairs": order.pairs, "kept": order.kept, "changed": order.changed},
        }


def _sign(a: float, b: float) -> int:
    return (a > b) - (a < b)


def trial_scope(facts: Mapping[str, int]) -> str:
    """Return what must be known of one trial of a search, by what it remembers of the sample."""
    extent = f"{facts['documents']:,} of {facts['of']:,} documents"
    return f"Measured on {extent}: every score is flattered"


def best_first(places: Sequence[FinalistScores], *, maximize: bool) -> tuple[FinalistScores, ...]:
    """Return finalists by their score on all documents, equal ones by number."""
    sign = -1.0 if maximize else 1.0
    return tuple(sorted(places, key=lambda place: (sign * place.whole, place.trial)))


def is_searched_only(sample: QuickLook | None) -> bool:
    """Return whether scores are those of a search on a sample: nothing is decided by them."""
    return sample is not None and sample.is_search
