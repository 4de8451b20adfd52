"""The indivisible pieces of a corpus, found once and shared by all chunk configurations."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from sweep.chunks.layout import (
    Layout,
    TextLayout,
    join_layouts,
    markdown_layout,
    paragraph_layout,
)
from sweep.chunks.sentences import find_sentences
from sweep.chunks.words import Span, iterate_words
from sweep.records import Corpus, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Spans of documents that follow each other and do not overlap.

    Attributes:
        document: shape (A,), document position of each piece, rising.
        start, end: shape (A,), code points in the document; start < end.
    """

    document: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        """Return the number of pieces."""
        return len(self.document)


class Atoms:
    """The words and the sentences of a corpus, each found when first asked for.

    Attributes:
        texts: the documents' texts, by position.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.texts: tuple[str, ...] = tuple(document.text for document in corpus.documents)

    @cached_property
    def words(self) -> Pieces:
        """The words of every document; see `sweep.chunks.words`."""
        return join_pieces(iterate_words(text) for text in self.texts)

    @cached_property
    def sentences(self) -> Pieces:
        """The sentences of every document, each a run of whole words."""

        def find() -> Iterator[list[Span]]:
            for text, own in zip(self.texts, self._words_of_texts(), strict=True):
                runs = find_sentences(text, own)
                yield [(own[first][0], own[stop - 1][1]) for first, stop in runs]

        return join_pieces(find())

    @cached_property
    def paragraphs(self) -> Layout:
        """The paragraphs of every document, with their sentences."""
        return self._layout(paragraph_layout)

    @cached_property
    def markdown(self) -> Layout:
        """The sections and blocks of every document, read as Markdown."""
        return self._layout(markdown_layout)

    def _layout(self, find: Callable[[str, Sequence[Span]], TextLayout]) -> Layout:
        words = list(self._words_of_texts())
        layouts = (find(text, own) for text, own in zip(self.texts, words, strict=True))
        return join_layouts(layouts, words)

    def _words_of_texts(self) -> Iterator[list[Span]]:
        words = self.words
        bounds = np.searchsorted(words.document, np.arange(len(self.texts) + 1)).tolist()
        starts, ends = words.start.tolist(), words.end.tolist()
        for low, high in zip(bounds[:-1], bounds[1:], strict=True):
            yield list(zip(starts[low:high], ends[low:high], strict=True))


def join_pieces(per_document: Iterable[Iterable[tuple[int, int]]]) -> Pieces:
    """Return the pieces of all documents as one table, in document order."""
    flat = [np.fromiter(chain.from_iterable(spans), dtype=np.int64) for spans in per_document]
    counts = [len(numbers) // 2 for numbers in flat]
    start, end = np.concatenate([np.zeros(0, dtype=np.int64), *flat]).reshape(-1, 2).T
    document = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    return Pieces(document=document, start=start.copy(), end=end.copy())
