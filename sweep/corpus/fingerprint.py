"""The hash of a corpus: what is in it, not how its files are written."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping

from sweep.records import Document, Query, Span


def hash_content(
    *,
    documents: Iterable[Document],
    queries: Iterable[Query],
    qrels: Mapping[str, Mapping[str, int]],
    spans: Iterable[Span],
) -> str:
    """Return the SHA-256 (64 hex digits) of a canonical serialisation of all content.

    One JSON line per record, keys sorted, pure ASCII, the lines of each kind in sorted order: so
    it depends on neither file order, folder, line ends nor key order.
    """
    digest = hashlib.sha256()
    kinds = (_documents(documents), _queries(queries), _grades(qrels), _spans(spans))
    for kind in kinds:
        lines = sorted(json.dumps(record, sort_keys=True, allow_nan=False) for record in kind)
        digest.update(f"{len(lines)}\n".encode())
        for line in lines:
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _documents(documents: Iterable[Document]) -> Iterator[object]:
    return ([one.id, one.title, one.text, dict(one.metadata)] for one in documents)


def _queries(queries: Iterable[Query]) -> Iterator[object]:
    return ([one.id, one.text, dict(one.metadata)] for one in queries)


def _grades(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[object]:
    for query_id, grades in qrels.items():
        for document_id, grade in grades.items():
            yield [query_id, document_id, grade]


def _spans(spans: Iterable[Span]) -> Iterator[object]:
    return ([s.query_id, s.document_id, s.start, s.end, s.grade] for s in spans)
