"""Cutting in blocks of documents gives what cutting all at once gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.chunks import Cutter, blocks, cut_chunks
from sweep.configuration import ChunkConfig
from sweep.models import find_model
from sweep.records import Chunks, Corpus, Document, TokenOffsets
from sweep.tokenizer import load_tokenizer, token_offsets
from tests.engine_inputs import handbook

CONFIGS = [
    ChunkConfig(splitter="tokens", size=7, overlap=0.3),
    ChunkConfig(splitter="sentences", size=12, overlap=0.2),
    ChunkConfig(splitter="recursive", size=12, overlap=0.2),
    ChunkConfig(splitter="markdown", size=12, overlap=0.2),
    ChunkConfig(splitter="words", size=3, unit="words"),
    ChunkConfig(splitter="characters", size=20, unit="characters"),
    ChunkConfig(splitter="document", size=None),
]


def offsets_of(corpus: Corpus) -> TokenOffsets:
    tokenizer = load_tokenizer(find_model("all-MiniLM-L6-v2"))
    return token_offsets(tokenizer, [document.text for document in corpus.documents])


def columns(chunks: Chunks) -> list[list[int]]:
    return np.stack([chunks.document, chunks.start, chunks.end, chunks.tokens]).tolist()


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.splitter)
@pytest.mark.parametrize("kept", [0, 10**6])
def test_blocks_change_nothing(
    config: ChunkConfig, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = handbook()
    offsets = offsets_of(corpus)
    whole = columns(cut_chunks(corpus, offsets, config))
    monkeypatch.setattr(blocks, "KEPT_TOKENS", kept)
    for size in (1, 50, 200, 10**6):
        monkeypatch.setattr(blocks, "BLOCK_TOKENS", size)
        cutter = Cutter(corpus)
        assert columns(cutter.cut(offsets, config)) == whole
        assert columns(cutter.cut(offsets, config)) == whole
        assert bool(cutter._kept) == (kept > 0)


def test_corpus_of_nothing_but_titles_and_blanks() -> None:
    corpus = handbook()
    documents = (Document(id="a", text="", title="T"), Document(id="b", text=" \n"))
    corpus = Corpus(
        documents=documents, queries=corpus.queries, qrels={}, spans=(), hash="", name=""
    )
    assert columns(Cutter(corpus).cut(offsets_of(corpus), CONFIGS[0])) == [[0], [0], [0], [0]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 12))
def test_blocks_hold_every_document_once(counts: list[int], size: int) -> None:
    indptr = np.cumsum([0, *counts])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_TOKENS", size)
        found = list(blocks._blocks(indptr))
    assert [first for first, _ in found] == [0, *(stop for _, stop in found[:-1])]
    assert found[-1][1] == len(counts)
    for first, stop in found:
        assert stop == first + 1 or indptr[stop] - indptr[first] <= size
