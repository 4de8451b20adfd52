"""Holes: retrieved documents that nobody has judged, in the lists of several configurations."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sweep.metrics.arithmetic import Flags
from sweep.metrics.judgements import Judgements
from sweep.records import Floats, Ints

Value = TypeVar("Value", np.float64, np.bool_, np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnjudgedLists:
    """The document lists of n configurations for the J judged queries, and the holes in them.

    A **hole** is a pair of a query and a document that some list holds and nobody has judged. All
    lists together have P of them, ordered by query, then document.

    Attributes:
        judgements: of the J queries.
        items: shape (n, J, K), document positions, best first, each once per list, -1 at the end.
        judged: shape (n, J, K), where a document has a label.
        label: shape (n, J, K), that label; 0 elsewhere.
        hole: shape (n, J, K), which of the P holes stands there; -1 where there is none.
        row, document: shape (P,), judged row and document position of each hole.
    """

    judgements: Judgements
    items: Ints
    judged: Flags
    label: Ints
    hole: Ints
    row: Ints
    document: Ints

    def __len__(self) -> int:
        """Return P, the number of holes."""
        return len(self.row)

    def per_query(self) -> Ints:
        """Return the number of holes of each query, shape (J,)."""
        return np.bincount(self.row, minlength=len(self.judgements)).astype(np.int64)

    def judged_share(self) -> Floats:
        """Return `judged` of every configuration, mean over queries, shape (n,).

        As in the metric: judged / retrieved of each query, 0 for an empty list.
        """
        retrieved = (self.items >= 0).sum(axis=2)
        shares = self.judged.sum(axis=2) / np.maximum(retrieved, 1)
        means: Floats = shares.mean(axis=1)
        return means

    def spread(self, lists: int, values: NDArray[Value]) -> NDArray[Value]:
        """Return what a list gives each hole, shape (P,); 0 for those that it does not hold.

        Args:
            lists: row of the configuration.
            values: shape (J, K) or (K,), by the place in the list.
        """
        holes = self.hole[lists]
        found = np.zeros(len(self), dtype=values.dtype)
        shown = holes >= 0
        found[holes[shown]] = np.broadcast_to(values, holes.shape)[shown]
        return found


def find_holes(judgements: Judgements, items: Ints) -> UnjudgedLists:
    """Return the holes in document lists.

    Args:
        judgements: J judged queries; all their documents can be retrieved.
        items: shape (n, J, K), document positions, each once per list, -1 where a list has ended.
    """
    rows = np.arange(len(judgements), dtype=np.int64)[:, None] * judgements.n_documents
    keys = np.where(items >= 0, items + rows, -1)
    place = np.searchsorted(judgements.keys, keys)
    place = np.minimum(place, max(len(judgements.keys) - 1, 0))
    if len(judgements.keys):
        judged = (judgements.keys[place] == keys) & (keys >= 0)
        label = np.where(judged, judgements.labels[place], 0)
    else:
        judged, label = np.zeros(keys.shape, dtype=np.bool_), np.zeros_like(keys)
    open_ = (keys >= 0) & ~judged
    unique, inverse = np.unique(keys[open_], return_inverse=True)
    hole = np.full(keys.shape, -1, dtype=np.int64)
    hole[open_] = inverse
    row, document = np.divmod(unique, max(judgements.n_documents, 1))
    return UnjudgedLists(
        judgements=judgements,
        items=items,
        judged=judged,
        label=label,
        hole=hole,
        row=row,
        document=document,
    )
