"""What labels of holes can do to a metric: its bounds, and those of a difference of two lists.

A **labelling** gives every hole of a query a label from the lowest of the range to the highest.
"Irrelevant" is no gain, which is the score as reported: metrics skip documents without a judgement
(only bpref tells them from documents judged irrelevant). "Relevant" is the highest label of the
range. Labels also enter what a score is divided by (the ideal list of ndcg, the number of
relevant documents of recall and map), those of holes that the list itself does not hold too.

Each metric has one of four forms:

* gains over ranks, divided by the same of an ideal list (ndcg, recall, fidelity) or by a constant
  (p, xdcg): see `sweep.metrics.gain_effects`; bounds and differences are attained by a labelling;
* the best of the list (hit, rr, max_relevance): attained;
* average precision: bounds of one list are attained, those of a difference are those of the two
  lists apart, which need not be attained together;
* rprec and bpref: 0 to 1 for a query that has a hole.
"""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from sweep.metrics.arithmetic import Flags
from sweep.metrics.document_metrics import FORMULAS, At
from sweep.metrics.judged_lists import judge_lists
from sweep.metrics.judgements import with_labels
from sweep.metrics.unjudged import UnjudgedLists
from sweep.records import Floats, Ints, RankedLists

EMPTY = -1  # stands for a list without documents, beside the rows of configurations
Rows = NDArray[np.int64]


class LabelEffects(ABC):
    """What labels of holes can do to one metric.

    `first` and `second` are rows of configurations, shape (B,) or (1,); `EMPTY` for no list.

    Args:
        lists: of n configurations, holding all of P holes.
        reported: shape (n, J), the scores without the holes' labels.
        top: the label that is meant by relevant.
    """

    attained = True  # whether some labelling reaches what `largest_difference` says

    def __init__(self, lists: UnjudgedLists, reported: Floats, *, top: int) -> None:
        none = np.full((1, *lists.hole.shape[1:]), -1, dtype=np.int64)
        self.lists = lists
        self.top = top
        self.hole = np.concatenate([lists.hole, none])  # row -1 is the list without documents
        self.reported = np.concatenate([reported, np.zeros((1, reported.shape[1]))])
        self.holes = lists.per_query()

    @abstractmethod
    def largest_difference(self, first: Rows, second: Rows) -> Floats:
        """Return the largest score of `first` minus `second` under any labelling, (B, J)."""

    @abstractmethod
    def with_one(self, row: int) -> Floats:
        """Return a list's score of each hole's query if that hole alone is relevant, (P,)."""

    @abstractmethod
    def favours(self, first: int, second: int) -> Flags:
        """Return which holes, relevant, do more for `first` than for `second`, shape (P,)."""

    def steps(self, first: Rows, second: Rows) -> Floats | None:
        """Return what the first, second .. relevant label of a query adds to the difference.

        Shape (B, J, M), >= 0, falling along M; so many labels reach the sum of a beginning. None
        where that is not known.
        """
        del first, second
        return None

    def step_holes(self, first: int, second: int) -> Ints:
        """Return which holes make the steps of one difference, shape (J, M); -1 where none does.

        The first so many of a query, relevant, reach the sum of its first so many steps.

        Raises: NotImplementedError where `steps` is None.
        """
        raise NotImplementedError

    def change(self, first: int, second: int) -> Floats:
        """Return how the difference changes if one hole alone is relevant, shape (P,)."""
        row = self.lists.row
        before = self.reported[first] - self.reported[second]
        after = self.with_one(first) - self.with_one(second)
        difference: Floats = after - before[row]
        return difference

    def bounds(self, rows: Rows) -> tuple[Floats, Floats]:
        """Return the lowest and highest score under any labelling, each (B, J)."""
        nothing = np.array([EMPTY])
        low = -self.largest_difference(nothing, rows)
        return low, self.largest_difference(rows, nothing)


class BestEffects(LabelEffects):
    """A score that is the best of what each document gives: hit, rr, max_relevance.

    One label is enough to reach any maximum, and no label of another list matters.

    Args:
        values: shape (K,), what a relevant document gives at each rank.
    """

    def __init__(
        self, lists: UnjudgedLists, reported: Floats, *, top: int, values: Floats
    ) -> None:
        super().__init__(lists, reported, top=top)
        self.values = values

    def largest_difference(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`: no label, or one hole of the first list."""
        without = self.reported[first] - self.reported[second]
        highest: Floats = np.maximum(
            without, self._with_one_each(first, second).max(axis=2, initial=-np.inf)
        )
        return highest

    def _with_one_each(self, first: Rows, second: Rows) -> Floats:
        """Return the difference with each hole of the first list relevant, (B, J, K)."""
        holes = self.hole[first]
        other = given(self.hole[second], holes, self.values)
        mine = np.maximum(self.reported[first][:, :, None], self.values)
        theirs = np.maximum(self.reported[second][:, :, None], other)
        return np.where(holes >= 0, mine - theirs, -np.inf)

    def with_one(self, row: int) -> Floats:
        """See `LabelEffects`."""
        best: Floats = np.maximum(
            self.reported[row][self.lists.row], self.lists.spread(row, self.values)
        )
        return best

    def favours(self, first: int, second: int) -> Flags:
        """See `LabelEffects`."""
        return self.change(first, second) > 0

    def steps(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`: one label for each query."""
        without = self.reported[first] - self.reported[second]
        steps: Floats = np.maximum(self.largest_difference(first, second) - without, 0.0)
        return steps[:, :, None]

    def step_holes(self, first: int, second: int) -> Ints:
        """See `LabelEffects`: the hole that reaches the largest difference."""
        each = self._with_one_each(np.array([first]), np.array([second]))[0]
        if not each.shape[1]:
            return np.full((len(each), 1), -1, dtype=np.int64)
        best: Ints = np.take_along_axis(self.hole[first], each.argmax(axis=1)[:, None], axis=1)
        return best


class PrecisionEffects(LabelEffects):
    """Average precision: (1 / R) sum over relevant documents of the precision at their ranks."""

    attained = False

    def __init__(self, lists: UnjudgedLists, reported: Floats, *, top: int, at: At) -> None:
        super().__init__(lists, reported, top=top)
        ranks = np.arange(1, lists.hole.shape[2] + 1)
        self.counts = ranks <= (at.cutoff or len(ranks))
        relevant = lists.judged & (lists.label >= at.relevance) & self.counts
        none = np.zeros((1, *relevant.shape[1:]), dtype=np.bool_)
        self.relevant = np.concatenate([relevant, none])
        self.total = lists.judgements.relevant(at.relevance)
        self.ranks = ranks.astype(np.float64)

    def largest_difference(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`: the highest score of the one minus the lowest of the other."""
        high, low = self._extreme(first, highest=True), self._extreme(second, highest=False)
        untouched = self.reported[first] - self.reported[second]
        return np.where(self.holes > 0, high - low, untouched)

    def _extreme(self, rows: Rows, *, highest: bool) -> Floats:
        """Return the highest or lowest score under any labelling, (B, J).

        For a number of relevant holes it is best to have them first and worst to have them last;
        relevant holes that the list does not hold only add to the divisor.
        """
        relevant = self.relevant[rows]
        holes = (self.hole[rows] >= 0) & self.counts
        own = holes.sum(axis=2)
        place = np.cumsum(holes, axis=2)
        if not highest:
            place = own[:, :, None] + 1 - place
        others = 0 if highest else self.holes - own
        found = []
        for labels in range(int(own.max(initial=0)) + 1):
            now = relevant | (holes & (place <= labels))
            sums = (now * np.cumsum(now, axis=2) / self.ranks).sum(axis=2)
            total = self.total + others + np.minimum(labels, own)
            found.append(np.divide(sums, total, out=np.zeros_like(sums), where=total > 0))
        extreme: Floats = np.max(found, axis=0) if highest else np.min(found, axis=0)
        return extreme

    def with_one(self, row: int) -> Floats:
        """See `LabelEffects`."""
        relevant = self.relevant[row]
        above = np.cumsum(relevant, axis=1)
        shares = relevant / self.ranks
        sums = (above * shares).sum(axis=1)
        below = shares.sum(axis=1, keepdims=True) - np.cumsum(shares, axis=1)
        added = ((above + 1) / self.ranks + below) * self.counts
        hole_row = self.lists.row
        after: Floats = sums[hole_row] + self.lists.spread(row, added)
        return after / (self.total[hole_row] + 1)

    def favours(self, first: int, second: int) -> Flags:
        """See `LabelEffects`: the first list ranks them higher, or alone."""
        values = self.counts / self.ranks
        return self.lists.spread(first, values) > self.lists.spread(second, values)


class RangeEffects(LabelEffects):
    """A metric of which only the range is used: rprec, bpref."""

    attained = False

    def largest_difference(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`: 1 where a query has a hole."""
        empty = np.broadcast_to(first == EMPTY, np.broadcast_shapes(first.shape, second.shape))
        untouched = self.reported[first] - self.reported[second]
        return np.where(self.holes > 0, np.where(empty, 0.0, 1.0)[:, None], untouched)

    def with_one(self, row: int) -> Floats:
        """Return about what one relevant document more gives: 1 / (1 + relevant ones)."""
        row_of = self.lists.row
        total = self.lists.judgements.relevant(1)[row_of]
        held = self.lists.spread(row, np.ones(self.hole.shape[2]))
        about: Floats = (self.reported[row][row_of] * total + held) / (total + 1)
        return about

    def favours(self, first: int, second: int) -> Flags:
        """See `LabelEffects`: the first list alone holds them."""
        ones = np.ones(self.hole.shape[2])
        return self.lists.spread(first, ones) > self.lists.spread(second, ones)


def given(other: Ints, holes: Ints, values: Floats) -> Floats:
    """Return what another list gives the holes of a list, (B, J, K); 0 where it lacks them.

    Args:
        other: shape (B or 1, J, K), the other list's holes by rank, -1 where there is none.
        holes: shape (B or 1, J, K), likewise.
        values: shape (K,), what a place of the other list gives.
    """
    shape = np.broadcast_shapes(other.shape, holes.shape)
    found = np.zeros(shape)
    for rank in np.flatnonzero(values):
        same = (other[:, :, rank : rank + 1] == holes) & (holes >= 0)
        found[np.broadcast_to(same, shape)] = values[rank]
    return found


def all_relevant(name: str, lists: UnjudgedLists, rows: Rows, at: At, *, top: int) -> Floats:
    """Return the scores of lists whose own holes are all relevant, (B, J).

    The labels are added to the judgements, and the metric is computed anew.

    Args:
        name: of a document metric.
        lists: of n configurations.
        rows: shape (B,).
        at: where the metric is taken.
        top: the label.
    """
    scores = []
    for row in rows.tolist():
        own = np.unique(lists.hole[row][lists.hole[row] >= 0])
        labels = np.full(len(own), top, dtype=np.int64)
        added = with_labels(lists.judgements, lists.row[own], lists.document[own], labels)
        items = lists.items[row]
        ranked = RankedLists(items=items, scores=np.where(items >= 0, 0.0, np.nan))
        scores.append(FORMULAS[name](judge_lists(added, ranked), at))
    return np.array(scores).reshape(len(rows), len(lists.judgements))
