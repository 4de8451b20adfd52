"""SQuAD's JSON: paragraphs become documents, answers become spans.

A paragraph is called by its `document_id` (or `id`) where it has one, otherwise by its article's
title and its number (`Normans#3`). A question's paragraph is a relevant document (grade 1), its
answers are spans of it; the same answer by several annotators counts once. A question that is
`is_impossible` (or has no answer) keeps its text and gets **no judgement**: no document answers
it, so it is listed as unjudged and left out of every score, where "no relevant document" would
count as a 0 that no configuration can avoid.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sweep.corpus.compressed import bare_name
from sweep.corpus.fields import read_id, read_metadata, read_text
from sweep.corpus.found import Answer, Finding, Found, Judgement, Place, ReadOptions, Source
from sweep.corpus.jsonl import peek_keys, read_json
from sweep.corpus.text_file import peek_text
from sweep.errors import CorpusError
from sweep.numerals import whole_number
from sweep.records import Document, Notice, Query
from sweep.text_lines import shorten

NAME = "squad"


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a JSON file begins as SQuAD's do."""
    if not bare_name(source.path).endswith(".json"):
        return False
    head = peek_text(source.path, encoding=options.encoding)
    return "data" in peek_keys(source.path, encoding=options.encoding) and '"paragraphs"' in head


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield each paragraph as a document, then its questions with judgement and answers.

    Raises: CorpusError, naming the place in the file, if something is not as in SQuAD.
    """
    path = source.path
    content = read_json(path, encoding=options.encoding)
    articles = _list(content, "data", str(path), "data")
    titles = Counter(_title(article) for _, article in articles)
    n_questions = n_impossible = 0
    for number, (at, article) in enumerate(articles, start=1):
        title = _title(article)
        stem = title if title and titles[title] == 1 else f"{title or 'article'} ({number})"
        paragraphs = _list(article, "paragraphs", str(path), f"{at}.paragraphs")
        for count, (inside, paragraph) in enumerate(paragraphs, start=1):
            document = _document(path, inside, paragraph, title, f"{stem}#{count}")
            yield Found(Place(str(path), inside), document)
            for place, question in _list(paragraph, "qas", str(path), f"{inside}.qas"):
                findings = list(_question(Place(str(path), place), question, document.id))
                n_questions += 1
                n_impossible += len(findings) == 1
                yield from findings
    if n_impossible:
        text = f"{n_impossible} of {n_questions} questions have no answer, and get no judgement"
        yield Notice(where=path.name, text=text)


def _document(
    path: Path, at: str, paragraph: Mapping[str, Any], title: str, default: str
) -> Document:
    where = f"{path}:{at}"
    own = next((k for k in ("document_id", "id") if paragraph.get(k) is not None), None)
    id_ = read_id(paragraph, own, where=where) if own else " ".join(default.split())
    used = frozenset({"document_id", "id", "context", "qas"})
    return Document(
        id=id_,
        text=read_text(paragraph, where=where, id=id_, key="context"),
        title=title.replace("_", " "),
        metadata=read_metadata(paragraph, used=used),
    )


def _question(place: Place, question: Mapping[str, Any], document_id: str) -> Iterator[Found]:
    where = str(place)
    id_ = read_id(question, "id", where=where)
    text = read_text(question, where=where, id=id_, key="question")
    used = frozenset({"id", "question", "answers", "plausible_answers"})
    yield Found(place, Query(id=id_, text=text, metadata=read_metadata(question, used=used)))
    if question.get("is_impossible") is True:
        return
    answers: dict[tuple[str, int | None], Answer] = {}
    for at, answer in _list(question, "answers", place.file, f"{place.at}.answers"):
        start = answer.get("answer_start")
        offset = whole_number(start)
        if not isinstance(answer.get("text"), str) or (offset is None and start is not None):
            raise CorpusError(
                f"{place.file}:{at}: an answer must have text and answer_start, got "
                f"{shorten(dict(answer))}. Correct it."
            )
        key = (answer["text"], offset)
        answers[key] = Answer(id_, document_id, answer["text"], 1, offset)
    if answers:
        yield Found(place, Judgement(id_, document_id, 1))
    yield from (Found(place, answer) for answer in answers.values())


def _title(article: Mapping[str, Any]) -> str:
    title = article.get("title")
    return title if isinstance(title, str) else ""


def _list(holder: Any, name: str, file: str, at: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the objects of a list with their places; a missing list of answers is empty."""
    items = holder.get(name) if isinstance(holder, dict) else None
    if items is None and name in ("answers", "qas"):
        return []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise CorpusError(
            f"{file}:{at}: must be a list of objects, got {shorten(items)}. "
            "SQuAD's form is data[].paragraphs[].qas[]."
        )
    return [(f"{at}[{index}]", item) for index, item in enumerate(items)]
