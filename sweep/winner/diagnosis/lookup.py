"""Which query of a corpus is meant: by its id, its text, or words of it."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from sweep.records import Query

CLOSE = 0.85  # ratio of equal characters from which a text is taken as a misspelt query
NEAR = 0.3  # share of common words, of all words of both, from which a query is worth a mention
MOST = 5  # queries that are named


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The queries that a text may mean.

    Attributes:
        how: by which rule; `none`: the text is not in the corpus.
        rows: positions of the queries, the nearest first; one = found, several = ambiguous. For
            `none` the nearest ones, which are others.
    """

    how: Literal["id", "text", "words", "spelling", "none"]
    rows: tuple[int, ...]

    @property
    def row(self) -> int | None:
        """Return the one query that is meant, None if there is none or several."""
        return self.rows[0] if self.how != "none" and len(self.rows) == 1 else None


def find_query(queries: Sequence[Query], text: str) -> Lookup:
    """Return which query is meant.

    In this order: its id; its text, but for case, punctuation and white space; the only query
    that has all words of the text (or, in scripts that may not space words, all of it as one
    stretch); the only one with nearly the same characters.

    Args:
        queries: of the corpus.
        text: not blank.
    """
    exact = tuple(row for row, query in enumerate(queries) if query.id == text)
    if exact:
        return Lookup(how="id", rows=exact)
    wanted = _words(text)
    known = [_words(query.text) for query in queries]
    if same := tuple(row for row, words in enumerate(known) if words == wanted and words):
        return Lookup(how="text", rows=same)
    by_likeness = _by_likeness(wanted, known)
    if holding := tuple(row for row in by_likeness if _holds(known[row], wanted)):
        return Lookup(how="words", rows=holding)
    line = " ".join(wanted)
    if close := tuple(row for row in by_likeness if _is_close(" ".join(known[row]), line)):
        return Lookup(how="spelling", rows=close)
    near = [row for row in by_likeness if _likeness(wanted, known[row]) >= NEAR]
    return Lookup(how="none", rows=tuple(near[:MOST]))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def _holds(query: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether all words are the query's; where words are not spaced, a stretch of it."""
    if not wanted or set(wanted) <= set(query):
        return bool(wanted)
    stretch = "".join(wanted)
    return not stretch.isascii() and len(stretch) > 1 and stretch in "".join(query)


def _by_likeness(wanted: Sequence[str], known: Sequence[Sequence[str]]) -> list[int]:
    return sorted(range(len(known)), key=lambda row: (-_likeness(wanted, known[row]), row))


def _likeness(wanted: Sequence[str], query: Sequence[str]) -> float:
    """Return the share of common words among all words of both."""
    one, other = set(wanted), set(query)
    return len(one & other) / max(1, len(one | other))


def _is_close(query: str, wanted: str) -> bool:
    matcher = SequenceMatcher(None, query, wanted, autojunk=False)
    if not wanted or matcher.real_quick_ratio() < CLOSE or matcher.quick_ratio() < CLOSE:
        return False
    return matcher.ratio() >= CLOSE
