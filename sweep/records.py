"""Records that cross a stage border: plain frozen dataclasses and numpy arrays, no behaviour.

Conventions used in every shape below: `D` documents, `Q` queries, `C` chunks, `k` ranks. Documents
and queries are addressed by **position** (their index in `Corpus.documents` / `Corpus.queries`),
chunks by their row in `Chunks`. A document's position is its rank by id (code point order), so it
does not depend on the order of lines in a file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One document: `text` is never changed after reading; spans count its code points."""

    id: str
    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One query; `metadata` (for example `kind`) serves to slice results."""

    id: str
    text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A passage that answers a query: `document.text[start:end]`, with its grade."""

    query_id: str
    document_id: str
    start: int
    end: int
    grade: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What is legal in the input but should be known; `where` is a file, or `file:line`."""

    where: str
    text: str

    def __str__(self) -> str:
        """Return `where: text`."""
        return f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """A frozen snapshot: documents, queries and judgements, with a hash over all content.

    Attributes:
        documents: sorted by id; ids unique.
        queries: in file order; ids unique.
        qrels: grade by document id, by query id. Holds explicit judgements and, where a query has
            only spans, the highest grade of its spans per document.
        spans: answer passages; every one lies inside its document.
        hash: SHA-256 (hex) over documents, queries, qrels and spans; independent of folder,
            file order and line ends.
        name: the folder's name.
        notices: what a reader should know (unjudged queries, duplicate texts ...).
    """

    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    qrels: Mapping[str, Mapping[str, int]]
    spans: tuple[Span, ...]
    hash: str
    name: str
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenOffsets:
    """Where the study tokenizer's tokens lie in each document, without special tokens.

    Attributes:
        indptr: shape (D + 1,); tokens of document `d` are rows `indptr[d]:indptr[d + 1]`.
        starts, ends: shape (T,), code points in the document's text.
        continues: shape (T,), True where a token continues the word piece before it.
    """

    indptr: Ints
    starts: Ints
    ends: Ints
    continues: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunks:
    """Spans of documents, ordered by document position, then start.

    Attributes:
        document: shape (C,), document position of each chunk.
        start, end: shape (C,), code points; the chunk's text is `document.text[start:end]`.
        tokens: shape (C,), length in tokens of the study tokenizer (no title, no special ones).
    """

    document: Ints
    start: Ints
    end: Ints
    tokens: Ints

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.document)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedLists:
    """One ranked list per query, best first, padded at the end.

    Attributes:
        items: shape (Q, k); chunk rows or document positions, -1 where a list has ended.
        scores: shape (Q, k); falling from left to right, NaN where a list has ended.
    """

    items: Ints
    scores: Floats

    def __post_init__(self) -> None:
        """Check our own bookkeeping: both arrays have one shape."""
        assert self.items.shape == self.scores.shape, (self.items.shape, self.scores.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """Scores per query and metric.

    Attributes:
        query_ids: Q ids, in corpus order; judged queries only.
        metrics: M metric names, as `str(Metric)` prints them.
        values: shape (Q, M); NaN where a metric is undefined for a query.
    """

    query_ids: tuple[str, ...]
    metrics: tuple[str, ...]
    values: Floats

    def column(self, metric: str) -> Floats:
        """Return the (Q,) scores of one metric."""
        return self.values[:, self.metrics.index(metric)]

    def mean(self, metric: str) -> float:
        """Return the mean over queries of one metric (NaN if any query's score is NaN)."""
        return float(self.column(metric).mean())
