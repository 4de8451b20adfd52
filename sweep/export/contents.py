"""What a bundle is made of: records only, so that any source of them can be exported."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sweep.configuration import Configuration
from sweep.index.bm25 import TermMatrix
from sweep.index.vectors import VectorIndex
from sweep.models import ModelFiles
from sweep.records import Chunks, Corpus, Ints, RankedLists


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleContents:
    """Everything `write_bundle` needs.

    Attributes:
        configuration: what is exported.
        corpus: documents and queries.
        chunks: the corpus, cut.
        output: the trial's ranked chunks for every query of the corpus.
        terms: the term matrix, where BM25 is used.
        index: the vector index, where vectors are searched.
        rows: the chunk row of each vector.
        encoder: the bi-encoder's files, where one is used.
        precision: of the encoder.
        rerank_precision: of the cross-encoder.
        reranker: the cross-encoder's files, where one is used.
        about: figures for people and machines (study, trial, metrics, the honest score).
        tokenizer: name of the study tokenizer.
    """

    configuration: Configuration
    corpus: Corpus
    chunks: Chunks
    output: RankedLists
    terms: TermMatrix | None
    index: VectorIndex | None
    rows: Ints | None
    encoder: ModelFiles | None
    precision: str | None
    reranker: ModelFiles | None
    rerank_precision: str | None = None
    about: Mapping[str, Any]
    tokenizer: str
