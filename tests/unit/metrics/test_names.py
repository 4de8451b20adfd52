import pytest

from sweep.errors import MetricError
from sweep.metrics import METRIC_NAMES, Metric, parse_metric

CANONICAL = [
    "ndcg@10",
    "ndcg",
    "ndcg@2000tok",
    "ndcg_exp@3",
    "p@1",
    "p(rel=3)@5",
    "recall(rel=2)@10",
    "recall(rel=2)@2000tok",
    "recall",
    "hit@10",
    "rr",
    "rr@10",
    "map",
    "map(rel=2)",
    "map@100",
    "rprec",
    "bpref",
    "judged@10",
    "xdcg",
    "xdcg@5",
    "fidelity",
    "fidelity@5",
    "max_relevance@3",
    "holes",
    "holes@10",
    "holes_ratio@10",
    "document_retrieval.ndcg@3",
    "document_retrieval.xdcg@3",
    "document_retrieval.fidelity",
    "document_retrieval.top1_relevance",
    "document_retrieval.total_ground_truth_documents",
    "span_recall@2000tok",
    "span_iou",
    "span_hit(rel=2)@3",
    "span_ndcg@10",
    "context_tokens",
    "context_tokens@2000tok",
    "latency_p95_ms",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_a_name_parses_and_prints_back(text: str) -> None:
    assert str(parse_metric(text)) == text
    assert parse_metric(str(parse_metric(text))) == parse_metric(text)


def test_parts_land_in_their_fields() -> None:
    assert parse_metric("recall(rel=2)@10") == Metric("recall", cutoff=10, relevance=2)
    assert parse_metric("span_recall@2000tok") == Metric("span_recall", budget_tokens=2000)
    assert parse_metric(" ndcg@010 ") == Metric("ndcg", cutoff=10)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ndgc@10", "ndcg@10"),
        ("nDCG@5", "ndcg@5"),
        ("precision@5", "p@5"),
        ("mrr@10", "rr@10"),
        ("mrr", "rr"),
        ("AP", "map"),
        ("success@1", "hit@1"),
        ("recal(rel=2)@10", "recall(rel=2)@10"),
        ("hols", "holes"),
        ("span-recall@5", "span_recall@5"),
        ("document_retrieval.fidelty", "document_retrieval.fidelity"),
        ("document_retrieval.ndgc@5", "document_retrieval.ndcg@3"),
        ("precision", "p@10"),
        ("context_token", "context_tokens"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(text: str, meant: str) -> None:
    with pytest.raises(MetricError, match="unknown name") as caught:
        parse_metric(text)
    assert f"Did you mean {meant}?" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("ndcg@0", ">= 1, got 0"),
        ("ndcg@-1", "whole number"),
        ("ndcg@1.5", "whole number"),
        ("ndcg@", "whole number"),
        ("ndcg@ten", "whole number"),
        ("ndcg@١", "whole number"),
        ("ndcg@0tok", ">= 1, got 0"),
        ("p", "needs a cut-off"),
        ("hit", "needs a cut-off"),
        ("judged", "needs a cut-off"),
        ("rprec@10", "takes no @"),
        ("bpref@10", "takes no @"),
        ("context_tokens@10", "takes no @"),
        ("document_retrieval.holes@3", "takes no @"),
        ("document_retrieval.ndcg@5", "defined at 3 only"),
        ("document_retrieval.ndcg", "needs a cut-off"),
        ("p@2000tok", "no token budget"),
        ("ndcg_exp@2000tok", "no token budget"),
        ("holes@2000tok", "no token budget"),
        ("ndcg(rel=2)@10", r"takes no \(rel"),
        ("judged(rel=2)@10", r"takes no \(rel"),
        ("work(rel=2)", r"takes no \(rel"),
        ("span_ndcg(rel=2)@10", r"takes no \(rel"),
        ("recall(rel=0)@10", "rel must be >= 1"),
        ("recall(2)@10", "must read rel=N"),
        ("recall()@10", "must read rel=N"),
        ("recall@10(rel=2)", "must read name"),
        ("recall@10@20", "must read name"),
        ("", "unknown name"),
    ],
)
def test_what_has_no_meaning_is_refused(text: str, rule: str) -> None:
    with pytest.raises(MetricError, match=rule):
        parse_metric(text)


def test_a_metric_built_directly_is_checked_too() -> None:
    with pytest.raises(MetricError, match="unknown name"):
        Metric("ndgc", cutoff=10)
    with pytest.raises(MetricError, match="one of @k and @Ntok"):
        Metric("ndcg", cutoff=10, budget_tokens=100)


def test_direction_family_and_scale() -> None:
    lower = {name for name in METRIC_NAMES if not _plain(name).higher_is_better}
    assert lower == {
        "holes",
        "holes_ratio",
        "document_retrieval.holes",
        "document_retrieval.holes_ratio",
        "context_tokens",
        "work",
        "index_bytes",
        "build_s",
        "latency_p50_ms",
        "latency_p95_ms",
    }
    assert parse_metric("span_iou@3").family == "span"
    assert parse_metric("context_tokens").family == "cost"
    assert parse_metric("document_retrieval.xdcg@3").family == "document"
    scales = {name: _plain(name).scale for name in METRIC_NAMES}
    assert scales["ndcg"] == scales["holes_ratio"] == scales["span_rr"] == 1.0
    assert scales["xdcg"] == scales["document_retrieval.xdcg"] == 100.0
    assert scales["max_relevance"] == scales["document_retrieval.top1_relevance"] == 4.0
    assert scales["holes"] is None
    assert scales["index_bytes"] is None
    assert parse_metric("holes@7").scale == 7.0
    assert parse_metric("xdcg@3").scale_for((1, 5)) == 125.0
    assert parse_metric("max_relevance").scale_for((-2, 2)) == 4.0


def _plain(name: str) -> Metric:
    """Return the metric with the cut-off that it needs, if any."""
    try:
        return Metric(name)
    except MetricError:
        return Metric(name, cutoff=3)
