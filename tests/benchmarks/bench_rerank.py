"""Late interaction: what pairs cost, and what 32 configurations cost beside the largest of them.

python tests/benchmarks/bench_rerank.py [corpus folder] [queries] [threads]

First: seconds per 1,000 pairs and peak memory, of every query's 50 BM25 candidates. Then: 32
configurations (blend x top_k x candidates) on one chunking, vectors and first lists already there,
against the one of them that has the most candidates, alone; the shorter of two rounds.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sweep.configuration import (
    Bm25Config,
    ChunkConfig,
    Configuration,
    HybridConfig,
    RerankConfig,
    VectorConfig,
)
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from sweep.engine.prefetch import prefetch_pairs, prefetch_vectors
from sweep.engine.stages import pairs
from sweep.index.embed import Encoder
from sweep.records import Corpus, Floats, Vectors

MODEL, DEPTH, ROUNDS = "all-MiniLM-L6-v2", 50, 2
BLENDS, TOP_KS = (0.25, 0.5, 0.75, 1.0), (3, 5, 10, 20)
CANDIDATES: tuple[Literal["bm25", "hybrid"], ...] = ("bm25", "hybrid")
MB = 1e6


class Counter:
    """Counts what is scored and what runs through the model."""

    def __init__(self) -> None:
        self.pairs = self.passages = 0
        scores, stream = pairs.maxsim_scores, Encoder.stream_token_vectors

        def counted(found: Sequence[tuple[Vectors, Vectors]]) -> Floats:
            self.pairs += len(found)
            return scores(found)

        def streamed(
            encoder: Encoder, inputs: Sequence[np.ndarray], **options: Any
        ) -> Iterator[tuple[int, Vectors]]:
            self.passages += len(inputs) if options["role"] == "passage" else 0
            return stream(encoder, inputs, **options)

        pairs.maxsim_scores = counted
        Encoder.stream_token_vectors = streamed  # type: ignore[method-assign]

    def take(self) -> tuple[int, int]:
        """Return pairs and passages since the last call."""
        counted = (self.pairs, self.passages)
        self.pairs = self.passages = 0
        return counted


def configuration() -> Configuration:
    return Configuration(
        mode="rerank",
        top_k=10,
        chunk=ChunkConfig(splitter="tokens", size=128, overlap=0.0),
        bm25=Bm25Config(),
        vector=VectorConfig(model=MODEL),
        hybrid=HybridConfig(),
        rerank=RerankConfig(candidates="bm25", depth=DEPTH, blend=0.5),
    )


def engine_on(store: Path, corpus: Corpus, threads: int) -> Engine:
    options = EngineOptions(store=store, tokenizer=MODEL, precision="auto", threads=threads)
    engine = Engine(corpus, options)
    engine.pool.encoder(MODEL).load()
    return engine


def reset_peak() -> int:
    """Forget this process's peak of memory; return what it takes now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return memory("VmRSS")


def memory(field: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(dict(line.split(":", 1) for line in lines)[field].split()[0]) * 1024


def show_cost_of_pairs(store: Path, corpus: Corpus, threads: int, counter: Counter) -> None:
    first = configuration()
    assert first.rerank is not None
    engine = engine_on(store, corpus, threads)
    candidates = engine.reranked(first)
    assert candidates is not None
    before = reset_peak()
    counter.take()
    start, busy = time.perf_counter(), time.process_time()
    engine.pairs.scores(first.rerank, first.chunk, first.vector, candidates)
    clock, cpu = time.perf_counter() - start, time.process_time() - busy
    scored, passages = counter.take()
    peak = memory("VmHWM") - before
    print(
        f"{scored} pairs with {passages} passages ({engine.pool.encoder(MODEL).precision}): "
        f"{clock * 1000 / scored:.2f} s per 1,000 pairs (CPU {cpu * 1000 / scored:.2f}), "
        f"peak {peak / MB:.0f} MB beside the loaded model"
    )


def rerank_seconds(
    store: Path, corpus: Corpus, threads: int, configurations: Sequence[Configuration]
) -> tuple[float, float]:
    """Return seconds, by the clock and of CPU, with no pair scored before."""
    shutil.rmtree(store / "pairs", ignore_errors=True)
    engine = engine_on(store, corpus, threads)
    for one in configurations:
        engine.reranked(one)
    start, busy = time.perf_counter(), time.process_time()
    prefetch_pairs(engine, configurations)
    for one in configurations:
        engine.output(one)
    return time.perf_counter() - start, time.process_time() - busy


def main() -> None:
    default = Path(__file__).parents[2] / "corpora" / "handbook"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 144
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    corpus = read_corpus(folder)
    corpus = replace(corpus, queries=corpus.queries[:: max(1, len(corpus.queries) // count)])
    print(f"{corpus.name}: {len(corpus.queries)} queries, {threads} threads")
    first = configuration()
    assert first.rerank is not None
    many = [
        replace(first, top_k=top_k, rerank=replace(first.rerank, blend=blend, candidates=kind))
        for blend in BLENDS
        for top_k in TOP_KS
        for kind in CANDIDATES
    ]
    counter = Counter()
    with tempfile.TemporaryDirectory() as name:
        store = Path(name)
        show_cost_of_pairs(store, corpus, threads, counter)
        prefetch_vectors(engine_on(store, corpus, threads), many)
        best = {"all": (np.inf, np.inf), "largest": (np.inf, np.inf)}
        counted = {}
        for _ in range(ROUNDS):
            for label, some in (("largest", [many[-1]]), ("all", many)):
                counter.take()
                seconds = rerank_seconds(store, corpus, threads, some)
                best[label] = tuple(map(min, zip(best[label], seconds, strict=True)))
                counted[label] = counter.take()
        for label, some in (("largest", many[-1:]), ("all", many)):
            clock, cpu = best[label]
            scored, passages = counted[label]
            print(
                f"{len(some)} configurations: {clock:.1f} s, CPU {cpu:.1f} s, {scored} pairs, "
                f"{passages} passages"
            )
        ratios = [one / other for one, other in zip(best["all"], best["largest"], strict=True)]
        print(f"all to the largest: {ratios[0]:.2f} (CPU {ratios[1]:.2f})")


if __name__ == "__main__":
    main()
