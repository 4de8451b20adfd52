"""Passages of documents as arrays: how many characters they cover, and which of them match."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sweep.metrics.arithmetic import sum_per_row
from sweep.records import Floats, Ints

SpanRule = Literal["coverage", "iou", "containment"]
SPAN_RULES: tuple[SpanRule, ...] = get_args(SpanRule)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Passages:
    """Passages, each for one query; `n` of them, in any order.

    Attributes:
        query, document: shape (n,), positions in the corpus.
        start, end: shape (n,), code points in the document's text; start <= end.
    """

    query: Ints
    document: Ints
    start: Ints
    end: Ints

    def joined(self, other: "Passages") -> "Passages":
        """Return the passages of both."""
        return Passages(
            query=np.concatenate([self.query, other.query]),
            document=np.concatenate([self.document, other.document]),
            start=np.concatenate([self.start, other.start]),
            end=np.concatenate([self.end, other.end]),
        )


def union_lengths(passages: Passages, *, n_queries: int) -> Floats:
    """Return the number of characters that each query's passages cover, shape (Q,).

    A character in several passages counts once. All passages are laid on one line, every pair of
    query and document in a stretch of its own, and swept from left to right.
    """
    if not len(passages.query):
        return np.zeros(n_queries)
    documents = int(passages.document.max()) + 1
    stretch = int(passages.end.max()) + 1
    pair = passages.query * documents + passages.document
    if n_queries * documents * stretch >= 2**63:
        pair = np.unique(pair, return_inverse=True)[1]
    left = pair * stretch + passages.start
    order = np.argsort(left)
    left = left[order]
    right = (pair * stretch + passages.end)[order]
    reached = np.maximum.accumulate(right)
    covered = np.concatenate([left[:1], reached[:-1]])
    fresh = np.maximum(right - np.maximum(left, covered), 0)
    return sum_per_row(passages.query[order], fresh, n_rows=n_queries)


def match_passages(
    ours: Passages, spans: Passages, *, threshold: float, rule: SpanRule = "coverage"
) -> tuple[Ints, Ints]:
    """Return the pairs that match.

    The two share characters and, where |X| is a number of characters, by `rule`:

    * `coverage`: |ours and span| / min(|ours|, |span|) >= `threshold`: ours covers at least that
      share of the span, or lies at least that much inside it.
    * `iou`: |ours and span| / |ours or span| >= `threshold`.
    * `containment`: the span lies wholly inside ours; no threshold.

    A quotient is rounded as the threshold was when it was read, so that 7 characters of 100 are
    .07 of them.

    Args:
        ours: n passages, in any order.
        spans: m passages, by query and document.
        threshold: in (0, 1].
        rule: what it is compared with.

    Returns:
        Positions in `ours` and in `spans`, each of shape (pairs,), by position in `ours`.
    """
    own, span, shared = _overlaps(ours, spans)
    our_length, length = (ours.end - ours.start)[own], (spans.end - spans.start)[span]
    if rule == "coverage":
        matching = shared / np.minimum(our_length, length) >= threshold
    elif rule == "iou":
        matching = shared / (our_length + length - shared) >= threshold
    else:
        matching = shared == length
    return own[matching], span[matching]


def _overlaps(ours: Passages, spans: Passages) -> tuple[Ints, Ints, Ints]:
    """Return the pairs that share characters, and how many; by position in `ours`."""
    documents = max(int(p.document.max(initial=0)) for p in (ours, spans)) + 1
    keys = spans.query * documents + spans.document
    wanted = ours.query * documents + ours.document
    low = np.searchsorted(keys, wanted, side="left")
    counts = np.searchsorted(keys, wanted, side="right") - low
    own = np.repeat(np.arange(len(wanted), dtype=np.int64), counts)
    span = np.arange(len(own)) - (np.cumsum(counts) - counts)[own] + low[own]
    start = np.maximum(ours.start[own], spans.start[span])
    shared = np.minimum(ours.end[own], spans.end[span]) - start
    found = np.flatnonzero(shared > 0)
    return own[found], span[found], shared[found]
