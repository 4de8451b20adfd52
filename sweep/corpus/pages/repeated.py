"""Lines that stand on many pages: menus, banners and footers that the extraction has left."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sweep.records import Document
from sweep.text_lines import shorten

FEWEST_PAGES = 5
SHARE = 0.3  # of all pages
FEWEST_LETTERS = 4  # rules, fences and borders of tables are no text
LONGEST = 200  # characters of a line that may be navigation
SHOWN = 5


def repeated_lines(documents: Sequence[Document]) -> list[tuple[str, int]]:
    """Return the lines that stand on many pages, each with the number of pages, most first."""
    counts = Counter(line for document in documents for line in set(_lines(document.text)))
    least = max(FEWEST_PAGES, SHARE * len(documents))
    many = [(line, count) for line, count in counts.items() if count >= least]
    return sorted(many, key=lambda pair: (-pair[1], pair[0]))


def repeated_notice(documents: Sequence[Document]) -> str | None:
    """Return what should be known of repeated lines, None where there are none."""
    lines = repeated_lines(documents)
    if not lines:
        return None
    shown = "; ".join(f"{shorten(line)} on {count:,}" for line, count in lines[:SHOWN])
    more = f"; and {len(lines) - SHOWN:,} more lines" if len(lines) > SHOWN else ""
    return (
        f"the same lines stand on many of the {len(documents):,} pages ({shown}{more}): if they "
        "are navigation or boilerplate, take them out of the pages, since they fill chunks and "
        "answer nothing"
    )


def _lines(text: str) -> Iterator[str]:
    lines: Iterable[str] = (" ".join(line.split()) for line in text.split("\n"))
    for line in lines:
        if len(line) <= LONGEST and sum(map(str.isalpha, line)) >= FEWEST_LETTERS:
            yield line
