"""Parquet without threads: same bytes, same table, and a process that may end at any moment."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sweep.parquet import make_table, numbers_of, read_parquet, to_parquet

THREADS = """
import sys, threading
from pathlib import Path
import pyarrow as pa
from sweep.parquet import read_parquet, to_parquet

def threads():
    status = Path("/proc/self/status").read_text()
    return int(status.split("Threads:")[1].split()[0])

path, before = Path(sys.argv[1]), threads()
path.write_bytes(to_parquet(pa.table({"a": list(range(10_000)), "b": ["x"] * 10_000})))
assert read_parquet(path).num_rows == 10_000
print(threads() - before)
"""


def test_a_table_comes_back_and_has_one_form(tmp_path: Path) -> None:
    table = pa.table({"query_id": ["007", "1.0", "NA"], "score": [0.1, float("nan"), 1.0]})
    content = to_parquet(table)
    assert content == to_parquet(table)
    (tmp_path / "table.parquet").write_bytes(content)
    assert read_parquet(tmp_path / "table.parquet").to_pydict()["query_id"] == ["007", "1.0", "NA"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="threads are counted in /proc")
def test_neither_way_starts_a_thread(tmp_path: Path) -> None:
    """An I/O thread of pyarrow aborts a process that ends beside it."""
    done = subprocess.run(
        [sys.executable, "-c", THREADS, tmp_path / "table.parquet"],
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "0"


def test_a_table_is_what_pyarrow_itself_would_make() -> None:
    columns = {
        "id": ["007", "", "é中😀", "NA"],
        "rank": np.array([3, -1, 2**40, 0], dtype=np.int64),
        "score": np.array([[0.5, 9], [np.nan, 9], [-np.inf, 9], [0.1, 9]])[:, 0],
    }
    assert make_table(columns).equals(pa.table(columns)) is False  # NaN differs from itself
    numbers = {**columns, "score": np.arange(4.0)}
    assert make_table(numbers).equals(pa.table(numbers))
    assert str(make_table(columns)["score"].to_pylist()) == "[0.5, nan, -inf, 0.1]"
    for name in ("rank", "score"):
        column = make_table(columns)[name]
        np.testing.assert_array_equal(numbers_of(column), columns[name])
        np.testing.assert_array_equal(numbers_of(column.slice(1, 2)), columns[name][1:3])
    none = {"id": [], "score": np.empty(0)}
    assert make_table(none).schema == pa.schema({"id": pa.string(), "score": pa.float64()})


PANDAS = """
import sys
import numpy as np
from pathlib import Path
from sweep.parquet import make_table, numbers_of, read_parquet, to_parquet
path = Path(sys.argv[1])
path.write_bytes(to_parquet(make_table({"a": np.ones(3), "b": ["x", "y", "z"]})))
assert numbers_of(read_parquet(path)["a"]).tolist() == [1.0, 1.0, 1.0]
print("pandas" in sys.modules)
"""


def test_neither_way_imports_pandas(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PANDAS, str(tmp_path / "table.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
