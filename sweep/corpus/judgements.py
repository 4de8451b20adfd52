"""Joining judgements of documents, spans and answer texts with the documents and queries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sweep.corpus.answers import find_answer
from sweep.corpus.found import Answer, Dropped, Found, Judgement
from sweep.corpus.unknown_ids import Entry, Key, drop_unknown
from sweep.errors import CorpusError
from sweep.records import Document, Notice, Query, Span
from sweep.text_lines import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What is judged, with what does not fit the corpus left out.

    Attributes:
        qrels: grade by document id, by query id; queries in file order, documents by id. A pair
            that has only spans gets their highest grade.
        spans: sorted by query position, document id, start and end.
        notices: repeats, judgements of unknown ids, answers that stand elsewhere.
        dropped: every judgement that is left out.
    """

    qrels: dict[str, dict[str, int]]
    spans: tuple[Span, ...]
    notices: tuple[Notice, ...]
    dropped: tuple[Dropped, ...]


def join_judgements(
    found: Iterable[Found],
    *,
    documents: Iterable[Document],
    queries: Iterable[Query],
    where: str,
    check: bool = True,
) -> Judgements:
    """Join what readers found.

    Args:
        found: judgements, spans and answers; the files' own order.
        documents: what may be judged.
        queries: what it may be judged for.
        where: what was read, for messages.
        check: whether judgements must fit; off, spans may lie anywhere (to see what is stale).
    Raises: CorpusError if there is no judgement, a pair has two grades, a span does not lie inside
        its document's text, or no judgement of a file fits the corpus.
    """
    texts = {document.id: document.text for document in documents}
    positions = {query.id: position for position, query in enumerate(queries)}
    notices: list[Notice] = []
    dropped: list[Dropped] = []
    grades: dict[Key, Entry] = {}
    spans: dict[Key, Entry] = {}
    for (file, is_span), entries in _by_file(found, texts, notices, dropped).items():
        unique = _unique(entries, notices, dropped)
        known = drop_unknown(
            file,
            unique,
            documents=texts,
            queries=positions,
            notices=notices,
            dropped=dropped,
            check=check,
        )
        _add(known, spans if is_span else grades)
    checked = [_span(entry, texts, check=check) for entry in spans.values()]
    _check_texts(spans.values(), texts, notices)
    if check and not grades and not checked:
        raise CorpusError(
            f"{where}: must hold judgements, got none (looked for qrels and for spans). Write "
            "`query-id<TAB>corpus-id<TAB>score` lines to qrels/test.tsv."
        )
    checked.sort(key=lambda s: (positions[s.query_id], s.document_id, s.start, s.end))
    return Judgements(
        qrels=_join(grades, checked, positions),
        spans=tuple(checked),
        notices=tuple(notices),
        dropped=tuple(dropped),
    )


def _check_texts(spans: Iterable[Entry], texts: Mapping[str, str], notices: list[Notice]) -> None:
    """Notice spans that do not hold the text that their line says; adds to `notices`."""
    wrong = []
    for entry in spans:
        document_id, start, end = entry.key[1:]
        held = texts[str(document_id)][int(start) : int(end)]
        if entry.text is not None and entry.text.split() != held.split():
            wrong.append((entry, held))
    if wrong:
        first, held = wrong[0]
        text = (
            f"{len(wrong)} spans do not hold their 'text' (e.g. line {first.place.at}: "
            f"{shorten(held)} stands there, not {shorten(first.text)}): offsets count code points "
            f"of the field 'text' of this version of the document"
        )
        notices.append(Notice(where=first.place.name, text=text))


def _by_file(
    found: Iterable[Found],
    texts: Mapping[str, str],
    notices: list[Notice],
    dropped: list[Dropped],
) -> dict[tuple[str, bool], list[Entry]]:
    """Return the entries of each file, those of documents and of spans apart."""
    files: dict[tuple[str, bool], list[Entry]] = {}
    for one in found:
        item = one.item
        key: Key
        if isinstance(item, Judgement):
            key = (item.query_id, item.document_id)
        elif isinstance(item, Span):
            key = (item.query_id, item.document_id, item.start, item.end)
        elif isinstance(item, Answer):
            start = find_answer(item, one.place, texts, notices, dropped)
            if start is None:
                continue
            key = (item.query_id, item.document_id, start, start + len(item.text))
        else:
            continue
        entry = Entry(place=one.place, key=key, grade=item.grade, text=one.text)
        files.setdefault((one.place.file, len(key) == 4), []).append(entry)
    return files


def _unique(
    entries: list[Entry], notices: list[Notice], dropped: list[Dropped]
) -> dict[Key, Entry]:
    """Return each entry once by what it judges; equal repeats are told, others refused."""
    unique: dict[Key, Entry] = {}
    repeats = []
    for entry in entries:
        known = unique.setdefault(entry.key, entry)
        _refuse_two_grades(entry, known)
        if known is not entry:
            repeats.append(entry)
            why = f"repeats {known.place.seen_from(entry.place)}; taken once"
            name = " ".join(str(part) for part in entry.key)
            dropped.append(Dropped(entry.place, name, why))
    if repeats:
        where = repeats[0].place.seen_from(repeats[0].place)
        text = f"{len(repeats)} judgements repeat an earlier line (e.g. {where})"
        notices.append(Notice(where=repeats[0].place.name, text=f"{text}; taken once"))
    return unique


def _refuse_two_grades(entry: Entry, known: Entry) -> None:
    if known.grade != entry.grade:
        raise CorpusError(
            f"{entry.place}: a pair must have one grade, got {entry.grade} for {entry.key} after "
            f"{known.grade} in {known.place.seen_from(entry.place)}. Remove one of them."
        )


def _add(entries: Mapping[Key, Entry], to: dict[Key, Entry]) -> None:
    """Add a file's entries; what another file says too must say the same."""
    for key, entry in entries.items():
        _refuse_two_grades(entry, to.setdefault(key, entry))


def _span(entry: Entry, texts: Mapping[str, str], *, check: bool) -> Span:
    key = entry.key
    query_id, document_id, start, end = str(key[0]), str(key[1]), int(key[2]), int(key[3])
    text = texts[document_id]
    if check and not (0 <= start < end <= len(text) and text[start:end].strip()):
        fault = "a blank passage" if 0 <= start < end <= len(text) else f"[{start}, {end})"
        raise CorpusError(
            f"{entry.place}: a span must hold text and lie in [0, {len(text)}) of "
            f"{shorten(document_id)}, got {fault}. Count code points of the field 'text'."
        )
    return Span(
        query_id=query_id, document_id=document_id, start=start, end=end, grade=entry.grade
    )


def _join(
    grades: Mapping[Key, Entry], spans: Iterable[Span], positions: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """Return grade by document, by query; pairs without a grade take their best span's."""
    best: dict[tuple[str, str], int] = {}
    for span in spans:
        pair = (span.query_id, span.document_id)
        best[pair] = max(best.get(pair, span.grade), span.grade)
    best.update({(str(key[0]), str(key[1])): one.grade for key, one in grades.items()})
    qrels: dict[str, dict[str, int]] = {}
    for query_id, document_id in sorted(best, key=lambda pair: (positions[pair[0]], pair[1])):
        qrels.setdefault(query_id, {})[document_id] = best[query_id, document_id]
    return qrels
