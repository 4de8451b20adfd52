"""Vectors: independent of their company to the last bit, equal to the library's own."""

import copy
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweep.configuration import VectorConfig
from sweep.errors import IndexingError
from sweep.index import embed
from sweep.index.embed import Encoder, Precision
from sweep.index.passages import passage_text, title_cutter
from sweep.index.precision import safe_precision
from sweep.index.vectors import build_index, search_vectors
from sweep.models import find_model
from sweep.records import Vectors
from sweep.tokenizer import load_tokenizer
from tests.shared_data import bugcase
from tests.toy_models import POSITIONS, lookup_model

MODEL = "all-MiniLM-L6-v2"
TEXTS = [
    "Probation lasts three months.",
    "",
    "名前は何ですか 😀",
    "A long text that no window of 256 tokens can hold. " * 40,
    "The probation period can be extended once. " * 9,
]


class RecordingEncoder(Encoder):
    """Notes the shapes in which the model runs."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.shapes: list[tuple[int, ...]] = []

    def _forward(self, features: dict[str, Any]) -> dict[str, Any]:
        self.shapes.append(tuple(features["input_ids"].shape))
        return super()._forward(features)


@pytest.fixture(scope="module")
def half() -> Encoder:
    return Encoder(find_model(MODEL), precision="bf16", threads=1)


def passages(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    return encoder.embed(encoder.inputs(texts)[0], role="passage")


def queries(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    return encoder.embed(encoder.inputs(texts)[0], role="query")


def on_two_threads(encoder: Encoder) -> Encoder:
    """Return the same encoder with two threads; the weights are shared."""
    other = copy.copy(encoder)
    other.threads = 2
    return other


def cosines(one: Vectors, other: Vectors) -> np.ndarray:
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return np.asarray((a * b).sum(axis=1) / lengths)


@pytest.fixture(params=["fp32", "bf16"])
def encoder(request: pytest.FixtureRequest, minilm: Encoder, half: Encoder) -> Iterator[Encoder]:
    import torch

    torch.set_num_threads(2)  # what another user of torch in this process may have set
    yield minilm if request.param == "fp32" else half
    torch.set_num_threads(1)


def test_vector_never_depends_on_its_neighbours(encoder: Encoder) -> None:
    together = passages(encoder, TEXTS)
    alone = np.concatenate([passages(encoder, [text]) for text in TEXTS])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(passages(encoder, TEXTS[:2] * 40)[-2:], together[:2])
    reverse = passages(on_two_threads(encoder), TEXTS[::-1])
    np.testing.assert_array_equal(reverse[::-1], together)


def test_text_that_fills_its_bucket_needs_no_mask_and_does_not_notice(encoder: Encoder) -> None:
    """Alone nothing of its batch is masked, and the library leaves the mask out."""
    rng = np.random.default_rng(0)
    full = [rng.integers(1000, 20000, size=66).astype(np.int32) for _ in range(3)]
    shorter = [ids[:60] for ids in full]
    together = encoder.embed([*full, *shorter], role="passage")
    np.testing.assert_array_equal(encoder.embed(full, role="passage"), together[:3])
    np.testing.assert_array_equal(encoder.embed(shorter[:1], role="passage"), together[3:4])


def test_query_is_run_alone_as_in_production(encoder: Encoder) -> None:
    together = queries(encoder, TEXTS)
    alone = np.concatenate([queries(encoder, [text]) for text in TEXTS])
    np.testing.assert_array_equal(alone, together)
    np.testing.assert_array_equal(queries(on_two_threads(encoder), TEXTS), together)


def test_token_vectors_never_depend_on_their_neighbours(encoder: Encoder) -> None:
    inputs, _ = encoder.inputs(TEXTS[:3])
    together = encoder.token_vectors(inputs, role="passage")
    for row, ids in enumerate(inputs):
        alone = encoder.token_vectors([ids], role="passage")[0]
        np.testing.assert_array_equal(alone, together[row])


def test_equals_the_library(minilm: Encoder, half: Encoder) -> None:
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(minilm.files.folder), device="cpu", local_files_only=True)
    expected = library.encode(TEXTS, convert_to_numpy=True, show_progress_bar=False)
    assert np.abs(passages(minilm, TEXTS) - expected).max() < 1e-5
    assert np.abs(queries(minilm, TEXTS) - expected).max() < 1e-5
    assert cosines(passages(half, TEXTS), expected).min() >= 0.9995
    tokens = library.encode(TEXTS[0], output_value="token_embeddings", show_progress_bar=False)
    unit = np.asarray(tokens)[1:-1]  # without [CLS] and [SEP]
    unit = unit / np.linalg.norm(unit, axis=1, keepdims=True)
    found = minilm.token_vectors(minilm.inputs([TEXTS[0]])[0], role="passage")[0]
    assert np.abs(found - unit).max() < 1e-5


def test_shapes_are_fixed_by_length_alone(tmp_path: Path) -> None:
    """Passages fill 1,024 tokens, a queue's rest too; queries run one by one."""
    name = lookup_model(tmp_path, {"a": [1, 0]})
    encoder = RecordingEncoder(find_model(name), precision="fp32", threads=1)
    lengths = [1, 10, 18, *[19] * 40, 300]
    inputs, _ = encoder.inputs(["a " * length for length in lengths])
    encoder.embed(inputs, role="passage")
    assert encoder.shapes == [(3, 306), (30, 34), (30, 34), (57, 18)]
    encoder.shapes.clear()
    encoder.embed(inputs[:4], role="query")
    assert encoder.shapes == [(1, 26), (1, 18), (1, 10), (1, 10)]


def test_truncation_is_counted_and_keeps_the_last_special_token(minilm: Encoder) -> None:
    inputs, full = minilm.inputs(["word " * 254, "word " * 255, "word " * 1000, ""])
    assert minilm.window == 256
    assert full.tolist() == [256, 257, 1002, 2]
    assert [len(ids) for ids in inputs] == [256, 256, 256, 2]
    cls, sep = inputs[3].tolist()
    assert {(row[0], row[-1]) for row in inputs} == {(cls, sep)}
    assert inputs[0].tolist() == inputs[2].tolist()  # the same for the model


def test_nul_does_not_end_a_text(minilm: Encoder) -> None:
    inputs, _ = minilm.inputs(["ant\x00bee", "ant bee"])
    assert inputs[0].tolist() == inputs[1].tolist()


def test_title_is_cut_to_a_quarter_of_the_window(minilm: Encoder) -> None:
    cut = title_cutter(minilm)
    title = " ".join(f"word{number}" for number in range(100))  # two tokens each
    assert cut(title) == " ".join(f"word{number}" for number in range(32))
    assert cut("Short Title") == "Short Title"
    assert passage_text("Title", "text", prefix="p: ", cut_title=cut) == "p: Title\ntext"
    assert passage_text("  ", "text", prefix="p: ", cut_title=cut) == "p: text"


def test_token_vectors_are_unit_vectors_without_the_special_tokens(minilm: Encoder) -> None:
    inputs, _ = minilm.inputs(["ant bee", ""])
    two, none = minilm.token_vectors(inputs, role="query")
    assert two.shape == (2, 384)
    assert np.linalg.norm(two, axis=1) == pytest.approx([1, 1], abs=1e-6)
    assert len(none) == 0


def test_nothing_to_embed(minilm: Encoder) -> None:
    assert minilm.embed([], role="passage").shape == (0, 0)
    assert minilm.token_vectors([], role="query") == []
    assert minilm.inputs([])[0] == []


def test_text_without_a_token_has_the_vector_zero(tmp_path: Path) -> None:
    """A tokenizer need not add special tokens: such an input is empty."""
    encoder = Encoder(
        find_model(lookup_model(tmp_path, {"ant": [3, 4]})), precision="fp32", threads=1
    )
    inputs, full = encoder.inputs(["", "ant ant"])
    assert full.tolist() == [0, 2]
    for role in ("query", "passage"):
        assert encoder.embed(inputs, role=role).tolist() == [[0, 0], [3, 4]]
        assert [len(v) for v in encoder.token_vectors(inputs, role=role)] == [0, 2]


def test_bf16_is_used_only_where_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    files = find_model(MODEL)
    assert safe_precision(files, TEXTS[:2], threads=1) == "bf16"
    monkeypatch.setattr("sweep.index.precision.MIN_COSINE", 1.1)
    assert safe_precision(files, TEXTS[:1], threads=1) == "fp32"


def test_key_names_what_can_change_a_bit(minilm: Encoder, half: Encoder, tmp_path: Path) -> None:
    files = find_model(MODEL)
    assert minilm.key != half.key
    assert Encoder(files, precision="fp32", threads=2).key == minilm.key
    other = find_model(lookup_model(tmp_path, {"a": [1]}))
    assert Encoder(other, precision="fp32", threads=1).key != minilm.key


def test_weights_are_loaded_when_the_first_vector_is_asked_for() -> None:
    encoder = Encoder(find_model(MODEL), precision="fp32", threads=1)
    encoder.inputs(["ant"])
    assert encoder.key
    assert encoder._model is None


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_model_that_does_not_load_is_the_users_input(tmp_path: Path, precision: Precision) -> None:
    shutil.copytree(find_model(MODEL).folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    encoder = Encoder(find_model(str(tmp_path)), precision=precision, threads=1)
    with pytest.raises(IndexingError, match=r"must load with sentence-transformers, got .*Check"):
        passages(encoder, ["ant"])


def test_static_model_is_refused(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer = load_tokenizer(find_model(lookup_model(tmp_path / "words", {"ant": [1.0]})))
    static = StaticEmbedding(tokenizer, embedding_dim=4)
    SentenceTransformer(modules=[static]).save(str(tmp_path / "static"))
    encoder = Encoder(find_model(str(tmp_path / "static")), precision="fp32", threads=1)
    with pytest.raises(IndexingError, match=r"got a static embedding, .*Take a transformer"):
        passages(encoder, ["ant"])


@pytest.mark.parametrize("limit", [None, 40])
def test_window_is_the_librarys(tmp_path: Path, cross_encoder: str, limit: int | None) -> None:
    """Of a model saved today: its limit is in another file than that of older models."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    bert = Transformer(cross_encoder, max_seq_length=limit)
    library = SentenceTransformer(modules=[bert, Pooling(32, "cls")], device="cpu")
    library.save(str(tmp_path))
    encoder = Encoder(find_model(str(tmp_path)), precision="fp32", threads=1)
    assert encoder.window == library.max_seq_length == (limit or POSITIONS)
    expected = library.encode(TEXTS, convert_to_numpy=True, show_progress_bar=False)
    assert np.abs(passages(encoder, TEXTS) - expected).max() < 1e-5


@pytest.mark.parametrize("batch_tokens", [16, 96])
def test_case_78_batch_size_does_not_change_a_ranking(
    minilm: Encoder, monkeypatch: pytest.MonkeyPatch, batch_tokens: int
) -> None:
    lines = (bugcase("78") / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    query = queries(minilm, ["harbour cranes"])
    usual = passages(minilm, texts)
    expected = search_vectors(build_index(usual, VectorConfig()), query, depth=10)
    monkeypatch.setattr(embed, "BATCH_TOKENS", batch_tokens)
    vectors = passages(minilm, texts[::-1])[::-1]
    assert np.abs(vectors - usual).max() < 1e-5
    copies = [row for row, text in enumerate(texts) if text == texts[0]]
    assert len(copies) == 10
    assert len(np.unique(vectors[copies], axis=0)) == 1
    found = search_vectors(build_index(vectors, VectorConfig()), query, depth=10)
    assert found.items.tolist() == expected.items.tolist()


def test_a_batch_holds_on_to_nothing_that_was_computed(minilm: Encoder) -> None:
    """Or the token vectors of all batches would be in memory together."""
    (batch,) = minilm._batches(minilm.inputs(["one text"])[0], role="passage")
    before = set(batch.features)
    assert "token_embeddings" in minilm._forward(batch.features)
    assert set(batch.features) == before


@pytest.mark.parametrize("threads", [1, 2])
def test_blocks_one_after_another_are_each_block_alone(minilm: Encoder, threads: int) -> None:
    encoder = Encoder(minilm.files, precision="fp32", threads=threads)
    encoder._model = minilm.load()
    texts = [f"number {n} " * (1 + n % 40) for n in range(60)]
    inputs = encoder.inputs(texts)[0]
    blocks = [inputs[:31], inputs[31:32], inputs[32:]]
    taken: list[int] = []

    def given() -> Iterator[list[np.ndarray]]:
        for number, block in enumerate(blocks):
            taken.append(number)
            yield block

    found = encoder.embed_blocks(given(), role="passage")
    assert taken == []  # nothing is begun before it is asked for
    for block, vectors in zip(blocks, found, strict=True):
        assert (vectors == encoder.embed(block, role="passage")).all()
    assert list(encoder.embed_blocks(iter([]), role="passage")) == []
