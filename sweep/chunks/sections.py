"""Cutting along a text's own structure: sections, blocks, sentences, words.

A document that fits into a chunk is one. A section that does not is cut at the highest headings
inside it; what comes out and fits is packed with its neighbours, whole, as far as they fit; what
does not fit is cut in turn. Text between two headings that is longer than a chunk is cut on its
own: at the borders of its blocks (paragraphs, list items, code, tables) where these fit, else
inside them, at sentences (lines of code and tables), else words. Only there do chunks overlap,
by whole sentences; neighbouring sections share nothing.

A heading never ends a chunk unless it fills the chunk, or ends the document. A text without
headings (`recursive`) is one section.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sweep.chunks.atoms import Atoms, Pieces
from sweep.chunks.breaking import break_long, replace_pieces, word_breaker
from sweep.chunks.layout import Layout
from sweep.chunks.rulers import Ruler
from sweep.chunks.windows import pack_windows
from sweep.records import Ints, TokenOffsets

Window = tuple[int, int]  # half-open range of piece numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The pieces of one document, and how they belong together.

    Attributes:
        left, right: units before each piece begins and ends, shape (n,).
        blocks: number of the first piece of each block, rising, 0 the first.
        levels: of the section that begins with a block, per block; 0 = none does.
        headings: whether a piece is (part of) a heading, shape (n,).
        size, overlap: in units.
    """

    left: Sequence[int]
    right: Sequence[int]
    blocks: Sequence[int]
    levels: Sequence[int]
    headings: Sequence[bool]
    size: int
    overlap: int

    def fits(self, first: int, stop: int) -> bool:
        """Return whether some pieces, one at least, fit into a chunk."""
        return self.right[stop - 1] - self.left[first] <= self.size


def cut_sections(
    layout: Layout,
    *,
    size: int,
    overlap: int,
    ruler: Ruler,
    bases: Ints,
    atoms: Atoms,
    offsets: TokenOffsets,
) -> Pieces:
    """Return the chunks of all documents; see the module's text.

    Args:
        layout: of the documents.
        size: longest chunk, in the ruler's unit.
        overlap: longest shared part, in the same unit.
        ruler: the unit.
        bases: where documents begin on the ruler's line, shape (D,).
        atoms: the texts.
        offsets: the study tokenizer's tokens.
    """
    pieces = break_long(
        Pieces(document=layout.document, start=layout.start, end=layout.end),
        size=size,
        ruler=ruler,
        bases=bases,
        atoms=atoms,
        offsets=offsets,
        lined=layout.wholes,
    )
    crowded = _after_headings(pieces, layout, size=size, ruler=ruler, bases=bases)
    pieces = replace_pieces(pieces, word_breaker(atoms), crowded)
    windows = []
    for low, structure in _structures(pieces, layout, ruler, bases, size=size, overlap=overlap):
        windows += [(low + first, low + stop - 1) for first, stop in find_windows(structure)]
    rows = np.array(windows, dtype=np.int64).reshape(-1, 2)
    first, last = rows.T
    return Pieces(document=pieces.document[first], start=pieces.start[first], end=pieces.end[last])


def find_windows(structure: Structure) -> list[Window]:
    """Return the chunks of a document, as ranges of pieces."""
    if not structure.left:
        return []
    starts = [
        0,
        *(b for b, level in zip(structure.blocks, structure.levels, strict=True) if level),
    ]
    sections = sorted(set(starts))
    levels = dict(zip(structure.blocks, structure.levels, strict=True))
    ends = [*sections[1:], len(structure.left)]
    parts = [(levels[first], first, stop) for first, stop in zip(sections, ends, strict=True)]
    return list(_cut(structure, parts))


def _cut(structure: Structure, parts: Sequence[tuple[int, int, int]]) -> Iterator[Window]:
    """Yield the chunks of a section.

    Args:
        structure: of the document.
        parts: level, first piece and stop of the text under each heading of the section.
    """
    first, stop = parts[0][1], parts[-1][2]
    if structure.fits(first, stop):
        yield first, stop
        return
    if len(parts) == 1:
        yield from _tear(structure, first, stop)
        return
    highest = min(level for level, _, _ in parts[1:])
    cuts = [0, *(n for n, part in enumerate(parts) if n and part[0] == highest), len(parts)]
    waiting: Window | None = None  # sections that fit, to be packed with the next one
    for low, high in zip(cuts[:-1], cuts[1:], strict=True):
        own = parts[low][1], parts[high - 1][2]
        if waiting is not None and structure.fits(waiting[0], own[1]):
            waiting = waiting[0], own[1]
            continue
        if waiting is not None:
            yield waiting
        waiting = own if structure.fits(*own) else None
        if waiting is None:
            yield from _cut(structure, parts[low:high])
    if waiting is not None:
        yield waiting


def _tear(structure: Structure, first: int, stop: int) -> Iterator[Window]:
    """Yield the chunks of text that is longer than one and has no heading inside."""
    low, high = bisect_left(structure.blocks, first), bisect_left(structure.blocks, stop)
    blocks = [*structure.blocks[low:high], stop]
    stops = [
        end - first
        for begin, end in zip(blocks[:-1], blocks[1:], strict=True)
        for end in _stops(structure, begin, end)
    ]
    windows = pack_windows(
        structure.left[first:stop],
        structure.right[first:stop],
        size=structure.size,
        overlap=structure.overlap,
        stops=stops,
    )
    yield from ((first + begin, first + end) for begin, end in windows)


def _stops(structure: Structure, first: int, stop: int) -> Iterator[int]:
    """Yield where a chunk may end inside a block, or with it."""
    if structure.fits(first, stop):
        yield stop
        return
    text = first
    while text < stop and structure.headings[text]:
        text += 1
    is_glued = first < text < stop and structure.fits(first, text + 1)
    yield from range(text + 1 if is_glued else first + 1, stop + 1)


def _structures(
    pieces: Pieces, layout: Layout, ruler: Ruler, bases: Ints, *, size: int, overlap: int
) -> Iterator[tuple[int, Structure]]:
    """Yield the structure of every document, with the row of its first piece."""
    base = bases[pieces.document]
    places = pieces.start + base
    left, right = ruler(places).tolist(), ruler(pieces.end + base).tolist()
    headings = _in_headings(places, layout, bases).tolist()
    block_places = layout.blocks[:, 1] + bases[layout.blocks[:, 0]]
    blocks = np.searchsorted(places, block_places).tolist()
    levels = layout.blocks[:, 2].tolist()
    bounds = np.searchsorted(pieces.document, np.arange(len(bases) + 1)).tolist()
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        own = slice(bisect_left(blocks, low), bisect_left(blocks, high))
        yield (
            low,
            Structure(
                left=left[low:high],
                right=right[low:high],
                blocks=[block - low for block in blocks[own]],
                levels=levels[own],
                headings=headings[low:high],
                size=size,
                overlap=overlap,
            ),
        )


def _in_headings(places: Ints, layout: Layout, bases: Ints) -> np.ndarray:
    """Return whether a heading holds each place, shape (A,)."""
    if not len(layout.headings):
        return np.zeros(len(places), dtype=np.bool_)
    base = bases[layout.headings[:, 0]]
    number = np.searchsorted(layout.headings[:, 1] + base, places, side="right") - 1
    return np.asarray((number >= 0) & (places < (layout.headings[:, 2] + base)[number]))


def _after_headings(
    pieces: Pieces, layout: Layout, *, size: int, ruler: Ruler, bases: Ints
) -> np.ndarray:
    """Return which pieces, shape (A,), do not fit into a chunk with the headings before them."""
    base = bases[pieces.document]
    headings = _in_headings(pieces.start + base, layout, bases)
    left, right = ruler(pieces.start + base), ruler(pieces.end + base)
    crowded = np.zeros(len(pieces), dtype=np.bool_)
    for row in np.flatnonzero(headings[:-1] & ~headings[1:]).tolist():
        first = row
        while first and headings[first - 1] and pieces.document[first - 1] == pieces.document[row]:
            first -= 1
        is_same = pieces.document[row + 1] == pieces.document[row]
        crowded[row + 1] = is_same and right[row + 1] - left[first] > size
    return crowded
