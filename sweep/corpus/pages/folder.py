"""Which files of a folder are pages, and which are left out, each with the reason."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sweep.corpus.compressed import bare_name, read_bytes
from sweep.corpus.fields import CUTTING
from sweep.corpus.text_file import PEEKED_BYTES
from sweep.errors import CorpusError

MARKDOWN = (".md", ".markdown")
HTML = (".html", ".htm", ".xhtml")
PLAIN = (".txt",)
PAGE_ENDINGS = (*MARKDOWN, *HTML, *PLAIN)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")  # UTF-16 (and UTF-32), in whose texts zeros are usual


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file that may be a page: its path, its id, and why it is left out (None: it is read)."""

    path: Path
    id: str
    left_out: str | None = None


def list_pages(folder: Path) -> Iterator[PageFile]:
    """Yield the files below a folder, sorted by id: the path in the folder with `/`.

    Hidden files and folders, empty and binary files, files with other endings, and names that
    cannot be ids are left out. Links to folders are not followed.
    """
    for path in sorted(_files(folder), key=lambda path: path.relative_to(folder).parts):
        id_ = path.relative_to(folder).as_posix()
        yield PageFile(path, id_, _reason(path, id_))


def holds_pages(folder: Path) -> bool:
    """Return whether some file below a folder has the ending of a page and is not hidden."""
    return any(
        bare_name(path).endswith(PAGE_ENDINGS) and not _is_hidden(path.relative_to(folder).parts)
        for path in _files(folder)
    )


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        hidden = [name for name in folders if _is_hidden([name])]
        yield from (Path(place, name) for name in hidden)
        folders[:] = [name for name in folders if name not in hidden]
        yield from (Path(place, name) for name in names)


def _is_hidden(parts: "list[str] | tuple[str, ...]") -> bool:
    return any(part.startswith((".", "~$")) for part in parts)


def _reason(path: Path, id_: str) -> str | None:
    if _is_hidden(id_.split("/")):
        return "hidden"
    if not bare_name(path).endswith(PAGE_ENDINGS):
        return f"not a page ({path.suffix.lower() or 'no ending'})"
    try:
        id_.encode()
    except UnicodeEncodeError:
        return "its name is not a text"
    if CUTTING.search(id_):
        return "its name holds a tab or a line end"
    if not path.is_file():
        return "a link to nothing" if path.is_symlink() else "not a file"
    try:
        head = read_bytes(path, PEEKED_BYTES)
    except CorpusError:
        return "not readable"
    if not head.strip():
        return "empty"
    if b"\0" in head and not head.startswith(_WIDE_MARKS):
        return "binary"
    return None
