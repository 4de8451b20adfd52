"""A folder of pages: Markdown, HTML and plain text, in folders of folders.

The path in the folder is the id; YAML front matter is metadata; the title is what the front
matter, the first heading, `<title>` or the file's name says. Files that are no pages are left out
and named.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from sweep.corpus.compressed import bare_name, read_bytes
from sweep.corpus.found import Finding, Found, Place, ReadOptions, Source
from sweep.corpus.pages.folder import HTML, MARKDOWN, PageFile, holds_pages, list_pages
from sweep.corpus.pages.front_matter import split_front_matter
from sweep.corpus.pages.markdown import split_heading
from sweep.corpus.pages.repeated import drop_repeated, repeated_notice
from sweep.corpus.text_file import encoding_where_needed, read_text
from sweep.errors import CorpusError
from sweep.records import Document, Notice

NAME = "pages"
NAMED = 8  # files of one reason that a notice names


def recognises(source: Source, options: ReadOptions) -> bool:
    """Return whether a source is a folder with a page somewhere in it."""
    return source.path.is_dir() and holds_pages(source.path)


def read(source: Source, options: ReadOptions) -> Iterator[Finding]:
    """Yield the pages of a folder, then what was left out and what should be known.

    Raises: CorpusError if it is no folder, a page is in another encoding than it must be, or no
        page is left.
    """
    folder = source.path
    if not folder.is_dir():
        raise CorpusError(
            f"{folder}: must be a folder with pages (.md, .html, .txt), got "
            f"{'a file' if folder.exists() else 'nothing there'}. Give the folder they are in."
        )
    left_out: dict[str, list[str]] = {}
    documents: list[Document] = []
    notices: list[Notice] = []
    for file in list_pages(folder):
        reason = file.left_out
        if reason is None:
            document, fault = _page(file, options)
            if document is not None:
                documents.append(document)
                if fault:
                    notices.append(Notice(where=file.id, text=f"{fault}; it is read as text"))
                continue
            reason = fault or "no text in it"
        left_out.setdefault(reason, []).append(file.id)
    if not documents:
        raise CorpusError(_no_pages(str(folder), left_out))
    notices += _left_out_notices(str(folder), left_out)
    if options.drop_repeated:
        removal = drop_repeated(documents)
        pairs = zip(documents, removal.documents, strict=True)
        documents = [one if one is was else _without_title(one) for was, one in pairs]
        notices.append(Notice(where=str(folder), text=removal.text()))
    for document in documents:
        yield Found(Place(str(folder / document.id), "1"), document)
    yield from notices
    if repeated := repeated_notice(documents, dropped=options.drop_repeated):
        yield Notice(where=str(folder), text=repeated)


def _page(file: PageFile, options: ReadOptions) -> tuple[Document | None, str | None]:
    """Return a page and what is odd about it, or None and why it is left out."""
    from sweep.corpus.pages.html import TooDeep, declared_encoding, read_html  # slow to import

    name = bare_name(file.path)
    encoding = encoding_where_needed(file.path, options.encoding)
    if options.encoding is None and name.endswith(HTML):
        encoding = declared_encoding(read_bytes(file.path, 4096))
    text = read_text(file.path, encoding=encoding).replace("\r\n", "\n").removeprefix("\ufeff")
    document = Document(id=file.id, text=text)
    fault = None
    if name.endswith(HTML):
        try:
            page = read_html(text)
        except TooDeep:
            return None, "elements nested too deeply"
        document = replace(document, text=page.text, title=page.title)
    elif name.endswith(MARKDOWN):
        metadata, text, fault = split_front_matter(text)
        title, text = split_heading(text)
        named = _title_of(metadata)
        document = replace(document, text=text, title=named or title, metadata=metadata)
    if not document.text.strip():
        return None, "no text in it"
    stem = PurePosixPath(PurePosixPath(file.id).name).stem
    return replace(document, title=document.title or stem), fault


def _without_title(document: Document) -> Document:
    """Return a page without its title, where that stands at the beginning now."""
    title, text = split_heading(document.text)
    return replace(document, text=text) if title == document.title else document


def _title_of(metadata: dict[str, Any]) -> str:
    """Return the title of the front matter, which is taken out of the metadata then."""
    title = metadata.get("title")
    if not isinstance(title, str | int | float) or isinstance(title, bool):
        return ""
    del metadata["title"]
    return " ".join(str(title).split())


def _left_out_notices(where: str, left_out: dict[str, list[str]]) -> Iterator[Notice]:
    for reason, ids in sorted(left_out.items()):
        more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        files = ", ".join(
            ascii(id_)[1:-1] if not id_.isprintable() else id_ for id_ in ids[:NAMED]
        )
        noun = "file" if len(ids) == 1 else "files"
        text = f"{len(ids):,} {noun} left out ({reason}): {files}{more}"
        yield Notice(where=where, text=text)


def _no_pages(where: str, left_out: dict[str, list[str]]) -> str:
    got = ", ".join(f"{len(ids):,} {reason}" for reason, ids in sorted(left_out.items()))
    return (
        f"{where}: must hold pages with text (.md, .html, .txt), got {got or 'an empty folder'}. "
        "Give the folder that the pages are in, or convert them to one of these."
    )
