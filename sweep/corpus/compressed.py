"""The bytes of a file, unpacked where it is compressed: gzip, bzip2, xz and Zstandard.

What a file is, its first bytes say, not its name.
"""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path
from typing import IO, Any, cast

from sweep.errors import CorpusError

ENDINGS = (".gz", ".bz2", ".xz", ".zst")
_LONGEST_MARK = 10
_FAULTS = (EOFError, zlib.error, lzma.LZMAError, ValueError)


def read_bytes(path: Path, limit: int = -1) -> bytes:
    """Return the unpacked bytes of a file, or the first `limit` of them.

    Raises: CorpusError if it cannot be read, is damaged, or is an archive of several files.
    """
    try:
        with path.open("rb") as plain:
            mark = plain.read(_LONGEST_MARK)
            plain.seek(0)
            with _unpacked(plain, mark) as file:
                return bytes(file.read(limit)) if limit >= 0 else bytes(file.read())
    except (OSError, *_FAULTS) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise CorpusError(
            f"{path}: must be a readable file, got '{reason}'. Check the path and its permissions,"
            " and whether it was copied whole."
        ) from error


def bare_name(path: Path) -> str:
    """Return a file's name in lower case without the ending of a compression."""
    name = path.name.lower()
    return next((name.removesuffix(end) for end in ENDINGS if name.endswith(end)), name)


def find_file(folder: Path, name: str) -> Path:
    """Return `folder/name`, or what is there of it in compressed form."""
    plain = folder / name
    packed = (folder / f"{name}{ending}" for ending in ENDINGS)
    return next((path for path in (plain, *packed) if path.is_file()), plain)


def _unpacked(plain: IO[bytes], mark: bytes) -> IO[bytes]:
    if mark.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.GzipFile(fileobj=plain))
    if mark.startswith(b"BZh") and mark[4:] == b"1AY&SY":
        return bz2.BZ2File(plain)
    if mark.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(plain)
    if mark.startswith(b"\x28\xb5\x2f\xfd"):
        return _zstandard(plain)
    return plain


def _zstandard(plain: IO[bytes]) -> IO[bytes]:
    import pyarrow as pa

    file: Any = pa.CompressedInputStream(pa.PythonFile(plain, mode="r"), "zstd")
    return cast(IO[bytes], file)
