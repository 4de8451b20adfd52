"""A report as Markdown: for a repository, a ticket, a chat."""

import re
from collections.abc import Callable
from typing import Any

from sweep.winner.markdown import markdown_table, markdown_text
from sweep.winner.report.content import (
    Block,
    Bullets,
    Commands,
    Example,
    Fact,
    Facts,
    Findings,
    Kind,
    Paragraph,
    Plot,
    Report,
    Table,
    Verbatim,
    pieces,
)


def to_markdown(report: Report) -> str:
    """Return the report as Markdown; of plots, what they show as tables."""
    parts = [
        f"# {markdown_text(report.title)}",
        *([markdown_text(report.label)] if report.label else []),
        f"Study {markdown_text(report.study)}, corpus {markdown_text(report.corpus)}; made by "
        f"{markdown_text(report.made)}.",
    ]
    for section in report.sections().values():
        parts.append(f"## {markdown_text(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    show: Callable[[Any], str] = _SHOWN[type(block)]
    return show(block)


def _paragraph(block: Paragraph) -> str:
    text = _sentence(block.text)
    return f"**Note:** {text}" if block.tone == "caution" else text


def _bullets(block: Bullets) -> str:
    return "\n".join(f"* {_sentence(text)}" for text in block.items)


def _table(block: Table) -> str:
    header = [markdown_text(column.title) for column in block.columns]
    kinds = [column.kind for column in block.columns]
    rows = [
        [_cell(text, kind) for text, kind in zip(row, kinds, strict=True)] for row in block.rows
    ]
    return f"{markdown_text(block.caption)}:\n\n{markdown_table(header, rows)}"


def _facts(block: Facts) -> str:
    return "\n".join(_fact(fact) for fact in block.items)


def _fact(fact: Fact) -> str:
    note = f" ({markdown_text(_one_line(fact.note))})" if fact.note else ""
    return f"* **{markdown_text(fact.name)}**: {_cell(fact.value, fact.kind)}{note}"


def _commands(block: Commands) -> str:
    return _fenced("\n".join(block.lines), "bash")


def _verbatim(block: Verbatim) -> str:
    return f"{markdown_text(block.title)}:\n\n{_fenced(block.text.rstrip(), 'text')}"


def _findings(block: Findings) -> str:
    return "\n".join(
        f"* {'**open**' if finding.is_open else 'settled'}: {markdown_text(finding.question)} "
        f"{_sentence(finding.answer)}"
        for finding in block.items
    )


def _plot(block: Plot) -> str:
    parts = [f"### {markdown_text(block.title)}", markdown_text(block.alt)]
    return "\n\n".join([*parts, *([_table(block.table)] if block.table else [])])


def _example(block: Example) -> str:
    parts = [f"### {markdown_text(_one_line(block.query))}", markdown_text(_one_line(block.note))]
    return "\n\n".join([*parts, *map(_table, block.tables)])


_SHOWN: dict[type, Callable[[Any], str]] = {
    Paragraph: _paragraph,
    Bullets: _bullets,
    Table: _table,
    Facts: _facts,
    Commands: _commands,
    Verbatim: _verbatim,
    Findings: _findings,
    Plot: _plot,
    Example: _example,
}


def _cell(text: str, kind: Kind) -> str:
    line = _one_line(text)
    if kind == "code" and line and "`" not in line:
        return f"`{line}`".replace("|", "\\|")
    return markdown_text(line)


def _sentence(text: str) -> str:
    parts = pieces(_one_line(text))
    return "".join(f"`{part}`" if is_code else markdown_text(part) for part, is_code in parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _fenced(text: str, language: str) -> str:
    """Return a block of code; its fence is longer than any that the text holds."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"
