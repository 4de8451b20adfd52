"""Ranked chunk rows -> hits with their texts, as production returns them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sweep.engine.retriever import Retriever
from sweep.records import Chunks, Corpus, Floats, Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One retrieved chunk: `text` is `document.text[start:end]`."""

    rank: int
    score: float
    document_id: str
    title: str
    text: str
    start: int
    end: int
    chunk: int
    metadata: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return a JSON-ready form."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkTexts:
    """What a hit tells of each chunk.

    Attributes:
        document: C document numbers; `start` and `end` likewise.
        ids, titles, metadata: by document number.
        text: gives a chunk's text by its row.
    """

    document: Sequence[int]
    start: Sequence[int]
    end: Sequence[int]
    ids: Mapping[int, str]
    titles: Mapping[int, str]
    metadata: Mapping[int, Mapping[str, Any]]
    text: Callable[[int], str]

    def hits(self, items: Ints, scores: Floats) -> list[Hit]:
        """Return the hits of one ranked list, shapes (k,); padding is left out."""
        ranked = zip(items.tolist(), scores.tolist(), strict=True)
        return [
            Hit(
                rank=rank,
                score=score,
                document_id=self.ids[document := self.document[row]],
                title=self.titles[document],
                text=self.text(row),
                start=self.start[row],
                end=self.end[row],
                chunk=row,
                metadata=dict(self.metadata[document]),
            )
            for rank, (row, score) in enumerate(ranked, start=1)
            if row >= 0
        ]


def corpus_texts(corpus: Corpus, chunks: Chunks) -> ChunkTexts:
    """Return what hits tell of a corpus's chunks."""
    documents = corpus.documents
    owner, start, end = chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist()
    return ChunkTexts(
        document=owner,
        start=start,
        end=end,
        ids={number: document.id for number, document in enumerate(documents)},
        titles={number: document.title for number, document in enumerate(documents)},
        metadata={number: document.metadata for number, document in enumerate(documents)},
        text=lambda row: documents[owner[row]].text[start[row] : end[row]],
    )


def search(retriever: Retriever, texts: ChunkTexts, query: str) -> list[Hit]:
    """Return what one query finds, best first."""
    lists = retriever.rank([query])
    return texts.hits(lists.items[0], lists.scores[0])
