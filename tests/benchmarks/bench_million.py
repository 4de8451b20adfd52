"""Memory of a million chunks x 384 dimensions, from the corpus's files to exact search.

python -m tests.benchmarks.bench_million [chunks] [folder]    (a million; the system's folder)

The real code path with a stand-in model: it looks words up, so that embedding takes seconds, not
hours. What memory a stage takes does not depend on the model. Two processes run one after another:
one on an empty store, one on what the first has left. Printed for each stage: seconds (wall and
CPU), and at its peak the resident memory beyond that of the loaded model: all of it, and what is
not a mapped file, which the system can not take back when it needs memory (`RssAnon`). The folder
must have room for some 6 GB.
"""

import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.corpus import read_corpus
from sweep.engine.engine import Engine, EngineOptions
from tests.toy_models import lookup_model

WORDS, DIMENSION = 5_000, 384
WORDS_PER_CHUNK, CHUNKS_PER_DOCUMENT, QUERIES = 16, 20, 200
CHUNK = ChunkConfig(splitter="tokens", size=WORDS_PER_CHUNK, overlap=0.0, prepend_title=False)
LIMIT = 2_000_000_000


class Memory:
    """Notes how much memory this process has taken at most since the last look."""

    def __init__(self) -> None:
        self.floor = dict.fromkeys(("VmRSS", "RssAnon"), 0)
        self.peak = dict(self.floor)
        self.most = dict(self.floor)
        threading.Thread(target=self._watch, daemon=True).start()

    def now(self) -> dict[str, int]:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        fields = dict(line.split(":", 1) for line in lines)
        return {name: int(fields[name].split()[0]) * 1024 for name in self.floor}

    def _watch(self) -> None:
        while True:
            self._note()
            time.sleep(0.02)

    def _note(self) -> None:
        for name, value in self.now().items():
            self.peak[name] = max(self.peak[name], value - self.floor[name])
            self.most[name] = max(self.most[name], self.peak[name])

    def measure(self, what: str, work: Callable[[], Any]) -> Any:
        self.peak = dict.fromkeys(self.floor, 0)
        start, busy = time.perf_counter(), time.process_time()
        result = work()
        self._note()
        seconds = f"{time.perf_counter() - start:7.1f} s {time.process_time() - busy:7.1f} s CPU"
        print(f"{what:28}{seconds}{show(self.peak)}", flush=True)
        return result


def show(peak: dict[str, int]) -> str:
    return f"{peak['VmRSS'] / 1e6:9,.0f} MB resident{peak['RssAnon'] / 1e6:9,.0f} MB anonymous"


def write_files(folder: Path, chunks: int) -> None:
    """Write a corpus of about so many chunks, and a model that knows its words."""
    rng = np.random.default_rng(7)
    words = [f"w{number}" for number in range(WORDS)]
    vectors = rng.standard_normal((WORDS, DIMENSION)).astype(np.float32)
    lookup_model(folder / "model", dict(zip(words, vectors.tolist(), strict=True)))
    length = WORDS_PER_CHUNK * CHUNKS_PER_DOCUMENT
    corpus = folder / "corpus"
    corpus.mkdir()
    with (corpus / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for number in range(chunks // CHUNKS_PER_DOCUMENT):
            text = " ".join(words[i] for i in rng.integers(0, WORDS, length))
            file.write(json.dumps({"_id": f"d{number:07}", "text": text}) + "\n")
    with (corpus / "queries.jsonl").open("w", encoding="utf-8") as file:
        for number in range(QUERIES):
            text = " ".join(words[i] for i in rng.integers(0, WORDS, 6))
            file.write(json.dumps({"_id": f"q{number}", "text": text}) + "\n")
    rows = [f"q{number}\td{number:07}\t1\n" for number in range(QUERIES)]
    (corpus / "qrels.tsv").write_text("".join(rows), encoding="utf-8")


def run(folder: Path) -> None:
    memory = Memory()
    model = str(folder / "model")
    vector = VectorConfig(model=model)
    options = EngineOptions(store=folder / "store", tokenizer=model, precision="fp32", threads=1)
    with tempfile.TemporaryDirectory() as empty:
        first = Engine(read_corpus(write_small(Path(empty))), options)
        encoder = first.pool.encoder(model)
        encoder.embed(encoder.inputs(["w1"])[0], role="passage")  # loads all libraries
    memory.floor = memory.now()
    memory.most = dict.fromkeys(memory.floor, 0)
    corpus = memory.measure("read the corpus", lambda: read_corpus(folder / "corpus"))
    engine = Engine(corpus, options)
    engine.pool._encoders = first.pool._encoders
    memory.measure("tokenise the documents", lambda: engine.texts.offsets)
    chunks = memory.measure("cut chunks", lambda: engine.texts.chunks(CHUNK))
    memory.measure("tokenise the chunks", lambda: engine.vectors.passage_inputs(CHUNK, vector))
    memory.measure("embed, gather vectors", lambda: engine.vectors.index(CHUNK, vector))
    found = memory.measure(
        f"search, {QUERIES} queries", lambda: engine.lists.vector(CHUNK, vector, 100)
    )
    print(f"{len(chunks):,} chunks; at most{show(memory.most)}")
    fits = memory.most["RssAnon"] < LIMIT
    print(f"within {LIMIT / 1e9:g} GB beyond the model: {'yes' if fits else 'NO'}")
    if (folder / "found.npy").exists():
        assert np.array_equal(np.load(folder / "found.npy"), found.items)
    np.save(folder / "found.npy", found.items)


def write_small(folder: Path) -> Path:
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "w1"}\n', encoding="utf-8")
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "w1"}\n', encoding="utf-8")
    (folder / "qrels.tsv").write_text("q\td\t1\n", encoding="utf-8")
    return folder


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        run(Path(sys.argv[2]))
        return
    chunks = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    parent = sys.argv[2] if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        write_files(Path(folder), chunks)
        for name in ("empty store", "warm store"):
            print(f"\n{name}")
            command = [sys.executable, "-m", "tests.benchmarks.bench_million", "--run", folder]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
