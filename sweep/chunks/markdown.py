"""The blocks of a Markdown text: headings, fenced code, tables, paragraphs and list items."""

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

# A YAML head, as static site generators want it; to CommonMark it would be a rule and a heading.
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*\n(?=\S).*?^(?:---|\.\.\.)[ \t]*$", re.DOTALL | re.MULTILINE
)
_WHOLE = frozenset({"fence", "code_block", "table_open", "html_block"})
_PLAIN = frozenset({"paragraph_open", "heading_open", "hr"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block, from the start of a line to the start of a later one.

    Attributes:
        start, end: code points in the text.
        level: 1 to 6 for a heading that begins a section, else 0 (also inside lists and quotes).
        is_whole: code, a table or HTML, which is not torn without need.
    """

    start: int
    end: int
    level: int = 0
    is_whole: bool = False


def find_blocks(text: str) -> list[Block]:
    """Return the blocks of a CommonMark text with tables, in order; they do not overlap.

    Text between them (blank lines, link definitions) is in none.
    """
    # The parser knows "\n" only; as long as the text, so that positions stay true.
    plain = text.replace("\r\n", " \n").replace("\r", "\n")
    blocks = []
    if head := _FRONT_MATTER.match(plain):
        blocks.append(Block(start=0, end=head.end(), is_whole=True))
        plain = re.sub(r"[^\n]", " ", head[0]) + plain[head.end() :]
    lines = list(accumulate((len(line) + 1 for line in plain.split("\n")), initial=0))
    lines[-1] = len(text)
    covered = 0
    for token in _parse(plain):
        if token.map is None or token.type not in _WHOLE | _PLAIN:
            continue
        first, last = token.map
        if first < covered or first >= last:  # a paragraph inside a table is no block of its own
            continue
        covered = last
        is_section = token.type == "heading_open" and token.level == 0
        blocks.append(
            Block(
                start=lines[first],
                end=lines[last],
                level=int(token.tag[1:]) if is_section else 0,
                is_whole=token.type in _WHOLE,
            )
        )
    return blocks


def _parse(text: str) -> list[Token]:
    """Return the block tokens; what stands inside a paragraph is not looked at."""
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(text, parser, {}, tokens)
    return tokens


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")
