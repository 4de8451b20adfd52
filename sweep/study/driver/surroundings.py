"""What a run was made with: versions, machine, models; what repeating it elsewhere needs."""

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import sweep
from sweep.engine.engine import Engine
from sweep.errors import IndexingError
from sweep.machine import machine_name, processor_features, processor_name, version_of
from sweep.models import find_model

LIBRARIES = (
    "torch",
    "transformers",
    "sentence-transformers",
    "tokenizers",
    "faiss-cpu",
    "bm25s",
    "rank-bm25",
    "numpy",
    "scipy",
    "optuna",
)
MODEL_PARAMETERS = ("vector.model", "rerank.model")


def surroundings(engine: Engine, axes: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return what the trials of a run are computed with, JSON-ready; no identity of anything.

    Args:
        engine: of the run.
        axes: every value of every parameter of the study.
    """
    names = [engine.options.tokenizer]
    names += [str(value) for name in MODEL_PARAMETERS for value in axes.get(name, ())]
    return {
        "sweep": sweep.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor_name(),
        "features": list(processor_features()),
        "machine": machine_name(),
        "processors": os.cpu_count() or 1,
        "threads": engine.options.threads,
        "libraries": {name: version_of(name) for name in LIBRARIES},
        "models": {name: _fingerprint(name) for name in dict.fromkeys(names)},
        "precisions": _precisions(engine, axes),
        "documents": len(engine.corpus.documents),
        "queries": len(engine.corpus.queries),
    }


def _precisions(engine: Engine, axes: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Return what models really run in, by name; those that only some trials would miss left out.

    Checks before the run have decided it: asking again costs nothing.
    """
    found: dict[str, str] = {}
    for parameter, model_of in (
        ("vector.model", engine.pool.encoder),
        ("rerank.model", engine.pool.cross_encoder),
    ):
        for name in map(str, axes.get(parameter, ())):
            with suppress(IndexingError):
                found[name] = model_of(name).precision
    return found


def _fingerprint(model: str) -> str | None:
    """Return the SHA-256 over a model's files; None for one that only some trials would miss."""
    try:
        return find_model(model).fingerprint
    except IndexingError:
        return None
