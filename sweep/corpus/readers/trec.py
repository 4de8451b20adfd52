"""TREC's files: `<DOC>` documents, `<top>` topics, topics as `id<TAB>text`, and qrels.

* Qrels: `query iteration document grade`, separated by any run of blanks and tabs; the iteration
  is not used, grades may be negative.
* Documents: `<DOCNO>` is the id; `<TITLE>`, `<HEADLINE>` or `<HL>` the title; the `<TEXT>` parts
  the text, or without one all that is left. Tags inside are removed, entities replaced.
* Topics: `<num>` is the id (without "Number:"), `<title>` the query (`<desc>` where it is blank),
  `<desc>` and `<narr>` are metadata; tags need not be closed.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

from sweep.corpus.columns import role_by_name
from sweep.corpus.compressed import bare_name
from sweep.corpus.fields import read_id, read_whole_number
from sweep.corpus.found import Finding, Found, Judgement, Place, ReadOptions, Source
from sweep.corpus.text_file import peek_text, read_lines, read_text
from sweep.errors import CorpusError
from sweep.numerals import is_numeral
from sweep.records import Document, Query
from sweep.text_lines import shorten
from sweep.trec import split_blanks

NAME = "trec"
_ELEMENTS = {
    "doc": re.compile(r"<DOC>(.*?)</DOC>", re.IGNORECASE | re.DOTALL),
    "top": re.compile(r"<TOP>(.*?)</TOP>", re.IGNORECASE | re.DOTALL),
}
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FIELD = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<(?:num|title|desc|narr)>|\Z)", re.I | re.S)
_LABEL = {
    "num": re.compile(r"\s*Number\s*:", re.I),
    "title": re.compile(r"\s*Topic\s*:", re.I),
    "desc": re.compile(r"\s*Description\s*:", re.I),
    "narr": re.compile(r"\s*Narrative\s*:", re.I),
}
_TITLES = ("title", "headline", "hl")


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a file begins with a document, a topic or a judgement of TREC's."""
    head = peek_text(source.path, encoding=options.encoding).lstrip()
    if _element(head):
        return True
    cells = split_blanks(head.split("\n", 1)[0])
    if bare_name(source.path).endswith((".trec", ".qrels", ".qrel")):
        return True
    is_qrels = len(cells) == 4 and is_numeral(cells[3]) and cells[1] in ("0", "Q0")
    return is_qrels and not bare_name(source.path).endswith((".csv", ".json", ".jsonl"))


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield the documents, topics or judgements of a file.

    Raises: CorpusError, naming the line, if something is not in TREC's form.
    """
    head = peek_text(source.path, encoding=options.encoding).lstrip()
    kind = _element(head)
    if kind:
        yield from _elements(source, options, kind)
        return
    first = head.split("\n", 1)[0].removesuffix("\r")
    role = source.role or role_by_name(bare_name(source.path))
    if role != "qrels" and len(split_blanks(first)) != 4 and first.count("\t") == 1:
        yield from _tabbed(source, options, of_documents=role == "documents")
    else:
        yield from _qrels(source, options)


def _element(head: str) -> str | None:
    start = head[:5].lower()
    return next((kind for kind in _ELEMENTS if start == f"<{kind}>"), None)


def _qrels(source: Source, options: ReadOptions) -> Iterator[Found]:
    path, found = source.path, False
    for number, line in read_lines(path, encoding=options.encoding):
        where = f"{path}:{number}"
        cells = split_blanks(line)
        if len(cells) != 4:
            raise CorpusError(
                f"{where}: must have 4 cells separated by white space (query, iteration, "
                f"document, grade), got {len(cells)} in {shorten(line)}. Complete the line."
            )
        grade = read_whole_number(cells[3], where=where, what="a grade")
        found = True
        yield Found(Place(str(path), str(number)), Judgement(cells[0], cells[2], grade))
    if not found:
        raise CorpusError(f"{path}: must hold judgements, got an empty file. Check the file.")


def _tabbed(source: Source, options: ReadOptions, *, of_documents: bool) -> Iterator[Found]:
    path = source.path
    for number, line in read_lines(path, encoding=options.encoding):
        where = f"{path}:{number}"
        id_, tab, text = line.partition("\t")
        if not tab:
            raise CorpusError(
                f"{where}: must be an id, a tab and a text, got {shorten(line)}. Add the tab."
            )
        id_ = read_id({"id": id_}, "id", where=where)
        item = Document(id=id_, text=text) if of_documents else Query(id=id_, text=text)
        yield Found(Place(str(path), str(number)), item)


def _elements(source: Source, options: ReadOptions, kind: str) -> Iterator[Found]:
    """Yield the item of every `<DOC>` or `<top>`; nothing may stand between them."""
    path = source.path
    text = read_text(path, encoding=options.encoding)
    read_item = _document if kind == "doc" else _topic
    end = line = 0
    for match in _ELEMENTS[kind].finditer(text):
        _refuse_rest(path, text, end, match.start(), kind)
        line += text.count("\n", end, match.start())
        place = Place(str(path), str(line + 1))
        if f"<{kind}>" in match[1].lower():
            raise CorpusError(
                f"{place}: a <{kind}> must be closed before the next, got one that is not. "
                f"Write </{kind}> at its end."
            )
        yield Found(place, read_item(match[1], str(place)))
        line += text.count("\n", match.start(), match.end())
        end = match.end()
    _refuse_rest(path, text, end, len(text), kind)


def _refuse_rest(path: Path, text: str, start: int, end: int, kind: str) -> None:
    rest = text[start:end].lstrip()
    if rest:
        line = text.count("\n", 0, end - len(rest)) + 1
        raise CorpusError(
            f"{path}:{line}: nothing may stand between one <{kind}> and the next, got "
            f"{shorten(rest.rstrip())}. Close every element by </{kind}>."
        )


def _document(content: str, where: str) -> Document:
    number = _inside(content, "docno")
    if not number:
        raise CorpusError(
            f"{where}: a <DOC> must have a <DOCNO>, got {shorten(content.strip())}. Add it."
        )
    id_ = read_id({"DOCNO": number[0].strip()}, "DOCNO", where=where)
    titles = [title for name in _TITLES for title in _inside(content, name)]
    texts = _inside(content, "text")
    if not texts:
        for name in ("docno", *_TITLES):
            content = re.sub(rf"(?is)<{name}>.*?</{name}>", "", content)
        texts = [content]
    return Document(
        id=id_,
        text="\n".join(_plain(text) for text in texts),
        title=" ".join(" ".join(_plain(title) for title in titles).split()),
    )


def _inside(content: str, name: str) -> list[str]:
    return re.findall(rf"(?is)<{name}>(.*?)</{name}>", content)


def _plain(text: str) -> str:
    return html.unescape(_TAG.sub("", text)).strip()


def _topic(content: str, where: str) -> Query:
    fields: dict[str, str] = {}
    for name, text in _FIELD.findall(content):
        bare = _LABEL[name.lower()].sub("", _TAG.sub("", text), count=1)
        fields.setdefault(name.lower(), " ".join(html.unescape(bare).split()))
    id_ = read_id({"num": fields.pop("num", "")}, "num", where=where)
    text = fields.pop("title", "") or fields.get("desc", "")
    return Query(id=id_, text=text, metadata=fields)
