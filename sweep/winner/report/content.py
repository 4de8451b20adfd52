"""What a report says, as records; how it looks is the business of `html` and `markdown`.

A report is a headline and sections; a section is a list of blocks, and `data`: the same figures
unrounded, for machines. Texts are plain, never markup: whoever lays them out escapes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

FORMAT = 1  # of the JSON form
Tone = Literal["plain", "good", "caution"]
# `quote`: text of the corpus or of a person; `code`: to be copied; `name`: of a configuration
Kind = Literal["text", "number", "name", "quote", "code"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A few sentences; `quote` where names or texts of others stand in them."""

    text: str
    tone: Tone = "plain"
    quote: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    title: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of texts, each as long as `columns`; `marked` are rows that stand out."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A figure with its name, and what else is to be said of it.

    `link` names the section that says more.
    """

    name: str
    value: str
    note: str = ""
    kind: Kind = "text"
    tone: Tone = "plain"
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Facts side by side; `large` for the few that one is to see first."""

    items: tuple[Fact, ...]
    large: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bullets:
    """Sentences of equal standing."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """Lines to copy into a shell."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbatim:
    """A text to be shown as it is; `folded` behind its title."""

    title: str
    text: str
    folded: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A way in which the choice could be wrong, and what is known of it."""

    question: str
    answer: str
    is_open: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Findings, those that are open first."""

    items: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A picture, what it shows in a sentence, and its figures as a table.

    Attributes:
        title: what one sees, in a few words.
        alt: the same for who does not see it.
        table: the figures, folded below the picture; None where a table beside it has them.
        draw: gives the Plotly figure.
    """

    title: str
    alt: str
    table: Table | None
    draw: Callable[[], Any] = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One query, what it got, and what it should have got.

    Attributes:
        query: its text.
        note: what is to be said of it, without texts of the corpus.
        tables: ranked lists and the like.
        folded: whether they are behind the query's text.
    """

    query: str
    note: str
    tables: tuple[Table, ...]
    folded: bool = False


Block = (
    Paragraph | Bullets | Table | Facts | Commands | Verbatim | Findings | Plot | Example
)  # each has a macro in templates/blocks.html, and a function in `markdown`


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of the report.

    Attributes:
        title: its heading.
        blocks: what it says, in order.
        data: its figures, unrounded, JSON-ready but for NaN.
    """

    title: str
    blocks: tuple[Block, ...]
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a report says; the sections stand in the order of the fields.

    Attributes:
        study: the study's name.
        corpus: the corpus's name.
        made: by which version, from which run.
        title: the answer in one line.
        label: the configuration to use, if there is one.
    """

    study: str
    corpus: str
    made: str
    title: str
    label: str
    answer: Section
    leaderboard: Section | None = None
    cost: Section | None = None
    effects: Section | None = None
    curves: Section | None = None
    slices: Section | None = None
    diagnosis: Section | None = None
    holes: Section | None = None
    failures: Section | None = None
    method: Section | None = None
    doubts: Section | None = None
    repeat: Section | None = None

    def sections(self) -> dict[str, Section]:
        """Return the sections that there are, in order, by name."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in found.items() if isinstance(value, Section)}

    def to_json(self) -> dict[str, Any]:
        """Return the form that `sweep report --format json` prints."""
        return {
            "format": FORMAT,
            "study": self.study,
            "corpus": self.corpus,
            "made": self.made,
            "title": self.title,
            "label": self.label,
            "sections": {
                name: {
                    "title": section.title,
                    "blocks": [block_to_json(block) for block in section.blocks],
                    "data": dict(section.data),
                }
                for name, section in self.sections().items()
            },
        }


def pieces(text: str) -> list[tuple[str, bool]]:
    """Return the parts of a sentence, and whether each is code: it stands between backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one of them is no mark
        return [(text, False)]
    return [(part, bool(place % 2)) for place, part in enumerate(parts) if part]


def kind_of(block: Block) -> str:
    """Return a block's kind, as templates and the JSON form name it."""
    return type(block).__name__.lower()


def block_to_json(block: Block) -> dict[str, Any]:
    """Return a block's texts with its kind; of a plot what its table holds."""
    return {"kind": kind_of(block), **_plain(block)}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, frozenset):
        return sorted(value)
    if hasattr(value, "__dataclass_fields__"):
        names = [f.name for f in fields(value) if f.name != "draw"]
        return {name: _plain(getattr(value, name)) for name in names}
    return value
