"""Fusion, blending and document lists against plain loops, and what must hold for any input."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.configuration import Fusion, HybridConfig
from sweep.rankings.documents import cut_top_k, first_within_budget, to_documents
from sweep.rankings.fuse import blend_lists, fuse_lists
from sweep.records import RankedLists

SCORES = st.one_of(
    st.sampled_from([-1.0, 0.0, 0.1, 0.5, 2.0]),
    st.floats(-1e6, 1e6, allow_subnormal=False),
    st.floats(0, 1e-300),
)
PAIRS = list[tuple[int, float]]
LIST = st.dictionaries(st.integers(0, 9), SCORES, max_size=8).map(
    lambda scores: sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
)
TWO_LISTS = st.lists(st.tuples(LIST, LIST), min_size=1, max_size=4)
DOCUMENT = np.array([0, 0, 0, 1, 1, 2, 3, 3, 3, 4])
CONFIGS = [
    HybridConfig(fusion="rrf", rrf_k=60, depth=5),
    HybridConfig(fusion="weighted", rrf_k=None, weight=0.3, depth=5),
    HybridConfig(fusion="zscore", rrf_k=None, weight=0.7, depth=5),
]


def pad(rows: list[PAIRS]) -> RankedLists:
    items = np.full((len(rows), 8), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    for number, row in enumerate(rows):
        for place, (item, score) in enumerate(row):
            items[number, place], scores[number, place] = item, score
    return RankedLists(items=items, scores=scores)


def unpad(lists: RankedLists) -> list[PAIRS]:
    """Return the lists without padding, after checking that it stands at the end and is NaN."""
    result = []
    for items, scores in zip(lists.items, lists.scores, strict=True):
        length = int((items >= 0).sum())
        assert (items[length:] == -1).all()
        assert np.isnan(scores[length:]).all()
        assert np.isfinite(scores[:length]).all()
        assert (np.diff(scores[:length]) <= 0).all()
        assert len(set(items[:length].tolist())) == length
        result.append(list(zip(items[:length].tolist(), scores[:length].tolist(), strict=True)))
    return result


def scale(row: PAIRS, fusion: Fusion) -> dict[int, float]:
    """Return one list's normalised scores, the slow and obvious way."""
    if not row:
        return {}
    values = [score for _, score in row]
    low, high = min(values), max(values)
    if low == high:
        return dict.fromkeys((item for item, _ in row), 0.5 if fusion == "weighted" else 0.0)
    unit = {item: (score - low) / (high - low) for item, score in row}
    if fusion == "weighted":
        return unit
    mean = math.fsum(unit.values()) / len(unit)
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in unit.values()) / len(unit))
    return {item: (value - mean) / spread for item, value in unit.items()}


def fuse_slowly(vector: PAIRS, bm25: PAIRS, config: HybridConfig) -> dict[int, float]:
    vector, bm25 = vector[: config.depth], bm25[: config.depth]
    fused = {}
    for item in {item for item, _ in vector + bm25}:
        score = 0.0
        for row, share in ((vector, config.weight or 0), (bm25, 1 - (config.weight or 0))):
            ranks = {other: rank for rank, (other, _) in enumerate(row, start=1)}
            if config.fusion == "rrf":
                score += 1 / (60 + ranks[item]) if item in ranks else 0
                continue
            scaled = scale(row, config.fusion)
            lowest = min(scaled.values(), default=0) if config.fusion == "zscore" else 0
            score += share * scaled.get(item, lowest)
        fused[item] = score
    return fused


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.fusion)
@settings(deadline=None)
@given(rows=TWO_LISTS)
def test_fusion_equals_a_plain_loop(config: HybridConfig, rows: list[tuple[PAIRS, PAIRS]]) -> None:
    vector, bm25 = [row[0] for row in rows], [row[1] for row in rows]
    fused = unpad(fuse_lists(pad(vector), pad(bm25), config))
    for row, left, right in zip(fused, vector, bm25, strict=True):
        assert dict(row) == pytest.approx(fuse_slowly(left, right, config), abs=1e-9)
        assert row == sorted(row, key=lambda pair: (-pair[1], pair[0]))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.fusion)
@given(row=LIST)
def test_fusing_a_list_with_itself_keeps_its_order(config: HybridConfig, row: PAIRS) -> None:
    """Of scores so close that scaling makes them equal, the lower row comes first."""
    fused = unpad(fuse_lists(pad([row]), pad([row]), config))[0]
    before = dict(row)
    assert {item for item, _ in fused} == {item for item, _ in row[: config.depth]}
    for (first, high), (second, low) in zip(fused, fused[1:], strict=False):
        assert before[first] >= before[second] or high == low


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.fusion)
@given(rows=TWO_LISTS)
def test_a_fused_list_does_not_depend_on_company(
    config: HybridConfig, rows: list[tuple[PAIRS, PAIRS]]
) -> None:
    together = fuse_lists(pad([row[0] for row in rows]), pad([row[1] for row in rows]), config)
    for number, (left, right) in enumerate(rows):
        alone = fuse_lists(pad([left]), pad([right]), config)
        assert alone.items[0].tobytes() == together.items[number].tobytes()
        assert alone.scores[0].tobytes() == together.scores[number].tobytes()


@given(
    rows=st.lists(LIST, min_size=1, max_size=4),
    raw=st.lists(SCORES, min_size=32, max_size=32),
    depth=st.integers(1, 9),
    blend=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_blending_reorders_the_first_and_nothing_else(
    rows: list[PAIRS], raw: list[float], depth: int, blend: float
) -> None:
    scores = np.array(raw).reshape(4, 8)[: len(rows)]
    blended = unpad(blend_lists(pad(rows), scores, depth=depth, blend=blend))
    for row, reranker, result in zip(rows, scores, blended, strict=True):
        order = [item for item, _ in row]
        assert sorted(item for item, _ in result[:depth]) == sorted(order[:depth])
        assert [item for item, _ in result[depth:]] == order[depth:]
        assert all(0 <= score <= 1 for _, score in result[:depth])
        assert all(score <= -1 for _, score in result[depth:])
        if blend == 1.0:
            places = sorted(range(len(order[:depth])), key=lambda place: -reranker[place])
            assert [item for item, _ in result[:depth]] == [order[place] for place in places]
        if blend == 0.0:
            high = dict(row)
            got = [high[item] for item, _ in result[:depth]]
            assert got == sorted(got, reverse=True)


@pytest.mark.parametrize("aggregate", ["max", "first", "sum", "mean@1", "mean@2"])
@given(rows=st.lists(LIST, min_size=1, max_size=4))
def test_documents_equal_a_plain_loop(aggregate: str, rows: list[PAIRS]) -> None:
    result = unpad(to_documents(pad(rows), DOCUMENT, aggregate=aggregate))
    for row, documents in zip(rows, result, strict=True):
        chunks: dict[int, list[float]] = {}
        for item, score in row:
            chunks.setdefault(int(DOCUMENT[item]), []).append(score)
        best = int(aggregate[5:]) if "@" in aggregate else 1
        expected = {
            document: sum(scores)
            if aggregate == "sum"
            else sum(scores[:best]) / len(scores[:best])
            for document, scores in chunks.items()
        }
        assert dict(documents) == pytest.approx(expected)
        if aggregate in ("max", "first"):
            assert [document for document, _ in documents] == list(chunks)


@given(rows=st.lists(LIST, min_size=1, max_size=4), top_k=st.integers(1, 6))
def test_cuts_equal_a_plain_loop(rows: list[PAIRS], top_k: int) -> None:
    by_documents = unpad(cut_top_k(pad(rows), DOCUMENT, top_k=top_k, unit="documents"))
    by_budget = unpad(first_within_budget(pad(rows), DOCUMENT + 1, budget=top_k))
    for row, documents, budget in zip(rows, by_documents, by_budget, strict=True):
        length, seen = 0, set()
        while length < len(row) and len(seen) < top_k:
            seen.add(int(DOCUMENT[row[length][0]]))
            length += 1
        assert documents == row[:length]
        spent, length = 0, 0
        while length < len(row) and spent + DOCUMENT[row[length][0]] + 1 <= top_k:
            spent += DOCUMENT[row[length][0]] + 1
            length += 1
        assert budget == row[:length]
