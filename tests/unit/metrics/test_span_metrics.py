"""Span metrics worked by hand: documents are lines of characters, tokens are 5 characters long."""

from collections.abc import Sequence

import numpy as np
import pytest

from sweep.errors import MetricError
from sweep.metrics import ChunkView, judgements_from_qrels, parse_metric, score_lists
from sweep.metrics.judgements import SpanJudgements
from sweep.records import Chunks, RankedLists, TokenOffsets

Row = tuple[int, int, int]  # document, start, end
LENGTH, TOKEN = 100, 5
LOG3 = 1.584962500721156  # log2(3)


def make_spans(*rows: tuple[int, int, int, int, int], n_queries: int = 1) -> SpanJudgements:
    """Make spans from (query, document, start, end, grade)."""
    table = np.array(sorted(rows), dtype=np.int64).reshape(-1, 5)
    query, document, start, end, grade = table.T
    return SpanJudgements(
        n_queries=n_queries, query=query, document=document, start=start, end=end, grade=grade
    )


def score(
    name: str,
    chunks: Sequence[Row],
    spans: SpanJudgements,
    *,
    lists: list[list[int]] | None = None,
    threshold: float = 0.5,
    relevance: int = 1,
) -> list[float]:
    """Score lists of chunk rows (by default all chunks in order for the one query)."""
    table = np.array(chunks, dtype=np.int64).reshape(-1, 3)
    items = np.array([list(range(len(chunks)))] if lists is None else lists, dtype=np.int64)
    starts = np.arange(0, LENGTH, TOKEN)
    view = ChunkView(
        lists=RankedLists(items=items, scores=np.zeros(items.shape)),
        chunks=Chunks(
            document=table[:, 0],
            start=table[:, 1],
            end=table[:, 2],
            tokens=(table[:, 2] - table[:, 1]) // TOKEN,
        ),
        offsets=TokenOffsets(
            indptr=np.arange(4) * len(starts),
            starts=np.tile(starts, 3),
            ends=np.tile(starts + TOKEN, 3),
            continues=np.zeros(3 * len(starts), dtype=np.bool_),
        ),
        spans=spans,
        threshold=threshold,
    )
    queries = [f"q{row}" for row in range(len(items))]
    judgements = judgements_from_qrels(dict.fromkeys(queries, {"a": 1}), ["a"])
    nothing = RankedLists(
        items=np.full((len(items), 1), -1, dtype=np.int64), scores=np.full((len(items), 1), np.nan)
    )
    metric = parse_metric(name)
    scored = score_lists([metric], judgements, nothing, chunk_view=view, relevance=relevance)
    return scored.column(name).tolist()


def test_characters_are_counted_once_wherever_they_overlap() -> None:
    # spans 10-30 and 20-40 are 30 characters; chunks 0-20 and 10-25 cover 10-25 of them
    spans = make_spans((0, 0, 10, 30, 1), (0, 0, 20, 40, 1))
    chunks = [(0, 0, 20), (0, 10, 25)]
    assert score("span_recall", chunks, spans) == [15 / 30]
    assert score("span_precision", chunks, spans) == [15 / 25]
    assert score("span_iou", chunks, spans) == [15 / 40]
    assert score("span_recall@1", chunks, spans) == [10 / 30]
    assert score("span_precision@1", chunks, spans) == [10 / 20]


def test_documents_do_not_mix() -> None:
    spans = make_spans((0, 1, 0, 10, 1))
    assert score("span_recall", [(0, 0, 10), (2, 0, 10)], spans) == [0]
    assert score("span_hit@2", [(0, 0, 10), (2, 0, 10)], spans) == [0]
    assert score("span_recall", [(0, 0, 10), (1, 5, 10)], spans) == [0.5]


def test_queries_do_not_mix_and_one_without_spans_is_undefined() -> None:
    spans = make_spans((0, 0, 0, 10, 1), (2, 0, 50, 60, 1), n_queries=3)
    lists = [[0, 1], [0, 1], [1, -1]]
    chunks = [(0, 0, 10), (0, 50, 55)]
    for name, expected in (
        ("span_recall", [1.0, np.nan, 0.5]),
        ("span_precision", [10 / 15, np.nan, 1.0]),
        ("span_rr", [1.0, np.nan, 1.0]),
        ("span_ndcg@2", [1.0, np.nan, 1.0]),
    ):
        got = score(name, chunks, spans, lists=lists)
        assert got == pytest.approx(expected, nan_ok=True)


def test_an_empty_list_scores_zero() -> None:
    spans = make_spans((0, 0, 0, 10, 1))
    names = ["recall", "precision", "iou", "ndcg", "rr", "hit", "recall@20tok", "hit@20tok"]
    for name in names:
        assert score(f"span_{name}", [(0, 0, 10)], spans, lists=[[-1, -1]]) == [0]
    assert score("context_tokens", [(0, 0, 10)], spans, lists=[[-1, -1]]) == [0]


def test_a_corpus_without_spans_still_has_context_tokens() -> None:
    assert score("context_tokens", [(0, 0, 10), (1, 0, 25)], make_spans()) == [7]
    assert np.isnan(score("span_recall", [(0, 0, 10)], make_spans())).all()


@pytest.mark.parametrize(
    ("chunk", "threshold", "matches"),
    [
        ((0, 0, 20), 0.5, True),  # half of the span
        ((0, 0, 19), 0.5, False),  # 9 of 20, and 9 of 19 inside
        ((0, 0, 19), 0.45, True),
        ((0, 6, 14), 0.5, True),  # half of the chunk inside
        ((0, 15, 17), 1.0, True),  # wholly inside
        ((0, 0, 40), 1.0, True),  # wholly covered
        ((0, 11, 40), 1.0, False),
        ((0, 30, 40), 0.1, False),  # touches only
    ],
)
def test_a_chunk_matches_a_span_of_10_to_30(chunk: Row, threshold: float, matches: bool) -> None:
    spans = make_spans((0, 0, 10, 30, 1))
    assert score("span_hit@1", [chunk], spans, threshold=threshold) == [float(matches)]


def test_rank_metrics_look_at_the_first_matching_chunk_within_the_cutoff() -> None:
    spans = make_spans((0, 0, 0, 10, 1), (0, 1, 0, 10, 2))
    chunks = [(2, 0, 10), (0, 0, 10), (1, 0, 10)]
    assert score("span_rr", chunks, spans) == [1 / 2]
    assert score("span_rr@1", chunks, spans) == [0]
    assert score("span_hit@1", chunks, spans) == [0]
    assert score("span_rr(rel=2)", chunks, spans) == [1 / 3]
    assert score("span_rr", chunks, spans, relevance=2) == [1 / 3]
    assert score("span_hit(rel=3)@3", chunks, spans) == [0]
    assert score("span_recall(rel=2)@2", chunks, spans) == [0]
    assert score("span_recall(rel=2)@3", chunks, spans) == [1]
    assert score("span_iou(rel=3)", chunks, spans) == [0]


def test_ndcg_where_every_chunk_matches_one_span_is_ndcg_of_the_chunk_list() -> None:
    spans = make_spans((0, 0, 0, 10, 3), (0, 1, 0, 10, 1))
    ideal = 3 + 1 / LOG3
    chunks = [(2, 0, 10), (0, 0, 10), (1, 0, 10)]
    assert score("span_ndcg", chunks, spans) == pytest.approx([(3 / LOG3 + 1 / 2) / ideal])
    assert score("span_ndcg@2", chunks, spans) == pytest.approx([3 / LOG3 / ideal])
    assert score("span_ndcg@1", chunks, spans) == [0]
    assert score("span_ndcg", chunks[1:], spans) == [1]


def test_ndcg_counts_a_span_once() -> None:
    spans = make_spans((0, 0, 0, 10, 1), (0, 1, 0, 10, 1))
    again = [(0, 0, 10), (0, 0, 9), (0, 1, 10)]  # three chunks of the first span
    assert score("span_ndcg", again, spans) == pytest.approx([1 / (1 + 1 / LOG3)])


def test_ndcg_lets_the_spans_of_one_chunk_take_turns() -> None:
    spans = make_spans((0, 0, 0, 10, 1), (0, 0, 20, 30, 2), (0, 1, 0, 10, 3))
    ideal = 3 + 2 / LOG3 + 1 / 2
    one_chunk_first = [(0, 0, 40), (1, 0, 10)]
    # position 1: grade 2; position 2: grade 3, now at hand, before grade 1; position 3: grade 1
    assert score("span_ndcg", one_chunk_first, spans) == pytest.approx(
        [(2 + 3 / LOG3 + 1 / 2) / ideal]
    )
    assert score("span_ndcg", [(1, 0, 10), (0, 0, 40)], spans) == [1]
    assert score("span_ndcg@1", [(0, 0, 40)], spans) == pytest.approx([2 / 3])
    assert score("span_ndcg@2", [(0, 0, 40)], spans) == pytest.approx(
        [(2 + 1 / LOG3) / (3 + 2 / LOG3)]
    )


def test_one_large_chunk_and_small_ones_in_the_best_order_both_reach_one() -> None:
    spans = make_spans((0, 0, 0, 10, 2), (0, 0, 20, 30, 1))
    assert score("span_ndcg", [(0, 0, 40)], spans) == [1]
    assert score("span_ndcg", [(0, 0, 10), (0, 20, 30)], spans) == [1]


def test_spans_without_a_positive_grade_gain_nothing() -> None:
    spans = make_spans((0, 0, 0, 10, 0))
    for name in ("span_ndcg", "span_recall", "span_hit@1", "span_iou"):
        assert score(name, [(0, 0, 10)], spans) == [0]


def test_a_token_budget_takes_whole_chunks_then_cuts_the_next_one() -> None:
    # chunks of 4 tokens (20 characters); the span is 20-40 of document 0, the second chunk
    spans = make_spans((0, 0, 20, 40, 1))
    chunks = [(1, 0, 20), (0, 20, 40), (0, 40, 60)]
    assert score("span_recall@4tok", chunks, spans) == [0]
    assert score("span_recall@5tok", chunks, spans) == [5 / 20]
    assert score("span_recall@7tok", chunks, spans) == [15 / 20]
    assert score("span_recall@8tok", chunks, spans) == [1]
    assert score("span_precision@6tok", chunks, spans) == [10 / 30]
    assert score("span_iou@6tok", chunks, spans) == [10 / 40]
    assert score("span_precision@100tok", chunks, spans) == [20 / 60]


def test_a_first_chunk_longer_than_the_budget_is_cut() -> None:
    spans = make_spans((0, 0, 0, 20, 1))
    assert score("span_recall@2tok", [(0, 0, 40)], spans) == [10 / 20]
    assert score("span_precision@2tok", [(0, 0, 40)], spans) == [1]


def test_rank_metrics_see_whole_chunks_only_within_a_budget() -> None:
    spans = make_spans((0, 0, 20, 40, 1))
    chunks = [(1, 0, 20), (0, 20, 40)]
    assert score("span_hit@7tok", chunks, spans) == [0]
    assert score("span_hit@8tok", chunks, spans) == [1]
    assert score("span_rr@8tok", chunks, spans) == [0.5]
    assert score("span_ndcg@7tok", chunks, spans) == [0]
    assert score("span_ndcg@8tok", chunks, spans) == pytest.approx([1 / LOG3])


def test_a_cut_falls_behind_whole_tokens_that_start_in_the_chunk() -> None:
    # the chunk starts inside the first token, so its first whole token is 5-10
    spans = make_spans((0, 0, 3, 33, 1))
    assert score("span_recall@2tok", [(0, 3, 33)], spans) == [12 / 30]


def test_a_chunk_never_grows_beyond_its_end() -> None:
    # 9 characters are called one token; the second token would end at 10, outside the chunk
    spans = make_spans((0, 0, 0, 20, 1))
    assert score("span_recall@1tok", [(2, 0, 5), (0, 0, 9)], spans) == [0]
    assert score("span_recall@2tok", [(2, 0, 5), (0, 0, 9)], spans) == [9 / 20]


def test_context_tokens_are_summed_per_query() -> None:
    spans = make_spans(n_queries=2)
    chunks = [(0, 0, 20), (1, 0, 50)]
    assert score("context_tokens", chunks, spans, lists=[[1, 0], [0, -1]]) == [14, 4]
    # Whole chunks until the next would pass the budget: 10 + 4 in both orders, or the first only.
    assert score("context_tokens@14tok", chunks, spans, lists=[[1, 0], [0, 1]]) == [14, 14]
    assert score("context_tokens@13tok", chunks, spans, lists=[[1, 0], [0, 1]]) == [10, 4]
    assert score("context_tokens@3tok", chunks, spans, lists=[[1, 0], [0, -1]]) == [0, 0]


def test_many_spans_in_one_chunk_stay_fast() -> None:
    rows = [(0, 0, number % LENGTH, number % LENGTH + 1, 1) for number in range(3000)]
    assert score("span_ndcg", [(0, 0, 100)], make_spans(*rows)) == [1]


def test_parts_that_do_not_belong_together_are_refused() -> None:
    spans = make_spans((0, 0, 0, 10, 1))
    with pytest.raises(MetricError, match=r"span threshold: must be in \(0, 1\], got 0"):
        score("span_hit@1", [(0, 0, 10)], spans, threshold=0)
    with pytest.raises(
        MetricError, match=r"chunk lists: there must be one per query \(1\), got 2"
    ):
        score("span_hit@1", [(0, 0, 10)], spans, lists=[[0], [0]])
