"""Proves that a bundle returns the ranked lists of the trial it was made from."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sweep.export.layout import BundleFolder
from sweep.export.load import Bundle, load
from sweep.machine import machine_name
from sweep.parquet import read_parquet
from sweep.records import Ints

MOST_RERANKED = 50  # queries that are run where each is reranked, unless all are asked for
GAP = 1e-3  # elsewhere, neighbours may swap if the trial's scores differ by at most this share


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome.

    Attributes:
        queries: how many were run.
        of: how many the trial has.
        equal: how many returned the trial's chunks, id for id.
        swaps: how many ranks differ within the permitted score gap (another kind of machine only).
        wrong: ids of queries that returned something else.
        same_machine: whether this machine is of the kind that made the bundle.
    """

    queries: int
    of: int
    equal: int
    swaps: int
    wrong: tuple[str, ...]
    same_machine: bool

    @property
    def passed(self) -> bool:
        """Return whether the bundle is proved."""
        return not self.wrong

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return {
            "passed": self.passed,
            "queries": self.queries,
            "of": self.of,
            "equal": self.equal,
            "swaps": self.swaps,
            "permitted_gap": 0.0 if self.same_machine else GAP,
            "same_machine": self.same_machine,
            "wrong": list(self.wrong),
        }


def verify(
    path: Path,
    *,
    sample: int | None = None,
    every: bool = False,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Verification:
    """Run the trial's queries through the bundle in a folder and compare.

    Args:
        path: the bundle.
        sample: only this many queries, spread evenly over all; None = at most 50 where each query
            is reranked, which takes as long as it did in the sweep, and all elsewhere.
        every: run all of them, whatever they take.
        threads: threads of models.
        progress: told (queries done, queries in all).

    Raises: ExportError if the bundle cannot be opened.
    """
    bundle = load(path, threads=threads)
    table = read_parquet(BundleFolder(path).expected)
    if sample is None and not every and bundle.configuration.rerank is not None:
        sample = MOST_RERANKED
    rows = _spread(table.num_rows, table.num_rows if sample is None or every else sample)
    return _compare(bundle, table.take(rows), progress, of=table.num_rows)


def _spread(count: int, most: int) -> Ints:
    """Return at most so many of `count` rows, the first and the last among them, evenly spread."""
    if most >= count:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).astype(np.int64))


def _compare(
    bundle: Bundle, table: Any, progress: Callable[[int, int], None], *, of: int
) -> Verification:
    same = bundle.manifest["machine"]["name"] == machine_name()
    equal, swaps, wrong = 0, 0, []
    queries = table["query"].to_pylist()
    bundle.warm()  # before the time left is told from the first queries
    for row, query_id in enumerate(table["query_id"].to_pylist()):
        progress(row, table.num_rows)
        found = bundle.rank([queries[row]])
        expected = np.array(table["chunks"][row].as_py(), dtype=np.int64)
        scores = np.array(table["scores"][row].as_py(), dtype=np.float64)
        items = found.items[0][found.items[0] >= 0]
        if np.array_equal(items, expected):
            equal += 1
            continue
        moved = None if same else _permitted_swaps(items, expected, scores)
        if moved is None:
            wrong.append(query_id)
        else:
            swaps += moved
    return Verification(
        queries=table.num_rows,
        of=of,
        equal=equal,
        swaps=swaps,
        wrong=tuple(wrong),
        same_machine=same,
    )


def _permitted_swaps(items: np.ndarray, expected: np.ndarray, scores: np.ndarray) -> int | None:
    """Return how many ranks differ, None if one differs by more than the permitted gap.

    A chunk that took the place of another must have nearly its score in the trial's own list; one
    that the trial did not return counts as having the list's last score.
    """
    if len(items) != len(expected):
        return None
    score_of = dict(zip(expected.tolist(), scores.tolist(), strict=True))
    span = max(float(scores[0] - scores[-1]), abs(float(scores[0])), 1e-12)
    moved = np.flatnonzero(items != expected)
    for rank in moved.tolist():
        own = score_of.get(int(items[rank]), float(scores[-1]))
        if abs(own - float(scores[rank])) > GAP * span:
            return None
    return len(moved)
