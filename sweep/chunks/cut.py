"""Cutting a corpus into chunks as a `ChunkConfig` asks."""

import math

import numpy as np

from sweep.chunks.atoms import Atoms, Pieces
from sweep.chunks.breaking import break_long
from sweep.chunks.rulers import Ruler, find_bases, make_ruler
from sweep.chunks.sections import cut_sections
from sweep.chunks.windows import pack_windows
from sweep.configuration import ChunkConfig, Unit
from sweep.errors import ChunkError
from sweep.records import Chunks, Corpus, Ints, TokenOffsets


def cut_chunks(
    corpus: Corpus, offsets: TokenOffsets, config: ChunkConfig, *, atoms: Atoms | None = None
) -> Chunks:
    """Cut every document into chunks.

    A chunk begins and ends at a word's border (a sentence's for `sentences`; `recursive` and
    `markdown` see `sweep.chunks.sections`), or inside a word that is longer than `size` alone,
    there at a token's or a grapheme's border. Chunks of a document together hold every non-blank
    character; none lies inside its neighbour; none costs more than `size` unless it is one single
    grapheme. A document with a title but no text gets one
    empty chunk [0, 0), so that its title can be found; one without either gets none.

    Args:
        corpus: D documents.
        offsets: the study tokenizer's tokens of these documents.
        config: splitter, size, overlap and unit; `tokens`, `words` and `characters` measure in
            their own unit whatever `unit` says. A word of the unit `words` is one grapheme in
            scripts without spaces. The overlap in units is size * overlap rounded half up, and at
            most size - 1; sentences overlap by the whole ones that fit into it.
        atoms: the words and sentences of the same corpus, to share them between configurations.
    Raises: ChunkError if size < 1 or overlap is not in [0, 1).
    """
    assert len(offsets.indptr) == len(corpus.documents) + 1, "offsets of another corpus"
    size, overlap = window_units(config)
    atoms = Atoms(corpus) if atoms is None else atoms
    in_tokens = make_ruler("tokens", atoms=atoms, offsets=offsets)
    if config.splitter == "document":
        cut = _whole_documents(atoms)
    else:
        unit = _unit(config)
        ruler = in_tokens
        if unit != "tokens":
            ruler = make_ruler(unit, atoms=atoms, offsets=offsets)
        cut = _cut_windows(config, ruler, offsets, atoms, size=size, overlap=overlap)
    cut = _add_empty(cut, corpus)
    places = find_bases(atoms)[cut.document]
    tokens = in_tokens(cut.end + places) - in_tokens(cut.start + places)
    return Chunks(document=cut.document, start=cut.start, end=cut.end, tokens=tokens)


def window_units(config: ChunkConfig) -> tuple[int, int]:
    """Return size and overlap in whole units; (0, 0) for `document`, which has neither.

    Raises: ChunkError if size < 1 or overlap is not in [0, 1).
    """
    if config.splitter == "document":
        return 0, 0
    if config.size is None or config.size < 1:
        raise ChunkError(
            f"chunk.size: must be >= 1 for the splitter {config.splitter!r}, got {config.size}. "
            "Write the longest chunk in units, for example 192."
        )
    if not 0 <= config.overlap < 1:
        raise ChunkError(
            f"chunk.overlap: must be in [0, 1), a fraction of size, got {config.overlap}. "
            f"Write 0.5 for {config.size / 2:g} of {config.size}."
        )
    return config.size, min(math.floor(config.size * config.overlap + 0.5), config.size - 1)


def _cut_windows(
    config: ChunkConfig,
    ruler: Ruler,
    offsets: TokenOffsets,
    atoms: Atoms,
    *,
    size: int,
    overlap: int,
) -> Pieces:
    bases = find_bases(atoms)
    if config.splitter in ("recursive", "markdown"):
        layout = atoms.markdown if config.splitter == "markdown" else atoms.paragraphs
        return cut_sections(
            layout,
            size=size,
            overlap=overlap,
            ruler=ruler,
            bases=bases,
            atoms=atoms,
            offsets=offsets,
        )
    pieces = break_long(
        atoms.sentences if config.splitter == "sentences" else atoms.words,
        size=size,
        ruler=ruler,
        bases=bases,
        atoms=atoms,
        offsets=offsets,
    )
    return _pack(pieces, ruler, bases, size=size, overlap=overlap)


def _pack(pieces: Pieces, ruler: Ruler, bases: Ints, *, size: int, overlap: int) -> Pieces:
    """Return the windows over every document's pieces."""
    places = bases[pieces.document]
    left, right = ruler(pieces.start + places).tolist(), ruler(pieces.end + places).tolist()
    bounds = np.searchsorted(pieces.document, np.arange(len(bases) + 1)).tolist()
    firsts, lasts = [], []
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        for start, end in pack_windows(
            left[low:high], right[low:high], size=size, overlap=overlap
        ):
            firsts.append(low + start)
            lasts.append(low + end - 1)
    rows = np.array(firsts, dtype=np.int64)
    return Pieces(
        document=pieces.document[rows],
        start=pieces.start[rows],
        end=pieces.end[np.array(lasts, dtype=np.int64)],
    )


def _unit(config: ChunkConfig) -> Unit:
    """Return what `size` counts."""
    if config.splitter in ("tokens", "words", "characters"):
        return config.splitter
    return config.unit


def _whole_documents(atoms: Atoms) -> Pieces:
    document = np.array([d for d, text in enumerate(atoms.texts) if text.strip()], dtype=np.int64)
    lengths = np.array([len(text) for text in atoms.texts], dtype=np.int64)
    return Pieces(document=document, start=np.zeros_like(document), end=lengths[document])


def _add_empty(cut: Pieces, corpus: Corpus) -> Pieces:
    """Add an empty chunk for each document that has a title only, in document order."""
    untitled = [
        position
        for position, document in enumerate(corpus.documents)
        if document.title.strip() and not document.text.strip()
    ]
    if not untitled:
        return cut
    extra = np.array(untitled, dtype=np.int64)
    zeros = np.zeros_like(extra)
    document = np.concatenate([cut.document, extra])
    order = np.argsort(document, kind="stable")
    return Pieces(
        document=document[order],
        start=np.concatenate([cut.start, zeros])[order],
        end=np.concatenate([cut.end, zeros])[order],
    )
