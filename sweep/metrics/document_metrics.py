"""The document metrics: trec_eval's, and those generalised from the Azure evaluator.

Conventions of every formula (trec_eval's unless said): l_i is the label of the document at rank i
(i from 1); t is the relevance level (default 1); r_i = 1 if that document is judged and l_i >= t,
else 0. R is the number of judged documents with label >= t, retrieved or not; N the number with
0 <= label < t; n the number of documents retrieved; k the cut-off (without one: the whole list).
A negative label is never relevant, gains nothing and is not counted in N, but it is a judgement.
A metric whose denominator is 0 is 0, so a query without a relevant document, or without a result,
counts as 0. All results have shape (J,), one value per judged query, and are finite.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sweep.metrics.arithmetic import (
    exponential_gain,
    fidelity_weight,
    geometric_discount,
    geometric_sum,
    linear_gain,
    log_discount,
    ratio,
)
from sweep.metrics.judged_lists import JudgedLists
from sweep.metrics.names import XDCG_UNIT
from sweep.records import Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """Where a metric is taken: cut-off k, relevance level t and the lowest label of the range."""

    cutoff: int | None = None
    relevance: int = 1
    label_min: int = 0


def ndcg(lists: JudgedLists, at: At) -> Floats:
    """Return DCG_k / ideal DCG_k, DCG_k = sum_{i<=k} max(l_i, 0) / log2(i + 1); in [0, 1].

    The ideal list is all judged documents, labels falling, cut at k. Source: trec_eval's ndcg_cut.
    """
    return _normalised_dcg(lists, at, linear_gain)


def ndcg_exp(lists: JudgedLists, at: At) -> Floats:
    """Return ndcg with the gain 2^l - 1 (0 for l <= 0); in [0, 1].

    Source: Burges et al. 2005, doi:10.1145/1102351.1102363; at k = 3 the Azure evaluator's gain.
    """
    return _normalised_dcg(lists, at, exponential_gain)


def _normalised_dcg(lists: JudgedLists, at: At, gain: Callable[[Ints], Floats]) -> Floats:
    ideal = lists.judgements
    found = lists.sum(gain(lists.label) / log_discount(lists.rank), cutoff=at.cutoff)
    terms = gain(ideal.ideal_label) / log_discount(ideal.ideal_rank)
    return ratio(found, ideal.ideal_sum(terms, cutoff=at.cutoff))


def precision(lists: JudgedLists, at: At) -> Floats:
    """Return (sum_{i<=k} r_i) / k, also where fewer than k were retrieved; in [0, 1]."""
    assert at.cutoff is not None, "p@k needs its cut-off"
    return lists.sum(lists.label >= at.relevance, cutoff=at.cutoff) / at.cutoff


def recall(lists: JudgedLists, at: At) -> Floats:
    """Return (sum_{i<=k} r_i) / R; in [0, 1]."""
    found = lists.sum(lists.label >= at.relevance, cutoff=at.cutoff)
    return ratio(found, lists.judgements.relevant(at.relevance))


def hit(lists: JudgedLists, at: At) -> Floats:
    """Return 1 if any r_i = 1 for i <= k, else 0 (trec_eval's success)."""
    found = lists.sum(lists.label >= at.relevance, cutoff=at.cutoff)
    return np.minimum(found, 1.0)


def reciprocal_rank(lists: JudgedLists, at: At) -> Floats:
    """Return 1 / (lowest i <= k with r_i = 1), 0 without one; in [0, 1]."""
    relevant = lists.label >= at.relevance
    is_first = relevant & (lists.running(relevant) == 1)
    return lists.sum(is_first / lists.rank, cutoff=at.cutoff)


def average_precision(lists: JudgedLists, at: At) -> Floats:
    """Return (1 / R) sum_{i<=k} r_i (sum_{j<=i} r_j) / i; in [0, 1].

    Divided by R at every cut-off (not by min(R, k)), as trec_eval's map_cut.
    """
    relevant = lists.label >= at.relevance
    precisions = lists.running(relevant) * relevant / lists.rank
    found = lists.sum(precisions, cutoff=at.cutoff)
    return ratio(found, lists.judgements.relevant(at.relevance))


def r_precision(lists: JudgedLists, at: At) -> Floats:
    """Return (sum_{i<=R} r_i) / R; in [0, 1]."""
    total = lists.judgements.relevant(at.relevance)
    counted = (lists.label >= at.relevance) & (lists.rank <= total[lists.row])
    return ratio(lists.sum(counted), total)


def bpref(lists: JudgedLists, at: At) -> Floats:
    """Return (1 / R) sum over retrieved relevant d of 1 - min(a_d, R) / min(N, R); in [0, 1].

    a_d is the number of judged documents with 0 <= label < t above d; a term with a_d = 0 is 1.
    Unjudged documents are skipped. Source: trec_eval's bpref.
    """
    relevant = lists.label >= at.relevance
    above = lists.running((lists.label >= 0) & ~relevant)
    total = lists.judgements.relevant(at.relevance)[lists.row]
    limit = np.minimum(lists.judgements.nonrelevant(at.relevance)[lists.row], total)
    terms = relevant * (1.0 - ratio(np.minimum(above, total), limit))
    return ratio(lists.sum(terms), lists.judgements.relevant(at.relevance))


def judged(lists: JudgedLists, at: At) -> Floats:
    """Return the share of judged documents among the first min(k, n); 0 for an empty list."""
    known = lists.sum(np.ones(len(lists.row)), cutoff=at.cutoff)
    return ratio(known, lists.retrieved(at.cutoff))


def holes(lists: JudgedLists, at: At) -> Floats:
    """Return the number of documents without a judgement among the first min(k, n)."""
    return lists.retrieved(at.cutoff) - lists.sum(np.ones(len(lists.row)), cutoff=at.cutoff)


def holes_ratio(lists: JudgedLists, at: At) -> Floats:
    """Return holes@k / min(k, n), in [0, 1]; 0 for an empty list, as in the Azure evaluator."""
    return ratio(holes(lists, at), lists.retrieved(at.cutoff))


def xdcg(lists: JudgedLists, at: At) -> Floats:
    """Return 25 * sum_{i<=k} max(l_i, 0) .6^(i-1) / sum_{i<=k} .6^(i-1), ranks 1 to k always.

    In [0, 100] for labels up to 4. An unjudged document adds 0. Without a cut-off the divisor is
    its limit 2.5, whatever the length of the list. Differs from `document_retrieval.xdcg@3` only
    for negative labels, which are subtracted there.
    """
    terms = linear_gain(lists.label) * geometric_discount(lists.rank)
    found = lists.sum(terms, cutoff=at.cutoff)
    return XDCG_UNIT * (found / geometric_sum(at.cutoff))


def fidelity(lists: JudgedLists, at: At) -> Floats:
    """Return W(first k) / W(all judged), W = sum of max(w(l), 0) over labels l; in [0, 1].

    w(l) = 2^(l + 1) - 1 where l is above the lowest label of the range, else 0. The divisor is
    not cut at k. An unjudged document never counts. 0 where no judged document is good.
    """
    found, ideal = (
        np.maximum(fidelity_weight(labels, label_min=at.label_min), 0.0)
        for labels in (lists.label, lists.judgements.ideal_label)
    )
    return ratio(lists.sum(found, cutoff=at.cutoff), lists.judgements.ideal_sum(ideal))


def max_relevance(lists: JudgedLists, at: At) -> Floats:
    """Return max over i <= k of max(l_i, 0); an unjudged document has label 0; 0 without any."""
    best = np.zeros(len(lists.judgements))
    gain = linear_gain(lists.label)
    np.maximum.at(best, lists.row, gain if at.cutoff is None else gain * (lists.rank <= at.cutoff))
    return best


FORMULAS: dict[str, Callable[[JudgedLists, At], Floats]] = {
    "ndcg": ndcg,
    "ndcg_exp": ndcg_exp,
    "p": precision,
    "recall": recall,
    "hit": hit,
    "rr": reciprocal_rank,
    "map": average_precision,
    "rprec": r_precision,
    "bpref": bpref,
    "judged": judged,
    "xdcg": xdcg,
    "fidelity": fidelity,
    "max_relevance": max_relevance,
    "holes": holes,
    "holes_ratio": holes_ratio,
}
