"""How many batches of fixed shape models have to run: what their work is counted in.

A batch takes as long as its shape says, whatever is in it (see `sweep.index.embed`); the number of
batches per bucket length, times what one takes, is the time of a model's work.
"""

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from sweep.records import Ints

Batches = Mapping[int, float]  # bucket length in tokens -> number of batches


def count_batches(buckets: Ints, size: Callable[[int], int], *, block: int) -> Batches:
    """Return the batches of N inputs that run in blocks, each block for itself.

    Args:
        buckets: shape (N,), bucket length of each input, in the order in which they run.
        size: how many inputs of a bucket length run together.
        block: inputs between two writes to the store.
    """
    blocks = np.arange(len(buckets)) // block
    found, counts = np.unique(np.stack([blocks, buckets]), axis=1, return_counts=True)
    batches: dict[int, float] = {}
    for length, count in zip(found[1].tolist(), counts.tolist(), strict=True):
        batches[length] = batches.get(length, 0.0) + math.ceil(count / size(length))
    return batches


def add_batches(several: Iterable[Batches]) -> Batches:
    """Return the batches of several pieces of work together."""
    total: dict[int, float] = {}
    for batches in several:
        for length, count in batches.items():
            total[length] = total.get(length, 0.0) + count
    return total


def spread(count: float, values: Ints) -> Ints:
    """Return about `count` of the values, sorted, spread evenly over their distribution."""
    rows = np.linspace(0, len(values) - 1, max(1, round(count))) if len(values) else np.empty(0)
    return np.sort(values)[np.round(rows).astype(np.int64)]


def usual_rows(buckets: Ints, lengths: Ints) -> dict[int, int]:
    """Return per bucket length the row (of N) whose own length is the median in that bucket."""
    order = np.lexsort((lengths, buckets))
    found, first, counts = np.unique(buckets[order], return_index=True, return_counts=True)
    rows = order[first + counts // 2]
    return dict(zip(found.tolist(), rows.tolist(), strict=True))
