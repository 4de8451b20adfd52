"""Parquet without threads: same bytes, same table, and a process that may end at any moment."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from sweep.parquet import read_parquet, to_parquet

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


PANDAS = """
import sys
import numpy as np, pyarrow as pa
from sweep.parquet import keep_pandas_out, to_parquet
keep_pandas_out()
to_parquet(pa.table({"a": np.zeros(3), "b": ["x", "y", "z"]}))
print("pandas" in sys.modules)
"""


def test_writing_a_table_can_do_without_pandas() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PANDAS], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
