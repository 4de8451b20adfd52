"""What holds for every list and every judgement, and agreement with pytrec_eval."""

from itertools import pairwise

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sweep.errors import MetricError
from sweep.metrics import (
    METRIC_NAMES,
    ChunkView,
    Metric,
    judgements_from_qrels,
    parse_metric,
    score_lists,
)
from sweep.metrics.judgements import SpanJudgements
from sweep.records import Chunks, Floats, RankedLists, TokenOffsets

DOCUMENTS = 9
# pytrec_eval 0.5.11 crashes on labels below -1 and on an empty run, and hangs on queries whose
# labels are all negative: it is never given one.
LABELS = st.dictionaries(st.integers(0, DOCUMENTS - 1), st.integers(-1, 4), min_size=1).filter(
    lambda labels: max(labels.values()) >= 0
)
ANY_LABELS = st.dictionaries(st.integers(0, DOCUMENTS - 1), st.integers(-3, 6), min_size=1)
RANKING = st.permutations(range(DOCUMENTS)).flatmap(
    lambda ranked: st.integers(0, DOCUMENTS).map(lambda length: ranked[:length])
)
THEIRS = {
    "ndcg": "ndcg",
    "ndcg@1": "ndcg_cut_1",
    "ndcg@4": "ndcg_cut_4",
    "p@4": "P_4",
    "recall@4": "recall_4",
    "hit@4": "success_4",
    "rr": "recip_rank",
    "map": "map",
    "map@4": "map_cut_4",
    "rprec": "Rprec",
    "bpref": "bpref",
}


def score(
    queries: list[tuple[dict[int, int], list[int]]],
    metrics: list[Metric],
    *,
    labels: tuple[int, int] = (0, 4),
    relevance: int = 1,
) -> Floats:
    items = np.full((len(queries), DOCUMENTS), -1, dtype=np.int64)
    for row, (_, ranked) in enumerate(queries):
        items[row, : len(ranked)] = ranked
    judgements = judgements_from_qrels(
        {f"q{row}": judged for row, (judged, _) in enumerate(queries)}, range(DOCUMENTS)
    )
    lists = RankedLists(items=items, scores=np.where(items < 0, np.nan, 0.0))
    return score_lists(metrics, judgements, lists, labels=labels, relevance=relevance).values


@given(st.lists(st.tuples(LABELS, RANKING), min_size=1, max_size=4), st.integers(1, 3))
def test_equals_pytrec_eval(
    queries: list[tuple[dict[int, int], list[int]]], relevance: int
) -> None:
    qrels = {f"q{row}": {str(d): v for d, v in q[0].items()} for row, q in enumerate(queries)}
    run = {
        f"q{row}": {str(d): -float(rank) for rank, d in enumerate(ranked)}
        for row, (_, ranked) in enumerate(queries)
        if ranked
    }
    measures = {name.replace("_4", ".4").replace("_1", ".1") for name in THEIRS.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=relevance)
    theirs = evaluator.evaluate(run) if run else {}
    ours = score(queries, [parse_metric(name) for name in THEIRS], relevance=relevance)
    for row in range(len(queries)):
        found = theirs.get(f"q{row}", {})
        expected = [found.get(name, 0.0) for name in THEIRS.values()]
        assert ours[row].tolist() == pytest.approx(expected, abs=1e-9)


def _document_metrics(cutoff: int) -> list[Metric]:
    metrics = []
    for name in METRIC_NAMES:
        for at in (None, cutoff, 3):
            try:
                metric = Metric(name, cutoff=at)
            except MetricError:  # without this cut-off, or only with another
                continue
            if metric.family == "document" and not name.startswith("document_retrieval."):
                metrics.append(metric)
    return metrics


@given(ANY_LABELS, RANKING, st.integers(1, DOCUMENTS + 2))
def test_every_document_metric_is_finite_and_within_its_scale(
    judged: dict[int, int], ranked: list[int], cutoff: int
) -> None:
    metrics = _document_metrics(cutoff)
    values = score([(judged, ranked)], metrics, labels=(-3, 6))[0]
    for metric, value in zip(metrics, values.tolist(), strict=True):
        scale = metric.scale_for((0, 6))
        assert 0.0 <= value <= (DOCUMENTS if scale is None else scale), str(metric)


@given(ANY_LABELS, RANKING)
def test_a_cutoff_beyond_the_list_is_the_whole_list(
    judged: dict[int, int], ranked: list[int]
) -> None:
    names = ("ndcg", "ndcg_exp", "recall", "rr", "map", "fidelity", "max_relevance", "holes")
    whole = score([(judged, ranked)], [Metric(name) for name in names])
    cut = score([(judged, ranked)], [Metric(name, cutoff=DOCUMENTS) for name in names])
    assert (whole == cut).all()


@given(ANY_LABELS, RANKING)
def test_what_is_found_never_falls_with_the_cutoff(
    judged: dict[int, int], ranked: list[int]
) -> None:
    for name in ("recall", "hit", "rr", "map", "fidelity", "max_relevance", "holes"):
        curve = score([(judged, ranked)], [Metric(name, cutoff=k) for k in range(1, 11)])[0]
        assert (np.diff(curve) >= 0).all(), name


@given(ANY_LABELS)
def test_the_ideal_list_scores_one(judged: dict[int, int]) -> None:
    assume(max(judged.values()) > 0)
    best = sorted(judged, key=lambda document: -judged[document])
    names = [
        "ndcg",
        "ndcg@3",
        "ndcg_exp@3",
        "map",
        "recall",
        "rprec",
        "bpref",
        "fidelity",
        "hit@1",
    ]
    assert score([(judged, best)], [parse_metric(name) for name in names])[0].tolist() == [1.0] * 9


@given(st.lists(st.tuples(ANY_LABELS, RANKING), min_size=2, max_size=5))
def test_a_query_scores_alike_alone_and_in_company(
    queries: list[tuple[dict[int, int], list[int]]],
) -> None:
    metrics = _document_metrics(4)
    together = score(queries, metrics)
    for row, query in enumerate(queries):
        assert (score([query], metrics)[0] == together[row]).all()


# Spans and chunks: two documents of 24 characters, tokens of 3 characters.
LENGTH, TOKEN = 24, 3
PASSAGE = st.tuples(
    st.integers(0, 1),
    st.lists(st.integers(0, LENGTH), min_size=2, max_size=2, unique=True).map(sorted),
)
SPANS = st.lists(st.tuples(PASSAGE, st.integers(0, 3)), min_size=1, max_size=5)
CHUNKS = st.lists(PASSAGE, min_size=1, max_size=6)
Passage = tuple[int, list[int]]


def make_view(
    spans: list[tuple[Passage, int]], chunks: list[Passage], threshold: float
) -> ChunkView:
    rows = sorted((document, start, end, grade) for (document, (start, end)), grade in spans)
    table = np.array(rows, dtype=np.int64)
    cut = np.array([(document, start, end) for document, (start, end) in chunks], dtype=np.int64)
    starts = np.arange(0, LENGTH, TOKEN)
    return ChunkView(
        lists=RankedLists(
            items=np.arange(len(chunks))[None, :], scores=np.zeros((1, len(chunks)))
        ),
        chunks=Chunks(
            document=cut[:, 0],
            start=cut[:, 1],
            end=cut[:, 2],
            tokens=(cut[:, 2] + TOKEN - 1) // TOKEN - (cut[:, 1] + TOKEN - 1) // TOKEN,
        ),
        offsets=TokenOffsets(
            indptr=np.arange(3) * len(starts),
            starts=np.tile(starts, 2),
            ends=np.tile(starts + TOKEN, 2),
            continues=np.zeros(2 * len(starts), dtype=np.bool_),
        ),
        spans=SpanJudgements(
            n_queries=1,
            query=np.zeros(len(rows), dtype=np.int64),
            document=table[:, 0],
            start=table[:, 1],
            end=table[:, 2],
            grade=table[:, 3],
        ),
        threshold=threshold,
    )


def score_spans(view: ChunkView, names: list[str], *, relevance: int = 1) -> list[float]:
    judgements = judgements_from_qrels({"q": {"a": 1}}, ["a"])
    nothing = RankedLists(items=np.array([[-1]]), scores=np.array([[np.nan]]))
    metrics = [parse_metric(name) for name in names]
    table = score_lists(metrics, judgements, nothing, chunk_view=view, relevance=relevance)
    return [float(value) for value in table.values[0]]


def characters(passages: list[Passage]) -> set[tuple[int, int]]:
    return {(document, at) for document, (start, end) in passages for at in range(start, end)}


def matches(chunk: Passage, span: Passage, threshold: float) -> bool:
    shared = len(characters([chunk]) & characters([span]))
    covers = shared >= threshold * len(characters([span]))
    inside = shared >= threshold * len(characters([chunk]))
    return shared > 0 and (covers or inside)


@given(SPANS, CHUNKS, st.integers(1, 7), st.sampled_from([0.25, 0.5, 1.0]), st.integers(1, 3))
def test_span_metrics_equal_sets_of_characters(
    spans: list[tuple[Passage, int]],
    chunks: list[Passage],
    cutoff: int,
    threshold: float,
    relevance: int,
) -> None:
    wanted = [span for span, grade in spans if grade >= relevance]
    shown = chunks[:cutoff]
    ours, theirs = characters(wanted), characters(shown)
    both, either = len(ours & theirs), len(ours | theirs)
    ranks = [
        rank
        for rank, chunk in enumerate(shown, start=1)
        if any(matches(chunk, span, threshold) for span in wanted)
    ]
    names = ["recall", "precision", "iou", "rr", "hit"]
    view = make_view(spans, chunks, threshold)
    got = score_spans(view, [f"span_{name}@{cutoff}" for name in names], relevance=relevance)
    expected = [
        both / len(ours) if ours else 0.0,
        both / len(theirs),
        both / either if ours else 0.0,
        1 / min(ranks) if ranks else 0.0,
        float(bool(ranks)),
    ]
    assert got == pytest.approx(expected, abs=1e-12)


def turn_by_turn(grades: list[int], firsts: list[int | None], cutoff: int) -> float:
    """DCG where every position chooses the highest grade at hand."""
    waiting = [(first, grade) for first, grade in zip(firsts, grades, strict=True) if first]
    total = 0.0
    for position in range(1, cutoff + 1):
        ready = [entry for entry in waiting if entry[0] <= position]
        if ready:
            best = max(ready, key=lambda entry: entry[1])
            waiting.remove(best)
            total += best[1] / np.log2(position + 1)
    return total


@given(SPANS, CHUNKS, st.integers(1, 12))
def test_span_ndcg_equals_choosing_position_by_position(
    spans: list[tuple[Passage, int]], chunks: list[Passage], cutoff: int
) -> None:
    grades = [grade for _, grade in spans]
    firsts = [
        next((r for r, c in enumerate(chunks[:cutoff], start=1) if matches(c, span, 0.5)), None)
        for span, _ in spans
    ]
    ideal = turn_by_turn(grades, [1] * len(grades), cutoff)
    expected = turn_by_turn(grades, firsts, cutoff) / ideal if ideal else 0.0
    (got,) = score_spans(make_view(spans, chunks, 0.5), [f"span_ndcg@{cutoff}"])
    assert got == pytest.approx(expected, abs=1e-12)
    assert 0.0 <= got <= 1.0


@settings(max_examples=50)
@given(SPANS, CHUNKS)
def test_a_larger_budget_never_covers_less_and_the_largest_is_the_whole_output(
    spans: list[tuple[Passage, int]], chunks: list[Passage]
) -> None:
    view = make_view(spans, chunks, 0.5)
    (tokens,) = score_spans(view, ["context_tokens"])
    recall = score_spans(view, [f"span_recall@{n}tok" for n in range(1, int(tokens) + 2)])
    assert all(small <= large for small, large in pairwise(recall))
    names = ("recall", "precision", "iou", "ndcg", "rr", "hit")
    whole = [f"span_{name}@{len(chunks)}" for name in names]
    large = [f"span_{name}@{int(tokens) + 1}tok" for name in names]
    whole[3], large[3] = "span_ndcg", large[3]  # a cut-off also cuts the ideal
    assert score_spans(view, whole) == score_spans(view, large)
