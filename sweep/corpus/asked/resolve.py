"""From rows of questions to queries with judgements and answer spans; what cannot be is told."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sweep.corpus.asked.matching import Matched, PageLabels, Problem, Wording
from sweep.corpus.asked.rows import AskedRow, holds_cut
from sweep.corpus.found import Found, Judgement, Place
from sweep.records import Document, Notice, Query, Span
from sweep.text_lines import shorten

SHOWN = 8  # rows that a notice names
OUTCOMES = ("exact", "tolerant", "by quote", "page only", "not resolved")


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A row of which something could not be resolved.

    Attributes:
        row: as it was read.
        why: each reason as a clause.
        candidates: the nearest pages or passages, best first.
        kept: what of the row is in the corpus all the same, "" for nothing.
        outcome: as which of `OUTCOMES` the row is counted.
    """

    row: AskedRow
    why: str
    candidates: tuple[str, ...]
    kept: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Tolerated:
    """A row that quotes its page with another wording than the page's own."""

    row: AskedRow
    wording: Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """What rows of questions became.

    Attributes:
        findings: queries, judgements and spans, each with its place.
        unresolved: rows of which something is missing.
        outcomes: rows by `OUTCOMES`: their quote stands in the page to the character; as it
            reads or with slips; the page itself was found by the quote; they have no quote, or it
            was not found; nothing was resolved.
        tolerated: quotes whose wording is not the page's, in the rows' order.
        notices: what should be known.
    """

    findings: tuple[Found, ...]
    unresolved: tuple[Unresolved, ...]
    outcomes: dict[str, int]
    tolerated: tuple[Tolerated, ...]
    notices: tuple[Notice, ...]


@dataclass(slots=True)
class _Asked:
    """One question, joined from its rows."""

    id: str
    row: AskedRow
    grades: dict[str, int] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    spans: dict[tuple[str, int, int], tuple[Place, int]] = field(default_factory=dict)


class _Resolver:
    """Joins rows to questions, in the order of the rows."""

    def __init__(self, documents: Sequence[Document], rows: Sequence[AskedRow]) -> None:
        self._labels = PageLabels(documents)
        self._asked: dict[str, _Asked] = {}  # by the question's words
        self._ids: dict[str, _Asked] = {}
        self._taken = {row.id for row in rows if row.id}
        self.unresolved: list[Unresolved] = []
        self.outcomes: Counter[str] = Counter()
        self.merged: list[str] = []
        self.by_quote: list[str] = []
        self.tolerated: list[Tolerated] = []

    def add(self, row: AskedRow) -> None:
        """Add a row, or say why not."""
        if fault := self._fault(row):
            self._leave(row, [Problem(fault)], "not resolved", "")
            return
        matched = self._labels.match(row)
        if not matched.pages:
            self._leave(row, matched.problems, "not resolved", "")
            return
        asked = self._question(row)
        problems = [*matched.problems, *self._join(asked, row, matched)]
        if matched.by_quote:
            self.by_quote.append(row.place.at)
        self.tolerated += [Tolerated(row, wording) for wording in matched.wordings]
        outcome = matched.outcome
        if not problems:
            self.outcomes[outcome] += 1
            return
        pages = ", ".join(matched.pages)
        kept = f"page {pages}" + (" with its passage" if matched.places else "")
        self._leave(row, problems, outcome, kept)

    def findings(self) -> Iterator[Found]:
        """Yield what the questions say, in the order in which they were first asked."""
        for asked in self._asked.values():
            row = asked.row
            yield Found(row.place, Query(id=asked.id, text=row.question, metadata=row.metadata))
            for page, grade in asked.grades.items():
                yield Found(asked.places[page], Judgement(asked.id, page, grade))
            for (page, start, end), (place, grade) in asked.spans.items():
                span = Span(query_id=asked.id, document_id=page, start=start, end=end, grade=grade)
                yield Found(place, span)

    def _fault(self, row: AskedRow) -> str | None:
        if not row.question:
            return "has no question"
        if row.grade is None:
            return (
                f"has the grade {shorten(row.grade_cell)}, which is no whole number (write for "
                "example 0, 1 or 2, or leave the cell empty for 1)"
            )
        if holds_cut(row.id):
            return "has an id with a tab or a line end"
        same_id = self._ids.get(row.id) if row.id else None
        if same_id is not None and _words(same_id.row.question) != _words(row.question):
            return f"has the id {shorten(row.id)} of another question ({same_id.row.place.at})"
        return None

    def _question(self, row: AskedRow) -> _Asked:
        asked = self._asked.get(_words(row.question))
        if asked is None:
            asked = _Asked(row.id or self._next_id(), row)
            self._asked[_words(row.question)] = asked
        else:
            self.merged.append(row.place.at)
        self._ids.setdefault(row.id or asked.id, asked)
        return asked

    def _next_id(self) -> str:
        number = len(self._asked) + 1
        while (id_ := f"q{number:03d}") in self._taken:
            number += 1
        self._taken.add(id_)
        return id_

    def _join(self, asked: _Asked, row: AskedRow, matched: Matched) -> list[Problem]:
        """Add what a row says to its question; return what contradicts an earlier row."""
        problems = []
        grade = row.grade if row.grade is not None else 1
        for page in matched.pages:
            known = asked.grades.setdefault(page, grade)
            asked.places.setdefault(page, row.place)
            if known != grade:
                first = asked.places[page].at
                problems.append(
                    Problem(f"gives {page} grade {grade}, after grade {known} in {first}")
                )
        for page, start, end in matched.places:
            if asked.grades[page] <= 0:
                continue  # it does not answer, whatever it quotes
            asked.spans.setdefault((page, start, end), (row.place, asked.grades[page]))
        return problems

    def _leave(self, row: AskedRow, problems: Sequence[Problem], outcome: str, kept: str) -> None:
        self.outcomes[outcome] += 1
        candidates = dict.fromkeys(one for problem in problems for one in problem.candidates)
        why = "; ".join(problem.why for problem in problems)
        self.unresolved.append(Unresolved(row, why, tuple(candidates), kept, outcome))


def resolve(rows: Iterable[AskedRow], documents: Sequence[Document], *, where: str) -> Resolved:
    """Resolve rows of questions against pages; nothing is guessed.

    Args:
        rows: in the table's order.
        documents: the pages; ids unique.
        where: what the rows were read from, for notices.
    """
    rows = list(rows)
    resolver = _Resolver(documents, rows)
    for row in rows:
        resolver.add(row)
    notices = [
        Notice(where=where, text=text)
        for text in (
            _told(resolver.merged, "asked before, joined with the earlier row"),
            _told(resolver.by_quote, "no page, or several that fit; found by the quote"),
        )
        if text
    ]
    return Resolved(
        findings=tuple(resolver.findings()),
        unresolved=tuple(resolver.unresolved),
        outcomes={name: resolver.outcomes[name] for name in OUTCOMES},
        tolerated=tuple(resolver.tolerated),
        notices=tuple(notices),
    )


def _told(places: Sequence[str], what: str) -> str:
    if not places:
        return ""
    shown = ", ".join(places[:SHOWN]) + (
        f" and {len(places) - SHOWN:,} more" * (len(places) > SHOWN)
    )
    return f"{what}: {len(places):,} of the rows ({shown})"


def _words(question: str) -> str:
    return " ".join(question.split())
