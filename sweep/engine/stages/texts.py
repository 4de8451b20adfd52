"""The stages that need no model: token offsets, chunks, passages, term matrices."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from sweep.chunks import Cutter
from sweep.configuration import ChunkConfig
from sweep.engine.store.cache import StageCache
from sweep.engine.store.keys import documents_key, queries_key, stage_key
from sweep.engine.store.scratch import Spool
from sweep.index.analyzer import analyzer_key
from sweep.index.bm25 import TermMatrix, build_terms, from_arrays, to_arrays
from sweep.machine import version_of
from sweep.models import ModelFiles
from sweep.records import Chunks, Corpus, TokenOffsets
from sweep.tokenizer import load_tokenizer, token_blocks

Join = Callable[[str, str], str]


class TextStages:
    """Outputs made from the corpus's texts alone.

    Args:
        corpus: the frozen corpus.
        cache: memory and store.
        tokenizer: the model whose tokenizer counts lengths in this study.
    """

    def __init__(self, corpus: Corpus, cache: StageCache, tokenizer: ModelFiles) -> None:
        self.corpus = corpus
        self.cache = cache
        self.tokenizer = tokenizer

    @cached_property
    def documents_key(self) -> str:
        """Return the hash of ids, titles and texts."""
        return documents_key(self.corpus.documents)

    @cached_property
    def queries_key(self) -> str:
        """Return the hash of query ids and texts."""
        return queries_key(self.corpus.queries)

    @cached_property
    def offsets(self) -> TokenOffsets:
        """Return where the study tokenizer's tokens lie in every document."""
        return self.cache.get(
            "offsets",
            self._offsets_key,
            compute=self._find_offsets,
            encode=lambda value: {
                "indptr": value.indptr,
                "starts": value.starts,
                "ends": value.ends,
                "continues": value.continues,
            },
            decode=lambda arrays: TokenOffsets(**arrays),
        )

    def _find_offsets(self) -> TokenOffsets:
        scratch = self.cache.store.scratch
        counts = [np.zeros(1, dtype=np.int64)]
        starts, ends = Spool(scratch, np.int64), Spool(scratch, np.int64)
        continues = Spool(scratch, np.bool_)
        texts = (document.text for document in self.corpus.documents)
        for block, _ in token_blocks(load_tokenizer(self.tokenizer), texts):
            counts.append(np.diff(block.indptr))
            starts.append(block.starts)
            ends.append(block.ends)
            continues.append(block.continues)
        return TokenOffsets(
            indptr=np.cumsum(np.concatenate(counts)),
            starts=starts.array(),
            ends=ends.array(),
            continues=continues.array(),
        )

    @cached_property
    def _offsets_key(self) -> str:
        inputs = (self.documents_key, self.tokenizer.fingerprint, version_of("tokenizers"))
        return stage_key("offsets", {}, inputs)

    @cached_property
    def _cutter(self) -> Cutter:
        return Cutter(self.corpus)

    def chunks_key(self, config: ChunkConfig) -> str:
        """Return the key of `chunks(config)`."""
        params = {
            "splitter": config.splitter,
            "size": config.size,
            "overlap": config.overlap,
            "unit": config.unit,
        }
        libraries = [version_of("regex"), version_of("sentencex")]
        if config.splitter == "markdown":
            libraries.append(version_of("markdown-it-py"))
        return stage_key("chunks", params, (self._offsets_key, *libraries))

    def chunks(self, config: ChunkConfig) -> Chunks:
        """Return the documents cut as `config` says."""
        return self.cache.get(
            "chunks",
            self.chunks_key(config),
            compute=lambda: self._cutter.cut(self.offsets, config),
            encode=lambda value: {
                "document": value.document,
                "start": value.start,
                "end": value.end,
                "tokens": value.tokens,
            },
            decode=lambda arrays: Chunks(**arrays),
        )

    def passages(
        self,
        config: ChunkConfig,
        join: Join = lambda title, text: f"{title}\n{text}",
    ) -> "Passages":
        """Return what is indexed of each chunk: its text, after the title where that is asked for.

        Args:
            config: how to cut, and `prepend_title`.
            join: makes one text of a title that is not blank and a chunk's text.
        """
        return Passages(self.corpus, self.chunks(config), join if config.prepend_title else None)

    def terms_key(self, config: ChunkConfig, analyzer: str) -> str:
        """Return the key of `terms(config, analyzer)`."""
        params = {"analyzer": analyzer, "prepend_title": config.prepend_title}
        libraries = (version_of("regex"), version_of("pystemmer"), version_of("bm25s"))
        own = analyzer_key(analyzer)
        return stage_key("terms", params, (self.chunks_key(config), *libraries, *own))

    def terms(self, config: ChunkConfig, analyzer: str) -> TermMatrix:
        """Return the term frequencies of every chunk."""
        return self.cache.get(
            "terms",
            self.terms_key(config, analyzer),
            compute=lambda: build_terms(self.passages(config), analyzer=analyzer),
            encode=to_arrays,
            decode=_terms_from,
        )


class Passages(Sequence[str]):
    """The texts of chunks, each made when it is asked for.

    Args:
        corpus: the documents.
        chunks: where the chunks lie.
        join: makes one text of a title that is not blank and a chunk's text; None = no titles.
    """

    def __init__(self, corpus: Corpus, chunks: Chunks, join: Join | None) -> None:
        self._documents = corpus.documents
        self.chunks = chunks
        self._join = join

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self.chunks)

    def __getitem__(self, row: Any) -> Any:
        """Return the text of a chunk."""
        document = self._documents[self.chunks.document[row]]
        text = document.text[self.chunks.start[row] : self.chunks.end[row]]
        if self._join is None or not document.title.strip():
            return text
        return self._join(document.title, text)

    def has_text(self, row: int) -> bool:
        """Return whether a chunk has any text, its title counted."""
        if self.head(row).strip():
            return True
        document, start, end = (
            part[row] for part in (self.chunks.document, self.chunks.start, self.chunks.end)
        )
        return bool(self._documents[document].text[start:end].strip())

    def head(self, row: int) -> str:
        """Return what stands before the text of a chunk: nothing, or its title."""
        title = self._documents[self.chunks.document[row]].title
        return "" if self._join is None or not title.strip() else self._join(title, "")

    def __iter__(self) -> Iterator[str]:
        """Yield the text of every chunk."""
        return map(self.__getitem__, range(len(self)))


def _terms_from(arrays: Mapping[str, np.ndarray]) -> TermMatrix:
    return from_arrays(arrays)
