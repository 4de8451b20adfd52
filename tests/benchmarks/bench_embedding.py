"""Embedding beside `SentenceTransformer.encode` as it comes (fp32, batches of 32, sorted).

python tests/benchmarks/bench_embedding.py [corpus folder] [texts] [threads]

The texts are distinct chunks of 64, 128, 200 and 254 tokens. All take turns for several rounds;
the shortest round counts. CPU seconds are printed too, since other jobs disturb the clock.
"""

import hashlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from sweep.chunks import cut_chunks
from sweep.configuration import ChunkConfig
from sweep.corpus import read_corpus
from sweep.index.embed import Encoder
from sweep.models import find_model
from sweep.records import Vectors
from sweep.tokenizer import load_tokenizer, token_offsets

MODEL, SIZES, ROUNDS = "all-MiniLM-L6-v2", (64, 128, 200, 254), 3


def chunk_texts(folder: Path, count: int) -> list[str]:
    """Return distinct chunks of several sizes, mixed."""
    corpus = read_corpus(folder)
    offsets = token_offsets(load_tokenizer(find_model(MODEL)), [d.text for d in corpus.documents])
    texts = set()
    for size in SIZES:
        config = ChunkConfig(splitter="tokens", size=size, overlap=0.2)
        chunks = cut_chunks(corpus, offsets, config)
        places = zip(
            chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True
        )
        texts |= {corpus.documents[d].text[start:end] for d, start, end in places}
    return sorted(texts, key=lambda text: hashlib.sha256(text.encode()).digest())[:count]


def lowest_cosine(one: Vectors, other: Vectors) -> float:
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return float(((a * b).sum(axis=1) / lengths).min())


def main() -> None:
    default = Path(__file__).parents[2] / "corpora" / "handbook"
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    texts = chunk_texts(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 700)
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    files = find_model(MODEL)
    library = SentenceTransformer(str(files.folder), device="cpu", local_files_only=True)
    encoders = {p: Encoder(files, precision=p, threads=threads) for p in ("bf16", "fp32")}

    def encode() -> Vectors:
        torch.set_num_threads(threads)
        return np.asarray(library.encode(texts, show_progress_bar=False))

    def embed(encoder: Encoder) -> Vectors:
        return encoder.embed(encoder.inputs(texts)[0], role="passage")

    runs: dict[str, Callable[[], Vectors]] = {
        "SentenceTransformer.encode": encode,
        "sweep, bf16": lambda: embed(encoders["bf16"]),
        "sweep, fp32": lambda: embed(encoders["fp32"]),
    }
    clock = dict.fromkeys(runs, np.inf)
    cpu = dict.fromkeys(runs, np.inf)
    vectors = {name: run() for name, run in runs.items()}  # warm
    for _ in range(ROUNDS):
        for name, run in runs.items():
            start, busy = time.perf_counter(), time.process_time()
            run()
            clock[name] = min(clock[name], time.perf_counter() - start)
            cpu[name] = min(cpu[name], time.process_time() - busy)
    tokens = int(np.minimum(encoders["fp32"].inputs(texts)[1], encoders["fp32"].window).sum())
    first = "SentenceTransformer.encode"
    print(f"{folder.name}: {len(texts)} texts, {tokens} tokens, {threads} threads")
    for name in runs:
        print(
            f"{name:27} {clock[name]:7.2f} s, CPU {cpu[name]:7.2f} s, "
            f"{tokens / clock[name]:6.0f} tokens/s: {clock[first] / clock[name]:4.2f} times as "
            f"fast (CPU {cpu[first] / cpu[name]:4.2f}), "
            f"lowest cosine {lowest_cosine(vectors[first], vectors[name]):.6f}"
        )


if __name__ == "__main__":
    main()
