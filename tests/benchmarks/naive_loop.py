"""What people write by hand: every configuration from the documents on, nothing shared.

python tests/benchmarks/naive_loop.py CORPUS THREADS SIZE:OVERLAP...

Prints seconds per mode and chunking as JSON. The model is loaded once, before the clock starts.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from rank_bm25 import BM25Okapi
from sentence_transformers import SentenceTransformer

from sweep.corpus import read_corpus
from sweep.models import find_model
from sweep.records import Corpus

MODEL, TOP_K, RRF_K = "all-MiniLM-L6-v2", 10, 60


def main() -> None:
    corpus = read_corpus(Path(sys.argv[1]))
    torch.set_num_threads(int(sys.argv[2]))
    model = SentenceTransformer(str(find_model(MODEL).folder), device="cpu")
    seconds: dict[str, list[float]] = {mode: [] for mode in ("bm25", "vector", "hybrid")}
    for text in sys.argv[3:]:
        size, _, overlap = text.partition(":")
        for mode, found in seconds.items():
            start = time.perf_counter()
            evaluate(corpus, model, mode, int(size), float(overlap))
            found.append(time.perf_counter() - start)
    json.dump(seconds, sys.stdout)


def evaluate(
    corpus: Corpus, model: SentenceTransformer, mode: str, size: int, overlap: float
) -> float:
    """Return the mean ndcg@10 of one configuration."""
    owners, chunks = cut(corpus, model, size, overlap)
    queries = [query.text for query in corpus.queries]
    found = []
    if mode != "bm25":
        vectors = model.encode(chunks, normalize_embeddings=True, show_progress_bar=False)
        asked = model.encode(queries, normalize_embeddings=True, show_progress_bar=False)
        found.append(np.argsort(-(asked @ vectors.T), axis=1)[:, :100])
    if mode != "vector":
        index = BM25Okapi([chunk.lower().split() for chunk in chunks])
        scores = [index.get_scores(query.lower().split()) for query in queries]
        found.append(np.argsort(-np.array(scores), axis=1)[:, :100])
    values = []
    for row, query in enumerate(corpus.queries):
        fused: dict[int, float] = {}
        for ranking in found:
            for rank, chunk in enumerate(ranking[row].tolist()):
                fused[chunk] = fused.get(chunk, 0.0) + 1 / (RRF_K + rank + 1)
        best = sorted(fused, key=lambda chunk: -fused[chunk])[:TOP_K]
        documents = list(dict.fromkeys(owners[chunk] for chunk in best))
        values.append(ndcg(documents, dict(corpus.qrels.get(query.id, {}))))
    return float(np.mean(values))


def cut(
    corpus: Corpus, model: SentenceTransformer, size: int, overlap: float
) -> tuple[list[str], list[str]]:
    """Return the document id and the text of every chunk."""
    owners, chunks = [], []
    step = size - int(size * overlap)
    for document in corpus.documents:
        encoded = model.tokenizer(
            document.text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets = encoded["offset_mapping"]
        for first in range(0, max(1, len(offsets) - (size - step)), step):
            window = offsets[first : first + size]
            if window:
                owners.append(document.id)
                chunks.append(document.text[window[0][0] : window[-1][1]])
    return owners, chunks


def ndcg(documents: list[str], grades: dict[str, int]) -> float:
    gain = sum(max(0, grades.get(d, 0)) / np.log2(i + 2) for i, d in enumerate(documents))
    ideal = sorted((g for g in grades.values() if g > 0), reverse=True)[:TOP_K]
    best = sum(g / np.log2(i + 2) for i, g in enumerate(ideal))
    return float(gain / best) if best else 0.0


if __name__ == "__main__":
    main()
