"""Where chunks stand in ranked lists."""

from collections.abc import Iterable, Mapping

import numpy as np

from sweep.configuration import TopKUnit
from sweep.records import Ints, RankedLists
from sweep.winner.diagnosis.charge import ListName, Place


class Standing:
    """One query's ranked list, to be asked where chunks stand in it.

    Args:
        lists: shape (N, k), chunk rows.
        row: of the query in `lists`.
        chunk_document: shape (C,), document position of each chunk.
        unit: of top_k.
    """

    def __init__(
        self, lists: RankedLists, row: int, chunk_document: Ints, *, unit: TopKUnit
    ) -> None:
        items = lists.items[row]
        items = items[items >= 0]
        self.items: list[int] = items.tolist()
        self.scores: list[float] = lists.scores[row][: len(items)].tolist()
        self._rank = {chunk: rank for rank, chunk in enumerate(self.items, start=1)}
        self._turns = np.arange(1, len(items) + 1)
        if unit == "documents" and len(items):
            _, seen = np.unique(chunk_document[items], return_index=True)
            new = np.zeros(len(items), dtype=np.int64)
            new[seen] = 1
            self._turns = np.cumsum(new) - new + 1

    def place(self, chunks: Iterable[int]) -> Place | None:
        """Return where the first of some chunks stands; None if none is in the list."""
        ranks = [rank for chunk in chunks if (rank := self._rank.get(chunk)) is not None]
        if not ranks:
            return None
        best = min(ranks)
        return Place(rank=best, turn=int(self._turns[best - 1]), score=self.scores[best - 1])

    def last_through(self, cut: int, *, by_turn: bool) -> tuple[int, Place] | None:
        """Return the last chunk before a cut, and its place; None for an empty list.

        Args:
            cut: a rank, or a turn.
            by_turn: which of the two.
        """
        if not self.items:
            return None
        through = int((self._turns <= cut).sum()) if by_turn else min(cut, len(self.items))
        chunk = self.items[through - 1]
        place = self.place([chunk])
        assert place is not None
        return chunk, place


Standings = Mapping[ListName, Standing]


def places_of(standings: Standings, chunks: Iterable[int]) -> dict[ListName, Place]:
    """Return where the first of some chunks stands in each list that holds one of them."""
    wanted = tuple(chunks)
    found = {name: standing.place(wanted) for name, standing in standings.items()}
    return {name: place for name, place in found.items() if place is not None}
