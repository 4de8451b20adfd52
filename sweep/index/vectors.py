"""Vectors -> ranked lists, exactly or by an approximate index; the only file that imports faiss.

Approximate indexes are built on one thread and searched one query at a time, so that a score does
not depend on the batch or the thread count; `sweep.index.exact` sees to it for exact search.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sweep.configuration import Similarity, VectorConfig
from sweep.errors import IndexingError
from sweep.index.exact import prepare_vectors, search_exact
from sweep.records import Ints, RankedLists, Vectors
from sweep.text_lines import shorten

EXACT = "Flat"  # the factory string of exact search
POINTS_PER_LIST = 39  # faiss's own minimum of training points per IVF list
_CRASHES = re.compile(
    r"IVF0+(?!\d)|HNSW0*[01](?!\d)"
)  # which end the process, or never find a hit


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorIndex:
    """Vectors ready to be searched.

    Attributes:
        vectors: shape (C, d); unit rows for cosine.
        similarity: see `VectorConfig`.
        dimensions: to which queries are cut, see `VectorConfig`; None = not at all.
        approximate: a faiss index, or None for exact search.
        notice: what was changed to make the factory fit the data, or "".
    """

    vectors: Vectors
    similarity: Similarity
    dimensions: int | None = None
    approximate: Any = None
    notice: str = ""


def build_index(
    vectors: Vectors, config: VectorConfig, *, is_prepared: bool = False
) -> VectorIndex:
    """Return an index over `vectors` (C, d) after `prepare_vectors`.

    An IVF index gets no more lists than the data can train (39 vectors a list). A factory that
    cannot be trained on so few vectors is replaced by exact search; `notice` says so.
    Raises: IndexingError if faiss does not know the factory string.
    """
    prepared = (
        vectors if is_prepared else prepare_vectors(vectors, config.similarity, config.dimensions)
    )
    exact = VectorIndex(
        vectors=prepared, similarity=config.similarity, dimensions=config.dimensions
    )
    if config.index == EXACT or not len(prepared):
        return exact
    factory, notice = _fitting_factory(config.index, len(prepared))
    index = _make(factory, prepared.shape[1], config.similarity)
    with _one_thread(), _native_warnings() as warnings:
        try:
            index.train(prepared)
            index.add(prepared)
        except RuntimeError as error:
            notice = (
                f"{config.index} cannot be trained on {len(prepared)} vectors; exact search is "
                f"used instead ({_last_line(error)})"
            )
            return replace(exact, notice=notice)
    if warnings and not notice:
        notice = f"{factory} over {len(prepared)} vectors: fewer than faiss advises for training"
    set_effort(index, config)
    return replace(exact, approximate=index, notice=notice)


def check_factory(config: VectorConfig, dimension: int) -> None:
    """Refuse a factory string that faiss cannot make for that dimension, or a wrong effort.

    Raises: IndexingError.
    """
    if config.index != EXACT:
        set_effort(_make(config.index, dimension, config.similarity), config)


def search_vectors(
    index: VectorIndex, queries: Vectors, *, depth: int, threads: int = 1
) -> RankedLists:
    """Return the `depth` best rows for each query (Q, d), score descending, ties by row.

    Exact search works on `threads` blocks of rows side by side; no score depends on it.
    Scores are cosines, inner products, or minus squared distances. Never -1 among the items where
    rows are left to return; lists end early (padded) only where an approximate index found less.
    """
    prepared = prepare_vectors(queries, index.similarity, index.dimensions)
    if not len(index.vectors) or not len(prepared):
        shape = (len(prepared), 0)
        return RankedLists(items=np.empty(shape, np.int64), scores=np.empty(shape, np.float64))
    if prepared.shape[1] != index.vectors.shape[1]:
        raise IndexingError(
            f"vector search: query and index must have one dimension, got {prepared.shape[1]} and "
            f"{index.vectors.shape[1]}. The index was built with another model."
        )
    depth = min(depth, len(index.vectors))
    if index.approximate is not None:
        return _search_approximate(index, prepared, depth)
    return search_exact(
        index.vectors, prepared, similarity=index.similarity, depth=depth, threads=threads
    )


def to_chunks(found: RankedLists, rows: Ints) -> RankedLists:
    """Return lists of an index's rows as lists of chunks; padding (-1) stays.

    Args:
        found: shape (Q, k), rows of the index.
        rows: the chunk of each of them.
    """
    items = np.where(found.items >= 0, rows[found.items], -1) if len(rows) else found.items
    return RankedLists(items=items, scores=found.scores)


def recall_against_exact(exact: RankedLists, found: RankedLists) -> float:
    """Return the share of what exact search returns that an index returns too, over all queries.

    Args:
        exact: what exact search returns, shape (Q, k).
        found: what the index returns when it is asked for as many, shape (Q, k).

    Returns: a number in [0, 1]; 1.0 where there is nothing to find.
    """
    pairs = zip(exact.items, found.items, strict=True)
    hits = sum(len(np.intersect1d(a[a >= 0], b[b >= 0])) for a, b in pairs)
    wanted = int((exact.items >= 0).sum())
    return hits / wanted if wanted else 1.0


def index_size(index: VectorIndex) -> int:
    """Return the bytes the index needs in production."""
    if index.approximate is None:
        return int(index.vectors.nbytes)
    import faiss

    return int(faiss.serialize_index(index.approximate).nbytes)


def save_index(index: VectorIndex, path: Path) -> None:
    """Write the index as a faiss file (an exact one as IndexFlatIP or IndexFlatL2)."""
    import faiss

    native = index.approximate
    if native is None:
        native = _make("Flat", index.vectors.shape[1], index.similarity)
        native.add(index.vectors)
    faiss.write_index(native, str(path))


def load_index(path: Path, config: VectorConfig) -> VectorIndex:
    """Return the index that `save_index` wrote.

    Raises: IndexingError if the file is not a faiss index.
    """
    import faiss

    try:
        native = faiss.read_index(str(path))
    except RuntimeError as error:
        raise IndexingError(
            f"{path.name}: must be a faiss index, got {_last_line(error)}. Export it again."
        ) from error
    if isinstance(native, faiss.IndexFlat):
        rows = faiss.rev_swig_ptr(native.get_xb(), native.ntotal * native.d)
        vectors = np.array(rows, dtype=np.float32).reshape(native.ntotal, native.d)
        return VectorIndex(
            vectors=vectors, similarity=config.similarity, dimensions=config.dimensions
        )
    set_effort(native, config)
    placeholder: Vectors = np.lib.stride_tricks.as_strided(
        np.zeros(1, np.float32), (native.ntotal, native.d), (0, 0)
    )
    return VectorIndex(
        vectors=placeholder,
        similarity=config.similarity,
        dimensions=config.dimensions,
        approximate=native,
    )


def set_effort(index: Any, config: VectorConfig) -> None:
    """Set the search effort that the configuration names on a faiss index.

    Raises: IndexingError if the index has no such setting.
    """
    import faiss

    for name, native in (("ef_search", "efSearch"), ("nprobe", "nprobe")):
        if (value := getattr(config, name)) is None:
            continue
        try:
            faiss.ParameterSpace().set_index_parameter(index, native, value)
        except RuntimeError as error:
            raise IndexingError(
                f"vector.{name}: must fit the index, got {value} for {config.index}. Leave it "
                f"out: ef_search is for HNSW, nprobe for IVF."
            ) from error


def _search_approximate(index: VectorIndex, queries: Vectors, depth: int) -> RankedLists:
    items = np.full((len(queries), depth), -1, dtype=np.int64)
    scores = np.full((len(queries), depth), np.nan, dtype=np.float64)
    with _one_thread():
        for row in range(len(queries)):
            native, found = index.approximate.search(queries[row : row + 1], depth)
            found, values = found[0], native[0].astype(np.float64)
            if index.similarity == "l2":
                values = -values
            keep = found >= 0  # faiss pads with -1
            found, values = found[keep], values[keep]
            order = np.lexsort((found, -values))
            items[row, : len(found)] = found[order]
            scores[row, : len(found)] = values[order]
    return RankedLists(items=items, scores=scores)


def _fitting_factory(factory: str, count: int) -> tuple[str, str]:
    match = re.search(r"IVF(\d+)", factory)
    if match is None or count >= int(match[1]) * POINTS_PER_LIST:
        return factory, ""
    lists = max(1, count // POINTS_PER_LIST)
    fitted = factory[: match.start(1)] + str(lists) + factory[match.end(1) :]
    return fitted, f"{factory} over {count} vectors: {lists} lists instead of {match[1]}"


def _make(factory: str, dimension: int, similarity: Similarity) -> Any:
    import faiss

    metric = faiss.METRIC_L2 if similarity == "l2" else faiss.METRIC_INNER_PRODUCT
    if _CRASHES.search(factory):
        raise IndexingError(
            f"vector.index: must have one IVF list and two HNSW neighbours at least, got "
            f"{shorten(factory)}. Write for example Flat, HNSW32 or IVF256,Flat."
        )
    try:
        return faiss.index_factory(dimension, factory, metric)
    except RuntimeError as error:
        raise IndexingError(
            f"vector.index: must be a faiss factory string for dimension {dimension}, got "
            f"{shorten(factory)} ({_last_line(error)}). Write for example Flat, HNSW32 or "
            f"IVF256,Flat."
        ) from error


def _last_line(error: Exception) -> str:
    line = str(error).strip().splitlines()[-1]
    return line.rpartition("Error: ")[2].rpartition(": ")[2][:200]


@contextmanager
def _one_thread() -> Iterator[None]:
    import faiss

    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


@contextmanager
def _native_warnings() -> Iterator[list[str]]:
    """Collect what faiss's own code prints on stderr (one line per quantiser it trains)."""
    lines: list[str] = []
    with tempfile.TemporaryFile() as caught:
        saved = os.dup(2)
        os.dup2(caught.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            caught.seek(0)
            lines.extend(caught.read().decode(errors="replace").splitlines())
