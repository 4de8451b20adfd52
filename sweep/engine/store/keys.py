"""Keys of stage outputs: a hash over everything that can change a bit of the output.

`VERSIONS` holds one number per stage; raise it when the stage's code gives other results.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from sweep.machine import version_of
from sweep.records import Document, Query

VERSIONS = {
    "offsets": 1,
    "chunks": 1,
    "terms": 1,
    "inputs": 1,
    "vectors": 2,
    "index": 1,
    "bm25_list": 2,
    "vector_list": 1,
    "pairs": 2,
    "costs": 1,
    "precision": 1,
    "latency": 2,
    "rate": 1,
    "examination": 1,
    "lost_queries": 1,
}


def stage_key(stage: str, params: Any, inputs: Sequence[str] = ()) -> str:
    """Return the key (64 hex digits) of one stage output.

    Args:
        stage: a name in `VERSIONS`.
        params: the stage's own parameters: a dataclass, or JSON-ready values.
        inputs: keys of the outputs it is made from, and whatever else can change a bit.
    """
    content = {
        "stage": stage,
        "version": VERSIONS[stage],
        "params": asdict(params) if is_dataclass(params) else params,  # type: ignore[arg-type]
        "inputs": list(inputs),
        "numpy": version_of("numpy"),
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def documents_key(documents: Sequence[Document]) -> str:
    """Return a hash of ids, titles and texts; labels, queries and metadata do not enter."""
    return _hash_rows([document.id, document.title, document.text] for document in documents)


def queries_key(queries: Sequence[Query]) -> str:
    """Return a hash of query ids and texts, in order."""
    return _hash_rows([query.id, query.text] for query in queries)


def row_key(content: bytes) -> bytes:
    """Return 16 bytes that identify one row of a row store."""
    return hashlib.blake2b(content, digest_size=16).digest()


def _hash_rows(rows: Any) -> str:
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=True).encode() + b"\n")
    return digest.hexdigest()
