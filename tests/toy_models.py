"""Small real models that tests build: a bi-encoder that looks words up, and a tiny cross-encoder.

Both are folders that sentence-transformers saves and loads like any other model.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from sweep.models import find_model

POSITIONS = 50  # longest pair of the cross-encoder: no multiple of 16, as a bucket's length is


def lookup_model(
    folder: Path,
    vectors: Mapping[str, Sequence[float]],
    *,
    config: Mapping[str, Any] | None = None,
) -> str:
    """Save a bi-encoder whose vector of a text is the mean of its words' vectors.

    It adds no special tokens; a word it does not know has the vector 0. `config` becomes its
    config.json. Returns the folder as a model name.
    """
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer
    from sentence_transformers.sentence_transformer.modules.word_embeddings import WordEmbeddings

    words = ["[PAD]", "[UNK]", *vectors]
    size = len(next(iter(vectors.values())))
    table = np.array([[0.0] * size, [0.0] * size, *vectors.values()], dtype=np.float32)
    embeddings = WordEmbeddings(WhitespaceTokenizer(vocab=words), table)
    SentenceTransformer(modules=[embeddings, Pooling(size, "mean")]).save(str(folder))
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(WordLevel(numbers, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return str(folder)


def tiny_cross_encoder(folder: Path) -> str:
    """Save a randomly initialised BERT with one label and MiniLM's vocabulary."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(find_model("all-MiniLM-L6-v2").folder)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=POSITIONS,
        num_labels=1,  # type: ignore[call-arg]
        initializer_range=0.3,  # wide enough for logits that differ
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
