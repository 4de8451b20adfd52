"""Model inputs of chunks put together from the tokens of whole documents.

Each document is tokenised once, for all chunk sizes. That is exact where a tokenizer treats every
word by itself, whatever stands beside it (BERT's do, see `sweep.tokenizer.is_word_by_word`). A
chunk that begins or ends inside a word of the tokenizer is tokenised on its own.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from sweep.engine.store.scratch import Scratch, Spool
from sweep.index.embed import Encoder
from sweep.index.passages import TITLES
from sweep.records import Chunks, Ints
from sweep.tokenizer import special_ends, token_blocks, without_nul

Ids = NDArray[np.int32]


class DocumentTokens:
    """The tokens of every document, as one model's tokenizer cuts them.

    Args:
        encoder: the model; its tokenizer is word by word.
        texts: of D documents.
        scratch: where the tokens go.
    """

    def __init__(self, encoder: Encoder, texts: Sequence[str], scratch: Scratch) -> None:
        self.encoder = encoder
        self._head = lru_cache(maxsize=TITLES)(self._tokenise)
        lengths = np.array([len(text) + 1 for text in texts], dtype=np.int64)
        self._bases = np.cumsum(lengths) - lengths  # documents lie one after another on a line
        starts, ends = Spool(scratch, np.int64), Spool(scratch, np.int64)
        continues, ids = Spool(scratch, np.bool_), Spool(scratch, np.int32)
        position = 0
        for block, own in token_blocks(encoder.tokenizer, map(without_nul, texts)):
            count = len(block.indptr) - 1
            base = np.repeat(self._bases[position : position + count], np.diff(block.indptr))
            starts.append(block.starts + base)
            ends.append(block.ends + base)
            continues.append(block.continues)
            ids.append(own)
            position += count
        self._starts, self._ends = starts.array(), ends.array()
        self._continues, self._ids = continues.array(), ids.array()

    def spans(self, chunks: Chunks) -> tuple[Ints, Ints]:
        """Return the first token of each chunk and the one after its last, shapes (C,).

        Both are -1 for a chunk with a border inside a word.
        """
        base = self._bases[chunks.document]
        begin, end = chunks.start + base, chunks.end + base
        first, stop = (np.searchsorted(self._starts, place) for place in (begin, end))
        cut = self._torn(first, begin) | self._torn(stop, end)
        return np.where(cut, -1, first), np.where(cut, -1, stop)

    def _torn(self, token: Ints, place: Ints) -> NDArray[np.bool_]:
        """Return whether a border before some tokens lies inside a word, shape (C,)."""
        count = len(self._starts)
        if not count:
            return np.zeros(len(token), dtype=np.bool_)
        before = np.maximum(token - 1, 0)
        reaches = (token > 0) & (self._ends[before] > place)
        goes_on = (token < count) & self._continues[np.minimum(token, count - 1)]
        found: NDArray[np.bool_] = reaches | goes_on
        return found

    def input(self, head: str, first: int, stop: int) -> tuple[Ids, int]:
        """Return what the model sees of a chunk, and its length before truncation.

        Args:
            head: what stands before the chunk's text; "", or it ends with white space.
            first: the chunk's first token, from `spans`.
            stop: the one after its last.
        """
        front, back = self._special
        whole = np.concatenate((front, self._head(head), self._ids[first:stop], back))
        return self.encoder.truncate(whole), len(whole)

    def _tokenise(self, head: str) -> Ids:
        plain = self.encoder.tokenizer.encode(without_nul(head), add_special_tokens=False)
        return np.array(plain.ids, dtype=np.int32)

    @cached_property
    def _special(self) -> tuple[Ids, Ids]:
        front, back = special_ends(self.encoder.tokenizer)
        return np.array(front, dtype=np.int32), np.array(back, dtype=np.int32)


def is_apart(head: str) -> bool:
    """Return whether what stands before a text leaves its first word alone."""
    return not head or head[-1].isspace()
