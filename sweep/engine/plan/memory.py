"""The peak of a run's resident memory, reckoned from this process's and from what a run holds."""

import sys
from collections.abc import Sequence

from sweep.engine.engine import Engine
from sweep.engine.measure.load import peak_memory
from sweep.engine.plan.forecast import Forecast
from sweep.engine.plan.plan import Plan
from sweep.engine.store.cache import HELD, HELD_BYTES
from sweep.index.exact import BLOCK_FLOATS, BLOCK_SCORES

LIBRARIES_BYTES = 350_000_000  # torch, sentence-transformers and what they import


def run_memory(engine: Engine, plan: Plan, ahead: Forecast) -> int:
    """Return the peak resident memory of a run, in bytes.

    Args:
        engine: of this process, after the plan was made, and models were tried if need be.
        plan: what the run does.
        ahead: sizes of what it makes.
    """
    total = peak_memory() + _held(ahead.terms_bytes) + _held(ahead.index_bytes)
    models = {work.model for work in plan.encoders if work.texts or work.queries}
    if models and "torch" not in sys.modules:  # remembered rates were enough for the plan
        total += LIBRARIES_BYTES + sum(_weights(engine, model) for model in models)
    if plan.lists:
        chunks = max(len(engine.texts.chunks(work.chunk)) for work in plan.lists)
        scores = len(engine.corpus.queries) * chunks
        total += 4 * min(BLOCK_SCORES, scores) + 8 * min(BLOCK_FLOATS, scores)
    return total


def _held(sizes: Sequence[int]) -> int:
    """Return the bytes of a stage's outputs that are in memory together, the largest first."""
    total = 0
    for size in sizes[:HELD]:
        if total and total + size > HELD_BYTES:
            break
        total += size
    return total


def _weights(engine: Engine, model: str) -> int:
    files = engine.pool.encoder(model).files.folder.glob("*.safetensors")
    return sum(file.stat().st_size for file in files)
