"""The nine values of the Azure AI Evaluation SDK's document retrieval evaluator, at its k = 3.

Formulas, for one query with labels l_1..l_n in the order of the list (the literal 0 where a
document is unjudged) and I, the labels of all judged documents, falling; m, M the range of labels:

* ndcg@3 = DCG3(l) / DCG3(I), DCG3(x) = sum_{i<=3} (2^{x_i} - 1) / log2(i + 1)
* xdcg@3 = 25 * sum_{i<=3} l_i .6^(i-1) / 1.96
* fidelity = W(l) / W(I) over the whole lists, W(x) = sum of 2^(x_i + 1) - 1 over m < x_i <= M
* top1_relevance = l_1; top3_max_relevance = max(l_1, l_2, l_3)
* holes = documents without a judgement, in the whole list; holes_ratio = holes / n
* total_retrieved_documents = n; total_ground_truth_documents = number of judged documents

Short-cut, before the formulas: where every l_i is 0, or the list is empty, the first five are 0.
Labels below 0 are not clamped: they are subtracted, and with m < 0 an unjudged document counts as
a good one in fidelity, as in the SDK. An ideal DCG of 0 gives 0 (the SDK divides by it). Fidelity
is NaN where W(I) is 0 and the short-cut does not apply.
"""

from collections.abc import Callable

import numpy as np

from sweep.metrics.arithmetic import (
    fidelity_weight,
    geometric_discount,
    geometric_sum,
    log_discount,
    power_of_two,
    ratio,
)
from sweep.metrics.document_metrics import At, holes, holes_ratio
from sweep.metrics.judged_lists import JudgedLists
from sweep.metrics.names import XDCG_UNIT
from sweep.records import Floats, Ints

DEPTH = 3  # ranks that ndcg, xdcg and top3_max_relevance look at
Weights = Callable[[Ints], Floats]


def score_document_retrieval(
    lists: JudgedLists, *, labels: tuple[int, int] = (0, 4), weights: Weights | None = None
) -> dict[str, Floats]:
    """Return the nine values of every judged query, each of shape (J,), in the SDK's order.

    Args:
        lists: J lists.
        labels: lowest and highest label (m, M).
        weights: weight of labels inside (m, M] in fidelity, by default 2^(label + 1) - 1.
    """
    label, rank = lists.label, lists.rank
    informative = lists.sum(label != 0) > 0
    linear = lists.sum(label * geometric_discount(rank), cutoff=DEPTH)
    first_three = {
        "ndcg@3": _ndcg(lists),
        "xdcg@3": XDCG_UNIT * (linear / geometric_sum(DEPTH)),
        "fidelity": _fidelity(lists, labels, weights),
        "top1_relevance": _highest_label(lists, depth=1),
        "top3_max_relevance": _highest_label(lists, depth=DEPTH),
    }
    return {
        **{name: np.where(informative, value, 0.0) for name, value in first_three.items()},
        "holes": holes(lists, At()),
        "holes_ratio": holes_ratio(lists, At()),
        "total_retrieved_documents": lists.retrieved(None),
        "total_ground_truth_documents": lists.judgements.total(),
    }


def _ndcg(lists: JudgedLists) -> Floats:
    ideal = lists.judgements
    found = (power_of_two(lists.label) - 1.0) / log_discount(lists.rank)
    best = (power_of_two(ideal.ideal_label) - 1.0) / log_discount(ideal.ideal_rank)
    return ratio(lists.sum(found, cutoff=DEPTH), ideal.ideal_sum(best, cutoff=DEPTH))


def _fidelity(lists: JudgedLists, labels: tuple[int, int], weights: Weights | None) -> Floats:
    low, high = labels

    def weigh(values: Ints) -> Floats:
        if weights is None:
            return fidelity_weight(values, label_min=low) * (values <= high)
        return weights(values) * ((low < values) & (values <= high))

    hole = float(weigh(np.zeros(1, dtype=np.int64))[0])
    found = lists.sum(weigh(lists.label)) + hole * holes(lists, At())
    ideal = lists.judgements.ideal_sum(weigh(lists.judgements.ideal_label))
    return np.where(ideal != 0, ratio(found, ideal), np.nan)


def _highest_label(lists: JudgedLists, *, depth: int) -> Floats:
    """Return the highest label of the first `depth` documents; 0 for unjudged ones."""
    best = np.full(len(lists.judgements), -np.inf)
    shown = lists.rank <= depth
    np.maximum.at(best, lists.row[shown], lists.label[shown].astype(np.float64))
    all_judged = lists.sum(shown) == lists.retrieved(depth)
    return np.where(all_judged, best, np.maximum(best, 0.0))
