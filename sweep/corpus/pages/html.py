"""An HTML page as readable text in Markdown's form: headings, lists, tables and code stay.

What is no content is left out: scripts, styles, forms' controls, what is hidden, and navigation
(`nav`, `role=navigation` and its like, a page's own header and footer). Links and pictures leave
their words; bold and italic letters leave no marks, so that a sentence is found as it reads.
"""

import re
import warnings
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

from sweep.corpus.pages.markdown import plain_words

_NEVER = (
    *("script", "style", "template", "noscript", "iframe", "object", "svg", "canvas", "nav"),
    *("button", "select", "input", "textarea", "dialog", "head"),
)
_ROLES = frozenset({"navigation", "banner", "contentinfo", "search", "menu", "menubar"})
_CONTENT = ("main", "article", "section")
_CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]+)", re.IGNORECASE
)
_DEEPEST = 250  # nested elements: what converts them calls itself three times for each
_UNMARKED = ["a", "b", "strong", "em", "i", "u", "del", "s", "sub", "sup", "kbd", "samp"]


class TooDeep(Exception):
    """A page whose elements are nested more deeply than any that people write."""


@dataclass(frozen=True, slots=True)
class HtmlPage:
    """What an HTML page says: its text, its title ("" without one)."""

    text: str
    title: str


class _Converter(MarkdownConverter):
    """Pictures leave their words only."""

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(el.get("alt") or "").strip()


def declared_encoding(head: bytes) -> str | None:
    """Return the encoding that a page's `<meta charset>` names; None for UTF-8 or none."""
    found = _CHARSET.search(head[:4096])
    name = found[1].decode("ascii").lower() if found else ""
    if name in ("", "utf-8", "utf8", "unicode"):
        return None
    # what browsers do with these names (WHATWG's Encoding Standard)
    return "cp1252" if name in ("iso-8859-1", "latin1", "latin-1", "ascii", "us-ascii") else name


def read_html(markup: str) -> HtmlPage:
    """Return the text and the title of a page: its first h1, or what `<title>` says.

    Raises: TooDeep if elements are nested beyond measure.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a page is XHTML, or short, does not matter here
        soup = BeautifulSoup(markup, "lxml")  # closes `<p>` and `<li>` where a browser does
    if _depth(soup) > _DEEPEST:
        raise TooDeep
    title = soup.find("title")
    title_text = plain_words(title.get_text(" ")) if isinstance(title, Tag) else ""
    _drop_surroundings(soup)
    heading = soup.find("h1") or (None if title_text else soup.find(["h2", "h3"]))
    try:
        text = _to_text(soup)
    except RecursionError as error:  # called from deep inside another program
        raise TooDeep from error
    words = plain_words(heading.get_text(" ")) if isinstance(heading, Tag) else ""
    if words:
        return HtmlPage(text=_without_first(text, words), title=words)
    return HtmlPage(text=text, title=title_text)


def _drop_surroundings(soup: BeautifulSoup) -> None:
    for element in soup.find_all(_NEVER):
        element.decompose()
    for element in soup.find_all(_is_surrounding):
        if not element.decomposed:
            element.decompose()


def _is_surrounding(element: Tag) -> bool:
    if element.has_attr("hidden") or element.get("aria-hidden") == "true":
        return True
    if str(element.get("role") or "").lower() in _ROLES:
        return element.find("h1") is None
    if element.name in ("header", "footer"):  # a page's own, not those of an article in it
        return element.find_parent(_CONTENT) is None and element.find("h1") is None
    return False


def _to_text(soup: BeautifulSoup) -> str:
    converter = _Converter(
        heading_style=ATX,
        bullets="-",
        strip=_UNMARKED,
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
        newline_style="backslash",
        table_infer_header=True,
    )
    text: Any = converter.convert_soup(soup)
    text = re.sub(r"\\\n", "\n", str(text)).replace("\r", "")
    lines = [line.rstrip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


def _without_first(text: str, title: str) -> str:
    """Return a text without its first line, where that is the title and something follows."""
    first, _, rest = text.lstrip("\n").partition("\n")
    is_title = plain_words(first.lstrip("# ")) == title
    return rest.lstrip("\n") if is_title and rest.strip() else text


def _depth(soup: BeautifulSoup) -> int:
    """Return how deeply elements are nested, counted without recursion."""
    deepest, level = 0, 0
    element: Any = soup
    levels = {id(soup): 0}
    for element in soup.descendants:
        if isinstance(element, Tag):
            level = levels[id(element.parent)] + 1
            levels[id(element)] = level
            deepest = max(deepest, level)
    return deepest
