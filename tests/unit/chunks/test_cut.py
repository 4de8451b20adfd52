from typing import Any, get_args

import numpy as np
import pytest

from sweep.chunks import Atoms, cut_chunks, window_units
from sweep.configuration import ChunkConfig, Splitter
from sweep.errors import ChunkError
from sweep.records import TokenOffsets
from tests.chunk_inputs import cut, spans_of, texts_of, tokens_of
from tests.corpus_files import corpus_of

SPLITTERS: list[Splitter] = list(get_args(Splitter))


def config(splitter: Splitter, size: int | None = 3, **others: Any) -> ChunkConfig:
    return ChunkConfig(splitter=splitter, size=size, **others)


def offsets_at(*spans: tuple[int, int], continues: list[bool] | None = None) -> TokenOffsets:
    return TokenOffsets(
        indptr=np.array([0, len(spans)]),
        starts=np.array([start for start, _ in spans], dtype=np.int64),
        ends=np.array([end for _, end in spans], dtype=np.int64),
        continues=np.array(continues or [False] * len(spans), dtype=np.bool_),
    )


def test_words_are_counted_as_words() -> None:
    assert texts_of("a bb  ccc\ndddd e", config("words", 2)) == ["a bb", "ccc\ndddd", "e"]


def test_tokens_are_counted_with_the_study_tokenizer() -> None:
    text = "rerankers, of documents"  # re ##rank ##ers , of documents
    assert tokens_of([text]).starts.tolist() == [0, 2, 6, 9, 11, 14]
    assert texts_of(text, config("tokens", 4)) == ["rerankers,", "of documents"]
    assert texts_of(text, config("tokens", 5)) == ["rerankers, of", "documents"]
    assert cut(corpus_of([text]), config("tokens", 5)).tokens.tolist() == [5, 1]


def test_characters_count_the_white_space_between() -> None:
    assert texts_of("aa bb cc", config("characters", 5)) == ["aa bb", "cc"]
    assert texts_of("aa  bb cc", config("characters", 5)) == ["aa", "bb cc"]


def test_sentences_are_packed_whole_and_measured_in_the_unit() -> None:
    text = "One two. Three four. Five six seven eight."
    assert texts_of(text, config("sentences", 4, unit="words")) == [
        "One two. Three four.",
        "Five six seven eight.",
    ]
    assert texts_of(text, config("sentences", 22, unit="characters")) == [
        "One two. Three four.",
        "Five six seven eight.",
    ]
    tokens = cut(corpus_of([text]), config("sentences", 6)).tokens
    assert tokens.tolist() == [6, 5]  # the full stop is a token


def test_sentences_overlap_by_whole_sentences() -> None:
    text = "One two three. Four five. Six seven eight. Nine ten."
    assert texts_of(text, config("sentences", 5, unit="words", overlap=0.5)) == [
        "One two three. Four five.",
        "Four five. Six seven eight.",
        "Six seven eight. Nine ten.",  # floor(5 * .5 + .5) = 3 words may be shared
    ]
    assert texts_of(text, config("sentences", 5, unit="words", overlap=0.3)) == [
        "One two three. Four five.",
        "Four five. Six seven eight.",
        "Nine ten.",  # 2 words may be shared, the last sentence before has 3
    ]
    assert texts_of(text, config("sentences", 5, unit="words", overlap=0.2)) == [
        "One two three. Four five.",
        "Six seven eight. Nine ten.",
    ]


def test_a_sentence_that_is_too_long_is_cut_at_words() -> None:
    text = "Short one. This sentence has six words. End."
    assert texts_of(text, config("sentences", 4, unit="words")) == [
        "Short one. This sentence",
        "has six words. End.",
    ]


def test_paragraphs_do_not_glue_to_one_sentence() -> None:
    assert texts_of("Heading\n\nSome text", config("sentences", 2, unit="words")) == [
        "Heading",
        "Some text",
    ]


def test_a_long_word_is_cut_where_a_token_begins() -> None:
    assert texts_of("well-known e-mail", config("characters", 6)) == ["well-", "known", "e-mail"]


def test_a_word_is_not_cut_at_its_pieces_when_characters_count() -> None:
    text = "rerankers"  # re ##rank ##ers
    assert tokens_of([text]).continues.tolist() == [False, True, True]
    assert texts_of(text, config("characters", 5)) == ["reran", "kers"]


def test_what_is_still_too_long_is_cut_between_graphemes() -> None:
    assert texts_of("abcdefgh ij", config("characters", 3)) == ["abc", "def", "gh", "ij"]
    family = "👩‍👩‍👧"
    assert texts_of(f"{family}{family}x", config("characters", 1)) == [family, family, "x"]
    assert texts_of("e\u0301e\u0301e\u0301", config("characters", 4)) == [
        "e\u0301e\u0301",
        "e\u0301",
    ]


def test_a_word_of_many_tokens_is_cut_at_their_starts() -> None:
    text = "electroencephalographically"
    starts = tokens_of([text]).starts.tolist()
    assert len(starts) > 4
    for overlap in (0, 0.5):  # one of two tokens is shared
        cuts = [start for start, _ in spans_of(text, config("tokens", 2, overlap=overlap))]
        assert cuts == starts[:: 2 if overlap == 0 else 1][: len(cuts)]


def test_tokens_that_share_a_character_do_not_cut_it() -> None:
    # A byte-level tokenizer gives an emoji four tokens with one span.
    text = "ab🙂cd"
    spans = [(0, 1), (1, 2), *[(2, 3)] * 4, (3, 4), (4, 5)]
    offsets = offsets_at(*spans, continues=[False] + [True] * 7)
    chunks = cut_chunks(corpus_of([text]), offsets, config("tokens", 3))
    texts = [text[a:b] for a, b in zip(chunks.start, chunks.end, strict=True)]
    assert texts == ["ab", "🙂", "cd"]
    assert chunks.tokens.tolist() == [2, 4, 2]  # one grapheme is never cut


def test_a_token_that_begins_in_the_space_before_a_word_belongs_to_the_word() -> None:
    text = "one two three"
    offsets = offsets_at((0, 3), (3, 7), (7, 13))
    chunks = cut_chunks(corpus_of([text]), offsets, config("tokens", 2))
    assert chunks.start.tolist() == [0, 8]
    assert chunks.end.tolist() == [7, 13]
    assert chunks.tokens.tolist() == [2, 1]


def test_an_empty_token_at_the_end_of_a_text_is_not_the_next_documents() -> None:
    offsets = TokenOffsets(
        indptr=np.array([0, 2, 3]),
        starts=np.array([0, 1, 0]),
        ends=np.array([1, 1, 1]),
        continues=np.zeros(3, dtype=np.bool_),
    )
    chunks = cut_chunks(corpus_of(["a", "b"]), offsets, config("tokens", 1))
    assert chunks.tokens.tolist() == [1, 1]


def test_a_text_without_tokens_is_one_chunk() -> None:
    chunks = cut_chunks(corpus_of(["\u200b \u200b"]), offsets_at(), config("tokens", 1))
    assert (chunks.start.tolist(), chunks.end.tolist()) == ([0], [3])
    assert chunks.tokens.tolist() == [0]


def test_chunks_carry_no_outer_white_space() -> None:
    assert spans_of("  a b \n c  ", config("words", 2)) == [(2, 5), (8, 9)]


def test_whole_documents_are_not_cut() -> None:
    text = " one two \n"
    assert spans_of(text, config("document", None)) == [(0, len(text))]
    assert cut(corpus_of([text]), config("document", None)).tokens.tolist() == [2]


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_title_alone_gets_an_empty_chunk_and_nothing_at_all_gets_none(
    splitter: Splitter,
) -> None:
    corpus = corpus_of(
        ["one two", "", " \n", "", "three", ""], titles=["", "Title", "Title", "", "T", " "]
    )
    chunks = cut(corpus, config(splitter, 10))
    assert chunks.document.tolist() == [0, 1, 2, 4]
    assert chunks.start.tolist() == [0, 0, 0, 0]
    assert chunks.end.tolist() == [7, 0, 0, 5]
    assert chunks.tokens.tolist() == [2, 0, 0, 1]


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_a_corpus_of_titles_only_works(splitter: Splitter) -> None:
    chunks = cut(corpus_of(["", " "], titles=["A", "B"]), config(splitter, 2))
    assert chunks.document.tolist() == [0, 1]


@pytest.mark.parametrize("splitter", SPLITTERS)
def test_chunks_are_ordered_and_do_not_depend_on_other_documents(splitter: Splitter) -> None:
    texts = ["One two three. Four five.", "", "数据系统。好", "x" * 40, "last one here"]
    together = cut(corpus_of(texts), config(splitter, 3, overlap=0.4))
    alone = [
        (row, start, end)
        for row, text in enumerate(texts)
        for start, end in spans_of(text, config(splitter, 3, overlap=0.4))
    ]
    found = zip(together.document, together.start, together.end, strict=True)
    assert [tuple(map(int, chunk)) for chunk in found] == alone
    assert all(
        array.dtype == np.int64
        for array in (together.document, together.start, together.end, together.tokens)
    )


def test_shared_atoms_change_nothing() -> None:
    corpus = corpus_of(["One two. Three four five.", "数据系统。", ""])
    atoms = Atoms(corpus)
    for splitter in SPLITTERS:
        for size in (1, 2, 5):
            asked = config(splitter, size, overlap=0.5)
            own, shared = cut(corpus, asked), cut(corpus, asked, atoms=atoms)
            assert own.start.tolist() == shared.start.tolist()
            assert own.end.tolist() == shared.end.tolist()


@pytest.mark.parametrize("splitter", ["tokens", "words", "characters"])
def test_other_splitters_measure_in_their_own_unit(splitter: Splitter) -> None:
    text = "one two, three four"
    plain = spans_of(text, config(splitter, 2))
    assert spans_of(text, config(splitter, 2, unit="characters")) == plain


@pytest.mark.parametrize(
    ("size", "overlap", "units"),
    [
        (8, 0.5, 4),
        (3, 1 / 3, 1),
        (5, 0.5, 3),
        (5, 0.49, 2),
        (10, 0.25, 3),
        (1, 0.9, 0),
        (2, 0.99, 1),
    ],
)
def test_the_overlap_is_rounded_half_up_and_below_size(
    size: int, overlap: float, units: int
) -> None:
    assert window_units(config("words", size, overlap=overlap)) == (size, units)


@pytest.mark.parametrize("size", [0, -1, None])
def test_a_size_below_one_is_refused(size: int | None) -> None:
    with pytest.raises(ChunkError, match=rf"chunk\.size: must be >= 1 .* got {size}\."):
        window_units(config("words", size))


@pytest.mark.parametrize("overlap", [-1, -0.01, 1, 64, float("nan")])
def test_an_overlap_outside_is_refused(overlap: float) -> None:
    with pytest.raises(ChunkError) as caught:
        window_units(config("words", 128, overlap=overlap))
    assert f"a fraction of size, got {overlap}. Write 0.5 for 64 of 128." in str(caught.value)
