"""How fast models run here: remembered from before, or tried on a few of the real texts.

A batch of fixed shape takes as long as its shape says, so a few full batches tell the speed of
all. What is found is kept in the store, for this model, precision, machine and thread count; what
was measured while others kept the machine busy is measured again the next time.
"""

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from sweep.configuration import VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.measure.latency import BUSY_SHARE
from sweep.engine.measure.load import LoadMeter
from sweep.engine.plan.batches import Batches
from sweep.engine.plan.embedding_work import EncoderWork
from sweep.engine.plan.rerank_work import RerankWork
from sweep.engine.store.keys import stage_key
from sweep.index import embed
from sweep.index.embed import Encoder
from sweep.rankings import rerank
from sweep.rankings.rerank import CrossEncoderScorer

SPREAD = (0.5, 0.05, 0.95, 0.25)  # bucket lengths that are tried: shares of all batches
RUNS = 3  # of each, after one that does not count
BUDGET_S = 2.0  # per kind of work; where it is used up, one run has to do
QUERIES = 6
PAIRS = 256
IMPORT_S = 4.0  # for torch and sentence-transformers, where this process has them already

Model = Encoder | CrossEncoderScorer
Seconds = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class BatchTimes:
    """Seconds per batch, by bucket length; between the lengths that were tried, interpolated.

    Several threads run batches side by side: it is the time from one batch to the next.
    """

    seconds: Mapping[int, float]

    def total(self, batches: Batches) -> float:
        """Return the seconds of so many batches."""
        lengths = sorted(self.seconds)
        if not lengths:
            return 0.0
        known = [self.seconds[length] for length in lengths]
        return float(sum(n * np.interp(length, lengths, known) for length, n in batches.items()))


class Calibration:
    """Tells how long models take, and remembers it.

    Args:
        engine: whose models, precision, threads and store are used.
        clock: gives seconds.

    Attributes:
        tried: names of models that had to be timed now.
    """

    def __init__(self, engine: Engine, clock: Callable[[], float] = time.perf_counter) -> None:
        self.engine = engine
        self.clock = clock
        self.tried: list[str] = []
        self._load = LoadMeter()
        self._found: dict[str, Seconds] = {}

    def embedding_seconds(self, work: EncoderWork) -> float:
        """Return the seconds to embed the passages: at the rate of an earlier run, if known."""
        encoder = self.engine.pool.encoder(work.model)
        rate = self.engine.vectors.embedding_rate(work.model, threads=encoder.threads)
        if rate > 0:
            return work.tokens / rate

        def run(length: int) -> None:
            size = embed.batch_size(length, role="passage") * encoder.threads
            encoder.embed([work.samples[length]] * size, role="passage")

        return self._batch_times("embed", encoder, work.batches, run).total(work.batches)

    def rerank_times(self, work: RerankWork) -> BatchTimes:
        """Return the times of a reranker's batches."""
        tried = {length: n for length, n in work.batches.items() if length in work.samples}
        batches = tried or dict.fromkeys(work.samples, 1.0)
        if work.kind == "maxsim":
            encoder = self.engine.pool.encoder(work.model)

            def run(length: int) -> None:
                size = embed.batch_size(length, role="passage") * encoder.threads
                encoder.token_vectors([work.samples[length]] * size, role="passage")

            return self._batch_times("token vectors", encoder, batches, run)
        scorer = self.engine.pool.cross_encoder(work.model)

        def score(length: int) -> None:
            size = rerank.batch_size(length) * scorer.threads
            scorer.score([work.samples[length]] * size)

        return self._batch_times("pairs", scorer, batches, score)

    def product_seconds(self, work: RerankWork) -> float:
        """Return the seconds to compare the token vectors of one query and one passage."""
        encoder = self.engine.pool.encoder(work.model)
        longest = work.samples[max(work.samples)]

        def measure() -> Seconds:
            queries = self.engine.vectors.query_inputs(VectorConfig(model=work.model))[:QUERIES]
            passage = encoder.token_vectors([longest], role="passage")[0]
            asked = encoder.token_vectors(queries, role="query")
            pairs = [(asked[n % len(asked)], passage) for n in range(PAIRS)]
            return {"pair": self._timed(lambda: rerank.maxsim_scores(pairs)) / PAIRS}

        return self._known("products", encoder, measure)["pair"]

    def query_seconds(self, config: VectorConfig) -> float:
        """Return the seconds of one query through a bi-encoder."""
        encoder = self.engine.pool.encoder(config.model)

        def measure() -> Seconds:
            inputs = sorted(self.engine.vectors.query_inputs(config), key=len)
            sample = inputs[:: max(1, len(inputs) // QUERIES)]
            return {
                "query": self._timed(lambda: encoder.embed(sample, role="query")) / len(sample)
            }

        return self._known("queries", encoder, measure)["query"]

    def load_seconds(self, model: Model) -> float:
        """Return the seconds to load a model's weights, and the libraries if it is the first."""

        def measure() -> Seconds:
            imported = "sentence_transformers" in sys.modules
            return {
                "load": self._timed(lambda: self.engine.pool.warm(model)),
                "imported": imported,
            }

        found = self._known("load", model, measure)
        return found["load"] + (IMPORT_S if found["imported"] else 0.0)

    def _batch_times(
        self, what: str, model: Model, batches: Batches, run: Callable[[int], Any]
    ) -> BatchTimes:
        def measure() -> Seconds:
            self.engine.pool.warm(model)
            end = self.clock() + BUDGET_S
            times: dict[str, float] = {}
            for length in _spread_lengths(batches):
                if times and self.clock() > end:
                    break
                once = self._timed(partial(run, length))
                left = range(RUNS if self.clock() < end else 0)
                runs = [self._timed(partial(run, length)) for _ in left]
                times[str(length)] = median(runs or [once]) / model.threads
            return times

        found = self._known(what, model, measure)
        return BatchTimes({int(length): seconds for length, seconds in found.items()})

    def _timed(self, call: Callable[[], Any]) -> float:
        start = self.clock()
        call()
        return self.clock() - start

    def _known(self, what: str, model: Model, measure: Callable[[], Seconds]) -> Seconds:
        """Return times from the store, or measure and store them; once per process."""
        key = stage_key("rate", {"of": what, "threads": model.threads}, (model.key,))
        if key not in self._found:
            self._found[key] = self._stored(key) or self._measured(key, model, measure)
        return self._found[key]

    def _stored(self, key: str) -> Seconds | None:
        known = self.engine.store.read_json("rate", key) or {}
        others, seconds = known.get("others"), known.get("seconds")
        if not isinstance(seconds, dict) or not isinstance(others, float) or others > BUSY_SHARE:
            return None
        return {name: float(value) for name, value in seconds.items()}

    def _measured(self, key: str, model: Model, measure: Callable[[], Seconds]) -> Seconds:
        if model.files.name not in self.tried:
            self.tried.append(model.files.name)
        since = self._load.mark()
        seconds = dict(measure())
        content = {"seconds": seconds, "others": self._load.others(since)}
        self.engine.store.write_json("rate", key, content)
        return seconds


def _spread_lengths(batches: Batches) -> list[int]:
    """Return a few bucket lengths, spread over where the batches are; the middle one first."""
    lengths = np.array(sorted(batches))
    reached = np.cumsum([batches[length] for length in lengths.tolist()])
    places = np.searchsorted(reached, reached[-1] * np.array(SPREAD), side="left")
    return list(dict.fromkeys(lengths[places].tolist()))
