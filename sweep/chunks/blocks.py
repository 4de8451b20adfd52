"""Cutting a corpus of any size: a block of documents at a time, so that memory stays bounded."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sweep.chunks.atoms import Atoms
from sweep.chunks.cut import cut_chunks
from sweep.configuration import ChunkConfig
from sweep.records import Chunks, Corpus, Ints, TokenOffsets

BLOCK_TOKENS = 1_000_000  # cut at once: some 200 MB
KEPT_TOKENS = 8_000_000  # of a corpus whose words and sentences are kept for the next cut: 200 MB


class Cutter:
    """Cuts the documents of one corpus, each on its own account, as `cut_chunks` does."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._kept: dict[int, Atoms] = {}

    def cut(self, offsets: TokenOffsets, config: ChunkConfig) -> Chunks:
        """Return the chunks of all documents; see `cut_chunks` for arguments and errors."""
        parts = []
        for first, stop in _blocks(offsets.indptr):
            block = replace(self.corpus, documents=self.corpus.documents[first:stop])
            atoms = self._kept.get(first) or Atoms(block)
            if offsets.indptr[-1] <= KEPT_TOKENS:
                self._kept[first] = atoms
            chunks = cut_chunks(block, _part(offsets, first, stop), config, atoms=atoms)
            parts.append(replace(chunks, document=chunks.document + first))
        return Chunks(
            document=np.concatenate([part.document for part in parts]),
            start=np.concatenate([part.start for part in parts]),
            end=np.concatenate([part.end for part in parts]),
            tokens=np.concatenate([part.tokens for part in parts]),
        )


def _blocks(indptr: Ints) -> Iterator[tuple[int, int]]:
    """Yield ranges of documents with about `BLOCK_TOKENS` tokens, one document at least."""
    first, count = 0, len(indptr) - 1
    while True:
        end = np.searchsorted(indptr, indptr[first] + BLOCK_TOKENS, side="right") - 1
        stop = min(count, max(first + 1, int(end)))
        yield first, stop
        if stop == count:
            return
        first = stop


def _part(offsets: TokenOffsets, first: int, stop: int) -> TokenOffsets:
    low, high = offsets.indptr[first], offsets.indptr[stop]
    return TokenOffsets(
        indptr=offsets.indptr[first : stop + 1] - low,
        starts=offsets.starts[low:high],
        ends=offsets.ends[low:high],
        continues=offsets.continues[low:high],
    )
