"""What a model sees of every chunk: made once, kept in the store, never all in memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweep.configuration import ChunkConfig, VectorConfig
from sweep.engine.engine import Engine
from sweep.engine.stages import inputs
from sweep.engine.stages.inputs import (
    JoinedInputs,
    PassageInputs,
    SeenTexts,
    inputs_from,
    make_inputs,
)
from sweep.engine.stages.texts import Passages
from sweep.engine.store import scratch
from sweep.engine.store.keys import row_key
from sweep.engine.store.scratch import Scratch
from sweep.index.embed import Encoder
from sweep.models import find_model
from sweep.records import Chunks
from sweep.tokenizer import text_blocks, token_blocks
from tests.corpus_files import corpus_of
from tests.engine_inputs import CHUNK, engine_on
from tests.toy_models import lookup_model

WORDS = {"ant": [1.0], "bee": [2.0], "cat": [3.0]}
TEXTS = ["ant bee", "", "  ", "cat", "ant bee", "ant " * 600]


class CountingEncoder(Encoder):
    """Notes which texts are tokenised."""

    def __init__(self, name: str) -> None:
        super().__init__(find_model(name), precision="fp32", threads=1)
        self.tokenised: list[str] = []

    def inputs(self, texts: Sequence[str]) -> tuple[list[np.ndarray], np.ndarray]:
        self.tokenised += texts
        return super().inputs(texts)


@pytest.fixture
def encoder(tmp_path: Path) -> CountingEncoder:
    return CountingEncoder(lookup_model(tmp_path / "model", WORDS))


def made(
    encoder: Encoder, folder: Path, texts: Sequence[str] = TEXTS, seen: SeenTexts | None = None
) -> PassageInputs:
    return make_inputs(
        encoder, whole(texts), prefix="", seen=seen or SeenTexts(), scratch=Scratch(folder)
    )


def whole(texts: Sequence[str]) -> Passages:
    """Return each text as one chunk."""
    ends = np.array([len(text) for text in texts], dtype=np.int64)
    rows = np.arange(len(texts))
    chunks = Chunks(document=rows, start=np.zeros_like(rows), end=ends, tokens=ends)
    return Passages(corpus_of(texts), chunks, None)


@pytest.mark.parametrize("small_bytes", [0, 10**6])
@pytest.mark.parametrize("block", [1, 20, 10**6])
def test_inputs_are_those_of_the_encoder(
    encoder: CountingEncoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    small_bytes: int,
    block: int,
) -> None:
    monkeypatch.setattr(scratch, "SMALL_BYTES", small_bytes)
    monkeypatch.setattr("sweep.tokenizer.BLOCK_CHARACTERS", block)
    ids, full = encoder.inputs(TEXTS)
    found = made(encoder, tmp_path)
    assert len(found.ids) == 6
    assert [row.tolist() for row in found.ids] == [row.tolist() for row in ids]
    assert {row.dtype for row in found.ids} == {np.dtype(np.int32)}
    assert found.full.tolist() == full.tolist() == [2, 0, 0, 1, 2, 600]
    assert found.lengths.tolist() == [2, 0, 0, 1, 2, 512]
    assert found.rows.tolist() == [0, 3, 4, 5]
    assert [key.tobytes() for key in found.keys] == [row_key(row.tobytes()) for row in ids]
    assert (found.truncated, found.lost) == (1, 88 / 605)


def test_form_in_the_store(encoder: CountingEncoder, tmp_path: Path) -> None:
    first = made(encoder, tmp_path)
    arrays = first.to_arrays()
    assert arrays["ids"].dtype == np.uint16
    again = inputs_from(arrays, window=first.window)
    for one, other in zip(arrays.items(), again.to_arrays().items(), strict=True):
        assert one[0] == other[0]
        assert one[1].tolist() == other[1].tolist()


def test_ids_of_a_large_vocabulary_are_kept_whole(
    encoder: CountingEncoder, tmp_path: Path
) -> None:
    encoder.largest_id = 70_000
    assert made(encoder, tmp_path).ids.flat.dtype == np.int32
    encoder.largest_id = 65_535
    assert made(encoder, tmp_path).ids.flat.dtype == np.uint16


def test_nothing_to_be_seen(encoder: CountingEncoder, tmp_path: Path) -> None:
    none = made(encoder, tmp_path, [])
    assert (len(none.ids), none.full.shape, none.rows.shape) == (0, (0,), (0,))
    assert JoinedInputs([none]).keys.shape == (0,)


def test_text_is_tokenised_once(
    encoder: CountingEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whichever chunkings it stands, as long as few were seen."""
    seen = SeenTexts()
    made(encoder, tmp_path, ["ant", "bee", "ant"], seen)
    made(encoder, tmp_path, ["cat", "bee", "ant"], seen)
    assert encoder.tokenised == ["ant", "bee", "cat"]
    monkeypatch.setattr(inputs, "SEEN_TOKENS", 1)
    forgetful = SeenTexts()
    for _ in range(2):
        made(encoder, tmp_path, ["ant", "bee"], forgetful)
    assert encoder.tokenised[3:] == ["ant", "bee", "bee"]


def test_inputs_of_several_chunkings_one_after_another(
    encoder: CountingEncoder, tmp_path: Path
) -> None:
    parts = [made(encoder, tmp_path, texts) for texts in (TEXTS, [""], ["bee", " ", "cat cat"])]
    joined = JoinedInputs(parts)
    texts = ["ant bee", "cat", "ant bee", "ant " * 600, "bee", "cat cat"]
    expected, _ = encoder.inputs(texts)
    assert len(joined.keys) == len(joined.lengths) == 6
    for position, row in enumerate(expected):
        assert joined.ids(position).tolist() == row.tolist()
        assert joined.keys[position].tobytes() == row_key(row.tobytes())
        assert joined.lengths[position] == len(row)


def counted(engine: Engine) -> CountingEncoder:
    encoder = CountingEncoder("all-MiniLM-L6-v2")
    engine.pool.encoder = lambda name: encoder  # type: ignore[method-assign]
    return encoder


def make_two(folder: Path) -> CountingEncoder:
    """Return the encoder after the inputs of two chunkings are there."""
    engine = engine_on(folder)
    encoder = counted(engine)
    for chunk in (CHUNK, replace(CHUNK, size=6)):
        engine.vectors.passage_inputs(chunk, VectorConfig())
    return encoder


def test_documents_are_tokenised_once_for_all_chunkings_and_never_on_a_warm_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks: list[list[str]] = []

    def noted(tokenizer: Any, texts: Iterable[str]) -> Iterator[Any]:
        blocks.append(list(texts))
        return token_blocks(tokenizer, blocks[-1])

    monkeypatch.setattr("sweep.engine.stages.document_tokens.token_blocks", noted)
    assert make_two(tmp_path).tokenised == []  # no chunk on its own
    assert [len(texts) for texts in blocks] == [30]
    assert make_two(tmp_path).tokenised == []
    assert len(blocks) == 1


def test_where_words_are_not_cut_by_themselves_each_text_is_tokenised_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sweep.engine.stages.vectors.is_word_by_word", lambda _: False)
    tokenised = make_two(tmp_path).tokenised
    assert len(tokenised) == len(set(tokenised)) > 20
    assert make_two(tmp_path).tokenised == []


@pytest.mark.parametrize(
    ("chunk", "config", "same"),
    [
        (CHUNK, VectorConfig(query_prefix="query: "), True),
        (CHUNK, VectorConfig(index="HNSW32", similarity="l2"), True),
        (CHUNK, VectorConfig(passage_prefix="passage: "), False),
        (replace(CHUNK, prepend_title=False), VectorConfig(), False),
        (replace(CHUNK, size=13), VectorConfig(), False),
    ],
)
def test_key_of_inputs(
    tmp_path: Path, chunk: ChunkConfig, config: VectorConfig, same: bool
) -> None:
    vectors = engine_on(tmp_path).vectors
    key = vectors._inputs_key(CHUNK, VectorConfig())
    assert (vectors._inputs_key(chunk, config) == key) == same
    half = engine_on(tmp_path, precision="bf16").vectors
    assert half._inputs_key(CHUNK, VectorConfig()) == key


@given(st.lists(st.text(max_size=30), max_size=20), st.integers(1, 60))
def test_texts_are_tokenised_in_blocks(texts: list[str], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sweep.tokenizer.BLOCK_CHARACTERS", size)
        blocks = list(text_blocks(iter(texts)))
    assert sum(blocks, []) == texts
    assert all(sum(map(len, block[:-1])) < size for block in blocks)
