"""Stage 2 of 8, Corpus -> Chunks: (document, start, end) spans, text = document[start:end]."""

from sweep.chunks.atoms import Atoms
from sweep.chunks.blocks import Cutter
from sweep.chunks.cut import cut_chunks, window_units

__all__ = ["Atoms", "Cutter", "cut_chunks", "window_units"]
