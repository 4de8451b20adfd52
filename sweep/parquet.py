"""Parquet tables to bytes and back, on the calling thread alone.

pyarrow's own defaults read ahead on a pool of I/O threads. A process that ends while one of them
still lets go of a Python object is aborted ("terminate called without an active exception", exit
134 after a job well done; 7 % of short runs on a busy machine), so nothing here starts a thread.
"""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ParquetFault = pa.ArrowException  # what reading raises for a file that is not parquet


def make_table(columns: Mapping[str, Sequence[str] | np.ndarray]) -> pa.Table:
    """Return a table of texts, and of numbers (float64 or int64), made without pandas.

    `pyarrow.array` imports it, half a second, to see whether it is given a Series.
    """
    arrays = [_array(values) for values in columns.values()]
    return pa.Table.from_arrays(arrays, names=list(columns))


def _array(values: Sequence[str] | np.ndarray) -> pa.Array:
    if isinstance(values, np.ndarray):
        is_whole = values.dtype.kind == "i"
        numbers = np.ascontiguousarray(values, dtype=np.int64 if is_whole else np.float64)
        kind = pa.int64() if is_whole else pa.float64()
        return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
    encoded = [text.encode() for text in values]
    joined, ends = b"".join(encoded), np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    kind, width = (pa.string(), np.int32) if len(joined) < 2**31 else (pa.large_string(), np.int64)
    buffers = [None, pa.py_buffer(ends.astype(width)), pa.py_buffer(joined)]
    return pa.Array.from_buffers(kind, len(encoded), buffers)


def to_parquet(table: pa.Table) -> bytes:
    """Return a table as a parquet file's bytes (zstd), the same ones for the same table."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def numbers_of(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column of numbers without gaps (float64 or int64), as `make_table` was given it.

    Its own `to_numpy` imports pandas.
    """
    dtype = np.dtype(np.int64 if pa.types.is_int64(column.type) else np.float64)
    parts = [
        np.frombuffer(part.buffers()[1], dtype, len(part), part.offset * dtype.itemsize)
        for part in column.chunks
        if len(part)
    ]
    return np.concatenate(parts) if parts else np.empty(0, dtype)


def read_parquet(path: Path, *, columns: Sequence[str] | None = None) -> pa.Table:
    """Return the table of a parquet file.

    Args:
        path: the file.
        columns: which ones to read, in the file's order; None = all.

    Raises: OSError if it cannot be read; pyarrow.ArrowException if it is not parquet.
    """
    source = pa.BufferReader(path.read_bytes())
    # read_table would import pandas and pyarrow.dataset; pre_buffer is what starts the threads
    with pq.ParquetFile(source, pre_buffer=False) as file:
        return file.read(columns=columns, use_threads=False)


def read_column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a parquet file's columns, from its end alone.

    Raises: as `read_parquet`.
    """
    with path.open("rb") as source, pq.ParquetFile(source, pre_buffer=False) as file:
        return tuple(file.schema_arrow.names)
