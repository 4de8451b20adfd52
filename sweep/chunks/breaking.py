"""Breaking pieces that are longer than a chunk: a sentence into words, a word into characters."""

from collections.abc import Callable

import numpy as np

from sweep.chunks.atoms import Atoms, Pieces
from sweep.chunks.rulers import Ruler
from sweep.chunks.words import Span, find_graphemes, find_words
from sweep.records import Ints, TokenOffsets

Breaker = Callable[[int, int, int], list[Span]]  # document, start, end -> parts that cover it


def break_long(
    pieces: Pieces, *, size: int, ruler: Ruler, bases: Ints, atoms: Atoms, offsets: TokenOffsets
) -> Pieces:
    """Replace every piece that costs more than `size` by its parts, as far as this is needed.

    Sentences become words; words are cut where a token begins that does not continue a word
    piece; what is still too long becomes single graphemes. A grapheme is never cut, however long.

    Args:
        pieces: words or sentences.
        size: most that one piece may cost, in the ruler's unit.
        ruler: the unit.
        bases: where documents begin on the ruler's line, shape (D,).
        atoms: the texts.
        offsets: the study tokenizer's tokens.
    """
    places = offsets.starts + np.repeat(bases, np.diff(offsets.indptr))
    fresh = np.sort(places[~offsets.continues])  # tokens that begin a word or a sign

    def into_words(document: int, start: int, end: int) -> list[Span]:
        spans = find_words(atoms.texts[document][start:end])
        return [(start + low, start + high) for low, high in spans]

    def into_graphemes(document: int, start: int, end: int) -> list[Span]:
        spans = find_graphemes(atoms.texts[document][start:end])
        return [(start + low, start + high) for low, high in spans]

    def at_tokens(document: int, start: int, end: int) -> list[Span]:
        base = int(bases[document])
        first, last = np.searchsorted(fresh, [start + base + 1, end + base])
        borders = {low for low, _ in into_graphemes(document, start, end)}
        inside = borders & set((fresh[first:last] - base).tolist())
        cuts = [start, *sorted(inside), end]
        return list(zip(cuts[:-1], cuts[1:], strict=True))

    for breaker in (into_words, at_tokens, into_graphemes):
        pieces = _replace_long(pieces, breaker, size=size, ruler=ruler, bases=bases)
    return pieces


def _replace_long(
    pieces: Pieces, breaker: Breaker, *, size: int, ruler: Ruler, bases: Ints
) -> Pieces:
    base = bases[pieces.document]
    long = ruler(pieces.end + base) - ruler(pieces.start + base) > size
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
