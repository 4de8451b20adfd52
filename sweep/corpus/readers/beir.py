"""A corpus folder in BEIR's form: the layout that `sweep run` reads and `convert` writes.

`corpus.jsonl` (`_id`, `title`, `text`, any other field is metadata), `queries.jsonl` (`_id`,
`text`), judgements in `qrels/*.tsv` or `qrels.tsv`, and optional answer spans in
`qrels_spans.jsonl`. Each of them may be compressed (`corpus.jsonl.gz`).
"""

from collections.abc import Iterator
from pathlib import Path

from sweep.corpus.columns import guess_columns, is_header
from sweep.corpus.compressed import ENDINGS, find_file
from sweep.corpus.fields import read_id, read_metadata, read_title, read_whole_number
from sweep.corpus.fields import read_text as read_text_field
from sweep.corpus.found import Finding, Found, Judgement, Place, ReadOptions, Source
from sweep.corpus.jsonl import read_jsonl
from sweep.corpus.text_file import read_lines
from sweep.errors import CorpusError
from sweep.numerals import is_numeral
from sweep.records import Document, Query, Span
from sweep.text_lines import shorten

NAME = "beir"
DOCUMENTS_FILE = "corpus.jsonl"
QUERIES_FILE = "queries.jsonl"
QRELS_FOLDER = "qrels"
QRELS_FILE = "qrels.tsv"
SPANS_FILE = "qrels_spans.jsonl"
SNAPSHOT_FILE = "snapshot.json"  # what it held when it was frozen; not read as content
PREFERRED = "test.tsv"  # what BEIR calls the part that systems are compared on


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a source is a folder with all that a corpus folder must hold."""
    folder = source.path
    if not all(find_file(folder, name).is_file() for name in (DOCUMENTS_FILE, QUERIES_FILE)):
        return False
    return bool(
        options.qrels or any(_qrels_files(folder)) or find_file(folder, SPANS_FILE).exists()
    )


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield the documents, queries and judgements of a corpus folder.

    Raises: CorpusError if a file is missing or malformed; the text names file and line.
    """
    folder = source.path
    if not folder.is_dir():
        raise CorpusError(
            f"{folder}: must be a folder with {DOCUMENTS_FILE}, {QUERIES_FILE} and qrels/, got "
            f"{'a file' if folder.exists() else 'nothing there'}. Check the path, or make such a "
            "folder from your files with `sweep corpus convert`."
        )
    yield from _documents(_existing(folder, DOCUMENTS_FILE), options)
    yield from _queries(_existing(folder, QUERIES_FILE), options)
    qrels = find_qrels(folder, name=options.qrels)
    if qrels is not None:
        yield from _qrels(qrels, options)
    spans = find_file(folder, SPANS_FILE)
    if spans.is_file():
        yield from _spans(spans, options)


def find_qrels(folder: Path, *, name: str | None) -> Path | None:
    """Return the file of document judgements, None if there is none.

    Args:
        folder: the corpus folder.
        name: a file in `qrels/` or in the folder itself, `.tsv` optional; None takes the only
            file there is, or `qrels/test.tsv` of several in `qrels/`.
    Raises: CorpusError if the named file is missing, or several could be meant.
    """
    inside, direct = _qrels_files(folder)
    preferred = find_file(folder / QRELS_FOLDER, PREFERRED)
    if name is not None:
        for place in (folder / QRELS_FOLDER, folder):
            for path in (find_file(place, name), find_file(place, f"{name}.tsv")):
                if path.is_file():
                    return path
    elif len(inside) + len(direct) <= 1:
        return next(iter([*inside, *direct]), None)
    elif not direct and preferred in inside:
        return preferred
    found = ", ".join(path.relative_to(folder).as_posix() for path in [*inside, *direct]) or "none"
    got = "several" if name is None else f"qrels={shorten(name)}"
    raise CorpusError(
        f"{folder}: one file of judgements must be chosen, got {got} (found: {found}). "
        "Name one of them by qrels= (on the command line: --qrels)."
    )


def _qrels_files(folder: Path) -> tuple[list[Path], list[Path]]:
    endings = ("", *ENDINGS)
    inside = [
        path
        for ending in endings
        for path in (folder / QRELS_FOLDER).glob(f"*.tsv{ending}")
        if path.is_file()
    ]
    direct = find_file(folder, QRELS_FILE)
    return sorted(inside), [direct] if direct.is_file() else []


def _documents(path: Path, options: ReadOptions) -> Iterator[Found]:
    used = frozenset({"_id", "title", "text"})
    number = 0
    for number, record in read_jsonl(path, encoding=options.encoding):
        where = f"{path}:{number}"
        id_ = read_id(record, "_id", where=where)
        document = Document(
            id=id_,
            text=read_text_field(record, where=where, id=id_),
            title=read_title(record, where=where, id=id_),
            metadata=read_metadata(record, used=used),
        )
        yield Found(Place(str(path), str(number)), document)
    if not number:
        raise CorpusError(f"{path}: must hold documents, got an empty file. Check the export.")


def _queries(path: Path, options: ReadOptions) -> Iterator[Found]:
    used = frozenset({"_id", "text"})
    number = 0
    for number, record in read_jsonl(path, encoding=options.encoding):
        where = f"{path}:{number}"
        id_ = read_id(record, "_id", where=where)
        text = read_text_field(record, where=where, id=id_)
        query = Query(id=id_, text=text, metadata=read_metadata(record, used=used))
        yield Found(Place(str(path), str(number)), query)
    if not number:
        raise CorpusError(f"{path}: must hold queries, got an empty file. Add questions.")


def _qrels(path: Path, options: ReadOptions) -> Iterator[Found]:
    """Yield the judgements of a file; its first line may name its columns, in any order."""
    order, width = list(range(3)), 3
    for count, (number, line) in enumerate(read_lines(path, encoding=options.encoding)):
        where = f"{path}:{number}"
        cells = line.split("\t")
        if count == 0 and _names_columns(cells):
            order, width = _order(cells, where), len(cells)
            continue
        if len(cells) != width:
            raise CorpusError(
                f"{where}: must have {width} cells separated by tabs (query-id, corpus-id, "
                f"score), got {len(cells)} in {shorten(line)}. Complete the line, or write it "
                "with tabs."
            )
        query_id, document_id, score = (cells[place] for place in order)
        grade = read_whole_number(score, where=where, what="a score")
        yield Found(Place(str(path), str(number)), Judgement(query_id, document_id, grade))


def _names_columns(cells: list[str]) -> bool:
    """Return whether a first line is a header: usual names, and no cell is a number."""
    return is_header(cells, {}) and not any(map(is_numeral, cells))


def _order(names: list[str], where: str) -> list[int]:
    """Return which columns hold query, document and score."""
    columns = guess_columns(names, "qrels", {})
    fields = ("query-id", "document-id", "grade")
    if len(set(names)) < len(names) or any(field not in columns for field in fields):
        raise CorpusError(
            f"{where}: the first line must name the columns query-id, corpus-id and score, each "
            f"once, got {', '.join(map(shorten, names))}. Rename them so."
        )
    return [names.index(columns[field]) for field in fields]


def _spans(path: Path, options: ReadOptions) -> Iterator[Found]:
    for number, record in read_jsonl(path, encoding=options.encoding):
        where = f"{path}:{number}"
        query_id = read_id(record, "query-id", where=where)
        document_id = read_id(record, "corpus-id", where=where)
        start, end, grade = (
            read_whole_number(record.get(field), where=where, what=repr(field))
            for field in ("start", "end", "score")
        )
        span = Span(query_id=query_id, document_id=document_id, start=start, end=end, grade=grade)
        text = record.get("text")
        told = text if isinstance(text, str) else None
        yield Found(Place(str(path), str(number)), span, text=told)


def _existing(folder: Path, name: str) -> Path:
    path = find_file(folder, name)
    if not path.is_file():
        raise CorpusError(
            f"{folder}: must hold a file {name}, got no such file. "
            "Check the folder, or make one from your files with `sweep corpus convert`."
        )
    return path
