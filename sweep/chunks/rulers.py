"""Measuring spans: how many tokens, words or characters lie between two places of a document.

Places of all documents are put on one line: document `d` begins at `bases[d]` and takes one place
more than it has code points. A ruler maps a place to the units that begin before it, so that a
span costs `ruler(end) - ruler(start)`, and one binary search measures a whole corpus.
"""

from collections.abc import Callable

import numpy as np

from sweep.chunks.atoms import Atoms, Pieces
from sweep.configuration import Unit
from sweep.records import Ints, TokenOffsets

Ruler = Callable[[Ints], Ints]


def find_bases(atoms: Atoms) -> Ints:
    """Return the place where each document begins on the common line, shape (D,)."""
    lengths = [len(text) + 1 for text in atoms.texts]
    return np.cumsum([0, *lengths[:-1]], dtype=np.int64)[: len(lengths)]


def make_ruler(unit: Unit, *, atoms: Atoms, offsets: TokenOffsets) -> Ruler:
    """Return the ruler of a unit.

    `tokens` counts the study tokens that start in a span; `words` the words; `characters` all code
    points, white space between words included.
    """
    if unit == "characters":
        return lambda places: places
    bases = find_bases(atoms)
    if unit == "words":
        marks = atoms.words.start + bases[atoms.words.document]
    else:
        # nearly sorted: a merge is quick
        marks = np.sort(_token_places(atoms.words, offsets, bases), kind="stable")
    return lambda places: np.searchsorted(marks, places).astype(np.int64)


def _token_places(words: Pieces, offsets: TokenOffsets, bases: Ints) -> Ints:
    """Return where each token begins, shape (T,): at a word if it begins in the space before it.

    Byte-level and SentencePiece tokenizers count the space before a word into its first token;
    a chunk that begins with the word must count that token.
    """
    base = np.repeat(bases, np.diff(offsets.indptr))
    starts, ends = offsets.starts + base, offsets.ends + base
    if not len(words):
        return starts
    word_starts = words.start + bases[words.document]
    word_ends = words.end + bases[words.document]
    word = np.searchsorted(word_ends, starts, side="right")  # the first word that ends later
    next_start = word_starts[np.minimum(word, len(words) - 1)]
    reaches = (word < len(words)) & (starts < next_start) & (next_start < ends)
    return np.where(reaches, next_start, starts)
