"""Exact search beside a bare matrix product, a product with top-k, and faiss.

python tests/benchmarks/bench_search.py [rows] [threads]    (default 1000000 1)

The matrix is memory-mapped from a temporary file (1,000,000 rows: 1.5 GB). Times are the shortest
of several rounds, in which all take turns; CPU seconds, since other jobs disturb the clock.
"""

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from threadpoolctl import threadpool_limits

from sweep.index.exact import search_exact
from sweep.records import Vectors

QUERIES, DIMENSION, DEPTH, BLOCK, ROUNDS = 225, 384, 100, 4096, 4
MARGIN = 32  # rows beyond the depth that faiss must find, to be put into float64 order


def unit_rows(rng: np.random.Generator, count: int) -> Vectors:
    rows = rng.standard_normal((count, DIMENSION), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def mapped_matrix(path: Path, count: int) -> Vectors:
    """Return unit rows that lie in a file."""
    rng = np.random.default_rng(7)
    made = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(count, DIMENSION))
    for start in range(0, count, 50_000):
        stop = min(count, start + 50_000)
        made[start:stop] = unit_rows(rng, stop - start)
    made.flush()
    del made
    matrix: Vectors = np.load(path, mmap_mode="r")
    return matrix


def product(matrix: Vectors, queries: Vectors) -> None:
    for start in range(0, len(matrix), BLOCK):
        matrix[start : start + BLOCK] @ queries.T


def product_and_top(matrix: Vectors, queries: Vectors) -> np.ndarray:
    """Return the best rows by float32 score: top-k of each block, merged."""
    scores = np.full((len(queries), DEPTH), -np.inf, dtype=np.float32)
    items = np.zeros((len(queries), DEPTH), dtype=np.int64)
    for start in range(0, len(matrix), BLOCK):
        block = queries @ matrix[start : start + BLOCK].T
        width = min(DEPTH, block.shape[1])
        top = np.argpartition(block, -width, axis=1)[:, -width:]
        scores = np.concatenate([scores, np.take_along_axis(block, top, axis=1)], axis=1)
        items = np.concatenate([items, top + start], axis=1)
        keep = np.argpartition(scores, -DEPTH, axis=1)[:, -DEPTH:]
        scores = np.take_along_axis(scores, keep, axis=1)
        items = np.take_along_axis(items, keep, axis=1)
    return items


def with_faiss(matrix: Vectors, queries: Vectors, threshold: int) -> np.ndarray:
    """Return faiss's best rows; from `threshold` queries on it multiplies matrices."""
    usual = faiss.cvar.distance_compute_blas_threshold
    faiss.cvar.distance_compute_blas_threshold = threshold
    metric = faiss.METRIC_INNER_PRODUCT
    _, items = faiss.knn(queries, matrix, DEPTH + MARGIN, metric)
    faiss.cvar.distance_compute_blas_threshold = usual
    return np.asarray(items)


def timed(function: Callable[[], Any]) -> tuple[float, float, Any]:
    clock, cpu = time.perf_counter(), time.process_time()
    result = function()
    return time.perf_counter() - clock, time.process_time() - cpu, result


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    queries = unit_rows(np.random.default_rng(8), QUERIES)
    threadpool_limits(threads)
    faiss.omp_set_num_threads(threads)
    with tempfile.TemporaryDirectory() as folder:
        matrix = mapped_matrix(Path(folder) / "matrix.npy", count)

        def ours(n: int = threads) -> np.ndarray:
            found = search_exact(matrix, queries, similarity="cosine", depth=DEPTH, threads=n)
            return found.items

        runs: dict[str, Callable[[], Any]] = {
            "bare product": lambda: product(matrix, queries),
            "product, top-k of blocks": lambda: product_and_top(matrix, queries),
            "sweep": ours,
            "faiss.knn, products": lambda: with_faiss(matrix, queries, 20),
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        results = {}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                clock, cpu, results[name] = timed(run)
                times[name].append((clock, cpu))
        times["faiss.knn as it comes"] = [timed(lambda: with_faiss(matrix, queries, 1 << 30))[:2]]
        tracemalloc.start()
        ours(1)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    print(f"{count} rows x {DIMENSION}, {QUERIES} queries, depth {DEPTH}, {threads} threads")
    clock_base, cpu_base = (min(column) for column in zip(*times["bare product"], strict=True))
    for name, measured in times.items():
        clock, cpu = (min(column) for column in zip(*measured, strict=True))
        print(
            f"{name:26} {clock:7.3f} s ({clock / clock_base:5.2f} x)   "
            f"CPU {cpu:7.3f} s ({cpu / cpu_base:5.2f} x)"
        )
    same = [
        len(np.intersect1d(a, b)) / DEPTH
        for a, b in zip(results["sweep"], results["product, top-k of blocks"], strict=True)
    ]
    print(f"same best rows as the float32 product: {np.mean(same):.4%}")
    print(f"peak of arrays allocated by sweep's search: {peak / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
