"""Document lists joined with their judgements: what every document metric is computed from.

Only judged documents matter to a metric, and there are few of them, so the join is sparse: one
entry per judged document that was retrieved. A sum over ranks is then one pass over the entries.
"""

from dataclasses import dataclass

import numpy as np

from sweep.errors import MetricError
from sweep.metrics.arithmetic import Flags, sum_per_row
from sweep.metrics.judgements import Judgements
from sweep.records import Floats, Ints, RankedLists
from sweep.text_lines import shorten


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedLists:
    """The judged documents in the lists of the J judged queries; `n` of them in all.

    Attributes:
        judgements: the ideal lists and sizes.
        lengths: shape (J,), number of documents retrieved.
        row: shape (n,), judged row; not falling.
        rank: shape (n,), from 1; rising within a row.
        label: shape (n,).
        first: shape (n,), index of the first entry of the same row.
    """

    judgements: Judgements
    lengths: Ints
    row: Ints
    rank: Ints
    label: Ints
    first: Ints

    def sum(self, weights: Floats | Flags, *, cutoff: int | None = None) -> Floats:
        """Return the sum of `weights`, shape (n,), over the first `cutoff` ranks; shape (J,).

        Terms are added in the order of ranks, as in the ideal list, so that a perfect list has a
        ratio of exactly 1.
        """
        if cutoff is not None:
            weights = weights * (self.rank <= cutoff)
        return sum_per_row(self.row, weights, n_rows=len(self.judgements))

    def running(self, flags: Flags) -> Ints:
        """Return how many flags are set at this entry and above it in its row; shape (n,)."""
        counts = np.cumsum(flags)
        return counts - (counts - flags)[self.first]

    def retrieved(self, cutoff: int | None) -> Floats:
        """Return how many documents lie in the first `cutoff` ranks, shape (J,)."""
        lengths = self.lengths if cutoff is None else np.minimum(self.lengths, cutoff)
        return lengths.astype(np.float64)


def judge_lists(judgements: Judgements, documents: RankedLists) -> JudgedLists:
    """Join document lists with their judgements.

    Args:
        judgements: J judged queries out of Q.
        documents: shape (Q, k), document positions, each once per list, -1 where it has ended.

    Raises:
        MetricError: if there is not one list per query, if a position lies outside the collection
            or if a list holds a document twice.
    """
    if len(documents.items) != judgements.n_queries:
        raise MetricError(
            f"document lists: there must be one per query ({judgements.n_queries}), got "
            f"{len(documents.items)}. Give queries without results an empty list (-1)."
        )
    items = documents.items[judgements.rows]
    present = items >= 0
    assert not (present[:, 1:] & ~present[:, :-1]).any(), "padding before the end of a list"
    if items.size and int(items.max()) >= judgements.n_documents:
        raise MetricError(
            f"document lists: positions must be below {judgements.n_documents}, got "
            f"{int(items.max())}. Use the collection that the judgements were prepared for."
        )
    found, cells = _match(judgements, items, present)
    row, rank = np.divmod(cells, max(items.shape[1], 1))
    return JudgedLists(
        judgements=judgements,
        lengths=np.count_nonzero(present, axis=1).astype(np.int64),
        row=row,
        rank=rank + 1,
        label=judgements.labels[found],
        first=np.searchsorted(row, row, side="left"),
    )


def _match(judgements: Judgements, items: Ints, present: Flags) -> tuple[Ints, Ints]:
    """Return the judgements that were retrieved and their cells (row * k + rank), by cell.

    Key and rank are packed into one integer, so that one sort serves the search for judged
    documents and the search for repeated ones.
    """
    n_rows, width = items.shape
    if not items.size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    bits = int(width).bit_length()
    assert (n_rows * judgements.n_documents) << bits < 2**63, "lists too large for 64-bit keys"
    keys = items + np.arange(n_rows, dtype=np.int64)[:, None] * judgements.n_documents
    packed = ((np.where(present, keys, -1) << bits) + np.arange(width)).ravel()
    packed.sort()
    sorted_keys = packed >> bits
    repeated = (sorted_keys[1:] == sorted_keys[:-1]) & (sorted_keys[1:] >= 0)
    if repeated.any():
        _refuse_repetition(judgements, int(sorted_keys[1:][repeated][0]))
    place = np.minimum(np.searchsorted(sorted_keys, judgements.keys), items.size - 1)
    found = np.flatnonzero(sorted_keys[place] == judgements.keys)
    ranks = packed[place[found]] & ((1 << bits) - 1)
    cells = judgements.keys[found] // judgements.n_documents * width + ranks
    order = np.argsort(cells)
    return found[order], cells[order]


def _refuse_repetition(judgements: Judgements, key: int) -> None:
    row, document = divmod(key, judgements.n_documents)
    raise MetricError(
        f"document list of query {shorten(judgements.query_ids[row])}: each document may "
        f"stand in it once, got position {document} twice. Merge chunks into documents first."
    )
