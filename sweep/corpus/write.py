"""Writing a corpus as a folder in our layout: whole or not at all, and read again to prove it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sweep.corpus.read import read_corpus
from sweep.corpus.readers.beir import (
    DOCUMENTS_FILE,
    PREFERRED,
    QRELS_FOLDER,
    QUERIES_FILE,
    SNAPSHOT_FILE,
    SPANS_FILE,
)
from sweep.errors import CorpusError
from sweep.records import Corpus, Document, Query
from sweep.whole_folder import whole_folder

BEFORE = ".before-"  # between the name of a folder and the hash of what it held before
CONVERSION_FILE = "conversion.json"
UNRESOLVED_FILE = "unresolved.csv"  # rows of questions of which something could not be resolved
OURS = frozenset(
    {DOCUMENTS_FILE, QUERIES_FILE, f"{QRELS_FOLDER}/{PREFERRED}", SPANS_FILE}
    | {CONVERSION_FILE, SNAPSHOT_FILE, UNRESOLVED_FILE}
)


def write_corpus(
    corpus: Corpus,
    out: Path,
    *,
    replace: bool = False,
    about: Mapping[str, Any] | None = None,
    unresolved: str | None = None,
) -> Path:
    """Write a corpus folder and return it.

    Args:
        corpus: what to write.
        out: the folder to make.
        replace: take the place of a corpus folder that was written so; anything else is left
            alone. A folder with other content is kept beside it, see `kept_at`.
        about: how it was made, for `conversion.json`.
        unresolved: what `unresolved.csv` holds; None: there is none.

    Raises: CorpusError if `out` holds something, or the disk refuses.
    """
    check_target(out, replace=replace)
    try:
        with whole_folder(out, keep=kept_at(out, corpus.hash)) as folder:
            _write_lines(folder / DOCUMENTS_FILE, map(_document, corpus.documents))
            _write_lines(folder / QUERIES_FILE, map(_query, corpus.queries))
            (folder / QRELS_FOLDER).mkdir()
            _write(folder / QRELS_FOLDER / PREFERRED, _qrels(corpus))
            if corpus.spans:
                _write_lines(folder / SPANS_FILE, _spans(corpus))
            if about is not None:
                text = json.dumps(about, ensure_ascii=False, indent=2, allow_nan=False)
                _write(folder / CONVERSION_FILE, [text, "\n"])
            if unresolved is not None:
                _write(folder / UNRESOLVED_FILE, [unresolved])
            written = read_corpus(folder).hash
            assert written == corpus.hash, "what was written is not what was read"
    except OSError as error:
        raise CorpusError(
            f"{out}: must be writable, got {error.strerror or error}. Free some space, or choose "
            "another folder."
        ) from error
    return out


def kept_at(out: Path, content: str) -> Path | None:
    """Return where what is in a corpus folder is kept once another corpus takes its place.

    Labels may have been added to it, and studies be recorded over it. Of a folder `mine` that is
    `mine.before-HASH`; one that cannot be read is kept as well.

    Args:
        out: the folder.
        content: the hash of the corpus that takes its place.
    Returns: None where nothing is lost: nothing is there, or the same content is, or is kept.
    """
    if not out.is_dir() or not any(out.iterdir()):
        return None
    before = content_of(out)
    if before == content:
        return None
    stem = f"{out.name}{BEFORE}{(before or 'unread')[:12]}"
    number, kept = 1, out.with_name(stem)
    while kept.exists():
        if before is not None and content_of(kept) == before:
            return None
        number += 1
        kept = out.with_name(f"{stem}-{number}")
    return kept


def content_of(folder: Path) -> str | None:
    """Return the hash of a corpus folder's content, None if it cannot be read as one."""
    try:
        return read_corpus(folder).hash
    except CorpusError:
        return None


def check_target(out: Path, *, replace: bool) -> None:
    """Refuse a folder that holds something, unless it is a corpus of ours that may be replaced.

    Raises: CorpusError.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    files = [path for path in out.rglob("*") if not path.is_dir()] if out.is_dir() else [out]
    names = {path.relative_to(out).as_posix() for path in files}
    others = sorted(names - OURS)
    if others or not replace:
        what = f"holds other files ({others[0]})" if others else "holds a corpus"
        advice = "It is left alone" if others else "Give --force to replace it"
        raise CorpusError(
            f"--out: must be a new folder, got {str(out)!r}, which {what}. {advice}, or choose "
            "another folder."
        )


def _document(document: Document) -> dict[str, Any]:
    record: dict[str, Any] = {"_id": document.id, "title": document.title, "text": document.text}
    return record | ({"metadata": dict(document.metadata)} if document.metadata else {})


def _query(query: Query) -> dict[str, Any]:
    record: dict[str, Any] = {"_id": query.id, "text": query.text}
    return record | ({"metadata": dict(query.metadata)} if query.metadata else {})


def _qrels(corpus: Corpus) -> Iterator[str]:
    yield "query-id\tcorpus-id\tscore\n"
    for query_id, grades in corpus.qrels.items():
        for document_id, grade in grades.items():
            yield f"{query_id}\t{document_id}\t{grade}\n"


def _spans(corpus: Corpus) -> Iterator[dict[str, Any]]:
    for span in corpus.spans:
        yield {
            "query-id": span.query_id,
            "corpus-id": span.document_id,
            "start": span.start,
            "end": span.end,
            "score": span.grade,
        }


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    _write(path, (f"{json.dumps(r, ensure_ascii=False, allow_nan=False)}\n" for r in records))


def _write(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)
