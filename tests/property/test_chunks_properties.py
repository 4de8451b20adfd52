"""What holds for every chunking of every text, however hostile."""

from bisect import bisect_right
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from sweep.chunks import window_units
from sweep.chunks.markdown import find_blocks
from sweep.chunks.sentences import find_paragraphs
from sweep.chunks.words import find_graphemes, find_words
from sweep.configuration import ChunkConfig
from tests.chunk_inputs import cut, spans_of, tokens_of
from tests.corpus_files import corpus_of

PIECES = [
    *[
        "a",
        "word",
        "well-known",
        "e.g.",
        "Mr.",
        "A.",
        "No! Yes?",
        "x" * 30,
        "electroencephalogram",
    ],
    *[
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        "\t",
        "\u2028",
        "\u2029",
        "\x85",
        "\u3000",
        "\xa0",
        "\x1f",
    ],
    *["e\u0301", "\u0301", "\u200d", "\u200b", "\ufeff", "\u0600", "\x00", "\ufffd"],
    *["🙂", "👩‍👩‍👧", "🏽", "🇩🇪", "🇫", "㎏", "ﬁ", "İ", "ß"],
    *[
        "数据",
        "系统。",
        "「日本」",
        "ひら",
        "カー",
        "ภาษา",
        "กำ",
        "ပြည်",
        "ភាសា",
        "ລາວ",
        "한국어",
        "ᄀ",
    ],
    *["שלום", "عليكم؟", "हिन्दी।", "по-русски", "| a | b |", "# H", "- item", "1) two"],
    *["\n# H\n", "\n## Sub\n", "\nSet\n---\n", "\n```\nx = 1\n\ny\n```\n", "\n> quoted\n"],
    *["\n|a|b|\n|-|-|\n|1|2|\n", "\n- one\n- two\n", "    code", "[a]: b", "---\n", "<p>\n"],
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.text(max_size=60),
)
CONFIGS = st.builds(
    ChunkConfig,
    splitter=st.sampled_from(
        ["tokens", "sentences", "recursive", "markdown", "words", "characters"]
    ),
    size=st.integers(1, 12),
    overlap=st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.9, 0.99]),
    unit=st.sampled_from(["tokens", "words", "characters"]),
)


def measure(config: ChunkConfig, text: str, start: int, end: int) -> int:
    """Return the cost of a span, counted in the plainest way."""
    own = config.splitter in ("tokens", "words", "characters")
    unit = config.splitter if own else config.unit
    if unit == "characters":
        return end - start
    if unit == "words":
        return sum(start <= word < end for word, _ in find_words(text))
    return int(sum(start <= token < end for token in tokens_of([text]).starts.tolist()))


@settings(max_examples=400, deadline=None)
@given(text=TEXTS, config=CONFIGS)
def test_chunks_cover_the_text_and_keep_to_size_and_overlap(
    text: str, config: ChunkConfig
) -> None:
    chunks = cut(corpus_of([text]), config)
    spans = list(zip(chunks.start.tolist(), chunks.end.tolist(), strict=True))
    borders = {0, *(end for _, end in find_graphemes(text))}
    words = find_words(text)
    covered: set[int] = set()
    size, overlap = window_units(config)
    for start, end in spans:
        assert 0 <= start < end <= len(text)
        assert {start, end} <= borders
        assert text[start:end].strip()
        covered.update(range(start, end))
        if measure(config, text, start, end) > size:
            assert len(find_graphemes(text[start:end])) == 1
    for (start, end), (next_start, next_end) in zip(spans[:-1], spans[1:], strict=True):
        assert start < next_start <= len(text)
        assert end < next_end  # neither lies inside the other
        if next_start < end:
            assert measure(config, text, next_start, end) <= overlap
    assert all(position in covered for position, one in enumerate(text) if not one.isspace())
    assert bool(spans) == bool(text.strip())
    starts = [start for start, _ in words]
    for start, _ in spans:  # inside a word only where the word alone is too long
        word = words[bisect_right(starts, start) - 1]
        assert start == word[0] or measure(config, text, *word) > size


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, config=CONFIGS)
def test_without_overlap_chunks_do_not_meet(text: str, config: ChunkConfig) -> None:
    plain = ChunkConfig(splitter=config.splitter, size=config.size, unit=config.unit)
    chunks = cut(corpus_of([text]), plain)
    assert (chunks.start[1:] >= chunks.end[:-1]).all()
    joined = "".join(text[a:b] for a, b in zip(chunks.start, chunks.end, strict=True))
    assert "".join(joined.split()) == "".join(text.split())


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, config=CONFIGS)
def test_code_tables_and_paragraphs_that_fit_are_not_torn(text: str, config: ChunkConfig) -> None:
    for splitter in ("recursive", "markdown"):
        structured = replace(config, splitter=splitter)
        spans = spans_of(text, structured)
        for begin, stop in whole_parts(text, splitter):
            if 0 < measure(structured, text, begin, stop) <= config.size:
                assert not any(begin < end < stop for _, end in spans)
                if splitter == "markdown":
                    assert not any(begin < start < stop for start, _ in spans)


def whole_parts(text: str, splitter: str) -> list[tuple[int, int]]:
    """Return paragraphs (`recursive`), or code and tables that no heading comes before."""
    if splitter == "recursive":
        firsts, words = find_paragraphs(text, find_words(text)), find_words(text)
        lasts = [*firsts[1:], len(words)]
        return [
            (words[a][0], words[b - 1][1]) for a, b in zip(firsts, lasts, strict=False) if words
        ]
    blocks = find_blocks(text)
    words = find_words(text)
    parts = []
    for block, last in zip(blocks, [None, *blocks], strict=False):
        own = [word for word in words if block.start <= word[0] < block.end]
        if block.is_whole and own and not (last and last.level):
            parts.append((own[0][0], own[-1][1]))
    return parts


@settings(max_examples=200, deadline=None)
@given(text=TEXTS, config=CONFIGS)
def test_no_chunk_ends_with_a_heading_that_has_text(text: str, config: ChunkConfig) -> None:
    markdown = replace(config, splitter="markdown")
    spans = spans_of(text, markdown)
    blocks = find_blocks(text)
    for heading, after in zip(blocks[:-1], blocks[1:], strict=True):
        between, own = text[heading.end : after.start], text[after.start : after.end]
        if not heading.level or after.level or between.strip() or not own.strip():
            continue
        for start, end in spans:
            if start <= heading.start and heading.start < end <= heading.end:
                word = next(w for w in find_words(text) if w[0] >= heading.end)
                assert measure(markdown, text, start, word[1]) > config.size


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(TEXTS, min_size=1, max_size=4), config=CONFIGS)
def test_tokens_are_those_that_start_inside(texts: list[str], config: ChunkConfig) -> None:
    chunks = cut(corpus_of(texts), config)
    offsets = tokens_of(texts)
    for row in range(len(chunks)):
        document = chunks.document[row]
        own = offsets.starts[offsets.indptr[document] : offsets.indptr[document + 1]]
        inside = (own >= chunks.start[row]) & (own < chunks.end[row])
        assert chunks.tokens[row] == inside.sum()
