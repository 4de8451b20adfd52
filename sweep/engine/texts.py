"""The stages that need no model: token offsets, chunks, passages, term matrices."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from sweep.chunks import Atoms, cut_chunks
from sweep.configuration import ChunkConfig
from sweep.engine.cache import StageCache
from sweep.engine.keys import documents_key, queries_key, stage_key
from sweep.index.bm25 import TermMatrix, build_terms, from_arrays, to_arrays
from sweep.machine import version_of
from sweep.models import ModelFiles
from sweep.records import Chunks, Corpus, TokenOffsets
from sweep.tokenizer import load_tokenizer, token_offsets


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
            compute=lambda: token_offsets(
                load_tokenizer(self.tokenizer), [d.text for d in self.corpus.documents]
            ),
            encode=lambda value: {
                "indptr": value.indptr,
                "starts": value.starts,
                "ends": value.ends,
                "continues": value.continues,
            },
            decode=lambda arrays: TokenOffsets(**arrays),
        )

    @cached_property
    def _offsets_key(self) -> str:
        inputs = (self.documents_key, self.tokenizer.fingerprint, version_of("tokenizers"))
        return stage_key("offsets", {}, inputs)

    @cached_property
    def _atoms(self) -> Atoms:
        return Atoms(self.corpus)  # words and sentences, found once for all configurations

    def chunks_key(self, config: ChunkConfig) -> str:
        """Return the key of `chunks(config)`."""
        params = {
            "splitter": config.splitter,
            "size": config.size,
            "overlap": config.overlap,
            "unit": config.unit,
        }
        libraries = (version_of("regex"), version_of("sentencex"))
        return stage_key("chunks", params, (self._offsets_key, *libraries))

    def chunks(self, config: ChunkConfig) -> Chunks:
        """Return the documents cut as `config` says."""
        return self.cache.get(
            "chunks",
            self.chunks_key(config),
            compute=lambda: cut_chunks(self.corpus, self.offsets, config, atoms=self._atoms),
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
        join: Callable[[str, str], str] = lambda title, text: f"{title}\n{text}",
    ) -> list[str]:
        """Return what is indexed of each chunk: its text, after the title where that is asked for.

        Args:
            config: how to cut, and `prepend_title`.
            join: makes one text of a title that is not blank and a chunk's text.
        """
        chunks = self.chunks(config)
        documents = self.corpus.documents
        result = []
        rows = zip(
            chunks.document.tolist(), chunks.start.tolist(), chunks.end.tolist(), strict=True
        )
        for document, start, end in rows:
            text = documents[document].text[start:end]
            title = documents[document].title if config.prepend_title else ""
            result.append(join(title, text) if title.strip() else text)
        return result

    def terms_key(self, config: ChunkConfig, analyzer: str) -> str:
        """Return the key of `terms(config, analyzer)`."""
        params = {"analyzer": analyzer, "prepend_title": config.prepend_title}
        libraries = (version_of("regex"), version_of("pystemmer"), version_of("bm25s"))
        return stage_key("terms", params, (self.chunks_key(config), *libraries))

    def terms(self, config: ChunkConfig, analyzer: str) -> TermMatrix:
        """Return the term frequencies of every chunk."""
        return self.cache.get(
            "terms",
            self.terms_key(config, analyzer),
            compute=lambda: build_terms(self.passages(config), analyzer=analyzer),
            encode=to_arrays,
            decode=_terms_from,
        )


def _terms_from(arrays: Mapping[str, np.ndarray]) -> TermMatrix:
    return from_arrays(arrays)
