"""What a model sees of every chunk: token ids, made once per chunking and kept in the store.

Many chunks have more ids than fit into memory, so they lie in a mapped file. In memory is only a
key of 16 bytes per chunk, and its length.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweep.engine.stages.document_tokens import DocumentTokens, is_apart
from sweep.engine.stages.texts import Passages
from sweep.engine.store.keys import row_key
from sweep.engine.store.scratch import Scratch, Spool
from sweep.engine.store.segments import KEY, key_rows
from sweep.index.embed import Encoder
from sweep.records import Ints
from sweep.tokenizer import text_blocks

SEEN_TOKENS = 4_000_000  # ids that are remembered for the next chunking: some 30 MB
PER_TEXT = 100  # what remembering one text takes besides, in ids
JOINED_ROWS = 4096  # chunks whose inputs are put together before they are written


@dataclass(frozen=True, slots=True)
class TokenLists(Sequence[NDArray[np.int32]]):
    """Token ids of C texts.

    Attributes:
        indptr: shape (C + 1,); the ids of text `c` are `flat[indptr[c]:indptr[c + 1]]`.
        flat: shape (T,), whole numbers of any type.
    """

    indptr: Ints
    flat: np.ndarray

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.indptr) - 1

    def __getitem__(self, row: Any) -> Any:
        """Return the ids of a text, int32."""
        return self.flat[self.indptr[row] : self.indptr[row + 1]].astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageInputs:
    """What a model sees of every chunk.

    Attributes:
        ids: C arrays of token ids.
        keys: shape (C,), 16 bytes that are equal for equal ids.
        full: shape (C,), length before truncation, special tokens included.
        rows: the chunks that have any text; only these are indexed.
        window: the model's limit, special tokens included.
    """

    ids: TokenLists
    keys: NDArray[np.bytes_]
    full: Ints
    rows: Ints
    window: int

    @property
    def lengths(self) -> Ints:
        """Return the length of each input, shape (C,)."""
        return np.diff(self.ids.indptr)

    @property
    def truncated(self) -> int:
        """Return how many chunks are longer than the window."""
        return int((self.full > self.window).sum())

    @property
    def lost(self) -> float:
        """Return the share of tokens beyond the window."""
        return float(np.maximum(self.full - self.window, 0).sum() / max(1, self.full.sum()))

    def to_arrays(self) -> dict[str, np.ndarray]:
        """Return the inputs as the store keeps them."""
        return {
            "indptr": self.ids.indptr,
            "ids": self.ids.flat,
            "keys": key_rows(self.keys),
            "full": self.full,
            "rows": self.rows,
        }


def inputs_from(arrays: Mapping[str, np.ndarray], *, window: int) -> PassageInputs:
    """Return the inputs that `PassageInputs.to_arrays` gave."""
    return PassageInputs(
        ids=TokenLists(arrays["indptr"], arrays["ids"]),
        keys=arrays["keys"].reshape(-1).view(KEY),
        full=arrays["full"],
        rows=arrays["rows"],
        window=window,
    )


class SeenTexts:
    """Remembers the inputs of texts, so that one in several chunkings is tokenised once."""

    def __init__(self) -> None:
        self._seen: dict[bytes, tuple[NDArray[np.int32], int]] = {}
        self._room = SEEN_TOKENS

    def inputs(
        self, encoder: Encoder, texts: Sequence[str]
    ) -> Iterator[tuple[NDArray[np.int32], int]]:
        """Yield the ids of each text and their number before truncation."""
        keys = [row_key(text.encode()) for text in texts]
        new = {k: text for k, text in zip(keys, texts, strict=True) if k not in self._seen}
        made = zip(*encoder.inputs(list(new.values())), strict=True) if new else ()
        fresh = {key: (ids, int(full)) for key, (ids, full) in zip(new, made, strict=True)}
        for key in keys:
            yield fresh[key] if key in fresh else self._seen[key]
        for key, found in fresh.items():
            if self._room > 0:
                self._room -= len(found[0]) + PER_TEXT
                self._seen[key] = found


def make_inputs(
    encoder: Encoder,
    passages: Passages,
    *,
    prefix: str,
    seen: SeenTexts,
    scratch: Scratch,
    tokens: DocumentTokens | None = None,
) -> PassageInputs:
    """Return what a model sees of chunks.

    Args:
        encoder: the model.
        passages: of C chunks, with their titles.
        prefix: stands before each of them.
        seen: inputs of the same model.
        scratch: where the ids go.
        tokens: of the documents, where inputs can be put together from them; changes no id.
    """
    narrow = encoder.largest_id <= np.iinfo(np.uint16).max
    flat = Spool(scratch, np.uint16 if narrow else np.int32)
    keys, full, lengths = [], [], [0]
    for made in _blocks(encoder, passages, prefix, seen, tokens):
        flat.append(np.concatenate([ids for ids, _ in made]))
        keys.append(np.array([row_key(ids.tobytes()) for ids, _ in made], dtype=KEY))
        full += [count for _, count in made]
        lengths += [len(ids) for ids, _ in made]
    return PassageInputs(
        ids=TokenLists(np.cumsum(lengths, dtype=np.int64), flat.array()),
        keys=np.concatenate([np.empty(0, dtype=KEY), *keys]),
        full=np.array(full, dtype=np.int64),
        rows=np.flatnonzero([passages.has_text(row) for row in range(len(passages))]),
        window=encoder.window,
    )


def _blocks(
    encoder: Encoder,
    passages: Passages,
    prefix: str,
    seen: SeenTexts,
    tokens: DocumentTokens | None,
) -> Iterator[list[tuple[NDArray[np.int32], int]]]:
    """Yield the inputs of the chunks, in order, a block at a time."""
    if tokens is None:
        for block in text_blocks(passages):
            yield list(seen.inputs(encoder, [prefix + text for text in block]))
        return
    first, stop = (found.tolist() for found in tokens.spans(passages.chunks))
    for start in range(0, len(passages), JOINED_ROWS):
        rows = range(start, min(start + JOINED_ROWS, len(passages)))
        heads = [prefix + passages.head(row) for row in rows]
        joins = [first[row] >= 0 and is_apart(head) for row, head in zip(rows, heads, strict=True)]
        alone = [prefix + passages[row] for row, j in zip(rows, joins, strict=True) if not j]
        own = seen.inputs(encoder, alone)
        yield [
            tokens.input(head, first[row], stop[row]) if join else next(own)
            for row, head, join in zip(rows, heads, joins, strict=True)
        ]


class JoinedInputs:
    """The inputs, of the chunks with text, of several chunkings one after another: N in all.

    Attributes:
        keys: shape (N,).
        lengths: shape (N,), in tokens.
    """

    def __init__(self, parts: Sequence[PassageInputs]) -> None:
        self._parts = parts
        self._ends = np.cumsum([len(part.rows) for part in parts])
        self.keys = np.concatenate([part.keys[part.rows] for part in parts])
        self.lengths = np.concatenate([part.lengths[part.rows] for part in parts])

    def ids(self, position: int) -> NDArray[np.int32]:
        """Return the token ids at a position."""
        number = int(np.searchsorted(self._ends, position, side="right"))
        part = self._parts[number]
        place = position - int(self._ends[number]) + len(part.rows)
        found: NDArray[np.int32] = part.ids[part.rows[place]]
        return found
