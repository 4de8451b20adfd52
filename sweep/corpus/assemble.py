"""From what readers found to a `Corpus`: the rules that hold for every format."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sweep.corpus.fingerprint import hash_content
from sweep.corpus.found import ColumnsRead, Dropped, Finding, Found, Place
from sweep.corpus.judgements import join_judgements
from sweep.corpus.notices import find_notices
from sweep.errors import CorpusError
from sweep.records import Corpus, Document, Notice, Query
from sweep.text_lines import shorten

LONGEST_DOCUMENT = 10_000_000  # characters: a tokenised one takes some 150 bytes for each


class _HasId(Protocol):
    @property
    def id(self) -> str: ...


R = TypeVar("R", bound=_HasId)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A corpus, and what became of the records that are not in it."""

    corpus: Corpus
    dropped: tuple[Dropped, ...]


def assemble(
    findings: Iterable[Finding], *, name: str, where: str, check: bool = True
) -> Assembled:
    """Join what readers found into a corpus.

    Args:
        findings: documents, queries, judgements, spans, answers and notices in any order.
        name: of the corpus.
        where: what was read, for messages.
        check: whether judgements must fit the documents; see `join_judgements`.
    Returns: documents sorted by id, queries in the order found, judgements of known queries and
        documents; everything else worth knowing is in the corpus's `notices`.
    Raises: CorpusError if ids clash, there is nothing to search or to ask, or no judgement fits.
    """
    documents, queries, judged, read_notices = _sort(findings)
    dropped: list[Dropped] = []
    unique_documents = _documents(documents, where, dropped)
    unique_queries = _unique(queries, dropped)
    if not unique_queries:
        raise CorpusError(f"{where}: must hold queries, got none. Add the questions' file.")
    repeats = [
        Notice(where=f"{d.place.name}:{d.place.at}", text=f"{d.id!r} {d.why}") for d in dropped
    ]
    judgements = join_judgements(
        judged, documents=unique_documents, queries=unique_queries, where=where, check=check
    )
    digest = hash_content(
        documents=unique_documents,
        queries=unique_queries,
        qrels=judgements.qrels,
        spans=judgements.spans,
    )
    found_notices = find_notices(unique_documents, unique_queries, judgements.qrels)
    corpus = Corpus(
        documents=unique_documents,
        queries=unique_queries,
        qrels=judgements.qrels,
        spans=judgements.spans,
        hash=digest,
        name=name,
        notices=(*read_notices, *repeats, *judgements.notices, *found_notices),
    )
    return Assembled(corpus=corpus, dropped=(*dropped, *judgements.dropped))


def _sort(
    findings: Iterable[Finding],
) -> tuple[list[tuple[Place, Document]], list[tuple[Place, Query]], list[Found], list[Notice]]:
    """Return the documents, the queries, what is judged, and the notices."""
    documents: list[tuple[Place, Document]] = []
    queries: list[tuple[Place, Query]] = []
    judged: list[Found] = []
    notices: list[Notice] = []
    for one in findings:
        if isinstance(one, Notice):
            notices.append(one)
        elif isinstance(one, ColumnsRead):
            continue
        elif isinstance(one.item, Document):
            documents.append((one.place, one.item))
        elif isinstance(one.item, Query):
            queries.append((one.place, one.item))
        else:
            judged.append(one)
    return documents, queries, judged, notices


def _documents(
    records: list[tuple[Place, Document]], where: str, dropped: list[Dropped]
) -> tuple[Document, ...]:
    documents = _unique(records, dropped)
    if not documents:
        raise CorpusError(
            f"{where}: must hold documents, got none. Add the file with the documents' texts: "
            "labels alone cannot be searched."
        )
    _refuse_huge(records)
    if not any(document.text.strip() or document.title.strip() for document in documents):
        raise CorpusError(
            f"{records[0][0].file}: must hold a document with text, got {len(documents)} with no "
            "text at all. Check the extraction (blank pages, missing OCR)."
        )
    return tuple(sorted(documents, key=lambda document: document.id))


def _refuse_huge(records: list[tuple[Place, Document]]) -> None:
    for place, document in records:
        if len(document.text) > LONGEST_DOCUMENT:
            raise CorpusError(
                f"{place}: a document must hold at most {LONGEST_DOCUMENT:,} characters, got "
                f"{shorten(document.id)} with {len(document.text):,}. Split it into its parts "
                "(chapters, messages), each with an id of its own."
            )


def _unique(records: Iterable[tuple[Place, R]], dropped: list[Dropped]) -> tuple[R, ...]:
    """Return each record once, in the order found; equal repeats are told, others refused."""
    first: dict[str, tuple[Place, R]] = {}
    for place, record in records:
        known_place, known = first.setdefault(record.id, (place, record))
        if known_place is place:
            continue
        seen = known_place.seen_from(place)
        if known != record:
            raise CorpusError(
                f"{place}: ids must be unique, got {shorten(record.id)} again with other content "
                f"(first in {seen}). Remove or rename one of them."
            )
        dropped.append(Dropped(place, record.id, f"repeats {seen} unchanged; taken once"))
    return tuple(record for _, record in first.values())
