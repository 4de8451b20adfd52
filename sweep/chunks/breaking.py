"""Breaking pieces that are longer than a chunk: a sentence into words, a word into characters."""

import functools
import re
from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from sweep.chunks.atoms import Atoms, Pieces
from sweep.chunks.rulers import Ruler
from sweep.chunks.words import Span, find_graphemes, find_words
from sweep.records import Ints, TokenOffsets

Breaker = Callable[[int, int, int], list[Span]]  # document, start, end -> parts that cover it
_LINE_END = re.compile("[\n\r]")


def break_long(
    pieces: Pieces,
    *,
    size: int,
    ruler: Ruler,
    bases: Ints,
    atoms: Atoms,
    offsets: TokenOffsets,
    lined: Collection[tuple[int, int]] = (),
) -> Pieces:
    """Replace every piece that costs more than `size` by its parts, as far as this is needed.

    Code and tables become lines, sentences become words; words are cut where a token begins that
    does not continue a word piece; what is still too long becomes single graphemes. A grapheme is
    never cut, however long.

    Args:
        pieces: words, sentences, or blocks.
        size: most that one piece may cost, in the ruler's unit.
        ruler: the unit.
        bases: where documents begin on the ruler's line, shape (D,).
        atoms: the texts.
        offsets: the study tokenizer's tokens.
        lined: document and start of the pieces that are made of lines.
    """

    @functools.cache
    def fresh() -> Ints:
        """Return where tokens begin that begin a word or a sign, sorted."""
        places = offsets.starts + np.repeat(bases, np.diff(offsets.indptr))
        return np.sort(places[~offsets.continues])

    def into_graphemes(document: int, start: int, end: int) -> list[Span]:
        spans = find_graphemes(atoms.texts[document][start:end])
        return [(start + low, start + high) for low, high in spans]

    def at_tokens(document: int, start: int, end: int) -> list[Span]:
        base = int(bases[document])
        first, last = np.searchsorted(fresh(), [start + base + 1, end + base])
        borders = {low for low, _ in into_graphemes(document, start, end)}
        inside = borders & set((fresh()[first:last] - base).tolist())
        cuts = [start, *sorted(inside), end]
        return list(zip(cuts[:-1], cuts[1:], strict=True))

    breakers = (_line_breaker(atoms, lined), word_breaker(atoms), at_tokens, into_graphemes)
    for breaker in breakers:
        base = bases[pieces.document]
        long = ruler(pieces.end + base) - ruler(pieces.start + base) > size
        if not long.any():
            break
        pieces = replace_pieces(pieces, breaker, long)
    return pieces


def word_breaker(atoms: Atoms) -> Breaker:
    """Return what breaks a piece into its words."""

    def into_words(document: int, start: int, end: int) -> list[Span]:
        spans = find_words(atoms.texts[document][start:end])
        return [(start + low, start + high) for low, high in spans]

    return into_words


def _line_breaker(atoms: Atoms, lined: Collection[tuple[int, int]]) -> Breaker:
    """Return what breaks the pieces that are made of lines into them."""
    into_words = word_breaker(atoms)

    def into_lines(document: int, start: int, end: int) -> list[Span]:
        if (document, start) not in lined:
            return [(start, end)]
        text, lines = atoms.texts[document], [(start, start)]
        for low, high in into_words(document, start, end):
            first, last = lines[-1]
            if _LINE_END.search(text, last, low):
                lines.append((low, high))
            else:
                lines[-1] = (first, high)
        return lines

    return into_lines


def replace_pieces(pieces: Pieces, breaker: Breaker, long: NDArray[np.bool_]) -> Pieces:
    """Return the pieces with those that are marked, shape (A,), broken into parts."""
    if not long.any():
        return pieces
    parts = []
    for row in np.flatnonzero(long).tolist():
        document = int(pieces.document[row])
        spans = breaker(document, int(pieces.start[row]), int(pieces.end[row]))
        parts += [(document, low, high) for low, high in spans]
    document, start, end = np.array(parts, dtype=np.int64).T
    joined = np.concatenate(
        [
            np.stack([pieces.document, pieces.start, pieces.end])[:, ~long],
            np.stack([document, start, end]),
        ],
        axis=1,
    )
    order = np.lexsort((joined[1], joined[0]))
    return Pieces(document=joined[0, order], start=joined[1, order], end=joined[2, order])
