"""Labels of holes in metrics that are gains over ranks: ndcg, recall, fidelity, p, xdcg.

For one query, score = sum_i g(l_i) d_i / I, with a gain g that does not fall with the label, a
discount d of ranks, and I the same sum over the ideal list (or a constant). Write the gain by its
steps, g(l) = sum over labels v <= l of s_v. With n_v documents of a label >= v, the ideal list's
sum is I = sum_v s_v D(n_v), D(n) being the sum of the first n ideal discounts. A hole h of weight
w_h = d_first(h) - d_second(h) adds g(l_h) w_h to the difference of two lists, so with the m_v
holes of a label >= v chosen by falling weight,

    difference = (A + sum_v s_v W(m_v)) / (I_0 + sum_v s_v (D(J_v + m_v) - D(J_v))),

W(m) the sum of the m largest weights, J_v the judged documents of a label >= v, A the difference
of the judged gains. The largest value over all labellings is found exactly:

* Is it negative, some labelling reaches it that knows two labels only (D is concave, so that the
  sum above is never smaller with all m_v equal): all counts m are tried.
* Is it t >= 0, then no other labelling makes A + sum_v s_v W(m_v) - t I positive. For a fixed t
  that is one maximum for each v, and they fall with v as counts must. Dinkelbach's iteration
  (1967, doi:10.1287/mnsc.13.7.492) raises t to that value from the best with two labels.
"""

from collections.abc import Callable

import numpy as np

from sweep.metrics.arithmetic import Flags
from sweep.metrics.label_effects import LabelEffects, Rows, given
from sweep.metrics.unjudged import UnjudgedLists
from sweep.records import Floats, Ints

_SAME = 1e-12  # below this a score is not raised any more
_MOST_ROUNDS = 50  # of the iteration; it ends after three or four
Ideal = Callable[[Ints], Floats]  # the sum of the first n ideal discounts, by n


class GainEffects(LabelEffects):
    """See the module.

    Args:
        lists, reported, top: as `LabelEffects`.
        gain: by label; not falling, 0 for the lowest label of the range and for no label.
        discount: shape (K,), by rank.
        ideal: D; None where the score is divided by `divisor` instead.
        divisor: that constant.
    """

    def __init__(
        self,
        lists: UnjudgedLists,
        reported: Floats,
        *,
        top: int,
        gain: Callable[[Ints], Floats],
        discount: Floats,
        ideal: Ideal | None,
        divisor: float = 1.0,
    ) -> None:
        super().__init__(lists, reported, top=top)
        self.discount, self.ideal, self.divisor = discount, ideal, divisor
        sums = (np.where(lists.judged, gain(lists.label), 0.0) * discount).sum(axis=2)
        self.sums = np.concatenate([sums, np.zeros((1, sums.shape[1]))])
        labels = np.unique(np.append(lists.judgements.ideal_label, top))
        steps = np.diff(gain(labels), prepend=0.0)
        labels, steps = labels[steps > 0], steps[steps > 0]
        counts = [lists.judgements.ideal_sum(lists.judgements.ideal_label >= v) for v in labels]
        self.open_steps = [
            (float(step), count.astype(np.int64))
            for step, label, count in zip(steps, labels, counts, strict=True)
            if label <= top
        ]
        self.top_gain = float(sum(step for step, _ in self.open_steps))
        self.closed = np.zeros(len(lists.judgements))  # what holes cannot add to
        for step, label, count in zip(steps, labels, counts, strict=True):
            if label > top and ideal is not None:
                self.closed += step * ideal(count.astype(np.int64))

    def largest_difference(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`."""
        judged = self.sums[first] - self.sums[second]
        weights, others = self._weights(first, second)
        sums = _beginnings(weights)
        if self.ideal is None:
            highest: Floats = (judged + self.top_gain * sums.max(axis=2)) / self.divisor
            return highest
        numerators = judged[:, :, None] + self.top_gain * sums
        counts = np.arange(sums.shape[2])
        found: Floats = self._ratios(numerators, counts).max(axis=2)
        with_others = counts + others[:, :, None]
        found = np.maximum(found, self._ratios(numerators, with_others).max(axis=2))
        if len(self.open_steps) < 2:
            return found
        return self._raised(judged, sums[:, :, : self.hole.shape[2] + 1], found)

    def _weights(self, first: Rows, second: Rows) -> tuple[Floats, Ints]:
        """Return the weights of the two lists' holes, falling, and how many others there are.

        Returns: shapes (B, J, 2K), -inf for places without a hole, and (B, J).
        """
        weights, _ = self._by_place(first, second)
        others = self.holes - (weights > -np.inf).sum(axis=2)
        return -np.sort(-weights, axis=2), others

    def _by_place(self, first: Rows, second: Rows) -> tuple[Floats, Ints]:
        """Return the weights of the two lists' holes, and the holes, each (B, J, 2K), by place.

        A hole of both lists is the first's; the weight of other places is -inf.
        """
        one, other = np.broadcast_arrays(self.hole[first], self.hole[second])
        own = np.where(one >= 0, self.discount - given(other, one, self.discount), -np.inf)
        alone = (other >= 0) & ~_held(other, one)
        weights = np.concatenate([own, np.where(alone, -self.discount, -np.inf)], axis=2)
        weights[weights == 0] = 0.0
        return weights, np.concatenate([one, other], axis=2)

    def _ratios(self, numerators: Floats, counts: Ints) -> Floats:
        """Return scores with so many holes of the label `top`, (B, J, M); 0 / 0 is 0."""
        divisors = self._divisors(np.broadcast_to(counts, numerators.shape))
        return np.divide(numerators, divisors, out=np.zeros_like(numerators), where=divisors > 0)

    def _divisors(self, counts: Ints) -> Floats:
        """Return the ideal sums with so many holes of the label `top`, shape (..., J, M)."""
        assert self.ideal is not None
        sums = np.zeros(counts.shape) + self.closed[:, None]
        for step, judged in self.open_steps:
            sums += step * self.ideal(judged[:, None] + counts)
        return sums

    def _raised(self, judged: Floats, sums: Floats, found: Floats) -> Floats:
        """Return the largest differences where labels between none and `top` may do better.

        Args:
            judged: shape (B, J), A.
            sums: shape (B, J, K + 1), W; what has negative weight is of no use here.
            found: shape (B, J), the largest differences with two labels.
        """
        assert self.ideal is not None
        rows = np.nonzero((found >= 0) & (sums[:, :, 1:] > 0).any(axis=2))
        counts, best = np.arange(sums.shape[2]), found.copy()
        for _ in range(_MOST_ROUNDS):
            if not len(rows[0]):
                break
            weights, now = sums[rows], best[rows]
            numerators, divisors = judged[rows].copy(), self.closed[rows[1]].copy()
            for step, known in self.open_steps:
                ideal = self.ideal(known[rows[1]][:, None] + counts)
                chosen = np.argmax(weights - now[:, None] * ideal, axis=1)[:, None]
                numerators += step * np.take_along_axis(weights, chosen, axis=1)[:, 0]
                divisors += step * np.take_along_axis(ideal, chosen, axis=1)[:, 0]
            new = np.divide(numerators, divisors, out=np.zeros_like(now), where=divisors > 0)
            raised = new > now + _SAME
            rows = (rows[0][raised], rows[1][raised])
            best[rows] = new[raised]
        return best

    def with_one(self, row: int) -> Floats:
        """See `LabelEffects`."""
        hole_row = self.lists.row
        gains = self.top_gain * self.lists.spread(row, self.discount)
        sums: Floats = self.sums[row][hole_row] + gains
        if self.ideal is None:
            return sums / self.divisor
        divisors = self._divisors(np.ones((len(self.closed), 1), dtype=np.int64))[:, 0]
        found: Floats = sums / divisors[hole_row]
        return found

    def favours(self, first: int, second: int) -> Flags:
        """See `LabelEffects`: the weight is positive."""
        mine, theirs = (self.lists.spread(row, self.discount) for row in (first, second))
        return mine > theirs

    def steps(self, first: Rows, second: Rows) -> Floats:
        """See `LabelEffects`."""
        weights, _ = self._weights(first, second)
        sums = _beginnings(weights)[:, :, : self.hole.shape[2] + 1]
        numerators = (self.sums[first] - self.sums[second])[:, :, None] + self.top_gain * sums
        if self.ideal is None:
            scores = numerators / self.divisor
        else:
            scores = self._ratios(numerators, np.arange(sums.shape[2]))
        added = np.diff(np.where(np.isfinite(scores), scores, -1e300), axis=2)
        return np.maximum(np.minimum.accumulate(added, axis=2), 0.0)

    def step_holes(self, first: int, second: int) -> Ints:
        """See `LabelEffects`: those of the largest weights."""
        weights, holes = self._by_place(np.array([first]), np.array([second]))
        holes = np.where(weights > -np.inf, holes, -1)
        order = np.argsort(-weights, axis=2, kind="stable")[:, :, : self.hole.shape[2]]
        found: Ints = np.take_along_axis(holes, order, axis=2)[0]
        return found


def _beginnings(weights: Floats) -> Floats:
    """Return the sums of the first 0, 1, 2 .. weights, (B, J, M + 1)."""
    return np.concatenate([np.zeros((*weights.shape[:2], 1)), np.cumsum(weights, axis=2)], axis=2)


def _held(holes: Ints, other: Ints) -> Flags:
    """Return which holes of a list another list holds too, (B, J, K)."""
    found = np.zeros(holes.shape, dtype=np.bool_)
    for rank in range(other.shape[2]):
        found |= holes == other[:, :, rank : rank + 1]
    return found & (holes >= 0)
