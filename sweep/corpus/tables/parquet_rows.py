"""Rows of a parquet file; numbers, lists and structures as they are typed there."""

from pathlib import Path

from sweep.corpus.found import Place
from sweep.corpus.tables import Row, Table, table_name
from sweep.corpus.tables.plain import to_plain
from sweep.errors import CorpusError


def read_parquet_rows(path: Path) -> Table:
    """Return the table of a parquet file; rows are counted from 1.

    Raises: CorpusError if it is no parquet file, or holds a text that is not UTF-8.
    """
    from sweep.parquet import ParquetFault, read_parquet

    try:
        table = read_parquet(path)
        names = tuple(map(str, table.column_names))
        columns = [column.to_pylist() for column in table.columns]
    except (OSError, ValueError, OverflowError, ParquetFault) as error:
        raise CorpusError(
            f"{path}: must be a parquet file, got one that cannot be read ({error}). "
            "Write it again."
        ) from error
    if len(set(names)) < len(names):
        raise CorpusError(f"{path}: columns must have names of their own, got {names}. Rename.")
    rows = [
        Row(
            Place(str(path), f"row {number}"),
            {name: to_plain(value) for name, value in zip(names, cells, strict=True)},
        )
        for number, cells in enumerate(zip(*columns, strict=True), start=1)
    ]
    return Table(file=str(path), name=table_name(path), columns=names, rows=rows)


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Return the columns of a parquet file without reading it; none if it is no such file."""
    from sweep.parquet import ParquetFault, read_column_names

    try:
        return read_column_names(path)
    except (OSError, ValueError, ParquetFault):
        return ()
