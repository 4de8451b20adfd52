"""How a text is built: its pieces, which of them belong together, and which are headings."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sweep.chunks.markdown import Block, find_blocks
from sweep.chunks.sentences import find_paragraphs, find_sentences
from sweep.chunks.words import Span
from sweep.records import Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout:
    """The layout of one text; all numbers are those of words.

    Attributes:
        pieces: half-open ranges that follow each other and hold every word: sentences, and whole
            blocks (code, tables).
        blocks: where a block begins; one that headings introduce begins with the first of them.
        levels: level of the section that begins with a block, per block; 0 = none does.
        headings: half-open ranges of the headings.
        wholes: where a whole block begins.
    """

    pieces: Sequence[Span]
    blocks: Sequence[int]
    levels: Sequence[int]
    headings: Sequence[Span] = ()
    wholes: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The layouts of all documents, in code points.

    Attributes:
        document, start, end: of the pieces, shape (A,); see `sweep.chunks.atoms.Pieces`.
        blocks: document, start and level of every block, shape (B, 3).
        headings: document, start and end of every heading, shape (H, 3).
        wholes: (document, start) of every whole block.
    """

    document: Ints
    start: Ints
    end: Ints
    blocks: Ints
    headings: Ints
    wholes: frozenset[tuple[int, int]]


def paragraph_layout(text: str, words: Sequence[Span]) -> TextLayout:
    """Return paragraphs as blocks, sentences as pieces; no sections."""
    blocks = find_paragraphs(text, words)
    return TextLayout(pieces=find_sentences(text, words), blocks=blocks, levels=[0] * len(blocks))


def markdown_layout(text: str, words: Sequence[Span]) -> TextLayout:
    """Return the layout of a Markdown text.

    Headings that follow each other without text between them begin one block, with the text that
    comes next, and one section, of the highest of their levels. Headings with no text after them
    belong to the block before them.
    """
    if not words:
        return TextLayout(pieces=(), blocks=(), levels=())
    found = _word_blocks(find_blocks(text), words)
    wholes = [span for span, block in found if block.is_whole]
    headings = [span for span, block in found if block.level]
    borders = {0, len(words), *(place for span, _ in found for place in span)}
    inside = {word for first, stop in wholes for word in range(first + 1, stop)}
    inside |= {word for first, stop in headings for word in range(first + 1, stop)}
    borders |= {first for first, _ in find_sentences(text, words)} - inside
    ordered = sorted(borders)
    blocks, levels = _join_headings(found, len(words))
    return TextLayout(
        pieces=list(zip(ordered[:-1], ordered[1:], strict=True)),
        blocks=blocks,
        levels=levels,
        headings=headings,
        wholes=[first for first, _ in wholes],
    )


def join_layouts(layouts: Iterable[TextLayout], words: Iterable[Sequence[Span]]) -> Layout:
    """Return the layouts of all documents in code points.

    Args:
        layouts: one per document.
        words: the words of each document.
    """
    pieces, blocks, headings, wholes = [], [], [], []
    for document, (layout, own) in enumerate(zip(layouts, words, strict=True)):
        spans = ((own[first][0], own[stop - 1][1]) for first, stop in layout.pieces)
        pieces += [(document, start, end) for start, end in spans]
        levels = zip(layout.blocks, layout.levels, strict=True)
        blocks += [(document, own[first][0], level) for first, level in levels]
        headings += [(document, own[a][0], own[b - 1][1]) for a, b in layout.headings]
        wholes += [(document, own[first][0]) for first in layout.wholes]
    document, start, end = _table(pieces).T.copy()
    return Layout(
        document=document,
        start=start,
        end=end,
        blocks=_table(blocks),
        headings=_table(headings),
        wholes=frozenset(wholes),
    )


def _table(rows: Sequence[tuple[int, int, int]]) -> Ints:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _word_blocks(blocks: Iterable[Block], words: Sequence[Span]) -> list[tuple[Span, Block]]:
    """Return the blocks that hold a word, as ranges of words."""
    starts = [start for start, _ in words]
    found = []
    for block in blocks:
        first, stop = bisect_left(starts, block.start), bisect_left(starts, block.end)
        if first < stop:
            found.append(((first, stop), block))
    return found


def _join_headings(found: Sequence[tuple[Span, Block]], count: int) -> tuple[list[int], list[int]]:
    """Return where blocks begin and the level of each, headings joined with what follows."""
    starts, levels = [0], [0]
    run: int | None = None  # level of the headings that wait for text
    reached = 0  # words before it belong to a block that is known
    for (first, stop), block in found:
        if first > reached and run is not None:  # text that is no block, after headings
            run = None
        if run is not None and block.level == 0:
            run = None
        elif run is not None:
            run = levels[-1] = min(run, block.level)
        else:
            if first == starts[-1]:
                levels[-1] = block.level
            else:
                starts.append(first)
                levels.append(block.level)
            run = block.level or None
        reached = stop
    if run is not None and reached == count and len(starts) > 1:  # headings at the end
        starts.pop()
        levels.pop()
    return starts, levels
