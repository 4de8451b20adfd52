"""Chunk lists and what they are scored against: which chunks a metric sees, and how far."""

from dataclasses import dataclass

import numpy as np

from sweep.errors import MetricError
from sweep.metrics.arithmetic import Flags
from sweep.metrics.judgements import SpanJudgements
from sweep.metrics.names import Metric
from sweep.metrics.passages import SPAN_RULES, Passages, SpanRule
from sweep.records import Chunks, Ints, RankedLists, TokenOffsets
from sweep.text_lines import shorten


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ChunkView:
    """A configuration's chunk lists, and what they are scored against.

    Attributes:
        lists: shape (Q, k), rows of `chunks`, -1 where a list has ended.
        chunks: the configuration's chunks.
        offsets: tokens of the study tokenizer in every document, for `@Ntok`.
        spans: the corpus's answer passages.
        threshold: share from which a chunk and a span match, in (0, 1]; `rule` says of what.
        rule: `coverage`, `iou` or `containment` (which has no threshold); see `match_passages`.
    """

    lists: RankedLists
    chunks: Chunks
    offsets: TokenOffsets
    spans: SpanJudgements
    threshold: float = 0.5
    rule: SpanRule = "coverage"

    def __post_init__(self) -> None:
        """Check that the parts belong together."""
        if not 0.0 < self.threshold <= 1.0:
            raise MetricError(
                f"span threshold: must be in (0, 1], got {self.threshold}. Use the default, .5."
            )
        if self.rule not in SPAN_RULES:
            raise MetricError(
                f"span rule: must be one of {', '.join(SPAN_RULES)}, got "
                f"{shorten(self.rule)}. Use the "
                "default, coverage."
            )
        if len(self.lists.items) != self.spans.n_queries:
            raise MetricError(
                f"chunk lists: there must be one per query ({self.spans.n_queries}), got "
                f"{len(self.lists.items)}. Give queries without results an empty list (-1)."
            )


class ListedChunks:
    """The chunks of all lists in one row, by query and rank; `n` of them.

    Attributes:
        query: shape (n,), position of the query.
        rank: shape (n,), from 1.
        chunk: shape (n,), row of `Chunks`.
        tokens_so_far: shape (n,), tokens of this chunk and those above it.
    """

    def __init__(self, view: ChunkView) -> None:
        self._view = view
        items = view.lists.items
        self.query, column = np.nonzero(items >= 0)
        self.rank = column + 1
        self.chunk = items[self.query, column]
        tokens = np.zeros_like(items)
        tokens[self.query, column] = view.chunks.tokens[self.chunk]
        self.tokens_so_far = np.cumsum(tokens, axis=1)[self.query, column]

    def whole(self, metric: Metric) -> Flags:
        """Return which chunks a metric sees as a whole, shape (n,)."""
        if metric.budget_tokens is not None:
            return self.tokens_so_far <= metric.budget_tokens
        if metric.cutoff is not None:
            return self.rank <= metric.cutoff
        return np.ones(len(self.rank), dtype=np.bool_)

    def passages(self, metric: Metric | None = None) -> Passages:
        """Return the text that a metric sees, with the last chunk cut at a token budget's end.

        Without a metric: every chunk, in order.
        """
        shown = np.ones(len(self.rank), dtype=np.bool_) if metric is None else self.whole(metric)
        end = self._view.chunks.end[self.chunk]
        if metric is not None and metric.budget_tokens is not None:
            shown, end = self._with_part_of_next(shown, end, budget=metric.budget_tokens)
        chunk = self.chunk[shown]
        return Passages(
            query=self.query[shown],
            document=self._view.chunks.document[chunk],
            start=self._view.chunks.start[chunk],
            end=end[shown],
        )

    def _with_part_of_next(self, whole: Flags, end: Ints, *, budget: int) -> tuple[Flags, Ints]:
        """Add the chunk after the whole ones, up to the character where the budget ends."""
        follows = (self.rank == 1) | np.concatenate([[False], whole[:-1]])
        cells = np.flatnonzero(~whole & follows)
        chunks, chunk = self._view.chunks, self.chunk[cells]
        rest = budget - (self.tokens_so_far[cells] - chunks.tokens[chunk])
        cells, chunk, rest = cells[rest > 0], chunk[rest > 0], rest[rest > 0]
        document, start = chunks.document[chunk], chunks.start[chunk]
        offsets = self._view.offsets
        last = _first_tokens(offsets, document, start) + rest - 1
        inside = np.flatnonzero(last < offsets.indptr[document + 1])
        cut = end[cells]
        cut[inside] = np.clip(offsets.ends[last[inside]], start[inside], cut[inside])
        shown, ends = whole.copy(), end.copy()
        shown[cells] = True
        ends[cells] = cut
        return shown, ends


def _first_tokens(offsets: TokenOffsets, document: Ints, position: Ints) -> Ints:
    """Return the row of each document's first token that starts at or after a position.

    A binary search of all pairs at once; every document's tokens are sorted by start.
    """
    low, high = offsets.indptr[document].copy(), offsets.indptr[document + 1].copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        before = offsets.starts[middle] < position[open_]
        low[open_] = np.where(before, middle + 1, low[open_])
        high[open_] = np.where(before, high[open_], middle)
    return low
