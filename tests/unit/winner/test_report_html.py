"""The page: one file, no address, headings in order, and every text is shown as text."""

import base64
import hashlib
import html
import json
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from sweep.winner.plots.script import plotly_script
from sweep.winner.report.build import build_report
from sweep.winner.report.content import (
    Column,
    Section,
    Table,
)
from sweep.winner.report.html import to_html
from sweep.winner.report.markdown import to_markdown
from tests.report_material import HOSTILE, SCRIPT, hostile_report, material, usual

VOID = {"meta", "br", "img", "input", "link", "path", "circle"}


class Outline(HTMLParser):
    """What a page consists of: tags, headings, ids, what refers to what, addresses, texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.headings: list[int] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.shown: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.shown.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, own, value in self.attributes if own == name]


@pytest.fixture(scope="module")
def page() -> str:
    return to_html(build_report(usual()))


def without_plotly(page: str) -> str:
    return page.replace(plotly_script(), "")


def test_nothing_in_the_page_names_another_host(page: str) -> None:
    outline = Outline(page)
    for name in ("href", "src", "action", "srcset", "xlink:href", "formaction"):
        assert all(value.startswith("#") for value in outline.values(name)), name
    own = without_plotly(page).replace("http://www.w3.org/2000/svg", "")  # a name, not an address
    assert len(own) < 150_000
    assert re.findall(r"(?i)\b(?:https?:)?//[\w-]+\.[\w.-]+|@import|url\(", own) == []


def test_only_the_two_scripts_of_the_page_may_run(page: str) -> None:
    (policy,) = [
        value
        for tag, name, value in Outline(page).attributes
        if (tag, name) == ("meta", "content") and "script-src" in value
    ]
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = re.findall(r"(?s)<script>(.*?)</script>", page)
    digests = {base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts}
    assert len(scripts) == 2
    assert allowed == digests
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe-eval" not in policy


def test_landmarks_headings_and_names(page: str) -> None:
    outline = Outline(page)
    assert outline.open == []
    assert [outline.tags[tag] for tag in ("main", "header", "footer", "nav", "h1")] == [1] * 5
    assert outline.headings[0] == 1
    steps = zip(outline.headings, outline.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    ids = outline.values("id")
    assert len(ids) == len(set(ids))
    targets = [value.removeprefix("#") for value in outline.values("href")]
    assert targets[0] == "answer"  # the skip link
    assert {*targets, *outline.values("aria-labelledby")} <= set(ids)
    assert ("html", "lang", "en") in outline.attributes
    for tag, name in (("table", "caption"), ("figure", "figcaption"), ("details", "summary")):
        assert outline.tags[tag] == outline.tags[name] > 0
    assert outline.values("role").count("img") == 2 * outline.tags["figure"]
    assert all(outline.values("aria-label"))


def test_a_page_without_pictures_carries_no_plotly() -> None:
    page = to_html(build_report(material()))
    assert len(page) < 50_000
    assert "<script" not in page
    assert "default-src 'none'; script-src 'none'" in html.unescape(page)


@pytest.mark.parametrize("text", HOSTILE, ids=["s", "end", "quote", "style", "template", "rtl"])
def test_no_text_is_markup(page: str, text: str) -> None:
    report = hostile_report(text)
    outline = Outline(to_html(report))
    assert outline.open == []
    assert set(outline.tags) <= {*Outline(page).tags, "article", "bdi", "li"}
    assert outline.tags["script"] == 2 + outline.tags["figure"]
    assert outline.tags["style"] == 1
    assert not [name for _, name, _ in outline.attributes if name.startswith("on")]
    assert sum(text in shown for shown in outline.shown) >= 10
    assert not any("49 " in shown for shown in outline.shown)  # no template in a text


def test_texts_of_others_are_isolated() -> None:
    isolated = re.findall(r"(?s)<bdi dir=\"auto\">(.*?)</bdi>", to_html(hostile_report("שלום")))
    assert isolated.count("שלום") >= 5  # study, corpus, paragraph, cell, query ...


def test_plot_data_cannot_end_its_element() -> None:
    page = to_html(hostile_report(HOSTILE[1]))
    specs = re.findall(r"(?s)<script type=\"application/json\" id=\"[\w-]+\">(.*?)</script>", page)
    assert len(specs) == page.count('class="plot"') >= 4
    assert all("<" not in spec for spec in specs)
    names = [
        html.unescape(trace.get("name") or "")
        for spec in specs
        for trace in json.loads(spec)["data"]
    ]
    assert HOSTILE[1] in names


@pytest.mark.parametrize("text", HOSTILE, ids=["s", "end", "quote", "style", "template", "rtl"])
def test_markdown_shows_texts_as_texts(text: str) -> None:
    told = to_markdown(hostile_report(text))
    without_code = re.sub(r"(?s)```.*?```|`[^`\n]+`", "", told)
    bare = re.sub(r"\\.", "", without_code)
    assert not re.search(r"[<>]", bare)


def test_markdown_tables_have_as_many_cells_in_every_row() -> None:
    odd = Table(caption="odd", columns=(Column("a"), Column("b")), rows=(("x|y\nz", "`|`"),))
    report = replace(build_report(usual()), slices=Section(title="odd", blocks=(odd,), data={}))
    lines = to_markdown(report).splitlines()
    groups: list[list[int]] = [[]]
    for line in lines:
        if line.startswith("|"):
            groups[-1].append(len(re.sub(r"\\.", "", line).split("|")))
        elif groups[-1]:
            groups.append([])
    assert len(groups) > 4
    assert all(len(set(group)) == 1 for group in groups if group)


def test_json_leaves_the_drawing_out() -> None:
    def kinds(value: Any) -> set[str]:
        if isinstance(value, dict):
            return {type(value).__name__}.union(*map(kinds, value.values()))
        if isinstance(value, list | tuple):
            return {type(value).__name__}.union(*map(kinds, value))
        return {type(value).__name__}

    content = hostile_report(SCRIPT).to_json()
    assert kinds(content) <= {"dict", "list", "str", "int", "float", "bool", "NoneType", "tuple"}
    plots = [
        block
        for section in content["sections"].values()
        for block in section["blocks"]
        if block["kind"] == "plot"
    ]
    assert plots[0]["title"]
    assert "draw" not in plots[0]


def test_what_is_open_stands_beside_the_answer_and_links_to_it() -> None:
    report = build_report(usual())
    assert report.doubts is not None
    findings = report.doubts.data["findings"]
    count = f"{sum(one['open'] for one in findings)} of {len(findings)}"
    page = to_html(report)
    assert f'<span class="value"><a href="#doubts">{count}</a></span>' in page
    assert '<section id="doubts"' in page
    assert f"* **open questions**: {count} (ways in which this choice" in to_markdown(report)


def test_only_a_table_that_is_wide_says_that_it_scrolls(page: str) -> None:
    classes = re.findall(r'<div class="(scroll[^"]*)".*?<thead>(.*?)</thead>', page, re.DOTALL)
    assert {"scroll", "scroll wide"} == {name for name, _ in classes}
    assert all(("wide" in name) == (head.count("<th ") > 5) for name, head in classes)
