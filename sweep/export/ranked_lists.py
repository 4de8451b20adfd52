"""A trial's ranked lists in the forms that other tools read: TREC, Azure JSONL, context, parquet.

* **TREC run**: `query Q0 document rank score tag`, documents as metrics see them (after the step
  from chunks to documents). Scores fall strictly, also when rounded to float32 as trec_eval rounds
  them: of documents with equal scores each later one gets the next smaller float32. So whatever a
  tool does with ties (by id, by rank, by line), it sees the order of the trial.
* **Azure JSONL**: one row per judged query, `retrieval_ground_truth` and `retrieved_documents`;
  scores as they are, since rows keep the order of the list among equal scores.
* **context**: one row per query, what an answer's judge reads: `query`, and in `context` the texts
  of the retrieved chunks, joined by a blank line.
* **parquet**: one row per retrieved chunk, with its place in the document and its text.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sweep.errors import ExportError
from sweep.parquet import to_parquet
from sweep.records import Query

BETWEEN_CHUNKS = "\n\n"
# JSON lets them stand in a line; a reader that splits at every line end of Unicode would not.
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
_SCHEMA = pa.schema(
    {
        "query_id": pa.string(),
        "rank": pa.int64(),
        "chunk": pa.int64(),
        "document_id": pa.string(),
        "start": pa.int64(),
        "end": pa.int64(),
        "score": pa.float64(),
        "text": pa.string(),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """One retrieved chunk: its row, where it lies (`document.text[start:end]`), score and text."""

    chunk: int
    document_id: str
    start: int
    end: int
    score: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedQuery:
    """What a trial returned for one query.

    Attributes:
        query: id and text.
        judged: label by document id; empty for a query that is not judged.
        chunks: best first.
        documents: (id, score) of each document once, best first; scores do not rise.
    """

    query: Query
    judged: Mapping[str, int]
    chunks: Sequence[RankedChunk]
    documents: Sequence[tuple[str, float]]


def trec_lines(ranked: Iterable[RankedQuery], *, tag: str) -> Iterator[str]:
    """Yield the lines of a TREC run; a query without results has none.

    Args:
        ranked: the lists.
        tag: name of the run; white space in it becomes `_`.

    Raises: ExportError if an id holds white space, which separates the cells of a run.
    """
    tag = re.sub(r"\s+", "_", tag)
    for one in ranked:
        scores = strictly_falling([score for _, score in one.documents])
        for rank, ((document, _), score) in enumerate(
            zip(one.documents, scores, strict=True), start=1
        ):
            for id_ in (one.query.id, document):
                _check_cell(id_)
            yield f"{one.query.id} Q0 {document} {rank} {score!s} {tag}"


def azure_lines(ranked: Iterable[RankedQuery]) -> Iterator[str]:
    """Yield the rows that the document retrieval evaluator reads; unjudged queries are left out.

    A judged query without results has an empty `retrieved_documents`: it scores 0 and counts.
    """
    for one in ranked:
        if one.judged:
            yield _json_line(
                {
                    "query_id": one.query.id,
                    "query": one.query.text,
                    "retrieval_ground_truth": [
                        {"document_id": document, "query_relevance_label": label}
                        for document, label in one.judged.items()
                    ],
                    "retrieved_documents": [
                        {"document_id": document, "relevance_score": score}
                        for document, score in one.documents
                    ],
                }
            )


def context_lines(ranked: Iterable[RankedQuery]) -> Iterator[str]:
    """Yield the rows that a judge of contexts or answers reads; `context` may be empty."""
    for one in ranked:
        context = BETWEEN_CHUNKS.join(chunk.text for chunk in one.chunks)
        yield _json_line({"query_id": one.query.id, "query": one.query.text, "context": context})


def parquet_bytes(ranked: Iterable[RankedQuery]) -> bytes:
    """Return the content of a parquet file: one row per retrieved chunk; ranks start at 1."""
    rows = [
        {
            "query_id": one.query.id,
            "rank": rank,
            "chunk": chunk.chunk,
            "document_id": chunk.document_id,
            "start": chunk.start,
            "end": chunk.end,
            "score": chunk.score,
            "text": chunk.text,
        }
        for one in ranked
        for rank, chunk in enumerate(one.chunks, start=1)
    ]
    return to_parquet(pa.Table.from_pylist(rows, schema=_SCHEMA))


def strictly_falling(scores: Sequence[float]) -> list[np.float32]:
    """Return scores that do not rise as float32 that fall, each as near to its own as can be.

    A score that is not below the one before it in float32 becomes the next smaller float32.
    """
    result: list[np.float32] = []
    for score in scores:
        rounded = np.float32(score)
        if result and not rounded < result[-1]:
            rounded = np.nextafter(result[-1], np.float32(-np.inf))
        result.append(rounded)
    return result


def _check_cell(id_: str) -> None:
    if any(character.isspace() for character in id_):
        raise ExportError(
            f"trec: an id must have no white space, got {id_!r}. Export azure or parquet, which "
            f"can hold it."
        )


def _json_line(row: Mapping[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
