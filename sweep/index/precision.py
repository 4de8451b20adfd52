"""Whether a bi-encoder may run in bf16: a sample of texts decides."""

from collections.abc import Sequence

import numpy as np

from sweep.index.embed import Encoder, Precision
from sweep.models import ModelFiles

MIN_COSINE = 0.9995  # of a bf16 vector to its fp32 one, or bf16 is not used


def safe_precision(files: ModelFiles, texts: Sequence[str], *, threads: int) -> Precision:
    """Return `bf16` if every text's bf16 vector has cosine >= .9995 to its fp32 one."""
    both = [Encoder(files, precision=p, threads=threads) for p in ("fp32", "bf16")]
    # one text at a time, as queries run: a batch of each length would be mostly filling
    exact, fast = (e.embed(e.inputs(texts)[0], role="query").astype(np.float64) for e in both)
    norms = np.linalg.norm(exact, axis=1) * np.linalg.norm(fast, axis=1)
    cosine = (exact * fast).sum(axis=1) / np.maximum(norms, 1e-30)
    return "bf16" if len(cosine) and float(cosine.min()) >= MIN_COSINE else "fp32"
