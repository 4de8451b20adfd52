"""Writing small corpus folders for tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sweep.records import Corpus, Document, Query

HEADER = "query-id\tcorpus-id\tscore\n"
ANT_AND_BEE = [{"_id": "d1", "text": "ant"}, {"_id": "d2", "text": "bee"}]
ONE_QUERY = [{"_id": "q1", "text": "which one?"}]


def write_corpus(
    folder: Path,
    *,
    corpus: Sequence[Mapping[str, Any]] | str | bytes = ANT_AND_BEE,
    queries: Sequence[Mapping[str, Any]] | str | bytes = ONE_QUERY,
    qrels: str | bytes | None = HEADER + "q1\td1\t1\n",
    spans: Sequence[Mapping[str, Any]] | str | bytes | None = None,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    files = {"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels_spans.jsonl": spans}
    for name, content in files.items():
        if content is not None:
            (folder / name).write_bytes(to_bytes(content))
    if qrels is not None:
        (folder / "qrels.tsv").write_bytes(to_bytes(qrels))
    return folder


def to_bytes(content: Sequence[Mapping[str, Any]] | str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode()
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in content).encode()


def corpus_of(
    texts: Sequence[str],
    *,
    titles: Sequence[str] | None = None,
    qrels: Mapping[str, Mapping[str, int]] | None = None,
) -> Corpus:
    """Return a corpus in memory: documents d0000, d0001 ..., one query per entry of `qrels`."""
    titles = titles or [""] * len(texts)
    return Corpus(
        documents=tuple(
            Document(id=f"d{number:04}", text=text, title=title)
            for number, (text, title) in enumerate(zip(texts, titles, strict=True))
        ),
        queries=tuple(Query(id=id_, text=f"about {id_}") for id_ in qrels or {}),
        qrels=qrels or {},
        spans=(),
        hash="0" * 64,
        name="made",
    )
