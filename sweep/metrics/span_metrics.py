"""The span metrics: chunk lists against the passages that answer a query, whatever the chunking.

Conventions of every formula: S is the set of the query's spans with grade >= t (relevance level,
default 1); C_k is the first k chunks of its list (without k: the whole list). Both are sets of
characters, so that what overlaps counts once; |X| is a number of characters. A chunk and a span
**match** by the view's rule (see `match_passages`): by default, if the chunk covers at least half
of the span, or lies at least half inside it. `@Ntok` takes whole chunks in order until the next
would pass N tokens; the character metrics then add the first tokens of that next one, up to the
character where the last token within the budget ends. A query with spans but none in S, or without
a result, is 0; one without any span is undefined (NaN). All results have shape (Q,).
"""

from collections.abc import Callable

import numpy as np

from sweep.metrics.arithmetic import linear_gain, log_discount, ratio, sum_per_row
from sweep.metrics.chunk_view import ChunkView, ListedChunks
from sweep.metrics.names import Metric
from sweep.metrics.passages import Passages, match_passages, union_lengths
from sweep.records import Floats, Ints

_Key = tuple[int | None, int | None, int]  # cut-off, token budget, relevance level
_NOT_FOUND = np.iinfo(np.int64).max  # the rank of a span that no chunk matches


class SpanScorer:
    """Scores one configuration's chunk lists; metrics share the matches and covered lengths."""

    def __init__(self, view: ChunkView) -> None:
        spans = view.spans
        self._spans = spans
        self._listed = ListedChunks(view)
        self._tokens = view.chunks.tokens[self._listed.chunk]
        self._passages = Passages(
            query=spans.query, document=spans.document, start=spans.start, end=spans.end
        )
        self._match_chunk, self._match_span = match_passages(
            self._listed.passages(), self._passages, threshold=view.threshold, rule=view.rule
        )
        self._lengths: dict[_Key, tuple[Floats, Floats, Floats]] = {}

    def context_tokens(self, metric: Metric) -> Floats:
        """Return the number of tokens in each list, in the study tokenizer; shape (Q,).

        Of a budget: in the whole chunks that fit into it.
        """
        shown = self._listed.whole(metric)
        return self._per_query(self._listed.query[shown], self._tokens[shown])

    def score(self, metric: Metric, *, relevance: int) -> Floats:
        """Return one span metric, shape (Q,); NaN where a query has no span."""
        values = _FORMULAS[metric.name](self, metric, relevance)
        has_span = np.bincount(self._spans.query, minlength=self._spans.n_queries) > 0
        return np.where(has_span, values, np.nan)

    def recall(self, metric: Metric, relevance: int) -> Floats:
        """Return |S and C_k| / |S|; in [0, 1]."""
        both, wanted, _ = self._covered(metric, relevance)
        return ratio(both, wanted)

    def precision(self, metric: Metric, relevance: int) -> Floats:
        """Return |S and C_k| / |C_k|; in [0, 1]."""
        both, _, shown = self._covered(metric, relevance)
        return ratio(both, shown)

    def iou(self, metric: Metric, relevance: int) -> Floats:
        """Return |S and C_k| / |S or C_k|; in [0, 1]."""
        both, wanted, shown = self._covered(metric, relevance)
        return ratio(both, wanted + shown - both)

    def hit(self, metric: Metric, relevance: int) -> Floats:
        """Return 1 if a chunk of C_k matches a span of S, else 0."""
        return np.isfinite(self._best_ranks(metric, relevance)).astype(np.float64)

    def reciprocal_rank(self, metric: Metric, relevance: int) -> Floats:
        """Return 1 / (rank of the first chunk of C_k that matches a span of S), 0 without one."""
        return 1.0 / self._best_ranks(metric, relevance)

    def ndcg(self, metric: Metric, relevance: int) -> Floats:
        """Return DCG_k / ideal DCG_k over spans, with gain max(grade, 0); in [0, 1].

        Each span gains once, from the first chunk that matches it. As a chunk may match several
        spans, they take turns: position p (1, 2, ... k) belongs to the span of the highest grade
        among those matched by the first p chunks and not yet counted. DCG_k = sum over positions
        of grade / log2(p + 1); the ideal is the same sum over all spans, grades falling, cut at k.
        `@Ntok` and the whole output cut neither. So 1 is reached by the best order of small chunks
        and by one large chunk alike, matching a span earlier never lowers the score, and where no
        chunk matches two spans it is ndcg@k of the chunk list. Independent of t.
        """
        del relevance
        found = self._take_turns(self._first_ranks(metric))
        return ratio(
            self._discounted_gain(found, cutoff=metric.cutoff),
            self._discounted_gain(self._ideal_positions(), cutoff=metric.cutoff),
        )

    def _covered(self, metric: Metric, relevance: int) -> tuple[Floats, Floats, Floats]:
        """Return |S and C_k|, |S| and |C_k|, each of shape (Q,)."""
        key = metric.cutoff, metric.budget_tokens, relevance
        if key not in self._lengths:
            wanted = self._wanted(relevance)
            shown = self._listed.passages(metric)
            both, ours, theirs = (
                union_lengths(passages, n_queries=self._spans.n_queries)
                for passages in (wanted.joined(shown), wanted, shown)
            )
            self._lengths[key] = (ours + theirs - both, ours, theirs)
        return self._lengths[key]

    def _wanted(self, relevance: int) -> Passages:
        kept = self._spans.grade >= relevance
        return Passages(
            query=self._spans.query[kept],
            document=self._spans.document[kept],
            start=self._spans.start[kept],
            end=self._spans.end[kept],
        )

    def _first_ranks(self, metric: Metric) -> Ints:
        """Return the rank of the first chunk of C_k that matches each span, shape (S,)."""
        shown = self._listed.whole(metric)[self._match_chunk]
        first = np.full(len(self._spans), _NOT_FOUND)
        ranks = self._listed.rank[self._match_chunk[shown]]
        np.minimum.at(first, self._match_span[shown], ranks)
        return first

    def _best_ranks(self, metric: Metric, relevance: int) -> Floats:
        """Return the lowest rank that matches a span of S, inf without one; shape (Q,)."""
        first = self._first_ranks(metric)
        found = np.flatnonzero((self._spans.grade >= relevance) & (first < _NOT_FOUND))
        best = np.full(self._spans.n_queries, np.inf)
        np.minimum.at(best, self._spans.query[found], first[found].astype(np.float64))
        return best

    def _take_turns(self, ranks: Ints) -> Ints:
        """Return the position at which each span gains, shape (S,): at its rank or after it.

        The highest grade takes the first free position from its rank on; that is the same as
        letting every position choose the highest grade at hand, and the largest possible DCG.
        """
        query, grade = self._spans.query, self._spans.grade
        result = np.full(len(ranks), _NOT_FOUND)
        found = np.flatnonzero((ranks < _NOT_FOUND) & (grade > 0))
        order = found[np.lexsort((ranks[found], -grade[found], query[found]))]
        taken: set[tuple[int, int]] = set()
        free_from: dict[tuple[int, int], int] = {}  # what is known to be taken need not be tried
        for span, row, rank in zip(
            order.tolist(), query[order].tolist(), ranks[order].tolist(), strict=True
        ):
            place = free_from.get((row, rank), rank)
            while (row, place) in taken:
                place += 1
            taken.add((row, place))
            free_from[row, rank] = place + 1
            result[span] = place
        return result

    def _ideal_positions(self) -> Ints:
        """Return each span's place, from 1, among its query's spans with grades falling."""
        order = np.lexsort((-self._spans.grade, self._spans.query))
        query = self._spans.query[order]
        places = np.empty_like(order)
        places[order] = np.arange(1, len(order) + 1) - np.searchsorted(query, query, side="left")
        return places

    def _discounted_gain(self, positions: Ints, *, cutoff: int | None) -> Floats:
        """Return the sum of max(grade, 0) / log2(position + 1) up to `cutoff`, shape (Q,)."""
        query = self._spans.query
        counted = np.flatnonzero(positions <= (cutoff or _NOT_FOUND - 1))
        order = counted[np.lexsort((positions[counted], query[counted]))]
        terms = linear_gain(self._spans.grade[order]) / log_discount(positions[order])
        return self._per_query(query[order], terms)

    def _per_query(self, query: Ints, weights: Floats | Ints) -> Floats:
        return sum_per_row(query, weights, n_rows=self._spans.n_queries)


MATCHING = ("span_ndcg", "span_rr", "span_hit")  # those that ask whether a chunk matches a span
_FORMULAS: dict[str, Callable[[SpanScorer, Metric, int], Floats]] = {
    "span_recall": SpanScorer.recall,
    "span_precision": SpanScorer.precision,
    "span_iou": SpanScorer.iou,
    "span_ndcg": SpanScorer.ndcg,
    "span_rr": SpanScorer.reciprocal_rank,
    "span_hit": SpanScorer.hit,
}
