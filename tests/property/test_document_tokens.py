"""Inputs put together from a document's tokens are those of each chunk's own text, id for id."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.configuration import DEFAULT_MODEL, ChunkConfig, Splitter
from sweep.engine.stages.document_tokens import DocumentTokens
from sweep.engine.stages.inputs import PassageInputs, SeenTexts, make_inputs
from sweep.engine.stages.texts import Passages
from sweep.engine.store.scratch import Scratch
from sweep.index.embed import Encoder
from sweep.index.passages import passage_text, title_cutter
from sweep.models import find_model
from sweep.records import Chunks, Corpus, Document
from sweep.tokenizer import is_word_by_word, load_tokenizer
from tests.chunk_inputs import cut

PIECES = [
    *(
        "ants",
        "unbelievably",
        "e\u0301te\u0301",
        "\u00c9T\u00c9",
        "\u0130",
        "\u03a3\u03a3",
        "\ufb01x",
    ),
    *(
        "\u4e2d\u6587",
        "\u0e2a\u0e27\u0e31",
        "\u0939\u093f\u0902\u0926\u0940",
        "\uac00\u1100",
        "\U0001f642",
    ),
    *("[MASK]", "[SEP]", "[CLS", "##ing", "a" * 120, "don't", "x.y", "3.14", "-"),
    *(" ", "\n", "\u2028", "\u00a0", "\x00", "\u200d", "\ufffd"),
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=14).map("".join)
SPLITTERS: list[Splitter] = ["tokens", "words", "characters", "sentences", "recursive"]


@cache
def encoder() -> Encoder:
    return Encoder(find_model(DEFAULT_MODEL), precision="fp32", threads=1)


def passages_of(documents: list[tuple[str, str]], config: ChunkConfig) -> Passages:
    made = (
        Document(id=str(n), title=title, text=text) for n, (title, text) in enumerate(documents)
    )
    corpus = Corpus(documents=tuple(made), queries=(), qrels={}, spans=(), hash="", name="c")
    cut_title = title_cutter(encoder())
    return Passages(
        corpus,
        cut(corpus, config),
        lambda title, text: passage_text(title, text, prefix="", cut_title=cut_title),
    )


def columns(found: PassageInputs) -> list[list[object]]:
    return [array.tolist() for array in found.to_arrays().values()]


@settings(max_examples=150)
@given(
    documents=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3),
    splitter=st.sampled_from(SPLITTERS),
    size=st.integers(1, 12),
    overlap=st.sampled_from([0.0, 0.5]),
    prefix=st.sampled_from(["", "query: ", "x", "[MASK]"]),
)
def test_joined_inputs_are_those_of_the_texts(
    documents: list[tuple[str, str]], splitter: Splitter, size: int, overlap: float, prefix: str
) -> None:
    config = ChunkConfig(splitter=splitter, size=size, overlap=overlap, unit="tokens")
    passages = passages_of(documents, config)
    with tempfile.TemporaryDirectory() as name:
        scratch = Scratch(Path(name))
        tokens = DocumentTokens(encoder(), [text for _, text in documents], scratch)
        joined, own = (
            make_inputs(
                encoder(), passages, prefix=prefix, seen=SeenTexts(), scratch=scratch, tokens=given
            )
            for given in (tokens, None)
        )
    assert columns(joined) == columns(own)


def test_a_chunk_that_begins_inside_a_word_is_tokenised_on_its_own(tmp_path: Path) -> None:
    """`unbelievable` alone is one word; the half of it is another, not half of its tokens."""
    text = "unbelievably ants"
    tokens = DocumentTokens(encoder(), [text], Scratch(tmp_path))
    rows = np.zeros(4, dtype=np.int64)
    chunks = Chunks(
        document=rows,
        start=np.array([0, 2, 13, 0]),
        end=np.array([12, 12, 17, 5]),
        tokens=rows,
    )
    first, stop = tokens.spans(chunks)
    assert (first >= 0).tolist() == [True, False, True, False]
    ids, full = tokens.input("", int(first[2]), int(stop[2]))
    assert ids.tolist() == encoder().inputs(["ants"])[0][0].tolist()
    assert full == 3  # [CLS] ants [SEP]


def test_only_tokenizers_that_cut_each_word_by_itself_are_used_so(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    bert = load_tokenizer(find_model(DEFAULT_MODEL))
    assert is_word_by_word(bert)
    bert.normalizer = normalizers.NFKC()
    assert not is_word_by_word(bert)
    other = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    other.normalizer = normalizers.BertNormalizer()
    other.pre_tokenizer = pre_tokenizers.Metaspace()
    assert not is_word_by_word(other)
    other.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    assert is_word_by_word(other)
    other.add_tokens(["ant bee"])
    assert not is_word_by_word(other)
