"""The form of one file of the store: named arrays and what they are about, with a checksum.

It is that of safetensors: the header's length (8 bytes, little-endian), a JSON header, the arrays'
bytes one after another. Writing yields the parts instead of joining them, and reading gives views
instead of copies, so that neither needs memory for what may be larger than it.
"""

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "uint16": "U16",
    "uint32": "U32",
    "uint64": "U64",
    "int8": "I8",
    "int16": "I16",
    "int32": "I32",
    "int64": "I64",
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
}
TYPES = {short: np.dtype(name).newbyteorder("<") for name, short in NAMES.items()}
LONGEST_HEADER = 1 << 20  # bytes; ours have some hundred

Arrays = dict[str, np.ndarray]


class DamagedError(Exception):
    """The content is not what was written."""


def to_parts(arrays: Mapping[str, np.ndarray], about: Mapping[str, str]) -> Iterator[memoryview]:
    """Yield the bytes of a file that holds `arrays`, in order.

    Raises: TypeError for an array of anything but numbers and truth values.
    """
    plain = {name: _plain(array) for name, array in arrays.items()}
    order = sorted(plain, key=lambda name: (-plain[name].itemsize, name))  # keeps them aligned
    digest = checksum(plain, about)
    header: dict[str, Any] = {"__metadata__": {**about, "sha256": digest}}
    end = 0
    for name in order:
        start, end = end, end + plain[name].nbytes
        header[name] = {
            "dtype": NAMES[plain[name].dtype.name],
            "shape": list(plain[name].shape),
            "data_offsets": [start, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    yield memoryview(struct.pack("<Q", len(text)) + text)
    for name in order:
        yield _bytes(plain[name])


def from_bytes(raw: np.ndarray, *, verify: bool = True) -> tuple[Arrays, dict[str, str]]:
    """Return the arrays in a file's bytes (n,), as views of them, and what they are about.

    Raises: DamagedError if the bytes are no such file, or (with `verify`) the checksum differs.
    """
    try:
        arrays, about = _views(raw)
        expected = about.pop("sha256", None)
    except (ValueError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise DamagedError(str(error)) from error
    if verify and expected != checksum(arrays, about):
        raise DamagedError("its checksum does not match")
    return arrays, about


def read_about(head: bytes) -> dict[str, str]:
    """Return what a file is about from its first bytes, `{}` where they do not say."""
    try:
        (length,) = struct.unpack_from("<Q", head)
        about = json.loads(head[8 : 8 + length])["__metadata__"]
        return {str(name): str(value) for name, value in about.items() if name != "sha256"}
    except (ValueError, KeyError, TypeError, AttributeError, struct.error):
        return {}


def checksum(arrays: Mapping[str, np.ndarray], about: Mapping[str, str]) -> str:
    """Return a SHA-256 over arrays (name, type, shape, contents) and what they are about."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {arrays[name].shape}\n".encode())
        digest.update(_bytes(array))
    if about:
        digest.update(json.dumps(dict(about), sort_keys=True).encode())
    return digest.hexdigest()


def _views(raw: np.ndarray) -> tuple[Arrays, dict[str, str]]:
    (length,) = struct.unpack("<Q", raw[:8].tobytes())
    if length > min(LONGEST_HEADER, len(raw) - 8):
        raise ValueError("it is cut short")
    header = json.loads(raw[8 : 8 + length].tobytes())
    about = header.pop("__metadata__", {})
    data, end = raw[8 + length :], 0
    arrays = {}
    for name in sorted(header, key=lambda name: header[name]["data_offsets"]):
        start, stop = header[name]["data_offsets"]
        if start != end or stop > len(data):
            raise ValueError("it is cut short")
        part = data[start:stop].view(TYPES[header[name]["dtype"]])
        arrays[name] = part.reshape(header[name]["shape"])
        end = stop
    if end != len(data):
        raise ValueError("it is longer than it should be")
    return arrays, about


def _plain(array: np.ndarray) -> np.ndarray:
    """Return the array little-endian and in one piece; no copy where it is so already."""
    if array.dtype.name not in NAMES:
        raise TypeError(f"arrays of the type {array.dtype} cannot be stored")
    plain = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return plain if plain.flags.c_contiguous else np.ascontiguousarray(plain)


def _bytes(array: np.ndarray) -> memoryview:
    return array.reshape(-1).view(np.uint8).data
