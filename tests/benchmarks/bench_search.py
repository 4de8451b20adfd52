"""Exact search beside a bare matrix product and faiss, BM25 beside bm25s and rank_bm25, fusion.

python tests/benchmarks/bench_search.py [rows] [threads] [corpus folder]    (1000000 1 handbook)

The matrix is memory-mapped from a temporary file (1,000,000 rows: 1.5 GB). Times are the shortest
of several rounds, in which all take turns; CPU seconds, since other jobs disturb the clock.
"""

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import bm25s
import faiss
import numpy as np
from rank_bm25 import BM25Okapi
from threadpoolctl import threadpool_limits

from sweep.configuration import Bm25Config, HybridConfig
from sweep.corpus import read_corpus
from sweep.index.analyzer import analyze
from sweep.index.bm25 import build_terms, search_bm25
from sweep.index.exact import search_exact
from sweep.rankings.fuse import fuse_lists
from sweep.records import Vectors

QUERIES, DIMENSION, DEPTH, BLOCK, ROUNDS, PART = 225, 384, 100, 4096, 4, 50_000
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


def show_faiss_as_it_comes(matrix: Vectors, queries: Vectors) -> None:
    """Time the first rows only: it may do without matrix products, and take 20 times as long."""
    part = matrix[:PART]
    usual = int(faiss.cvar.distance_compute_blas_threshold)
    knn, bare = (
        min(timed(run)[1] for _ in range(ROUNDS))
        for run in (lambda: with_faiss(part, queries, usual), lambda: product(part, queries))
    )
    print(f"faiss.knn as it comes (products from {usual} queries on): {knn / bare:.1f} x bare")


def show_bm25_and_fusion(folder: Path) -> None:
    """Time BM25 and fusion on chunks of 128 tokens."""
    corpus = read_corpus(folder)
    texts = [text for document in corpus.documents for text in pieces(document.text)]
    queries = [query.text for query in corpus.queries]
    config = Bm25Config()
    terms = build_terms(texts, analyzer="auto")
    split = [analyze(text, analyzer="auto") for text in texts]
    asked = [analyze(text, analyzer="auto") for text in queries]
    library = bm25s.BM25()
    library.index(split, show_progress=False)
    plain = BM25Okapi(split)
    few = asked[:: max(1, len(asked) // 20)]
    found = search_bm25(terms, config, queries, depth=DEPTH)
    hybrid = HybridConfig(fusion="weighted", rrf_k=None, weight=0.4)
    grid = [replace(config, k1=k1, b=b) for k1 in (0.6, 0.9, 1.2, 1.8) for b in (0.3, 0.5, 0.7, 1)]
    depth = min(DEPTH, len(texts))
    runs: dict[str, Callable[[], Any]] = {
        "sweep: terms": lambda: build_terms(texts, analyzer="auto"),
        "sweep: all queries": lambda: search_bm25(terms, config, queries, depth=DEPTH),
        "sweep: 16 times k1, b": lambda: [
            search_bm25(terms, one, queries, depth=DEPTH) for one in grid
        ],
        "bm25s: index": lambda: bm25s.BM25().index(split, show_progress=False),
        "bm25s: all queries": lambda: library.retrieve(asked, k=depth, show_progress=False),
        f"rank_bm25: {len(few)} queries": lambda: [plain.get_scores(words) for words in few],
        "fusion of two lists": lambda: fuse_lists(found, found, hybrid),
    }
    print(f"{corpus.name}: {len(texts)} chunks, {len(queries)} queries, depth {depth}")
    for name, run in runs.items():
        seconds = min(timed(run)[1] for _ in range(ROUNDS))
        print(f"{name:26} CPU {seconds * 1000:8.2f} ms")


def pieces(text: str) -> list[str]:
    """Return about 128 tokens each."""
    words = text.split()
    return [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    default = Path(__file__).parents[2] / "corpora" / "handbook"
    show_bm25_and_fusion(Path(sys.argv[3]) if len(sys.argv) > 3 else default)
    show_exact_search(count, threads)


def show_exact_search(count: int, threads: int) -> None:
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
        show_faiss_as_it_comes(matrix, queries)
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
