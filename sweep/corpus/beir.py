"""Reading a corpus folder in BEIR form into a `Corpus`.

`corpus.jsonl` (`_id`, `title`, `text`, any other field is metadata), `queries.jsonl` (`_id`,
`text`), judgements in `qrels/*.tsv` or `qrels.tsv`, and optional answer spans in
`qrels_spans.jsonl`.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeVar

from sweep.corpus.fields import read_id, read_metadata, read_text, read_title
from sweep.corpus.fingerprint import hash_content
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.judgements import read_judgements
from sweep.corpus.notices import find_notices
from sweep.errors import CorpusError
from sweep.records import Corpus, Document, Notice, Query

DOCUMENTS_FILE = "corpus.jsonl"
QUERIES_FILE = "queries.jsonl"


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_HasId)


def read_corpus(folder: Path, *, qrels: str | None = None) -> Corpus:
    """Read and check a corpus folder.

    Args:
        folder: holds `corpus.jsonl`, `queries.jsonl` and judgements of documents (`qrels/*.tsv`
            or `qrels.tsv`), of spans (`qrels_spans.jsonl`), or both.
        qrels: which judgement file to take, for example `dev` or `dev.tsv`; None takes
            `qrels/test.tsv`, or the only one there is.
    Returns: documents sorted by id, queries in file order, judgements that name a known query and
        document; everything else worth knowing is in `notices`.
    Raises: CorpusError if a file is missing or malformed, ids clash, there is nothing to search or
        to ask, or no judgement fits; the text names file and line.
    """
    if not folder.is_dir():
        raise CorpusError(
            f"{folder}: must be a folder with {DOCUMENTS_FILE}, {QUERIES_FILE} and qrels/, got "
            f"{'a file' if folder.exists() else 'nothing there'}. Check the path."
        )
    documents, document_notices = _read_documents(folder / DOCUMENTS_FILE)
    queries, query_notices = _read_queries(folder / QUERIES_FILE)
    judged = read_judgements(folder, name=qrels, documents=documents, queries=queries)
    digest = hash_content(
        documents=documents, queries=queries, qrels=judged.qrels, spans=judged.spans
    )
    return Corpus(
        documents=documents,
        queries=queries,
        qrels=judged.qrels,
        spans=judged.spans,
        hash=digest,
        name=folder.resolve().name,
        notices=(
            *document_notices,
            *query_notices,
            *judged.notices,
            *find_notices(documents, queries, judged.qrels),
        ),
    )


def _read_documents(path: Path) -> tuple[tuple[Document, ...], list[Notice]]:
    used = frozenset({"_id", "title", "text"})
    records = []
    for number, record in read_jsonl(_existing(path)):
        where = f"{path}:{number}"
        id_ = read_id(record, "_id", where=where)
        document = Document(
            id=id_,
            text=read_text(record, where=where, id=id_),
            title=read_title(record, where=where, id=id_),
            metadata=read_metadata(record, used=used),
        )
        records.append((number, document))
    documents, notices = _unique(records, path)
    if not documents:
        raise CorpusError(f"{path}: must hold documents, got an empty file. Check the export.")
    if not any(document.text.strip() or document.title.strip() for document in documents):
        raise CorpusError(
            f"{path}: must hold a document with text, got {len(documents)} with no text at all. "
            "Check the extraction (blank pages, missing OCR)."
        )
    return tuple(sorted(documents, key=lambda document: document.id)), notices


def _read_queries(path: Path) -> tuple[tuple[Query, ...], list[Notice]]:
    used = frozenset({"_id", "text"})
    records = []
    for number, record in read_jsonl(_existing(path)):
        where = f"{path}:{number}"
        id_ = read_id(record, "_id", where=where)
        text = read_text(record, where=where, id=id_)
        records.append(
            (number, Query(id=id_, text=text, metadata=read_metadata(record, used=used)))
        )
    queries, notices = _unique(records, path)
    if not queries:
        raise CorpusError(f"{path}: must hold queries, got an empty file. Add questions.")
    return tuple(queries), notices


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise CorpusError(
            f"{path.parent}: must hold a file {path.name}, got no such file. "
            "Check the folder, or make one with `sweep init`."
        )
    return path


def _unique(records: Iterable[tuple[int, R]], path: Path) -> tuple[list[R], list[Notice]]:
    """Return each record once, in file order; equal repeats are noticed, others refused."""
    first: dict[str, tuple[int, R]] = {}
    notices = []
    for number, record in records:
        known_number, known = first.setdefault(record.id, (number, record))
        if known_number == number:
            continue
        if known != record:
            raise CorpusError(
                f"{path}:{number}: ids must be unique, got {record.id!r} again with other content "
                f"(first in line {known_number}). Remove or rename one of them."
            )
        text = f"{record.id!r} repeats line {known_number} unchanged; taken once"
        notices.append(Notice(where=f"{path.name}:{number}", text=text))
    return [record for _, record in first.values()], notices
