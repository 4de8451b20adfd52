"""Latency: do repeated runs agree within their stated intervals, and does a bundle cost the same?

python tests/benchmarks/bench_latency.py [repetitions]    (10; each in a process of its own)

The load of the machine is printed with it; a busy machine widens the intervals.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

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
from sweep.engine.measure.latency import spread_sample
from sweep.engine.measure.load import Stopwatch
from sweep.export.contents import BundleContents
from sweep.export.load import Bundle, load
from sweep.export.write import write_bundle

PROJECT = Path(__file__).resolve().parents[2]
ADI = PROJECT.parent / "shared" / "corpora" / "adi"
CORPUS = ADI if ADI.is_dir() else PROJECT / "corpora" / "handbook"
REPEATED = ("bm25", "vector", "hybrid")
SLOW_MS = 100
FIGURES = ("latency_p50_ms", "latency_p95_ms")


def configurations() -> dict[str, Configuration]:
    bm25, vector, hybrid = Bm25Config(), VectorConfig(), HybridConfig()
    parts: dict[str, dict[str, Any]] = {
        "bm25": {"bm25": bm25},
        "vector": {"vector": vector},
        "hybrid": {"bm25": bm25, "vector": vector, "hybrid": hybrid},
        "rerank": {"bm25": bm25, "vector": vector, "hybrid": hybrid}
        | {"rerank": RerankConfig(kind="maxsim", candidates="hybrid", depth=20)},
    }
    chunk = ChunkConfig(splitter="tokens", size=96, overlap=0.2)
    return {
        mode: Configuration(mode=mode, chunk=chunk, **found)  # type: ignore[arg-type]
        for mode, found in parts.items()
    }


def open_engine(folder: Path) -> Engine:
    options = EngineOptions(store=folder / "store", tokenizer="all-MiniLM-L6-v2")
    return Engine(read_corpus(CORPUS), options)


def measure_all(folder: Path) -> None:
    """Print one run's figures, intervals and conditions as JSON."""
    shutil.rmtree(folder / "store" / "latency", ignore_errors=True)
    engine = open_engine(folder)
    found = {}
    for mode in REPEATED:
        latency = engine.latency(configurations()[mode])
        found[mode] = [latency.metrics, latency.intervals, latency.conditions]
    print(json.dumps(found))


def repeat(folder: Path, times: int) -> None:
    command = [sys.executable, __file__, "--once", str(folder)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(times)
    ]
    print(f"{times} runs, each in a process of its own, {CORPUS.name}")
    for mode in REPEATED:
        others = [run[mode][2]["others"] for run in runs]
        print(f"  {mode}: others used {min(others):.0%} to {max(others):.0%} of the processors")
        for name in FIGURES:
            values = np.array([run[mode][0][name] for run in runs])
            low, high = np.array([run[mode][1][name] for run in runs]).T
            inside = (values >= low[:, None]) & (values <= high[:, None])
            overlap = (low[:, None] <= high) & (low <= high[:, None])
            pairs = ~np.eye(times, dtype=bool)
            width = np.median((high - low) / values) / 2
            print(
                f"    {name} {values.min():.3f} to {values.max():.3f}, median interval "
                f"+-{width:.0%}; of {pairs.sum()} pairs of runs, {inside[pairs].mean():.0%} lie "
                f"in the other's interval, {overlap[pairs].mean():.0%} have intervals that overlap"
            )


def export(engine: Engine, configuration: Configuration, out: Path) -> Bundle:
    retriever = engine.retriever(configuration)
    encoder = retriever.encoder
    contents = BundleContents(
        configuration=configuration,
        corpus=engine.corpus,
        chunks=engine.texts.chunks(configuration.chunk),
        output=engine.output(configuration),
        terms=retriever.terms,
        index=retriever.index,
        rows=retriever.rows,
        encoder=encoder.files if encoder else None,
        precision=encoder.precision if encoder else None,
        reranker=None,
        about={"label": "", "study": "", "trial": 0, "metrics": {}, "intervals": {}},
        tokenizer="all-MiniLM-L6-v2",
    )
    return load(write_bundle(contents, out))


def compare_bundles(folder: Path) -> None:
    engine = open_engine(folder)
    print("One query through the exported bundle, and in the sweep; alternating, one process")
    for mode, configuration in configurations().items():
        bundle = export(engine, configuration, folder / mode)
        trial = engine.latency(configuration)
        sides: list[Callable[[str], object]] = [
            engine._timed_search(configuration),
            bundle.search,
        ]
        sample = spread_sample([query.text for query in engine.corpus.queries], trial.n)
        with Stopwatch() as timed:
            rounds = [
                [[timed(partial(side, query)).seconds for side in sides] for query in sample]
                for _ in range(3 if trial.p50_ms > SLOW_MS else 12)
            ]
        inside, outside = np.median(np.min(rounds, axis=0), axis=0) * 1000
        low, high = trial.p50_interval
        print(
            f"  {mode}: sweep {inside:.3f} ms, bundle {outside:.3f} ms, ratio "
            f"{outside / inside:.3f}; the trial says {trial.p50_ms:.3f} [{low:.3f}, {high:.3f}], "
            f"ratio {outside / trial.p50_ms:.3f} (busy: {trial.busy})"
        )


def main() -> None:
    if sys.argv[1:2] == ["--once"]:
        measure_all(Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        compare_bundles(Path(folder))
        repeat(Path(folder), int(sys.argv[1]) if len(sys.argv) > 1 else 10)


if __name__ == "__main__":
    main()
