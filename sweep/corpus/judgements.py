"""Reading judgements: grades of documents (`qrels/*.tsv`), answer spans (`qrels_spans.jsonl`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sweep.corpus.fields import is_integer, read_id, read_integer
from sweep.corpus.jsonl import read_jsonl, read_lines, shorten
from sweep.corpus.unknown_ids import Judgement, drop_unknown
from sweep.errors import CorpusError
from sweep.records import Document, Notice, Query, Span

SPANS_FILE = "qrels_spans.jsonl"
PREFERRED = "test.tsv"  # what BEIR calls the part that systems are compared on


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgements:
    """What the judgement files say, with what does not fit the corpus left out.

    Attributes:
        qrels: grade by document id, by query id; queries in file order, documents by id. A pair
            that has only spans gets their highest grade.
        spans: sorted by query position, document id, start and end.
        notices: repeats and judgements of unknown ids.
    """

    qrels: dict[str, dict[str, int]]
    spans: tuple[Span, ...]
    notices: tuple[Notice, ...]


def read_judgements(
    folder: Path, *, name: str | None, documents: Iterable[Document], queries: Iterable[Query]
) -> Judgements:
    """Read the judgements of a corpus folder.

    Args:
        folder: the corpus folder.
        name: the judgement file to take, with or without `.tsv`; None takes the usual one.
        documents: what may be judged.
        queries: what it may be judged for.
    Raises: CorpusError if there are no judgements, a file is malformed or contradicts itself, a
        span does not lie inside its document's text, or no judgement of a file fits the corpus.
    """
    texts = {document.id: document.text for document in documents}
    positions = {query.id: position for position, query in enumerate(queries)}
    notices: list[Notice] = []
    path = find_qrels(folder, name=name)
    grades = {} if path is None else _known(path, _read_qrels(path), texts, positions, notices)
    path = folder / SPANS_FILE
    raw = _known(path, _read_spans(path), texts, positions, notices) if path.is_file() else {}
    spans = [_span(key, entry, path=path, texts=texts) for key, entry in raw.items()]
    _check_texts(path, raw.values(), texts, notices)
    if not grades and not spans:
        raise CorpusError(
            f"{folder}: must hold judgements, got none (looked for qrels/*.tsv, qrels.tsv and "
            f"{SPANS_FILE}). Write `query-id<TAB>corpus-id<TAB>score` lines to qrels/test.tsv."
        )
    qrels = _join(grades, spans, positions)
    spans.sort(key=lambda s: (positions[s.query_id], s.document_id, s.start, s.end))
    return Judgements(qrels=qrels, spans=tuple(spans), notices=tuple(notices))


def find_qrels(folder: Path, *, name: str | None) -> Path | None:
    """Return the file of document judgements, None if there is none.

    Args:
        folder: the corpus folder.
        name: a file in `qrels/` or in the folder itself, `.tsv` optional; None takes the only
            file there is, or `qrels/test.tsv` of several in `qrels/`.
    Raises: CorpusError if the named file is missing, or several could be meant.
    """
    inside = sorted(path for path in (folder / "qrels").glob("*.tsv") if path.is_file())
    direct = [path for path in [folder / "qrels.tsv"] if path.is_file()]
    if name is not None:
        for place in (folder / "qrels", folder):
            for path in (place / name, place / f"{name}.tsv"):
                if path.is_file():
                    return path
    elif len(inside) + len(direct) <= 1:
        return next(iter([*inside, *direct]), None)
    elif not direct and folder / "qrels" / PREFERRED in inside:
        return folder / "qrels" / PREFERRED
    found = ", ".join(path.relative_to(folder).as_posix() for path in [*inside, *direct]) or "none"
    got = "several" if name is None else f"qrels={name!r}"
    raise CorpusError(
        f"{folder}: one file of judgements must be chosen, got {got} (found: {found}). "
        "Name one of them by qrels=."
    )


def _read_qrels(path: Path) -> list[Judgement]:
    judgements = []
    for number, line in read_lines(path):
        where = f"{path}:{number}"
        cells = line.split("\t")
        if len(cells) != 3:
            raise CorpusError(
                f"{where}: must have 3 cells separated by tabs (query-id, corpus-id, score), got "
                f"{len(cells)} in {shorten(line)}. Complete the line, or write it with tabs."
            )
        if number == 1 and not is_integer(cells[2]):
            continue  # a header
        grade = read_integer(cells[2], where=where, what="a score")
        judgements.append(Judgement(line=number, key=(cells[0], cells[1]), grade=grade))
    return judgements


def _read_spans(path: Path) -> list[Judgement]:
    judgements = []
    for number, record in read_jsonl(path):
        where = f"{path}:{number}"
        query_id = read_id(record, "query-id", where=where)
        document_id = read_id(record, "corpus-id", where=where)
        start, end, grade = (
            read_integer(record.get(field), where=where, what=repr(field))
            for field in ("start", "end", "score")
        )
        key = (query_id, document_id, start, end)
        text = record.get("text")
        told = text if isinstance(text, str) else None
        judgements.append(Judgement(line=number, key=key, grade=grade, text=told))
    return judgements


def _check_texts(
    path: Path, judgements: Iterable[Judgement], texts: Mapping[str, str], notices: list[Notice]
) -> None:
    """Notice spans that do not hold the text that their line says; adds to `notices`."""
    wrong = []
    for judgement in judgements:
        document_id, start, end = judgement.key[1:]
        held = texts[str(document_id)][int(start) : int(end)]
        if judgement.text is not None and judgement.text.split() != held.split():
            wrong.append((judgement, held))
    if wrong:
        first, held = wrong[0]
        text = (
            f"{len(wrong)} spans do not hold their 'text' (e.g. line {first.line}: "
            f"{shorten(held)} stands there, not {shorten(first.text)}): offsets count code points "
            f"of the field 'text' of this version of the document"
        )
        notices.append(Notice(where=path.name, text=text))


def _known(
    path: Path,
    judgements: list[Judgement],
    texts: Mapping[str, str],
    positions: Mapping[str, int],
    notices: list[Notice],
) -> dict[tuple[str | int, ...], Judgement]:
    """Return the judgements of known ids by what they judge, each once; adds to `notices`."""
    unique: dict[tuple[str | int, ...], Judgement] = {}
    repeats = []
    for judgement in judgements:
        known = unique.setdefault(judgement.key, judgement)
        if known.grade != judgement.grade:
            raise CorpusError(
                f"{path}:{judgement.line}: a pair must have one grade, got {judgement.grade} for "
                f"{judgement.key} after {known.grade} in line {known.line}. Remove one of them."
            )
        if known is not judgement:
            repeats.append(judgement.line)
    if repeats:
        text = f"{len(repeats)} judgements repeat an earlier line (e.g. line {repeats[0]})"
        notices.append(Notice(where=path.name, text=f"{text}; taken once"))
    return drop_unknown(path, unique, documents=texts, queries=positions, notices=notices)


def _span(
    key: tuple[str | int, ...], judgement: Judgement, *, path: Path, texts: Mapping[str, str]
) -> Span:
    query_id, document_id, start, end = str(key[0]), str(key[1]), int(key[2]), int(key[3])
    text = texts[document_id]
    if not (0 <= start < end <= len(text) and text[start:end].strip()):
        fault = "a blank passage" if 0 <= start < end <= len(text) else f"[{start}, {end})"
        raise CorpusError(
            f"{path}:{judgement.line}: a span must hold text and lie in [0, {len(text)}) of "
            f"{document_id!r}, got {fault}. Count code points of the field 'text'."
        )
    return Span(
        query_id=query_id, document_id=document_id, start=start, end=end, grade=judgement.grade
    )


def _join(
    grades: Mapping[tuple[str | int, ...], Judgement],
    spans: Iterable[Span],
    positions: Mapping[str, int],
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
