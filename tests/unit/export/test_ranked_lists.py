"""Ranked lists in other tools' forms, line by line."""

import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.errors import ExportError
from sweep.export.ranked_lists import (
    RankedChunk,
    RankedQuery,
    azure_lines,
    context_lines,
    parquet_bytes,
    strictly_falling,
    trec_lines,
)
from sweep.metrics import lists_from_run
from sweep.records import Query

ONE = RankedQuery(
    query=Query(id="q1", text="Wann fährt das Boot?"),
    judged={"café": 3, "b": 0},
    chunks=(
        RankedChunk(chunk=7, document_id="b", start=0, end=5, score=2.5, text="Boot\n"),
        RankedChunk(chunk=2, document_id="café", start=4, end=9, score=1.5, text="am\u2028Di"),
        RankedChunk(chunk=8, document_id="b", start=5, end=8, score=0.5, text="Ende"),
    ),
    documents=(("b", 2.5), ("café", 1.5)),
)
UNJUDGED = RankedQuery(
    query=Query(id="q2", text="?"), judged={}, chunks=(), documents=(("x", 0.1), ("a", 0.1))
)
EMPTY = RankedQuery(query=Query(id="q3", text="none"), judged={"a": 1}, chunks=(), documents=())
ALL = (ONE, UNJUDGED, EMPTY)


def test_trec_lines_by_hand() -> None:
    """The second of two equal scores, .1 in float32, becomes the next smaller number."""
    assert list(trec_lines(ALL, tag="my study-4")) == [
        "q1 Q0 b 1 2.5 my_study-4",
        "q1 Q0 café 2 1.5 my_study-4",
        "q2 Q0 x 1 0.1 my_study-4",
        "q2 Q0 a 2 0.099999994 my_study-4",
    ]


@pytest.mark.parametrize("id_", ["a b", "a\tb", "a\u00a0b", "a\u2028b"])
def test_trec_refuses_ids_with_white_space(id_: str) -> None:
    document = RankedQuery(
        query=Query(id="q", text=""), judged={}, chunks=(), documents=((id_, 1.0),)
    )
    query = RankedQuery(
        query=Query(id=id_, text=""), judged={}, chunks=(), documents=(("d", 1.0),)
    )
    for one in (document, query):
        with pytest.raises(ExportError, match="no white space, got .* Export azure or parquet"):
            list(trec_lines([one], tag="t"))


@given(
    st.lists(
        st.one_of(
            st.sampled_from([0.0, 1.0, 1.0 + 1e-9, 1.0 - 1e-9, -2.5]), st.floats(-1e30, 1e30)
        ),
        max_size=12,
    )
)
def test_any_tie_rule_sees_the_order_of_the_list(scores: list[float]) -> None:
    scores.sort(reverse=True)
    texts = [str(score) for score in strictly_falling(scores)]
    for kind in (float, np.float32):
        read = [kind(text) for text in texts]
        assert all(high > low for high, low in zip(read, read[1:], strict=False))
    for ids in (range(10, 10 + len(scores)), range(10 + len(scores), 10, -1)):
        names = [str(id_) for id_ in ids]
        run = {"q": dict(zip(names, map(float, texts), strict=True))}
        lists = lists_from_run(run, names, query_ids=["q"])
        assert lists.items[0].tolist() == list(range(len(scores)))


def test_scores_that_float32_tells_apart_stay_as_they_are() -> None:
    assert [float(score) for score in strictly_falling([3.5, 1.25, -0.5])] == [3.5, 1.25, -0.5]
    assert [str(score) for score in strictly_falling([1.0, 1.0, 1.0 - 1e-9, 0.5])] == [
        "1.0",
        "0.99999994",
        "0.9999999",
        "0.5",
    ]


def test_azure_rows_hold_every_judged_query() -> None:
    rows = [json.loads(line) for line in azure_lines(ALL)]
    assert rows == [
        {
            "query_id": "q1",
            "query": "Wann fährt das Boot?",
            "retrieval_ground_truth": [
                {"document_id": "café", "query_relevance_label": 3},
                {"document_id": "b", "query_relevance_label": 0},
            ],
            "retrieved_documents": [
                {"document_id": "b", "relevance_score": 2.5},
                {"document_id": "café", "relevance_score": 1.5},
            ],
        },
        {
            "query_id": "q3",
            "query": "none",
            "retrieval_ground_truth": [{"document_id": "a", "query_relevance_label": 1}],
            "retrieved_documents": [],
        },
    ]


def test_context_is_the_chunks_joined_by_a_blank_line() -> None:
    lines = list(context_lines(ALL))
    assert [json.loads(line) for line in lines] == [
        {
            "query_id": "q1",
            "query": "Wann fährt das Boot?",
            "context": "Boot\n\n\nam\u2028Di\n\nEnde",
        },
        {"query_id": "q2", "query": "?", "context": ""},
        {"query_id": "q3", "query": "none", "context": ""},
    ]
    assert "fährt" in lines[0]
    assert all(len(line.splitlines()) == 1 for line in lines)


def test_parquet_has_a_row_per_chunk() -> None:
    table = pq.read_table(io.BytesIO(parquet_bytes(ALL)))
    assert table.to_pylist()[1] == {
        "query_id": "q1",
        "rank": 2,
        "chunk": 2,
        "document_id": "café",
        "start": 4,
        "end": 9,
        "score": 1.5,
        "text": "am\u2028Di",
    }
    assert table["rank"].to_pylist() == [1, 2, 3]
    nothing = pq.read_table(io.BytesIO(parquet_bytes([EMPTY])))
    assert nothing.schema == table.schema
    assert nothing.num_rows == 0
