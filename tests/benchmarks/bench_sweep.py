"""A whole sweep of 96 configurations: cold, warm, against its limit and against the naive loop.

python tests/benchmarks/bench_sweep.py [corpus folder] [threads]

Ratios of wall times in one run, each part in a process of its own:

* limit: the same encoder on the sweep's unique inputs alone, process start included;
* naive: re-chunk, `SentenceTransformer.encode`, rank_bm25, search and score for every
  configuration; timed on one configuration per mode and two chunkings, and extrapolated;
* warm: another study on the same store, in a new process.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions

MODEL = "all-MiniLM-L6-v2"
SIZES, OVERLAPS, TOP_KS, MODES = [64, 128, 200, 254], [0, 0.2], [5, 10, 20, 50], 3
NAIVE_CHUNKINGS = [(128, 0.2), (254, 0.0)]
LIMIT = """
import sys
import numpy as np
from sweep.index.embed import Encoder
from sweep.models import find_model
flat = np.load(sys.argv[1])
ids = np.split(flat["ids"], np.cumsum(flat["lengths"])[:-1])
Encoder(find_model(sys.argv[2]), precision=sys.argv[3], threads=int(sys.argv[4])).embed(
    ids, role="passage"
)
"""


def main() -> None:
    default = Path(__file__).parents[2] / "corpora" / "handbook"
    corpus = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else default
    threads = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_space(folder / "space.yaml", corpus)
        cold, stages = sweep_once(folder, "cold", threads)
        warm, warm_stages = min(
            (sweep_once(folder, f"warm{n}", threads) for n in range(3)), key=lambda run: run[0]
        )
        limit, inputs, tokens = embed_alone(folder, corpus, threads)
    naive, sample = naive_seconds(corpus, threads)
    configurations = len(SIZES) * len(OVERLAPS) * len(TOP_KS) * MODES
    print(f"{corpus.name}: {configurations} configurations, {threads} threads")
    print(f"limit: {inputs:,} unique inputs, {tokens:,} tokens embedded alone: {limit:.1f} s")
    print(f"cold:  {cold:.1f} s = {cold / limit:.2f} x the limit")
    print(f"warm:  {warm:.1f} s in a new process (best of 3), cold / warm {cold / warm:.0f}")
    print(f"naive: {naive:,.0f} s, extrapolated from {sample}; {naive / cold:.0f} x cold")
    for title, found in (("cold", stages), ("warm", warm_stages)):
        models = sum(found.get(stage, 0.0) for stage in ("load", "embed", "latency"))
        print(f"{title} stages: all but models {sum(found.values()) - models:.2f} s; {found}")


def write_space(path: Path, corpus: Path) -> None:
    space = {
        "name": "bench",
        "corpus": str(corpus),
        "objective": "ndcg@10",
        "split": False,
        "space": {
            "mode": ["vector", "bm25", "hybrid"],
            "top_k": TOP_KS,
            "chunk": {"splitter": "tokens", "size": SIZES, "overlap": OVERLAPS},
            "vector": {"model": MODEL},
        },
    }
    path.write_text(yaml.safe_dump(space), encoding="utf-8")


def sweep_once(folder: Path, study: str, threads: int) -> tuple[float, dict[str, float]]:
    """Return the wall seconds of one `sweep run`, and its own seconds per stage."""
    command = [sys.executable, "-m", "sweep", "run", "space.yaml", "--study", study, "--json"]
    start = time.perf_counter()
    done = subprocess.run(
        [*command, "--threads", str(threads)],
        cwd=folder, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    ended = next(event for event in reversed(events) if event["event"] == "run_ended")
    stages = {name: round(use["seconds"], 2) for name, use in ended["stages"].items()}
    return seconds, stages


def embed_alone(folder: Path, corpus: Path, threads: int) -> tuple[float, int, int]:
    """Return seconds, inputs and tokens of embedding what the sweep embeds, and nothing else."""
    options = EngineOptions(store=folder / "results" / ".store", tokenizer=MODEL, threads=threads)
    engine = Engine(read_corpus(corpus), options)
    encoder = engine.pool.encoder(MODEL)
    unique: dict[bytes, np.ndarray] = {}
    for size in SIZES:
        for overlap in OVERLAPS:
            chunk = ChunkConfig(splitter="tokens", size=size, overlap=overlap)
            found = engine.vectors.passage_inputs(chunk, VectorConfig(model=MODEL))
            unique |= {found.ids[row].tobytes(): found.ids[row] for row in found.rows}
    inputs = list(unique.values())
    lengths = np.array([len(ids) for ids in inputs])
    np.savez(folder / "inputs.npz", ids=np.concatenate(inputs), lengths=lengths)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", LIMIT, folder / "inputs.npz", MODEL, encoder.precision,
         str(threads)], check=True,
    )  # fmt: skip
    return time.perf_counter() - start, len(inputs), int(lengths.sum())


def naive_seconds(corpus: Path, threads: int) -> tuple[float, str]:
    """Return the seconds of the naive loop over all configurations, extrapolated."""
    script = Path(__file__).with_name("naive_loop.py")
    arguments = [f"{size}:{overlap}" for size, overlap in NAIVE_CHUNKINGS]
    done = subprocess.run(
        [sys.executable, script, corpus, str(threads), *arguments],
        capture_output=True, encoding="utf-8", check=True,
        env=os.environ | {"OMP_NUM_THREADS": str(threads)},
    )  # fmt: skip
    per_mode = json.loads(done.stdout)
    each = len(SIZES) * len(OVERLAPS) * len(TOP_KS)
    total = sum(float(np.mean(seconds)) * each for seconds in per_mode.values())
    return total, f"{sum(len(v) for v in per_mode.values())} configurations (model loaded once)"


if __name__ == "__main__":
    main()
