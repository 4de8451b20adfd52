"""Bytes to text: encodings, byte order marks, compression; what is no text is told."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from sweep.corpus import read_corpus
from sweep.corpus.compressed import bare_name
from sweep.corpus.text_file import peek_text, read_lines, read_text
from sweep.errors import CorpusError
from tests.corpus_files import write_corpus

TEXT = "naïve café\r\n数据\u2028x\n"


def zst(data: bytes) -> bytes:
    packed: bytes = pa.compress(data, codec="zstd", asbytes=True)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zst,
}


def error(path: Path, data: bytes, encoding: str | None = None) -> str:
    path.write_bytes(data)
    with pytest.raises(CorpusError) as caught:
        read_text(path, encoding=encoding)
    return str(caught.value)


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_is_what_is_in_it(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.txt{ending}"
    path.write_bytes(PACKERS[ending](TEXT.encode()))
    assert read_text(path) == peek_text(path) == TEXT
    assert bare_name(path) == "x.txt"
    path.rename(tmp_path / "unnamed")
    assert read_text(tmp_path / "unnamed") == TEXT


@pytest.mark.parametrize("ending", PACKERS)
def test_a_compressed_file_that_is_cut_is_refused(tmp_path: Path, ending: str) -> None:
    packed = PACKERS[ending](TEXT.encode() * 50)
    assert "must be a readable file" in error(tmp_path / "x", packed[:-9])


def test_several_packed_parts_are_read_one_after_the_other(tmp_path: Path) -> None:
    for ending, pack in PACKERS.items():
        path = tmp_path / f"x{ending}"
        path.write_bytes(pack(b"a\n") + pack(b"b\n"))
        assert read_text(path) == "a\nb\n", ending


def test_the_files_of_a_corpus_folder_may_be_compressed(tmp_path: Path) -> None:
    plain = read_corpus(write_corpus(tmp_path / "c"))
    for path in sorted((tmp_path / "c").iterdir()):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert read_corpus(tmp_path / "c").hash == plain.hash


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_decides(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "x"
    path.write_bytes(TEXT.encode(encoding))
    assert read_text(path) == peek_text(path) == TEXT
    assert list(read_lines(path)) == [(1, "naïve café"), (2, "数据\u2028x")]


def test_an_encoding_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes("naïve\n".encode("cp1252"))
    assert read_text(path, encoding="cp1252") == "naïve\n"
    path.write_bytes("数据".encode("utf-32"))
    assert read_text(path, encoding="utf-32") == "数据"


@pytest.mark.parametrize(
    ("data", "encoding", "says"),
    [
        (b"a\nb\xe9\n", None, "x:2: must be UTF-8, got byte 0xe9 at byte offset 3"),
        ("a\n\ud800".encode("utf-16", "surrogatepass"), None, "x:2: must be UTF-16-LE, got byte"),
        ("ab".encode("utf-32"), None, "x:1: must be UTF-8, got byte 0xff at byte offset 0"),
        (b"a\n\x81", "cp1252", "x:2: must be CP1252, got byte 0x81 at byte offset 2"),
        (b"a", "klingon", "--encoding: must name an encoding of texts, got 'klingon'"),
        (b"a", "hex", "--encoding: must name an encoding of texts, got 'hex'"),
        (b"\\ud800", "raw_unicode_escape", "x: must be in raw_unicode_escape"),
    ],
)
def test_bytes_that_are_no_text_are_refused_with_their_line(
    tmp_path: Path, data: bytes, encoding: str | None, says: str
) -> None:
    assert says in error(tmp_path / "x", data, encoding)
