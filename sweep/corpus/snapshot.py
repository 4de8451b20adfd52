"""A snapshot: what a corpus held at one time, small enough to keep beside the results.

It has the corpus's hash, counts and lengths, versions, a digest of every document and query, every
label, and the text of every span: enough to say later what has changed and which labels are stale.
It holds no time, so the same corpus gives the same bytes.
"""

import hashlib
import json
import os
import platform
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sweep.corpus.jsonl import read_json
from sweep.corpus.read import read_corpus
from sweep.corpus.readers.beir import SNAPSHOT_FILE
from sweep.errors import CorpusError
from sweep.records import Corpus, Document, Query
from sweep.text_lines import shorten

_AGAIN = "Make it again: sweep corpus snapshot DIR --force."
FORMAT = 1
_LENGTHS = {"min": 0.0, "median": 0.5, "p95": 0.95, "max": 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanLabel:
    """One span of a snapshot, with the text that stood there."""

    query: str
    document: str
    start: int
    end: int
    grade: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a corpus held.

    Attributes:
        name, hash: of the corpus.
        documents, queries: digest by id.
        labels: grade by (query id, document id).
        spans: every span.
        texts: text by document id; None if only the snapshot is there.
    """

    name: str
    hash: str
    documents: Mapping[str, str]
    queries: Mapping[str, str]
    labels: Mapping[tuple[str, str], int]
    spans: tuple[SpanLabel, ...]
    texts: Mapping[str, str] | None = None


def take_snapshot(corpus: Corpus) -> Snapshot:
    """Return the snapshot of a corpus that is at hand."""
    texts = {document.id: document.text for document in corpus.documents}
    return Snapshot(
        name=corpus.name,
        hash=corpus.hash,
        documents={document.id: _digest(document) for document in corpus.documents},
        queries={query.id: _digest(query) for query in corpus.queries},
        labels={
            (query, document): grade
            for query, grades in corpus.qrels.items()
            for document, grade in grades.items()
        },
        spans=tuple(
            SpanLabel(
                query=span.query_id,
                document=span.document_id,
                start=span.start,
                end=span.end,
                grade=span.grade,
                text=texts[span.document_id][span.start : span.end],
            )
            for span in corpus.spans
        ),
        texts=texts,
    )


def snapshot_content(corpus: Corpus, *, version: str) -> dict[str, Any]:
    """Return a snapshot as it is written.

    Args:
        corpus: what to freeze.
        version: of sweep.
    """
    taken = take_snapshot(corpus)
    return {
        "format": FORMAT,
        "name": taken.name,
        "hash": taken.hash,
        "versions": {
            "sweep": version,
            "python": platform.python_version(),
            "unicode": unicodedata.unidata_version,
        },
        "counts": {
            "documents": len(taken.documents),
            "queries": len(taken.queries),
            "judgements": len(taken.labels),
            "spans": len(taken.spans),
        },
        "lengths": {
            "document_characters": _lengths([len(d.text) for d in corpus.documents]),
            "document_words": _lengths([len(d.text.split()) for d in corpus.documents]),
            "query_words": _lengths([len(q.text.split()) for q in corpus.queries]),
        },
        "documents": dict(taken.documents),
        "queries": dict(taken.queries),
        "labels": [[query, document, grade] for (query, document), grade in taken.labels.items()],
        "spans": [
            [one.query, one.document, one.start, one.end, one.grade, one.text]
            for one in taken.spans
        ],
    }


def read_snapshot(path: Path) -> Snapshot:
    """Return a snapshot that was written.

    Raises: CorpusError if the file is no snapshot, or one of a later version.
    """
    try:
        content = read_json(path)
    except CorpusError as error:
        if not path.is_file():
            raise
        raise _no_snapshot(path, "a file that is no JSON") from error
    if not isinstance(content, dict):
        raise _no_snapshot(path, shorten(content) if content is not None else "null")
    if content.get("format") != FORMAT:
        raise _no_snapshot(path, f"format {shorten(content.get('format'))}")
    names = ("query", "document", "start", "end", "grade", "text")
    try:
        return Snapshot(
            name=str(content["name"]),
            hash=str(content["hash"]),
            documents=dict(content["documents"]),
            queries=dict(content["queries"]),
            labels={(query, document): grade for query, document, grade in content["labels"]},
            spans=tuple(
                SpanLabel(**dict(zip(names, span, strict=True))) for span in content["spans"]
            ),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorpusError(
            f"{path}: must be a whole snapshot, got one that lacks or garbles {error}. {_AGAIN}"
        ) from error


def _no_snapshot(path: Path, got: str) -> CorpusError:
    return CorpusError(f"{path}: must be a snapshot of format {FORMAT}, got {got}. {_AGAIN}")


def write_snapshot(folder: Path, *, version: str, replace: bool = False) -> dict[str, Any]:
    """Freeze a corpus folder in its `snapshot.json`, and return what is written.

    A snapshot of the same content is left as it is.

    Args:
        folder: a corpus folder.
        version: of sweep.
        replace: take the place of a snapshot of other content.
    Raises: CorpusError if the folder is no corpus, there is a snapshot of other content, or the
        disk refuses.
    """
    path = folder / SNAPSHOT_FILE
    content = snapshot_content(read_corpus(folder), version=version)
    if path.exists() and not replace:
        known = read_snapshot(path).hash
        if known != content["hash"]:
            raise CorpusError(
                f"{path}: must be of what the folder holds, got one of other content "
                f"({known[:12]}, now {content['hash'][:12]}). See what has changed by `sweep "
                f"corpus diff {path} {folder}`, or give --force to freeze anew."
            )
        return content
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)
    part = path.with_name(f".{SNAPSHOT_FILE}-{os.getpid()}")
    try:
        part.write_text(f"{text}\n", encoding="utf-8", newline="\n")
        part.replace(path)
    except OSError as error:
        raise CorpusError(
            f"{path}: must be writable, got {error.strerror or error}. Free some space, or copy "
            "the folder."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return content


def open_snapshot(path: Path) -> Snapshot:
    """Return the snapshot of a corpus folder as it is now, or one that was written.

    A written one whose folder still holds what it says comes with the documents' texts.

    Raises: CorpusError if it is neither.
    """
    if path.is_dir():
        return take_snapshot(read_corpus(path, check=False))
    frozen = read_snapshot(path)
    try:
        now = take_snapshot(read_corpus(path.parent, check=False))
    except CorpusError:
        return frozen
    return now if now.hash == frozen.hash else frozen


def _digest(record: Document | Query) -> str:
    title = record.title if isinstance(record, Document) else None
    content = [title, record.text, dict(record.metadata)]
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _lengths(values: list[int]) -> dict[str, float]:
    points = np.quantile(values, list(_LENGTHS.values()))
    named = {name: float(point) for name, point in zip(_LENGTHS, points, strict=True)}
    return {"mean": float(np.mean(values)), **named}
