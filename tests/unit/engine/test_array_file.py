"""The form of the store's files: what safetensors reads and writes, with a checksum."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load, save

from sweep.engine.store.array_file import (
    NAMES,
    DamagedError,
    checksum,
    from_bytes,
    read_about,
    to_parts,
)

ABOUT = {"model": "größer", "precision": "bf16"}


def every_type() -> dict[str, np.ndarray]:
    """Return an array of each type, of odd lengths."""
    return {
        name: np.arange(3 * row).reshape(3, row) % 2 == 1 for row, name in enumerate(NAMES)
    } | {f"{name} too": np.arange(7).astype(name) for name in NAMES}


def written(arrays: dict[str, np.ndarray], about: dict[str, str] | None = None) -> bytes:
    return b"".join(to_parts(arrays, about or {}))


def raw(content: bytes) -> np.ndarray:
    return np.frombuffer(content, dtype=np.uint8)


def test_safetensors_reads_what_is_written(tmp_path: Path) -> None:
    arrays = every_type() | {"scalar": np.array(1.5), "none": np.empty((0, 4), dtype=np.int16)}
    content = written(arrays, ABOUT)
    read = load(content)
    assert set(read) == set(arrays)
    for name, array in arrays.items():
        assert (read[name].dtype, read[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(read[name], array)
    (tmp_path / "file").write_bytes(content)
    with safe_open(tmp_path / "file", framework="np") as file:
        assert {k: v for k, v in file.metadata().items() if k != "sha256"} == ABOUT


def test_what_safetensors_writes_is_read() -> None:
    arrays = every_type()
    content = save(arrays, metadata={"sha256": checksum(arrays, ABOUT), **ABOUT})
    read, about = from_bytes(raw(content))
    assert about == ABOUT
    assert all(np.array_equal(read[name], array) for name, array in arrays.items())


def test_arrays_are_views_and_lie_where_processors_like_them() -> None:
    content = raw(written(every_type()))
    read, _ = from_bytes(content)
    for array in read.values():
        assert array.size == 0 or np.shares_memory(array, content)
        assert array.flags.aligned or content.ctypes.data % 8
        assert not array.flags.writeable


def test_bytes_are_the_same_on_every_machine() -> None:
    little, big = np.arange(3, dtype="<i4"), np.arange(3, dtype=">i4")
    assert written({"a": little}) == written({"a": big})


@pytest.mark.parametrize("array", [np.array([{}], dtype=object), np.array(["text"])])
def test_only_numbers_are_written(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="cannot be stored"):
        written({"a": array})


def test_damage_to_what_it_is_about_is_found() -> None:
    content = written({"a": np.arange(3)}, ABOUT)
    with pytest.raises(DamagedError, match="its checksum does not match"):
        from_bytes(raw(content.replace(b"bf16", b"bf61")))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: content[:5],
        lambda content: b"",
        lambda content: b"\xff" * 8 + content[8:],
        lambda content: content.replace(b'"data_offsets":[0,24]', b'"data_offsets":[8,24]'),
        lambda content: content.replace(b'"shape":[3]', b'"shape":[4]'),
        lambda content: content.replace(b"I64", b"I99"),
        lambda content: content.replace(b'{"__metadata__"', b'["__metadata__"'),
        lambda content: content.replace(b'{"sha256"', b'["sha256"'),
    ],
)
def test_anything_else_is_damaged(change: object) -> None:
    content = written({"a": np.arange(3)})
    changed = change(content)  # type: ignore[operator]
    assert changed != content
    with pytest.raises(DamagedError):
        from_bytes(raw(changed))


def test_contents_are_not_looked_at_where_this_is_not_asked_for() -> None:
    content = bytearray(written({"a": np.arange(3)}))
    content[-8] = 7
    assert from_bytes(raw(bytes(content)), verify=False)[0]["a"].tolist() == [0, 1, 7]


def test_what_a_file_is_about_is_in_its_first_bytes() -> None:
    content = written({"a": np.arange(100_000)}, ABOUT)
    assert read_about(content[:4096]) == ABOUT
    assert read_about(content[:20]) == {}
    assert read_about(b"rubbish") == {}
    assert read_about(written({"a": np.arange(3)})) == {}
    header = json.dumps({"__metadata__": ["rubbish"]}).encode()
    assert read_about(len(header).to_bytes(8, "little") + header) == {}


def test_checksum_covers_names_types_shapes_contents_and_what_it_is_about() -> None:
    array = np.arange(4, dtype=np.int64)
    variants: list[dict[str, np.ndarray]] = [
        {"a": array},
        {"b": array},
        {"a": array.astype(np.uint64)},
        {"a": array.reshape(2, 2)},
        {"a": array[::-1]},
        {"a": array, "b": array},
        {"a": np.asfortranarray(array.reshape(2, 2).T)},
    ]
    assert len({checksum(arrays, about) for arrays in variants for about in ({}, ABOUT)}) == 14
    assert checksum({"a": array, "b": array[:1]}, {}) == checksum({"b": array[:1], "a": array}, {})
    assert checksum({"a": np.empty((0, 3))}, {}) != checksum({"a": np.empty((0, 4))}, {})
