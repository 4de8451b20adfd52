"""Parquet tables to bytes and back, on the calling thread alone.

pyarrow's own defaults read ahead on a pool of I/O threads. A process that ends while one of them
still lets go of a Python object is aborted ("terminate called without an active exception", exit
134 after a job well done; 7 % of short runs on a busy machine), so nothing here starts a thread.
"""

import io
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ParquetFault = pa.ArrowException  # what reading raises for a file that is not parquet


def keep_pandas_out() -> None:
    """Keep pandas out of this process: pyarrow imports it (half a second) to look for Series.

    For a process of ours only, in which nothing else wants it.
    """
    if "pandas" not in sys.modules:
        sys.meta_path.insert(0, _NoPandas)


class _NoPandas:
    """Finds no pandas; for anything else others are asked."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ImportError(name)


def to_parquet(table: pa.Table) -> bytes:
    """Return a table as a parquet file's bytes (zstd), the same ones for the same table."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def read_parquet(path: Path) -> pa.Table:
    """Return the table of a parquet file.

    Raises: OSError if it cannot be read; pyarrow.ArrowException if it is not parquet.
    """
    source = pa.BufferReader(path.read_bytes())
    # read_table would import pandas and pyarrow.dataset; pre_buffer is what starts the threads
    with pq.ParquetFile(source, pre_buffer=False) as file:
        return file.read(use_threads=False)


def read_column_names(path: Path) -> tuple[str, ...]:
    """Return the names of a parquet file's columns, from its end alone.

    Raises: as `read_parquet`.
    """
    with path.open("rb") as source, pq.ParquetFile(source, pre_buffer=False) as file:
        return tuple(file.schema_arrow.names)
