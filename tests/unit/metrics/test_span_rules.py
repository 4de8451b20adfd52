"""When a chunk matches a span: the three rules by hand, and what holds between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import MetricError
from sweep.metrics import SPAN_RULES, ChunkView, SpanJudgements, SpanRule, parse_metric
from sweep.metrics.passages import Passages, match_passages
from sweep.metrics.span_metrics import SpanScorer
from sweep.records import Chunks, RankedLists, TokenOffsets

# Against the span [10, 30): chunk, its share by coverage, its IoU, whether it holds the span.
BY_HAND = [
    ((0, 20), 10 / 20, 10 / 30, False),
    ((0, 40), 1.0, 20 / 40, True),
    ((12, 16), 1.0, 4 / 20, False),  # lies wholly inside the span
    ((10, 30), 1.0, 1.0, True),
    ((25, 65), 5 / 20, 5 / 55, False),
    ((5, 29), 19 / 20, 19 / 25, False),
    ((30, 40), 0.0, 0.0, False),  # touches it, and shares nothing
]
PLACES = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), min_size=1, max_size=6)


def passages(*places: tuple[int, int]) -> Passages:
    starts, ends = np.array(places, dtype=np.int64).reshape(-1, 2).T
    zeros = np.zeros(len(starts), dtype=np.int64)
    return Passages(query=zeros, document=zeros, start=starts, end=ends)


def pairs(
    ours: Passages, spans: Passages, rule: SpanRule, threshold: float = 0.5
) -> set[tuple[int, int]]:
    found = match_passages(ours, spans, threshold=threshold, rule=rule)
    return set(zip(*(rows.tolist() for rows in found), strict=True))


def view_of(places: list[tuple[int, int]], rule: SpanRule, threshold: float) -> ChunkView:
    """Return one list of the chunks in order, against the span [10, 30)."""
    starts, ends = np.array(places, dtype=np.int64).T
    one = np.zeros(1, dtype=np.int64)
    items = np.arange(len(places), dtype=np.int64)[None, :]
    return ChunkView(
        lists=RankedLists(items=items, scores=-items.astype(np.float64)),
        chunks=Chunks(document=0 * starts, start=starts, end=ends, tokens=ends - starts),
        offsets=TokenOffsets(
            indptr=np.array([0, 0]), starts=one[:0], ends=one[:0], continues=np.zeros(0, bool)
        ),
        spans=SpanJudgements(
            n_queries=1, query=one, document=one, start=one + 10, end=one + 30, grade=one + 1
        ),
        threshold=threshold,
        rule=rule,
    )


@pytest.mark.parametrize(("chunk", "coverage", "iou", "holds"), BY_HAND)
def test_each_rule_by_hand(
    chunk: tuple[int, int], coverage: float, iou: float, holds: bool
) -> None:
    ours, span = passages(chunk), passages((10, 30))
    for threshold in (0.05, 0.25, 0.5, 0.75, 0.95, 1.0):
        assert bool(pairs(ours, span, "coverage", threshold)) == (coverage >= threshold)
        assert bool(pairs(ours, span, "iou", threshold)) == (iou >= threshold)
        assert bool(pairs(ours, span, "containment", threshold)) == holds


@pytest.mark.parametrize(("shared", "threshold"), [(7, 0.07), (29, 0.29), (57, 0.57), (58, 0.58)])
def test_a_share_equal_to_the_threshold_matches(shared: int, threshold: float) -> None:
    """0.07 * 100 is 7.000000000000001 in floating point; 7 / 100 is 0.07."""
    assert pairs(passages((0, 100)), passages((100 - shared, 200)), "coverage", threshold)
    assert pairs(passages((0, shared)), passages((0, 100)), "iou", threshold)


@given(PLACES, PLACES, st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]))
def test_containment_and_iou_are_stricter_than_coverage(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]], threshold: float
) -> None:
    chunks = passages(*((start, start + length) for start, length in ours))
    spans = passages(*((start, start + length) for start, length in theirs))
    coverage = pairs(chunks, spans, "coverage", threshold)
    assert pairs(chunks, spans, "containment") <= pairs(chunks, spans, "coverage", 1.0) <= coverage
    assert pairs(chunks, spans, "iou", threshold) <= coverage
    for rule in ("coverage", "iou"):
        swapped = {(a, b) for b, a in pairs(spans, chunks, rule, threshold)}
        assert pairs(chunks, spans, rule, threshold) == swapped


@pytest.mark.parametrize(
    ("rule", "threshold", "rank"),
    [
        ("coverage", 0.5, 1),
        ("coverage", 0.75, 2),
        ("iou", 0.25, 1),
        ("iou", 0.5, 3),
        ("iou", 0.75, None),
        ("containment", 0.5, 3),
    ],
)
def test_metrics_follow_the_rule(rule: SpanRule, threshold: float, rank: int | None) -> None:
    """Chunks [0, 20), [12, 16) and [0, 40), in this order; the rank of the first that matches."""
    scorer = SpanScorer(view_of([(0, 20), (12, 16), (0, 40)], rule, threshold))
    expected = {
        "span_rr": 0 if rank is None else 1 / rank,
        "span_hit@2": 0 if rank is None else rank <= 2,
        "span_ndcg": 0 if rank is None else 1 / np.log2(rank + 1),
        "span_recall": 1,  # counts characters: no rule enters it
    }
    for name, value in expected.items():
        assert scorer.score(parse_metric(name), relevance=1).tolist() == [value], name


def test_unknown_rule() -> None:
    assert SPAN_RULES == ("coverage", "iou", "containment")
    with pytest.raises(MetricError, match="one of coverage, iou, containment, got 'overlap'"):
        view_of([(0, 20)], "overlap", 0.5)  # type: ignore[arg-type]
