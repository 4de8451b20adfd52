"""Lines that stand on many pages: menus, banners and footers that the extraction has left."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sweep.records import Document
from sweep.text_lines import counted, shorten

FEWEST_PAGES = 5
SHARE = 0.3  # of all pages: told
MOST = 0.5  # of all pages: taken out where that is asked for
FEWEST_LETTERS = 4  # a rule is no text
LONGEST = 200  # characters of a line that may be navigation
SHOWN = 5
_FENCE = re.compile(r"\s*(?:[-*+>]\s+)*(`{3,}(?=[^`]*$)|~{3,})")
_BORDER = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """Pages without the lines that stand on most of them, and what was taken out.

    Attributes:
        documents: all of them, in their order.
        lines: the lines, as they are compared, each with the number of pages that lost it.
        n_lines: lines that were taken out of all pages together.
        n_pages: pages that lost some.
        n_characters: that all pages together are shorter by.
    """

    documents: tuple[Document, ...]
    lines: tuple[tuple[str, int], ...]
    n_lines: int
    n_pages: int
    n_characters: int

    def text(self) -> str:
        """Return what was taken out, for people."""
        if not self.lines:
            return "no line stands on most of the pages; nothing was taken out"
        return (
            f"{counted(self.n_lines, 'line')} ({self.n_characters:,} characters) taken out of "
            f"{counted(self.n_pages, 'page')}, since they stand on most of the "
            f"{len(self.documents):,} pages: {_shown(self.lines)}"
        )


def drop_repeated(documents: Sequence[Document]) -> Removal:
    """Take the lines out of pages that stand on half of them or more, and on 5.

    A page that holds nothing else is left as it is; so are code between fences, and tables.
    """
    known = {line for line, _ in repeated_lines(documents, share=MOST)}
    counts: Counter[str] = Counter()
    n_lines = n_pages = n_characters = 0
    kept = []
    for document in documents:
        text, gone = _without(document.text, known)
        if not gone or not text.strip():
            kept.append(document)
            continue
        kept.append(replace(document, text=text))
        counts.update(set(gone))
        n_lines, n_pages = n_lines + len(gone), n_pages + 1
        n_characters += len(document.text) - len(text)
    return Removal(
        documents=tuple(kept),
        lines=tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))),
        n_lines=n_lines,
        n_pages=n_pages,
        n_characters=n_characters,
    )


def _without(text: str, known: set[str]) -> tuple[str, list[str]]:
    """Return a text without some lines, and those; no more than one blank line stays there."""
    kept: list[str] = []
    gone: list[str] = []
    at_gap = False
    for line, is_prose in _marked(text):
        plain = " ".join(line.split())
        if is_prose and plain in known:
            gone.append(plain)
            at_gap = True
        elif plain or not at_gap or (kept and kept[-1].strip()):
            kept.append(line)
            at_gap = at_gap and not plain
    return ("\n".join(kept).strip("\n") if gone else text), gone


def repeated_lines(
    documents: Sequence[Document], *, share: float = SHARE
) -> list[tuple[str, int]]:
    """Return the lines that stand on many pages, each with the number of pages, most first.

    Args:
        documents: the pages.
        share: of the pages that a line must stand on, at least; and on 5.
    """
    counts = Counter(line for document in documents for line in set(_lines(document.text)))
    least = max(FEWEST_PAGES, share * len(documents))
    many = [(line, count) for line, count in counts.items() if count >= least]
    return sorted(many, key=lambda pair: (-pair[1], pair[0]))


def repeated_notice(documents: Sequence[Document], *, dropped: bool = False) -> str | None:
    """Return what should be known of repeated lines, None where there are none.

    Args:
        documents: the pages.
        dropped: whether those on most pages have been taken out already.
    """
    lines = repeated_lines(documents)
    if not lines:
        return None
    least = max(FEWEST_PAGES, MOST * len(documents))
    droppable = not dropped and any(count >= least for _, count in lines)
    advice = " (`sweep init --drop-repeated` takes out what stands on most pages)" * droppable
    return (
        f"the same lines stand on many of the {len(documents):,} pages ({_shown(lines)}): if they "
        "are navigation or boilerplate, take them out of the pages, since they fill chunks and "
        f"answer nothing{advice}"
    )


def _shown(lines: Sequence[tuple[str, int]]) -> str:
    shown = "; ".join(f"{shorten(line)} on {count:,}" for line, count in lines[:SHOWN])
    more = f"; and {counted(len(lines) - SHOWN, 'more line')}" if len(lines) > SHOWN else ""
    return shown + more


def _marked(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it is prose: no code between fences, no row of a table."""
    lines = text.split("\n")
    fence = ""
    in_table = False
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line[found.end() :].strip():
                fence = ""
            yield line, False
            continue
        if found:
            fence = found[1]
            yield line, False
            continue
        below = lines[number + 1] if number + 1 < len(lines) else ""
        heads = "|" in line and "|" in below and _BORDER.fullmatch(below.strip()) is not None
        in_table = "|" in line and (in_table or heads)
        yield line, not in_table


def _lines(text: str) -> Iterator[str]:
    for line in (" ".join(line.split()) for line, is_prose in _marked(text) if is_prose):
        if len(line) <= LONGEST and sum(map(str.isalpha, line)) >= FEWEST_LETTERS:
            yield line
