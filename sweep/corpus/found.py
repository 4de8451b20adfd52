"""What a reader finds in a file, each piece with its place for messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sweep.records import Document, Notice, Query, Span

Role = Literal["documents", "queries", "qrels", "spans"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: a file and, in it, a line (`12`), a row or a path in JSON."""

    file: str
    at: str

    def __str__(self) -> str:
        """Return `file:at`."""
        return f"{self.file}:{self.at}"

    @property
    def name(self) -> str:
        """The file's last name."""
        return Path(self.file).name

    def seen_from(self, other: "Place") -> str:
        """Return how this place is named in a message about `other`."""
        if self.file != other.file:
            return str(self)
        return f"line {self.at}" if self.at.isdigit() else self.at


@dataclass(frozen=True, slots=True)
class Judgement:
    """The grade of a document for a query."""

    query_id: str
    document_id: str
    grade: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A text that answers a query and stands in a document: it becomes a span.

    Attributes:
        start: where it is said to stand (code points), None if that is not said.
    """

    query_id: str
    document_id: str
    text: str
    grade: int
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One piece and its place; `text` is what a line says that its span holds."""

    place: Place
    item: Document | Query | Judgement | Span | Answer
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnsRead:
    """Which columns of a table were read as which fields.

    Attributes:
        file: the table.
        role: what it was taken for.
        columns: column by field.
        given: the fields whose column the user named; the others were guessed.
        all_columns: every column it has.
    """

    file: str
    role: str
    columns: Mapping[str, str]
    given: frozenset[str]
    all_columns: tuple[str, ...]


Finding = Found | Notice | ColumnsRead


@dataclass(frozen=True, slots=True)
class Dropped:
    """A record that is not in the corpus: where it stands, what it is, and why."""

    place: Place
    id: str
    why: str

    def __str__(self) -> str:
        """Return `place: 'id' why`."""
        return f"{self.place}: {self.id!r} {self.why}"


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder to read; `role` says what is in it, None leaves that to be seen."""

    path: Path
    role: Role | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How sources are read.

    Attributes:
        columns: which column holds a field, by field (`{"text": "body"}`); others are guessed.
        encoding: of text files; None: what a byte order mark says, UTF-8 without one.
        qrels: which judgement file of a corpus folder to take.
        drop_repeated: take lines out of pages that stand on most of them.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    qrels: str | None = None
    drop_repeated: bool = False


KINDS: dict[type, str] = {
    Document: "documents",
    Query: "queries",
    Judgement: "judgements",
    Span: "spans",
    Answer: "answers",
}
