"""The study tokenizer: offsets and counts, by hand on MiniLM's word pieces."""

import shutil
from pathlib import Path

import pytest

from sweep.errors import IndexingError
from sweep.models import find_model
from sweep.tokenizer import count_tokens, load_tokenizer, token_offsets

MINILM = "all-MiniLM-L6-v2"


def test_offsets_by_hand() -> None:
    """`embeddings` is em ##bed ##ding ##s; offsets are those of the text as written."""
    tokens = token_offsets(load_tokenizer(find_model(MINILM)), ["Über embeddings.", "", "one"])
    texts = ["Über embeddings.", "one"]
    found = [
        (texts[row][start:end], continues)
        for row, part in ((0, slice(0, 6)), (1, slice(6, None)))
        for start, end, continues in zip(
            tokens.starts[part].tolist(),
            tokens.ends[part].tolist(),
            tokens.continues[part].tolist(),
            strict=True,
        )
    ]
    assert tokens.indptr.tolist() == [0, 6, 6, 7]
    assert [text for text, _ in found] == ["Über", "em", "bed", "ding", "s", ".", "one"]
    assert [continues for _, continues in found] == [False, False, True, True, True, False, False]


def test_first_token_of_a_text_never_continues_the_text_before() -> None:
    tokens = token_offsets(load_tokenizer(find_model(MINILM)), ["word", "word", "word"])
    assert tokens.continues.tolist() == [False, False, False]


def test_neither_truncation_nor_special_tokens() -> None:
    tokenizer = load_tokenizer(find_model(MINILM))
    assert count_tokens(tokenizer, ["word " * 1000, "", "one two"]).tolist() == [1000, 0, 2]
    assert token_offsets(tokenizer, ["word " * 1000]).indptr.tolist() == [0, 1000]
    assert count_tokens(tokenizer, []).tolist() == []


def test_code_points_are_counted_not_bytes() -> None:
    text = "a 😀 名 b"
    tokens = token_offsets(load_tokenizer(find_model(MINILM)), [text])
    spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
    assert [text[start:end] for start, end in spans] == ["a", "😀", "名", "b"]


def test_model_without_a_tokenizer_file_is_converted(tmp_path: Path, cross_encoder: str) -> None:
    """An old model has a vocabulary only."""
    for name in ("config.json", "tokenizer_config.json"):
        shutil.copy(Path(cross_encoder) / name, tmp_path / name)
    vocabulary = load_tokenizer(find_model(MINILM)).get_vocab()
    words = sorted(vocabulary, key=lambda word: vocabulary[word])
    (tmp_path / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    tokenizer = load_tokenizer(find_model(str(tmp_path)))
    assert count_tokens(tokenizer, ["one embeddings"]).tolist() == [5]


@pytest.mark.parametrize("content", ["", "{", '{"version": "1.0"}', "version https://git-lfs"])
def test_broken_tokenizer_is_the_users_input(tmp_path: Path, content: str) -> None:
    (tmp_path / "tokenizer.json").write_text(content, encoding="utf-8")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    find_model.cache_clear()
    with pytest.raises(IndexingError, match=r"tokenizer\.json: must be a tokenizer .* Fetch the"):
        load_tokenizer(find_model(str(tmp_path)))


def test_model_with_no_tokenizer_at_all_is_refused(tmp_path: Path) -> None:
    """The library would make a BERT tokenizer without a single word."""
    for content in ('{"model_type": "bert"}', "{}"):
        (tmp_path / "config.json").write_text(content, encoding="utf-8")
        find_model.cache_clear()
        with pytest.raises(IndexingError, match="must have a fast tokenizer"):
            load_tokenizer(find_model(str(tmp_path)))
