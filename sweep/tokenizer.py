"""The study tokenizer: lengths and cuts are counted in its tokens, for every mode alike.

Uses the `tokenizers` library on the model's own tokenizer.json, so that nothing heavy is loaded.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sweep.errors import IndexingError
from sweep.models import ModelFiles, trusts_code
from sweep.records import Ints, TokenOffsets

if TYPE_CHECKING:
    from tokenizers import Tokenizer

BLOCK_CHARACTERS = 1_000_000  # of texts tokenised at once: some 30 MB of encodings


def load_tokenizer(model: ModelFiles) -> "Tokenizer":
    """Return the model's fast tokenizer, without truncation and padding.

    Raises: IndexingError if the model has no fast tokenizer.
    """
    path = model.folder / "tokenizer.json"
    tokenizer = _from_file(path) if path.is_file() else _converted(model)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _from_file(path: Path) -> "Tokenizer":
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise IndexingError(
            f"{path}: must be a tokenizer of the tokenizers library, got one that does not load "
            f"({error}). Fetch the model again."
        ) from error


def _converted(model: ModelFiles) -> Any:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(
            str(model.folder), trust_remote_code=trusts_code(model.name)
        ).backend_tokenizer
        if tokenizer.get_vocab_size() <= len(tokenizer.get_added_tokens_decoder()):
            raise ValueError("its vocabulary is empty")  # transformers makes one from nothing
    except (OSError, ValueError, AttributeError, ImportError) as error:
        raise IndexingError(
            f"model {model.name!r}: must have a fast tokenizer (tokenizer.json), got none "
            f"({error}). Save it once with transformers' AutoTokenizer, or take another model."
        ) from error
    return tokenizer


def without_nul(text: str) -> str:
    """Return a text as tokenizers get it: some stop at NUL."""
    return text.replace("\x00", " ")


def special_ends(tokenizer: "Tokenizer") -> tuple[list[int], list[int]]:
    """Return the special tokens that begin and that end every input (BERT: [CLS], [SEP])."""
    single = tokenizer.encode("a").ids
    plain = tokenizer.encode("a", add_special_tokens=False).ids
    if not plain:
        return [], []
    first = single.index(plain[0]) if plain[0] in single else len(tokenizer.encode("").ids)
    return single[:first], single[first + len(plain) :]


def is_word_by_word(tokenizer: "Tokenizer") -> bool:
    """Return whether a text's tokens are those of its words, each cut whatever stands beside it.

    So it is in BERT's tokenizers: they clean and lower-case sign by sign, cut at white space and
    punctuation, and look each word up on its own. SentencePiece and byte-level BPE count the space
    before a word to it.
    """
    from tokenizers import models, normalizers, pre_tokenizers

    return (
        isinstance(tokenizer.model, models.WordPiece)
        and isinstance(tokenizer.pre_tokenizer, pre_tokenizers.BertPreTokenizer)
        and isinstance(tokenizer.normalizer, normalizers.BertNormalizer)
        and all(token.special for token in tokenizer.get_added_tokens_decoder().values())
    )


def text_blocks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield texts in blocks that can be tokenised at once: a tokenised text is large."""
    block: list[str] = []
    size = 0
    for text in texts:
        block.append(text)
        size += len(text)
        if size >= BLOCK_CHARACTERS:
            yield block
            block, size = [], 0
    if block:
        yield block


def token_blocks(
    tokenizer: "Tokenizer", texts: Iterable[str]
) -> Iterator[tuple[TokenOffsets, NDArray[np.int32]]]:
    """Yield what `token_offsets` returns, and the tokens' ids, for a block of texts at a time."""
    for block in text_blocks(texts):
        encodings = tokenizer.encode_batch(block, add_special_tokens=False)
        indptr = np.zeros(len(block) + 1, dtype=np.int64)
        np.cumsum([len(encoding) for encoding in encodings], out=indptr[1:])
        spans = np.zeros((int(indptr[-1]), 2), dtype=np.int64)
        continues = np.zeros(len(spans), dtype=np.bool_)
        ids = np.zeros(len(spans), dtype=np.int32)
        for row, encoding in enumerate(encodings):
            part = slice(indptr[row], indptr[row + 1])
            if len(encoding):
                spans[part], ids[part] = encoding.offsets, encoding.ids
                words = np.array([-1 if w is None else w for w in encoding.word_ids])
                continues[part][1:] = (words[1:] == words[:-1]) & (words[1:] >= 0)
        offsets = TokenOffsets(
            indptr=indptr, starts=spans[:, 0].copy(), ends=spans[:, 1].copy(), continues=continues
        )
        yield offsets, ids


def token_offsets(tokenizer: "Tokenizer", texts: Iterable[str]) -> TokenOffsets:
    """Return where the tokens of each text lie, special tokens left out."""
    blocks = [offsets for offsets, _ in token_blocks(tokenizer, texts)]
    counts = [np.diff(block.indptr) for block in blocks]
    none = np.empty(0, dtype=np.int64)
    return TokenOffsets(
        indptr=np.cumsum(np.concatenate([[0], *counts]), dtype=np.int64),
        starts=np.concatenate([none, *(block.starts for block in blocks)]),
        ends=np.concatenate([none, *(block.ends for block in blocks)]),
        continues=np.concatenate([none.astype(np.bool_), *(block.continues for block in blocks)]),
    )


def count_tokens(tokenizer: "Tokenizer", texts: Iterable[str]) -> Ints:
    """Return the number of tokens of each text, special tokens left out."""
    counts = [
        len(encoding)
        for block in text_blocks(texts)
        for encoding in tokenizer.encode_batch_fast(block, add_special_tokens=False)
    ]
    return np.array(counts, dtype=np.int64)
