"""A trial's tables on disk: per-query scores and ranked chunks, as parquet."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sweep.engine.store.store import write_whole
from sweep.errors import StudyError
from sweep.parquet import make_table, numbers_of, read_parquet, to_parquet
from sweep.records import Chunks, Corpus, Floats, Ints, RankedLists, ScoreTable


def write_scores(path: Path, table: ScoreTable) -> None:
    """Write a score table: one row per query, one column per metric."""
    columns: dict[str, Sequence[str] | np.ndarray] = {"query_id": table.query_ids}
    columns |= {metric: table.values[:, m] for m, metric in enumerate(table.metrics)}
    _write(path, make_table(columns))


def read_scores(path: Path, *, metrics: Sequence[str] | None = None) -> ScoreTable:
    """Return what `write_scores` wrote.

    Args:
        path: the table.
        metrics: which ones; those that it lacks are left out. None = all.

    Raises: StudyError if the file is gone or damaged.
    """
    table = _read(path, columns=None if metrics is None else ["query_id", *metrics])
    names = tuple(name for name in table.column_names if name != "query_id")
    columns = [numbers_of(table[name]) for name in names]
    values = np.column_stack(columns) if columns else np.empty((table.num_rows, 0))
    return ScoreTable(query_ids=tuple(table["query_id"].to_pylist()), metrics=names, values=values)


def read_matrix(paths: Sequence[Path], metric: str) -> tuple[tuple[str, ...], Floats]:
    """Return query ids (Q,) and one metric's scores (N, Q) of N tables; not to be written to.

    Queries that the metric is not defined for (NaN in a table) are left out.

    Raises: StudyError if a file is gone or damaged.
    """
    if not paths:
        return (), np.empty((0, 0))
    tables = [read_scores(path, metrics=[metric]) for path in paths]
    matrix = np.vstack([table.column(metric) for table in tables])
    defined = np.flatnonzero(~np.isnan(matrix).any(axis=0))
    matrix = matrix[:, defined]
    matrix.flags.writeable = False
    return tuple(tables[0].query_ids[row] for row in defined.tolist()), matrix


def write_ranking(path: Path, lists: RankedLists, chunks: Chunks, corpus: Corpus) -> None:
    """Write ranked chunks in long form; `rank` starts at 1."""
    queries, columns = np.nonzero(lists.items >= 0)
    rows = lists.items[queries, columns]
    ids = np.array([query.id for query in corpus.queries], dtype=object)
    documents = np.array([document.id for document in corpus.documents], dtype=object)
    table = {
        "query_id": ids[queries].tolist(),
        "rank": columns + 1,
        "chunk": rows,
        "document_id": documents[chunks.document[rows]].tolist(),
        "start": chunks.start[rows],
        "end": chunks.end[rows],
        "score": lists.scores[queries, columns],
    }
    _write(path, make_table(table))


def read_ranking(path: Path, corpus: Corpus) -> RankedLists:
    """Return the ranked chunks of every query of the corpus, in corpus order.

    Raises: StudyError if the file is gone or damaged.
    """
    table = _read(path)
    place = {query.id: row for row, query in enumerate(corpus.queries)}
    queries = np.array([place[query] for query in table["query_id"].to_pylist()], dtype=np.int64)
    ranks = numbers_of(table["rank"])
    width = int(ranks.max()) if len(ranks) else 0
    items = np.full((len(corpus.queries), width), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    items[queries, ranks - 1] = numbers_of(table["chunk"])
    scores[queries, ranks - 1] = numbers_of(table["score"])
    return RankedLists(items=items, scores=scores)


def read_positions(
    path: Path, queries: Mapping[str, int], documents: Mapping[str, int]
) -> tuple[RankedLists, Ints]:
    """Return the ranked chunks of some queries, and the document of each chunk.

    Args:
        path: the ranking.
        queries: row by id of the Q queries that are wanted; others are left out.
        documents: position by id.

    Returns: chunk rows, shape (Q, k); document positions, shape (C,), -1 for chunks that stand in
        no list.

    Raises: StudyError if the file is gone or damaged, or names a document that is not known.
    """
    wanted = ["query_id", "document_id", "chunk", "rank", "score"]
    table = _read(path, columns=wanted)
    rows = _places(table["query_id"], queries)
    kept = np.flatnonzero(rows >= 0)
    document = _places(table["document_id"], documents)[kept]
    if (document < 0).any():
        raise StudyError(
            f"{path}: must name documents of the corpus, got another one. Run the sweep again "
            f"under another name with --study."
        )
    chunk, rank = (numbers_of(table[name])[kept] for name in ("chunk", "rank"))
    items = np.full((len(queries), int(rank.max(initial=0))), -1, dtype=np.int64)
    scores = np.full(items.shape, np.nan)
    items[rows[kept], rank - 1] = chunk
    scores[rows[kept], rank - 1] = numbers_of(table["score"])[kept]
    chunk_document = np.full(int(chunk.max(initial=-1)) + 1, -1, dtype=np.int64)
    chunk_document[chunk] = document
    return RankedLists(items=items, scores=scores), chunk_document


def _places(column: pa.ChunkedArray, known: Mapping[str, int]) -> Ints:
    """Return the place of each cell's text, -1 for texts that are not known, shape (n,)."""
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    of_text = np.array([known.get(t, -1) for t in encoded.dictionary.to_pylist()], dtype=np.int64)
    codes: Ints = numbers_of(pa.chunked_array([encoded.indices.cast(pa.int64())]))
    return of_text[codes] if len(codes) else codes


def read_ranked_chunks(path: Path) -> dict[str, list[Any]]:
    """Return the columns that `write_ranking` wrote, as lists; rows by query, then rank.

    Raises: StudyError if the file is gone or damaged.
    """
    columns: dict[str, list[Any]] = _read(path).to_pydict()
    return columns


def _write(path: Path, table: pa.Table) -> None:
    write_whole(path, to_parquet(table))


def _read(path: Path, *, columns: Sequence[str] | None = None) -> pa.Table:
    try:
        return read_parquet(path, columns=columns)
    except (OSError, pa.ArrowException) as error:
        raise StudyError(
            f"{path}: must be a trial's table, got {error}. If it is there, remove it; then run "
            f"the study again: it makes what is missing."
        ) from error
