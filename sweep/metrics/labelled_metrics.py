"""Which form each document metric has, as far as labels of holes are concerned."""

from collections.abc import Callable
from functools import partial

import numpy as np

from sweep.metrics.arithmetic import (
    exponential_gain,
    fidelity_weight,
    geometric_discount,
    geometric_sum,
    linear_gain,
    log_discount,
)
from sweep.metrics.document_metrics import At
from sweep.metrics.gain_effects import GainEffects, Ideal
from sweep.metrics.label_effects import (
    BestEffects,
    LabelEffects,
    PrecisionEffects,
    RangeEffects,
    all_relevant,
)
from sweep.metrics.names import AZURE, XDCG_UNIT, Metric
from sweep.metrics.unjudged import UnjudgedLists
from sweep.records import Floats, Ints

BOUNDED = "ndcg ndcg_exp p recall hit rr map rprec bpref xdcg fidelity max_relevance".split()
# The evaluator's own set is the same where no label is negative.
_SAME = {
    "ndcg@3": Metric("ndcg_exp", cutoff=3),
    "xdcg@3": Metric("xdcg", cutoff=3),
    "fidelity": Metric("fidelity"),
    "top1_relevance": Metric("max_relevance", cutoff=1),
    "top3_max_relevance": Metric("max_relevance", cutoff=3),
}


def labelled_metric(metric: Metric, labels: tuple[int, int]) -> Metric | None:
    """Return the metric whose bounds are asked for; None for one that has none.

    Span metrics and costs have no holes. `judged`, `holes` and their like count labels. The
    evaluator's own set has bounds where no label can be negative.

    Args:
        metric: any metric.
        labels: lowest and highest label of the range.
    """
    if metric.family != "document":
        return None
    if metric.name.startswith(AZURE):
        return _SAME.get(str(metric).removeprefix(AZURE)) if labels[0] >= 0 else None
    return metric if metric.name in BOUNDED else None


def at_of(metric: Metric, *, relevance: int, labels: tuple[int, int]) -> At:
    """Return where a metric is taken; `relevance` holds where its name says none."""
    own = relevance if metric.relevance is None else metric.relevance
    return At(cutoff=metric.cutoff, relevance=own, label_min=labels[0])


def label_effects(
    metric: Metric, lists: UnjudgedLists, reported: Floats, *, at: At, top: int
) -> LabelEffects:
    """Return what labels of holes can do to a metric.

    Args:
        metric: as `labelled_metric` returns it.
        lists: of n configurations, at least as deep as the metric looks.
        reported: shape (n, J), its scores.
        at: where it is taken.
        top: the highest label a hole may get, >= `at.relevance`.
    """
    ranks = np.arange(1, lists.hole.shape[2] + 1)
    shown = (ranks <= (at.cutoff or len(ranks))).astype(np.float64)
    if metric.name == "map":
        return PrecisionEffects(lists, reported, top=top, at=at)
    if metric.name in ("rprec", "bpref"):
        return RangeEffects(lists, reported, top=top)
    if metric.name in ("hit", "rr", "max_relevance"):
        best = shown / ranks if metric.name == "rr" else shown
        values = best * max(top, 0) if metric.name == "max_relevance" else best
        return BestEffects(lists, reported, top=top, values=values)
    gain, discount, ideal, divisor = _gains(metric, at, ranks)
    return GainEffects(
        lists,
        reported,
        top=top,
        gain=gain,
        discount=shown * discount,
        ideal=ideal,
        divisor=divisor,
    )


def relevant_scores(
    metric: Metric, lists: UnjudgedLists, rows: Ints, *, at: At, top: int
) -> Floats:
    """Return the scores of lists whose own holes are all relevant, (B, J); see `all_relevant`."""
    return all_relevant(metric.name, lists, rows, at, top=top)


def _gains(
    metric: Metric, at: At, ranks: Ints
) -> tuple[Callable[[Ints], Floats], Floats, Ideal | None, float]:
    """Return gain by label, discount by rank, the ideal's discounts and the divisor."""
    ones = np.ones(len(ranks))
    if metric.name in ("ndcg", "ndcg_exp"):
        gain = linear_gain if metric.name == "ndcg" else exponential_gain
        return gain, 1.0 / log_discount(ranks), partial(_ideal_discount, cutoff=at.cutoff), 1.0
    if metric.name == "recall":
        return partial(_counts, relevance=at.relevance), ones, _number, 1.0
    if metric.name == "fidelity":
        return partial(_good, label_min=at.label_min), ones, _number, 1.0
    if metric.name == "p":
        assert at.cutoff is not None, "p@k needs its cut-off"
        return partial(_counts, relevance=at.relevance), ones, None, float(at.cutoff)
    assert metric.name == "xdcg", metric.name
    return linear_gain, geometric_discount(ranks), None, geometric_sum(at.cutoff) / XDCG_UNIT


def _counts(labels: Ints, *, relevance: int) -> Floats:
    return (labels >= relevance).astype(np.float64)


def _good(labels: Ints, *, label_min: int) -> Floats:
    return np.maximum(fidelity_weight(labels, label_min=label_min), 0.0)


def _number(counts: Ints) -> Floats:
    return counts.astype(np.float64)


def _ideal_discount(counts: Ints, *, cutoff: int | None) -> Floats:
    """Return the sum of 1 / log2(i + 1) over the first `counts` ranks, cut at `cutoff`."""
    longest = int(counts.max(initial=0)) if cutoff is None else cutoff
    terms = 1.0 / log_discount(np.arange(1, longest + 1))
    sums = np.concatenate([[0.0], np.cumsum(terms)])
    found: Floats = sums[np.minimum(counts, longest)]
    return found
