"""Documents that nearly repeat another one, found in time linear in the corpus.

A text is the set of its sequences of four words (a character of a script written without spaces
counts as one word); case, white space and ASCII punctuation do not matter. Two texts are alike by
the Jaccard coefficient of their sets, estimated from a sketch: the sequences are hashed into 64
bins, of each bin the smallest hash is kept, and the share of equal bins estimates the coefficient
(standard error .05 at .8). Sketches that agree in four neighbouring bins are compared.

Source: Broder 1997, doi:10.1109/SEQUEN.1997.666900 (resemblance); Li, Owen & Zhang 2012 (one
permutation hashing), arXiv:1208.1259.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sweep.records import Document, Ints

WORDS = 4  # in one sequence
BINS = 64
ROWS = 4  # neighbouring bins that must agree before two sketches are compared
LIKE = 0.8  # share of equal bins from which documents count as near duplicates
FEWEST = 8  # sequences below which a text is too short to tell
BLOCK_BYTES = 250_000  # hashed at once; what stays in the processor's cache is fastest

Hashes = NDArray[np.uint64]

_EMPTY = np.uint64(2**64 - 1)
_STEP = 0x100000001B3  # the base of the rolling hash; odd, so that it has an inverse
_INVERSE = pow(_STEP, -1, 2**64)


def near_duplicates(documents: Sequence[Document]) -> list[tuple[str, ...]]:
    """Return groups of ids of documents that are nearly the same, without equal copies.

    Each document is like another one of its group, not necessarily like all; the groups follow
    the order of documents. Of documents with equal texts only the first is looked at.
    """
    first = {document.text: position for position, document in reversed([*enumerate(documents)])}
    distinct = sorted(first.values())
    sketches, counts = _sketches([documents[position].text for position in distinct])
    parents = list(range(len(distinct)))

    def root(member: int) -> int:
        while parents[member] != member:
            parents[member] = parents[parents[member]]
            member = parents[member]
        return member

    for one, other in _candidates(sketches, counts):
        a, b = root(one), root(other)
        if a != b and _alike(sketches[one], sketches[other]):
            parents[max(a, b)] = min(a, b)
    groups: dict[int, list[str]] = {}
    for member, position in enumerate(distinct):
        groups.setdefault(root(member), []).append(documents[position].id)
    return [tuple(ids) for ids in groups.values() if len(ids) > 1]


def _alike(one: Hashes, other: Hashes) -> bool:
    used = (one != _EMPTY) | (other != _EMPTY)
    return bool((one == other)[used].mean() >= LIKE)


def _candidates(sketches: Hashes, counts: Ints) -> Iterator[tuple[int, int]]:
    """Yield pairs of texts whose sketches agree in neighbouring bins: with the first such text."""
    known = np.flatnonzero(counts >= FEWEST)
    for start in range(0, BINS, ROWS):
        band = sketches[known, start : start + ROWS]
        used = known[(band != _EMPTY).any(axis=1)]
        band = np.ascontiguousarray(sketches[used, start : start + ROWS])
        keys = band.view([("", np.uint64)] * ROWS).reshape(-1)
        _, place, inverse = np.unique(keys, return_index=True, return_inverse=True)
        firsts = used[place][inverse]
        for row in np.flatnonzero(firsts != used).tolist():
            yield int(firsts[row]), int(used[row])


def _sketches(texts: Sequence[str]) -> tuple[Hashes, Ints]:
    """Return the smallest hash per bin, shape (N, BINS), and the number of sequences, (N,)."""
    sketches = np.full((len(texts), BINS), _EMPTY, dtype=np.uint64)
    counts = np.zeros(len(texts), dtype=np.int64)
    for first, stop in _blocks(texts):
        hashes, owner = _sequence_hashes([text.lower().encode() for text in texts[first:stop]])
        counts[first:stop] = np.bincount(owner, minlength=stop - first)
        bins = (hashes >> np.uint64(58)).astype(np.int64)
        flat = sketches[first:stop].reshape(-1)
        np.minimum.at(flat, owner * BINS + bins, hashes)
    return sketches, counts


def _blocks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    first = size = 0
    for stop, text in enumerate(texts, start=1):
        size += len(text)
        if size >= BLOCK_BYTES or stop == len(texts):
            yield first, stop
            first, size = stop, 0


def _sequence_hashes(texts: Sequence[bytes]) -> tuple[Hashes, Ints]:
    """Return a hash of every sequence of words, and the number of the text it belongs to."""
    raw = np.frombuffer(b" ".join([*texts, b""]), dtype=np.uint8)
    ends = np.cumsum([len(text) + 1 for text in texts])
    is_letter = _LETTERS[raw]
    starts = is_letter & ~np.concatenate([[False], is_letter[:-1]])
    starts |= _OWN_WORDS[raw]
    places = np.cumsum(is_letter)  # of each byte among the letters, from 1
    owner = np.searchsorted(ends, np.flatnonzero(starts), side="right")
    begins = places[starts] - 1
    stops = np.append(begins, places[-1] if len(places) else 0)
    letters = raw[is_letter].astype(np.uint64)
    size = 1 << len(letters).bit_length()
    powers = _powers(_STEP, size)[: len(letters)]
    prefix = np.zeros(len(letters) + 1, dtype=np.uint64)
    np.cumsum((letters + np.uint64(1)) * powers, out=prefix[1:])
    inside = np.flatnonzero(owner[: len(owner) - WORDS + 1] == owner[WORDS - 1 :])
    low, high = begins[inside], stops[inside + WORDS]
    shifted = (prefix[high] - prefix[low]) * _powers(_INVERSE, size)[low]
    return _mixed(shifted), owner[inside]


@lru_cache(maxsize=4)
def _powers(base: int, count: int) -> Hashes:
    """Return base ** 0, base ** 1 ... modulo 2 ** 64, shape (count,)."""
    powers = np.full(count, base, dtype=np.uint64)
    powers[0] = 1
    return np.cumprod(powers)


def _mixed(hashes: Hashes) -> Hashes:
    """Return the hashes with every bit depending on all (the finaliser of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(hashes ^ (hashes >> np.uint64(31)))


def _byte_table(codes: Sequence[int]) -> NDArray[np.bool_]:
    table = np.zeros(256, dtype=np.bool_)
    table[list(codes)] = True
    return table


# Letters, digits, and every byte of a character beyond ASCII.
_LETTERS = _byte_table([*range(48, 58), *range(97, 123), *range(128, 256)])
# First bytes of characters from U+0800 on: Indic scripts, Thai, kana, Han, Hangul and others.
_OWN_WORDS = _byte_table(range(0xE0, 0xF8))
