"""From a folder of pages and a spreadsheet to a winner that answers: how many minutes it takes.

python tests/benchmarks/first_ten_minutes.py [FOLDER]

Writes the bundled handbook out as people have it (Markdown and HTML with a menu on every page, an
.xlsx of 80 questions with page names and quotes, some of them misspelt), calls the commands of the
README one after the other, and prints what each took and what was not resolved.
"""

import html
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import openpyxl

from sweep.corpus import read_corpus
from sweep.records import Corpus, Document, Query, Span

HANDBOOK = Path(__file__).parents[2] / "corpora" / "handbook"
QUESTIONS, SEED = 80, 7
MENU = "<nav><a href='/'>Home</a></nav><div class='bar'>Staff handbook - search - help</div>"


def main() -> None:
    given = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="first-minutes-")
    place = Path(given).resolve()
    place.mkdir(parents=True, exist_ok=True)
    write_pages(read_corpus(HANDBOOK), place / "pages")
    write_questions(read_corpus(HANDBOOK), place / "questions.xlsx")
    query = "how many days of leave can I carry over?"
    commands = (
        ("init", "pages", "--questions", "questions.xlsx", "--out", "corpora/mine"),
        ("run", "search_spaces/mine.yaml"),
        ("report",),
        ("export", "--out", "winner/mine"),
        ("query", "winner/mine", query),
    )
    seconds = [call(arguments, place) for arguments in commands]
    print(f"\n{len(commands)} commands in {sum(seconds) / 60:.1f} minutes")
    about = json.loads((place / "corpora/mine/conversion.json").read_text(encoding="utf-8"))
    print("rows:", about["rows"])
    for one in about["unresolved"]:
        print(f"unresolved {one['row']}: {one['why']} (kept: {one['kept']})")


def call(arguments: tuple[str, ...], place: Path) -> float:
    start = time.perf_counter()
    print("\n$ sweep", *arguments, flush=True)
    environment = {**os.environ, "PYTHONPATH": str(HANDBOOK.parents[1])}
    subprocess.run(
        [sys.executable, "-m", "sweep", *arguments], cwd=place, check=True, env=environment
    )
    print(f"[{time.perf_counter() - start:.1f} s]", flush=True)
    return time.perf_counter() - start


def write_pages(corpus: Corpus, folder: Path) -> None:
    """Write every third document as HTML, the others as Markdown, every second with YAML."""
    for number, document in enumerate(corpus.documents):
        path = folder / f"{document.id}.{'html' if number % 3 == 0 else 'md'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            as_html(document) if number % 3 == 0 else as_markdown(document, number),
            encoding="utf-8",
        )


def as_markdown(document: Document, number: int) -> str:
    front = f"---\ntitle: {json.dumps(document.title)}\nowner: desk {number}\n---\n"
    return (front if number % 2 else "") + f"# {document.title}\n\n{document.text}\n"


def as_html(document: Document) -> str:
    blocks = "".join(
        f"<pre>{html.escape(block)}</pre>"
        if "\n" in block
        else f"<p>{html.escape(block).replace('*', '')}</p>"
        for block in document.text.split("\n\n")
    )
    title = html.escape(document.title)
    return (
        f"<!doctype html><html><head><title>{title} | Handbook</title><style>p{{}}</style></head>"
        f"<body>{MENU}<main><h1>{title}</h1>{blocks}</main><script>track()</script></body></html>"
    )


def write_questions(corpus: Corpus, path: Path) -> None:
    """Write 80 questions as a person keeps them: page names of many kinds, quotes with slips."""
    draw = random.Random(SEED)
    titles = {document.id: document.title for document in corpus.documents}
    texts = {document.id: document.text for document in corpus.documents}
    spans: dict[str, Span] = {}
    for span in corpus.spans:
        spans.setdefault(span.query_id, span)
    asked = [query for query in corpus.queries if query.id in spans]
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Nr", "Question", "Page", "Answer sentence", "Type", "Last checked"])
    for number, query in enumerate(draw.sample(asked, QUESTIONS)):
        span = spans[query.id]
        quote = texts[span.document_id][span.start : span.end]
        name = page_name(span.document_id, titles, number)
        sheet.append([number + 1, *row(query, name, quote, number, draw)])
    book.save(path)


def page_name(id_: str, titles: dict[str, str], number: int) -> str:
    names = (
        id_,
        f"{id_.rpartition('/')[2]}.md" if number % 15 != 1 else f"{id_}.docx",
        f"https://intranet.example/handbook/{id_}/?view=1#top",
        titles[id_],
        "",
    )
    return names[number % 5]


def row(query: Query, name: str, quote: str, number: int, draw: random.Random) -> list[object]:
    if number % 4 == 1:
        quote = quote.replace("'", "\u2019").replace("-", "\u2013").replace(" ", "\u00a0", 1)
    elif number % 4 == 2 and len(quote) > 20:
        place = draw.randrange(5, len(quote) - 5)
        quote = quote[:place] + quote[place + 1 :]
    elif number % 20 == 3:
        quote = "In short, ask whoever is on duty that day."
    return [query.text, name, quote, query.metadata.get("kind"), "2026-11-01"]


if __name__ == "__main__":
    main()
